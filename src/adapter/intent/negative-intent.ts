/**
 * What the user said must not be done in this turn. `blanket`: nothing is to be run at all; `everything` where also no other tool
 * may act, because only an explanation is wanted. `bound`: calls that fit one of the bans are not to be made, all others are.
 */
export type NegativeIntent =
  | { readonly kind: "none" }
  | { readonly kind: "blanket"; readonly everything: boolean; readonly phrase: string }
  | { readonly kind: "bound"; readonly bans: readonly Ban[] };

/** One thing not to be done: what is done to it, what it is (lower case, as said), and the words that said so. */
export interface Ban {
  readonly deed: Deed;
  readonly object: string;
  readonly phrase: string;
}

export type Deed =
  | "run"
  | "install"
  | "delete"
  | "change"
  | "create"
  | "commit"
  | "push"
  | "restart"
  | "deploy"
  | "read"
  | "fetch";

/** Verbs as they stand behind a negation, by what they do. */
const englishDeeds: readonly (readonly [Deed, string])[] = [
  ["run", "run|re-?run|execute|exec|invoke|call|use|launch|start|try|perform|trigger|make any (?:tool )?calls?|do"],
  ["install", "install|upgrade|update|add (?:any )?(?:packages?|dependenc(?:y|ies))"],
  ["delete", "delete|remove|erase|wipe|drop|rm|clean"],
  ["change", "edit|modify|change|touch|alter|overwrite|rewrite|write(?: to)?|format|refactor|rename|move|fix"],
  ["create", "create|add|generate|make"],
  ["commit", "commit|stage|amend|rebase|merge|stash|reset"],
  ["push", "push|publish|release|upload|submit"],
  ["restart", "restart|stop|kill|reload|reboot|shut ?down|enable|disable"],
  ["deploy", "deploy|apply|provision|destroy"],
  ["read", "read|open|look at|cat|print|show|inspect|list"],
  ["fetch", "fetch|download|browse|search(?: the web)?|access|visit|curl|go online"],
];
const englishGerunds: readonly (readonly [Deed, string])[] = [
  ["run", "(?:re-?)?running|executing|invoking|calling|using|launching|starting"],
  ["install", "installing|upgrading|updating"],
  ["delete", "deleting|removing|erasing|wiping"],
  ["change", "editing|modifying|changing|touching|altering|overwriting|rewriting|writing"],
  ["create", "creating|adding|generating"],
  ["commit", "committing|staging|merging|rebasing"],
  ["push", "pushing|publishing|releasing|uploading"],
  ["restart", "restarting|stopping|killing|reloading|rebooting"],
  ["deploy", "deploying|applying|provisioning"],
  ["read", "reading|opening|printing"],
  ["fetch", "fetching|downloading|browsing|searching|accessing"],
];
const japaneseDeeds: readonly (readonly [Deed, string])[] = [
  ["run", "実行|起動|使用|呼び出|呼び出し|走ら|走らせ|動か|叩か|たたか|使わ|使|回さ|試さ|やら|ラン"],
  ["install", "インストール|アップデート|アップグレード|導入|追加インストール"],
  ["delete", "削除|消さ|除去|消去"],
  ["change", "変更|編集|修正|上書き|書き換え|書き込ま|書き込み|触ら|触|いじら|リファクタ|改変|更新|直さ|移動|リネーム"],
  ["create", "作成|作ら|生成|新規作成|追加"],
  ["commit", "コミット|マージ|リベース|ステージ"],
  ["push", "プッシュ|push|公開|リリース|アップロード"],
  ["restart", "再起動|停止|止め|リロード|リスタート"],
  ["deploy", "デプロイ|適用|反映"],
  ["read", "読ま|開か|見|参照し|表示し|閲覧"],
  ["fetch", "検索|アクセス|ダウンロード|取得|ネット検索"],
];

