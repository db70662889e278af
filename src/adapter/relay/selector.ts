/** The part of a command's result that the user wants back, and nothing else. */
export type Selector =
  | { readonly kind: "output" }
  | { readonly kind: "stdout" }
  | { readonly kind: "stderr" }
  | { readonly kind: "exit_code" }
  | { readonly kind: "first_line" }
  | { readonly kind: "last_line" }
  | { readonly kind: "json_key"; readonly key: string }
  | { readonly kind: "marker" };

/** What the words behind a command ask for: nothing more than a report (selector null), or one part of the result. */
export type TailReading =
  | { readonly kind: "understood"; readonly selector: Selector | null }
  /** Words that say something else: the request is then more than a command. */
  | { readonly kind: "other" };

const keyName = "[`\"'「『]?(?<key>[\\w$][\\w$.-]*)[`\"'」』]?";

/** Nouns for the parts of a result. Those with `alone` mean only themselves; the others need an "only" beside them. */
const parts: readonly {
  readonly selector: (key: string) => Selector;
  readonly noun: string;
  readonly alone: boolean;
}[] = [
  {
    selector: () => ({ kind: "stderr" }),
    noun: "(?:the )?(?:stderr|standard error(?: output| stream)?)|(?:標準エラー(?:出力)?|エラー出力)",
    alone: true,
  },
  { selector: () => ({ kind: "stdout" }), noun: "(?:the )?(?:stdout|standard output)|標準出力", alone: true },
  {
    selector: () => ({ kind: "exit_code" }),
    noun: "(?:the |its )?(?:exit|return) (?:code|status|value)|終了(?:コード|ステータス)|リターンコード|戻り値|exit ?code",
    alone: true,
  },
  {
    selector: () => ({ kind: "first_line" }),
    noun: "(?:the |its )?(?:(?:very )?first|1st|top) line(?: of (?:the|its) (?:output|result|stdout))?|(?:出力の|結果の)?(?:最初の(?:1|１|一)?行|先頭の?(?:1|１|一)?行|(?:1|１|一)行目)",
    alone: true,
  },
  {
    selector: () => ({ kind: "last_line" }),
    noun: "(?:the |its )?(?:(?:very )?last|final|bottom) line(?: of (?:the|its) (?:output|result|stdout))?|(?:出力の|結果の)?(?:最後の(?:1|１|一)?行|最終行|末尾の?(?:1|１|一)?行)",
    alone: true,
  },
  {
    selector: (key) => ({ kind: "json_key", key }),
    noun: `(?:the )?value of (?:the )?[\\u0060"'](?<key5>[\\w$][\\w$.-]*)["'\\u0060]|(?:the )?(?:value of )?(?:the )?(?:json )?(?:key|field|property) ${keyName}(?: (?:of|from|in) the (?:json|output|result))?|(?:the )?${keyName.replace("key>", "key2>")} (?:key|field|property)(?: (?:of|from|in) the (?:json|output|result))?|(?:json|出力|結果)?(?:の|から)?\\s*${keyName.replace("key>", "key3>")}\\s*(?:という)?(?:キー|フィールド|プロパティ)(?:の値)?|(?:json|出力|結果)?の?(?:キー|フィールド)\\s*${keyName.replace("key>", "key4>")}\\s*(?:の値)?`,
    alone: true,
  },
  {
    selector: () => ({ kind: "marker" }),
    noun: "(?:the )?(?:uuids?|guid|marker)(?: (?:of|from|in) the (?:output|result))?|(?:出力の|出力中の|結果の)?(?:uuid|マーカー|marker)",
    alone: true,
  },
  {
    selector: () => ({ kind: "output" }),
    noun: "(?:the |its )?(?:raw |exact |verbatim |plain |command |full )?(?:output|result)s?|(?:その|実行)?(?:出力|結果|コマンド出力)(?:結果|内容)?",
    alone: false,
  },
];

const englishVerb =
  "(?:return|show|give|print|output|display|report|reply with|respond with|answer with|tell|send|post|paste)(?: me| us| back)*";
const englishOnly = "only|just|exactly|nothing but|verbatim|solely";
const englishAfter =
  "only|alone|and nothing else|nothing else|verbatim|as[- ]is|unchanged|exactly as it is|without (?:any )?(?:comments?|commentary|explanations?|anything else)";
const japaneseOnly = "だけ|のみ|をそのまま|そのまま|だけそのまま|のみそのまま";
const japaneseVerb =
  "(?:返(?:して|答して|答)|教えて|見せて|表示して|出力して|出して|答えて|貼って|報告して|お願い(?:します)?|ください|下さい|頂戴|ちょうだい)(?:ください|下さい|くれ|ね|ほしい|欲しい|頂戴|ちょうだい)?";

