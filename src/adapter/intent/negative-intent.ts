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
const englishParticiples: readonly (readonly [Deed, string])[] = [
  ["run", "run|executed|called|used|started"],
  ["install", "installed|upgraded|updated"],
  ["delete", "deleted|removed"],
  ["change", "edited|modified|changed|touched"],
  ["commit", "committed"],
  ["push", "pushed|published"],
  ["deploy", "deployed|applied"],
];
const japaneseDeeds: readonly (readonly [Deed, string])[] = [
  ["run", "実行|起動|使用|呼び出さ|呼び出し|呼ば|走ら|走らせ|動か|動かさ|打た|叩か|たたか|使わ|使|回さ|試さ|やら|ラン"],
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
  "(?:^|[.,;:!?()\\n—–-]\\s*|\\b(?:please|but|and|just|also|so|then|however|note|important|you|we)\\s+)";
const negation =
  "(?:please )?(?:do not|don['’]?t|dont|never|must not|mustn['’]?t|should not|shouldn['’]?t|cannot|can not|may not|(?:are|['’]re|is) not (?:allowed|permitted|supposed) to|(?:under no circumstances|at no point|in no case)(?: should you| may you| must you)?|(?:remember|be (?:sure|careful)|make sure|take care) not to|(?:i|we) (?:do not|don['’]?t) want (?:you |anyone |it )?to|(?:i|we)(?:['’]d| would) (?:rather|prefer) (?:you )?(?:didn['’]?t|did not|not))(?:,[^,.;\\n]{1,40},)?(?: (?:actually|ever|yet|even|try to|attempt to|you dare|go and|also|you|please|now))*";

interface Pattern {
  readonly deed: Deed;
  readonly pattern: RegExp;
  /** A part of the pattern that every match holds, shared by the patterns of all deeds: most turns do not have it. */
  readonly part?: RegExp;
}

const negated = new RegExp(`${negation} `, "i");
const gerundLead =
  "(?:without(?: actually| ever)?|no need (?:for|of)|avoid|refrain from|stop short of|hold off (?:on|from)|skip|stop|quit|forget about|instead of|no(?= \\S+(?: of| any| commands?| tests?| please|[.,!]|$)))";
const beforeGerund = new RegExp(`\\b${gerundLead}\\s`, "i");
const needLead =
  "(?:(?:no need|not necessary|unnecessary|there is no need|you (?:do not|don['’]?t) (?:need|have)) to|(?:you|we) needn['’]?t)";
const noNeed = new RegExp(`\\b${needLead} `, "i");
const notWanted = /\b(?:i|we) (?:do not|don['’]?t) want /i;
const notToBe = / (?:must not|may not|is not to|are not to) be /i;
const nothingToBe = /\bnothing (?:must|may|should|is to) be /i;

/** Up to the next stop; a stop within a word belongs to it (`package.json`). */
const objectEnd = "(?<object>(?:[^.,;:!?()\\n—–]|[.:](?=[\\w/.]))*)";
/** "Must not be run twice" speaks of a program. */
const notAgain =
  "(?! (?:twice|again|more|in|automatically|by|at|when|if|unless|before|until|while|for|concurrently)\\b)";
const english: readonly Pattern[] = [
  ...englishDeeds.map(([deed, verbs]) => ({
    deed,
    part: negated,
    pattern: new RegExp(`${clauseStart}${negation} (?:${verbs})\\b${objectEnd}`, "gi"),
  })),
  ...englishGerunds.map(([deed, verbs]) => ({
    deed,
    part: beforeGerund,
    pattern: new RegExp(`\\b${gerundLead}\\s+(?:${verbs})\\b${objectEnd}`, "gi"),
  })),
  ...englishDeeds.map(([deed, verbs]) => ({
    deed,
    part: noNeed,
    pattern: new RegExp(`\\b${needLead} (?:${verbs})\\b${objectEnd}`, "gi"),
  })),
  // "`ls` must not be run", "I do not want the tests to be run", "nothing is to be executed".
  ...englishParticiples.flatMap(([deed, verbs]) => [
    {
      deed,
      part: notWanted,
      pattern: new RegExp(
        `\\b(?:i|we) (?:do not|don['’]?t) want (?<object>[^.,;:!?\\n]{1,60}?) (?:to be )?(?:${verbs})\\b${notAgain}`,
        "gi",
      ),
    },
    {
      deed,
      part: notToBe,
      pattern: new RegExp(
        `(?:^|[.,;:!?\\n]\\s*)(?<object>[^.,;:!?\\n]{1,60}?) (?:must not|may not|is not to|are not to) be (?:${verbs})\\b${notAgain}`,
        "gi",
      ),
    },
    {
      deed,
      part: nothingToBe,
      pattern: new RegExp(`\\bnothing (?:must|may|should|is to) be (?:${verbs})\\b(?<object>)`, "gi"),
    },
  ]),
  {
    deed: "run",
    pattern:
      /\b(?:i['’]ll|i will|let me|i can|i['’]d rather) (?:run|execute|do|try) (?:it|this|that|them) (?:myself|on my own)\b(?<object>)/gi,
  },
  { deed: "change", pattern: /\b(?:make|with) no (?:code |file |further |other )?changes\b(?<object>)/gi },
  {
    deed: "change",
    pattern:
      /(?:^|[.,;:!?\n]\s*|\b(?:please|but|and) )(?:leave|keep) (?<object>(?:[^.,;:!?\n]|\.(?=\w)){1,60}?) (?:alone|untouched|unchanged|as (?:it is|is|they are))\b/gi,
  },
  {
    deed: "run",
    pattern: /(?:^|[.,;:!?\n]\s*|\b(?:but|and) )no (?:more )?(?:commands?|tools?)(?: please)?(?=[.,!]|$)(?<object>)/gi,
  },
  {
    deed: "run",
    pattern:
      /\b(?:no (?:tool|function|shell)[- ](?:calls?|use|commands?)|no execution|dry[- ]run only|read[- ]only please)\b(?<object>)/gi,
  },
];

/** The forms in which Japanese forbids. Behind them, a clause that shows it was no wish is looked for separately. */
const japaneseNegation =
  "(?:(?:し|せ|させ)?(?:ないで|ないように|なくて(?:も)?(?:いい|よい|良い|大丈夫|構わない|結構)|せ?ず(?:に|(?=[、,]|答|教|説明|示))|ないこと|んな(?:いで)?|ないよう)|するな|(?:は|を)?しないで|(?:は|も)?(?:不要|禁止|いらない|要らない|無用|厳禁|結構です|待って|まだ(?:いい|早い|不要)|やめて|避けて|控えて|なし(?:で|に)?)|(?:るな|すな|くな|うな|むな|けるな|えるな)|(?:する)?必要(?:は|も)?(?:ない|ありません)|(?:は|も)?(?:一切)?し(?:ません|ない)で|(?:し)?(?:てはいけない|てはならない|てはだめ|ちゃだめ|ては駄目))";
const japanese: readonly Pattern[] = [
  ...japaneseDeeds.map(([deed, verbs]) => ({
    deed,
    pattern: new RegExp(`(?:${verbs})(?:は|を|も)?${japaneseNegation}`, "g"),
  })),
  {
    deed: "run",
    pattern: /(?:の実行)?(?:は|を)\s*(?:スキップ|省略|割愛)して(?:ください|下さい|くれ|ね)?(?=[。、,！!\s]|$)/g,
  },
  { deed: "run", pattern: /(?<=ツール|コマンド|シェル)(?:は|も)?なしで/g },
  {
    deed: "run",
    pattern:
      /(?<=[A-Za-z0-9\ue000-\uf7ff])\s*(?:の実行)?は(?:不要|いらない|要らない|必要(?:ない|ありません)|結構です)/g,
  },
  { deed: "run", pattern: /自分で(?:実行|やり|やる|走らせ|打ち|打つ|試し|試す|叩)/g },
  {
    deed: "run",
    pattern:
      /(?<=テスト|ビルド|リント|マイグレーション|動作確認|インストール|デプロイ|コマンド)(?:の実行)?は(?:不要|いらない|要らない|いりません|必要(?:ない|ありません)|結構です|なしで)/g,
  },
];
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
  const { text, restore, content } = maskQuotations(turn);
  const bans: Ban[] = [];
  let nothing: string | null = null;
  for (const found of [...findEnglish(text), ...findJapanese(text)]) {
    const object = content(found.object).trim();
    const phrase = restore(found.phrase);
    // "Don't use any" speaks of a type or a word, unless it speaks of tools.
    const aboutWords =
      /\b(?:use|using)\b/i.test(found.phrase) && !/tool|command|shell|function|bash|terminal/i.test(found.phrase);
    if (isNameless(found.object, object)) {
      if (aboutWords) continue;
      if (found.deed === "run") nothing ??= phrase;
      else bans.push({ deed: found.deed, object: "", phrase });
    } else bans.push({ deed: found.deed, object: object.toLowerCase(), phrase });
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

const japaneseHint = /[\u3040-\u30ff\u3400-\u9fff]/;
/** Every one of the English patterns wants one of these letters in its match: most turns have none of them. */
const englishHint =
  /n['’]?t|no|never|without|avoid|refrain|stop|hold off|skip|quit|forget|instead|unnecessary|myself|own|leave|keep|dry|read/i;

function findEnglish(text: string): readonly Found[] {
  if (!englishHint.test(text)) return [];
  const held = new Map<RegExp, boolean>();
  const holds = (part: RegExp): boolean => {
    const known = held.get(part) ?? part.test(text);
    held.set(part, known);
    return known;
  };
  const possible = english.filter(({ part }) => part === undefined || holds(part));
  return possible.flatMap(({ deed, pattern }) =>
    allMatches(text, pattern).flatMap((match) => {
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

/** `matchAll` makes a copy of the pattern each time it is called, which costs more than looking for what is seldom there. */
function allMatches(text: string, pattern: RegExp): readonly RegExpExecArray[] {
  return text.search(pattern) === -1 ? [] : [...text.matchAll(pattern)];
}

function findJapanese(text: string): readonly Found[] {
  if (!japaneseHint.test(text)) return [];
  return japanese.flatMap(({ deed, pattern }) => {
    let from = 0;
    return allMatches(text, pattern).flatMap((match) => {
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

/** Private-use characters stand in for quoted text, one for each quotation, so that offsets and lengths stay. */
const firstFiller = 0xe000;
const fillers = /([\ue000-\uf7ff])\1*/g;
const quotation =
  /```[\s\S]*?(?:```|(?![\s\S]))|`[^`\n]{1,200}`|"[^"\n]{1,400}"|“[^”\n]{1,400}”|「[^」]{1,400}」|『[^』]{1,400}』|(?<=^|\s|[(])'[^'\n]{1,400}'(?=$|[\s.,;:!?)])|^\s*>.*$/gm;

/** What every quotation begins with, and the letters that stand in for them. */
const quotationMark = /["'`“「『>\ue000-\uf7ff]/;

interface Masked {
  readonly text: string;
  /** The text with its quotations back in place of the fillers, with their marks. */
  restore(part: string): string;
  /** The same without the marks. */
  content(part: string): string;
}

/** Quotations speak with somebody else's voice, so their letters are masked; what a ban names may still be one (`npm test`). */
function maskQuotations(turn: string): Masked {
  if (!quotationMark.test(turn)) return { text: turn, restore: (part) => part, content: (part) => part };
  const quoted: string[] = [];
  const text = turn.replaceAll(/[\ue000-\uf7ff]/g, " ").replaceAll(quotation, (match) => {
    const filler = String.fromCharCode(firstFiller + (quoted.length % 6000));
    quoted.push(match);
    return filler.repeat(match.length);
  });
  return {
    text,
    restore: (part) => part.replaceAll(fillers, (run) => quoted[run.charCodeAt(0) - firstFiller] ?? ""),
    content: (part) =>
      part.replaceAll(fillers, (run) => ` ${unquoted(quoted[run.charCodeAt(0) - firstFiller] ?? "")} `),
  };
}

function unquoted(text: string): string {
  return text.startsWith("```") ? "" : text.replace(/^[`"“「『']|[`"”」』']$/g, "");
}

function isNameless(masked: string, object: string): boolean {
  if (/[\ue000-\uf7ff]/.test(masked)) return object.trim() === "";
  return nameless.test(object) || namelessJapanese.test(object);
}