/** Where a wish can begin: at the start, behind a stop, or behind a word that joins wishes. */
const clauseStart =
  "(?:^|[.,;:!?()\\n—–-]\\s*|\\b(?:please|but|and|just|also|so|then|however|note|important|you (?:must|should|may|can)|you)\\s+)";
const negation =
  "(?:please )?(?:do not|don['’]?t|dont|never|must not|mustn['’]?t|should not|shouldn['’]?t|cannot|can not|may not|not to|not)(?: (?:actually|ever|yet|even|try to|attempt to|you dare|go and|also|you|please|now))*";

interface Pattern {
  readonly deed: Deed;
  readonly pattern: RegExp;
}

/** Up to the next stop; a stop within a word belongs to it (`package.json`). */
const objectEnd = "(?<object>(?:[^.,;:!?()\\n—–]|[.:](?=[\\w/.]))*)";
const english: readonly Pattern[] = [
  ...englishDeeds.map(([deed, verbs]) => ({
    deed,
    pattern: new RegExp(`${clauseStart}${negation} (?:${verbs})\\b${objectEnd}`, "gi"),
  })),
  ...englishGerunds.map(([deed, verbs]) => ({
    deed,
    pattern: new RegExp(
      `\\b(?:without(?: actually| ever)?|no need (?:for|of)|avoid|refrain from|stop short of|instead of|no)\\s+(?:${verbs})\\b${objectEnd}`,
      "gi",
    ),
  })),
  ...englishDeeds.map(([deed, verbs]) => ({
    deed,
    pattern: new RegExp(
      `\\b(?:no need|not necessary|unnecessary|there is no need|needn['’]?t|you (?:do not|don['’]?t) (?:need|have)) to (?:${verbs})\\b${objectEnd}`,
      "gi",
    ),
  })),
  {
    deed: "run",
    pattern:
      /\b(?:no (?:tool|function|shell)[- ](?:calls?|use|commands?)|no execution|dry[- ]run only|read[- ]only please)\b(?<object>)/gi,
  },
];

/** The forms in which Japanese forbids. Behind them, a clause that shows it was no wish is looked for separately. */
const japaneseNegation =
  "(?:(?:し|せ|させ)?(?:ないで|ないように|なくて(?:も)?(?:いい|よい|良い|大丈夫|構わない|結構)|せ?ず(?:に|(?=[、,]))|ないこと|んな(?:いで)?|ないよう)|するな|(?:は|を)?しないで|(?:は|も)?(?:不要|禁止|いらない|要らない|無用|厳禁|やめて|避けて|控えて|なし(?:で|に)?)|(?:るな|すな|くな|うな|むな|けるな|えるな)|(?:する)?必要(?:は|も)?(?:ない|ありません)|(?:は|も)?(?:一切)?し(?:ません|ない)で|(?:し)?(?:てはいけない|てはならない|てはだめ|ちゃだめ|ては駄目))";
const japanese: readonly Pattern[] = japaneseDeeds.map(([deed, verbs]) => ({
  deed,
  pattern: new RegExp(`(?:${verbs})(?:は|を|も)?${japaneseNegation}`, "g"),
}));
/** How far before the verb its object may begin, in UTF-16 units. */
const longestObject = 80;
const japaneseStop = /[。．、，,！？!?\n]|\.(?![\w/.])/g;
const japaneseAdverbs =
  /(?:は|を|の|も|で|に|へ|って)?\s*(?:まだ|一切|絶対に?|決して|勝手に|実際に?は?|何も|今は)?\s*$/;

/** Behind the negation: it was a report, a cause, a duty or a quotation. */
const japaneseNotAWish =
  /^(?:と(?:いけ|なら|だめ|駄目|言|い[うっ]|書|表示|出|思|、)|って|場合|理由|原因|ため|済|すむ|終わ|失敗|せい)/;