interface TailPattern {
  readonly pattern: RegExp;
  readonly selector: (key: string) => Selector;
}

const selectorPatterns: readonly TailPattern[] = parts.flatMap(({ selector, noun, alone }) => {
  const patterns = [
    `(?:${englishVerb} )?(?:${englishOnly}) (?:${noun})(?:,? (?:${englishAfter}))*(?:,? please)?`,
    `(?:${englishOnly}) ${englishVerb} (?:${noun})(?:,? please)?`,
    `(?:${englishVerb} )?(?:${englishOnly} )?(?:${noun}),? (?:${englishAfter})(?:,? (?:${englishAfter}))*(?:,? please)?`,
    `(?:${noun})\\s*(?:${japaneseOnly})(?:を|で)?\\s*(?:${japaneseVerb})?`,
  ];
  if (alone) patterns.push(`${englishVerb} (?:${noun})(?:,? please)?`, `(?:${noun})\\s*(?:を|で)\\s*${japaneseVerb}`);
  return patterns.map((text) => ({ pattern: new RegExp(`^(?:${text})$`, "iu"), selector }));
});
const verbatim =
  /^(?:(?:return|show|give|print|output) (?:it|that)(?: back)? (?:verbatim|as[- ]is|unchanged)|verbatim|as[- ]is|そのまま(?:返して|見せて|表示して|出して|出力して|貼って)(?:ください|下さい|くれ|ね)?)$/i;

/** Words that only ask for the result to be told: the model does that. */
const reports: readonly RegExp[] = [
  /^(?:tell|show|give|send) (?:me|us) (?:the |its |what |where |which |how |back )*[\w' -]{0,60}$/i,
  /^(?:report|print|return|paste|post|display|show|summari[sz]e|explain|describe|interpret)(?: back)? (?:the |its |what )*[\w' -]{1,60}$/i,
  /^(?:let me know|tell me)(?: (?:the|what|where|which|how)[\w' -]{0,60})?$/i,
  /^(?:please|thanks|thank you|thx)$/i,
  /^(?:その|実行|コマンドの)?(?:結果|出力|内容|中身|ディレクトリ|パス|場所|日付|日時|時刻|一覧|状態)(?:だけ)?(?:を|も|について)?(?:日本語で|簡潔に|短く)?(?:教えて|見せて|返して|表示して|出して|報告して|貼って|説明して|要約して|まとめて|知らせて)(?:ください|下さい|くれ|ね|ほしい)?$/u,
  /^(?:教えて|見せて|報告して|お願いします|お願い|ありがとう)(?:ください|下さい|くれ|ね)?$/u,
];
/** A report asks for nothing to be done. */
const doesMore =
  /\b(?:run|execute|then|if|unless|when|write|edit|delete|create|remove|install|commit|push|fix|change|not|never|don't|without|save|file|instead|translate|before|after)\b/i;

/** Reads the words behind a command, clause by clause; the last selector counts. */
export function readTail(tail: string): TailReading {
  let selector: Selector | null = null;
  for (const clause of clausesOf(tail)) {
    const selected = readSelector(clause);
    if (selected !== null) selector = selected;
    else if (doesMore.test(clause) || !reports.some((report) => report.test(clause))) return { kind: "other" };
  }
  return { kind: "understood", selector };
}

/** Reads one clause as the choice of a part of the result; null where it is none. */
export function readSelector(clause: string): Selector | null {
  const text = clause.trim().replace(/^(?:and |then |but |、|,)+/i, "");
  if (verbatim.test(text)) return { kind: "output" };
  for (const { pattern, selector } of selectorPatterns) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const key = Object.values(match.groups ?? {}).find((group) => group !== undefined) ?? "";
    if (/^(?:the|json|a|value|of|that|this|only|just)$/i.test(key)) continue;
    return selector(key);
  }
  return null;
}

function clausesOf(tail: string): readonly string[] {
  return tail
    .split(/[。！!；;\n]+|\.(?=\s|$)|、|,(?= (?:and |then |but |no |nothing ))/u)
    .map((clause) => clause.trim().replace(/^(?:and then|and|then|そして|それから)\s+/i, ""))
    .filter((clause) => clause !== "")
    .reduce<string[]>((clauses, clause) => {
      // "only the output, nothing else" is one wish.
      if (
        /^(?:no(?:thing)? (?:else|explanations?|comments?)|説明(?:は|も)?(?:不要|いらない|要らない|なし)(?:です)?|他(?:に)?は何も(?:書かないで|言わないで)(?:ください)?)$/i.test(
          clause,
        )
      )
        return clauses;
      clauses.push(clause);
      return clauses;
    }, []);
}