/** A cause, behind a form that could be a wish; "…しなくていいので" stays one. */
const japaneseCause = /^(?:の(?:で|に|が|は|を)|から)/;
const japaneseLeave = /(?:いい|よい|良い|大丈夫|構わない|結構|不要|禁止|いらない|要らない|ない|ありません|厳禁|無用)$/;
const japaneseQuestionBefore = /(?:なぜ|どうして|なんで)[^。\n]*$/;

/** Objects that name nothing: then the ban is for everything of its kind. */
const nameless =
  /^(?:\s*(?:it|this|that|them|these|those|anything|something|everything|any|all|any(?: of)? (?:them|these|those|it)|(?:any |the |a |an |this |that |these |those |of |other |more )*(?:commands?|tools?|code|scripts? yourself|shell|tool calls?|functions?|things?|stuff|programs?)|yourself|for real|for me|now|yet|here|at all|actually|either|the above|the following|what i|so|please)\b\s*)*$/i;
const namelessJapanese =
  /^(?:\s*(?:これ|それ|あれ|何も|なにも|まだ|一切|絶対に?|決して|コマンド|ツール|コード|シェル|実際に|実際|全部|すべて|全て|勝手に|今|今回|ここで|その|この|あの|例の|どの|いかなる|は|を|も|に|で|の|が|だけど|ただし|ただ|でも|けど|なお|また|ので|から|ください|、)*\s*)*$/;

/** Only an explanation, a draft or a command to copy is wanted. */
const onlyExplain =
  /(?:^|[.!?\n]\s*)(?:please )?(?:explain|describe|tell me|what (?:does|is|would)|how (?:do|does|would|can))\b|\b(?:just|only|simply|merely) (?:explain|describe|tell|show|give|list|answer|suggest|write out|print|say|discuss|think|plan|review)\b|\bexplain (?:only|it only)\b|\b(?:explanation|answer|plan|advice|text) only\b|\bjust (?:the )?(?:command|explanation|answer|plan)\b|(?:説明|解説|回答|案|方針|計画|手順|コマンド|答え|文章)(?:だけ|のみ)|だけ(?:教えて|説明して|示して|書いて|見せて|答えて)|(?:説明|解説)して|教えて/i;
/** Something is to be done beside the ban. */
const asksToAct =
  /(?:^|[.!?;:,\n]\s*|\b(?:just|only|but|and|instead,?|please|then|simply)\s+)(?:please )?(?:edit|fix|change|modify|update|write|create|add|refactor|rename|move|implement|apply|patch|delete|remove|replace|format|commit)\b|(?:編集|修正|変更|作成|追加|更新|実装|削除|置換|書き換え|リファクタ|直)(?:だけ)?(?:を|は)?(?:し|て|で)(?:て|ください|くだ|ほしい|$|[。、])/i;

/** Longest turn that is looked at whole, in UTF-16 units; of a longer one the ends, where people say what they want. */
const longestTurn = 8000;

/** Reads what a user's turn forbids. Quoted text, code and questions about a ban forbid nothing. */
export function readNegativeIntent(said: string): NegativeIntent {
  const turn = said.length <= longestTurn ? said : `${said.slice(0, longestTurn / 2)}\n${said.slice(-longestTurn / 2)}`;
  const text = withoutQuotations(turn);
  const bans: Ban[] = [];
  let nothing: string | null = null;
  for (const found of [...findEnglish(text), ...findJapanese(text)]) {
    const object = restore(found.object, turn).trim();
    if (isNameless(found.object, object)) {
      if (found.deed === "run") nothing ??= found.phrase;
      else bans.push({ deed: found.deed, object: "", phrase: found.phrase });
    } else bans.push({ deed: found.deed, object: object.toLowerCase(), phrase: found.phrase });
  }
  if (nothing !== null)
    return { kind: "blanket", everything: onlyExplain.test(text) && !asksToAct.test(text), phrase: nothing };
  if (bans.length === 0) return { kind: "none" };
  const [first] = bans;
  if (first !== undefined && bans.every((ban) => ban.deed === "run") && onlyExplain.test(text) && !asksToAct.test(text))
    return { kind: "blanket", everything: true, phrase: first.phrase };
  return { kind: "bound", bans };
}

interface Found {
  readonly deed: Deed;
  readonly object: string;
  readonly phrase: string;
}

function findEnglish(text: string): readonly Found[] {
  return english.flatMap(({ deed, pattern }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const object = (match.groups?.["object"] ?? "").replace(
        /\s+(?:but|and just|just|instead|only|so|because|since|until|unless|before|after|when|while|without|and)\b.*$/i,
        "",
      );
      const before = text.slice(0, match.index);
      // "Why do the tests not run", "it says do not run": nobody forbids anything.
      if (
        /\b(?:why|says?|said|saying|means?|titled|reads?|told|error|message|warning|if (?:you|i|we|it|they))\s*[:,]?\s*$/i.test(
          before,
        )
      )
        return [];
      if (
        /^(?:\W*)(?:not)\b/i.test(match[0]) &&
        !/[.,;:!(\n]\s*$/.test(before) &&
        before.trim() !== "" &&
        !/^\s*not to\b/i.test(match[0])
      )
        return [];
      return [{ deed, object, phrase: match[0].trim() }];
    }),
  );
}

function findJapanese(text: string): readonly Found[] {
  return japanese.flatMap(({ deed, pattern }) => {
    let from = 0;
    return [...text.matchAll(pattern)].flatMap((match) => {
      const end = match.index + match[0].length;
      const object = japaneseObject(text.slice(Math.max(from, match.index - longestObject), match.index));
      from = end;
      const behind = text.slice(end, end + 12);
      if (japaneseNotAWish.test(behind)) return [];
      if (japaneseCause.test(behind) && !japaneseLeave.test(match[0])) return [];
      if (japaneseQuestionBefore.test(text.slice(Math.max(0, match.index - longestObject), end))) return [];
      return [{ deed, object: object.replace(japaneseAdverbs, ""), phrase: `${object}${match[0]}`.trim() }];
    });
  });
}

/** What stands between the last stop and the verb. */
function japaneseObject(before: string): string {
  const stop = [...before.matchAll(japaneseStop)].at(-1);
  return stop === undefined ? before : before.slice(stop.index + stop[0].length);
}

/** Private-use characters stand in for quoted text, so that offsets and lengths stay. */
const filler = "\ue000";

/**
 * Quotations speak with somebody else's voice: their letters are blanked. A short span in backticks stays as an object that can be
 * named (`npm test`), by its length.
 */
function withoutQuotations(text: string): string {
  return text.replaceAll(
    /```[\s\S]*?(?:```|$)|`[^`\n]{1,200}`|"[^"\n]{1,400}"|“[^”\n]{1,400}”|「[^」]{1,400}」|『[^』]{1,400}』|(?<=^|\s|[(])'[^'\n]{1,400}'(?=$|[\s.,;:!?)])|^\s*>.*$/gm,
    (quoted) => filler.repeat(quoted.length),
  );
}

/** The text that fillers in an object stand for. */
function restore(object: string, turn: string): string {
  if (!object.includes(filler)) return object;
  const spans = [...turn.matchAll(/`([^`\n]{1,200})`|"([^"\n]{1,400})"|「([^」]{1,400})」|'([^'\n]{1,400})'/g)];
  return object.replaceAll(new RegExp(`${filler}+`, "g"), (run) => {
    const span = spans.find((match) => match[0].length === run.length);
    return ` ${span?.slice(1).find((group) => group !== undefined) ?? ""} `;
  });
}

function isNameless(masked: string, object: string): boolean {
  if (masked.includes(filler)) return object.trim() === "";
  return nameless.test(object) || namelessJapanese.test(object);
}
