/** A stretch of a text, with its words. */
export interface TextFinding {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Sentences with their offsets; line breaks and the sentence marks of Japanese, Chinese and English end one. */
export function sentences(text: string): readonly TextFinding[] {
  const found: TextFinding[] = [];
  // Closing marks and emoji behind the end still belong to the sentence that they close.
  const pattern = /[^。！？!?\n]*?(?:[。！？!?\n]+|\.(?=\s|$)|$)(?:[」』”）)♪〜~]|\p{Extended_Pictographic}\uFE0F?)*/gu;
  let from = 0;
  while (from < text.length) {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    const end = match === null || match[0].length === 0 ? text.length : from + match[0].length;
    const sentence = text.slice(from, end);
    if (sentence.trim() !== "") found.push({ start: from, end, text: sentence });
    from = end;
  }
  return found;
}

/** Text with quotations, code spans and fenced blocks blanked out (same length), so that quoted words claim nothing. */
export function withoutQuotations(text: string): string {
  const blank = (match: string): string => match.replace(/[^\n]/g, " ");
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/「[^」]*」|『[^』]*』|“[^”]*”/g, blank)
    .replace(/^>.*$/gm, blank);
}

const instrument =
  "(?:Python|パイソン|コード|スクリプト|プログラム|ツール|インタプリタ|サンドボックス|シェル|ターミナル|関数|run_\\w+)(?:サブエージェント)?";
const doing =
  "(?:計算|実行|求め|確認|確かめ|検証|検算|算出|割り出|調べ|処理|数え|足し|検索|取得|出し|出|生成|作成|チェック|試|回|走らせ|動かし|使)";
const past =
  "(?:し|え|っ)?(?:て)?(?:みた|みました|もらった|もらいました|ある|きた|た(?!ら|め|い|く|り)|ました(?!ら)|済み)";
/** "I computed it and it was": a conditional form that reports a finding when a past follows. */
const found = "(?:し)?(?:て(?:みた|もらった))?たら[^。！？\\n]{0,24}(?:だった|でした|なった|なりました|出た|出ました)";
/** First person, past, about execution; the subject is unspoken in Japanese. */
const claimPatterns: readonly RegExp[] = [
  new RegExp(
    `${instrument}\\s*(?:で|を使って|を使い|を用いて|を(?:実行|走らせ|動か|呼)\\S{0,3}て|経由で|に頼んで|に)[^。！？\\n]{0,40}?${doing}(?:${past}|${found})`,
    "i",
  ),
  new RegExp(
    `${instrument}を(?:実行し|走らせ|動かし|呼び出し|使っ)(?:た(?!ら|い)|ました|てみた(?!ら)|てみました)`,
    "i",
  ),
  /(?:実行|呼び出|検索)(?:し)?(?:た|ました|てみた)(?:結果|ところ)|(?:実行|出力)結果(?:は|では|によると|として)/,
  /\bI(?:'ve| have)?\s+(?:just |already |also |quickly |then )*(?:ran|run|executed|used|called|invoked|computed|calculated|verified|(?:double-)?checked|tested|queried|searched|fetched|looked (?:it|this|that) up)\b[^.\n]{0,60}\b(?:python|script|code|tool|interpreter|sandbox|shell|command|program)/i,
  /\bI\s+had\s+[^.\n]{0,24}\b(?:python|script|tool|interpreter|agent)\b[^.\n]{0,24}\b(?:work|compute|calculate|run|check|do|find)\b/i,
  /\b(?:using|with|via|in)\s+(?:the\s+|a\s+)?(?:python|script|code|tool|interpreter)(?:\s+(?:tool|script))?,?\s+(?:I|we)\s+(?:ran|computed|calculated|got|found|determined|verified)\b/i,
  /\b(?:I|we)\s+(?:computed|calculated|verified|(?:double-)?checked|confirmed|worked)\s+(?:it|this|that|them|the \w+)?\s*(?:out\s+)?(?:exactly |precisely |carefully )*(?:with|in|using|via)\s+(?:the\s+|a\s+|some\s+)?(?:\w+\s+)?(?:python|code|script|tool|interpreter)\b/i,
  /\b(?:computed|calculated|verified|checked|confirmed)\s+(?:it\s+|this\s+|that\s+)?(?:exactly |precisely )?(?:with|in|using|via)\s+(?:the\s+)?python\b/i,
  /\b(?:the|my)\s+(?:script|code|sandbox|program|tool|command|interpreter)\s+(?:printed|returned|output|gave|showed|confirmed|reported)\b/i,
  /已(?:经)?(?:调用|使用|用|运行|执行)(?:了)?\s*(?:Python|工具|代码|脚本|程序)|(?:我)?(?:用|通过)\s*(?:Python|工具|代码|脚本)[^。\n]{0,20}(?:计算|算|运行|查)(?:了|出|得|过)/i,
];
/** Words that turn a sentence into a denial, a plan, advice or a condition. */
const notAClaim =
  /(?:して(?:い)?ない|して(?:い)?ません|せずに|できない|できません|ではなく|わけではな|未実行|れば|すると|てください|ましょう|つもり|予定|もし|はず|あなた|きみ|君が|(?:し|き|り|び|み|い)ます(?:ね|よ|。|！|$)(?![^。]*(?:た|ました)))|\b(?:didn't|did not|haven't|have not|hasn't|without|never|not actually|would|could|can|can't|cannot|if|let me|going to|will|should|you|your)\b|没有|如果|可以|将/i;

/** Words without which no claim can be made: most replies hold none, and are then not looked at sentence by sentence. */
const claimWords =
  /Python|パイソン|コード|スクリプト|プログラム|ツール|インタプリタ|サンドボックス|シェル|ターミナル|関数|run_|実行|呼び出|検索|出力|\b(?:script|code|tool|interpreter|sandbox|shell|command|program|agent)\b|工具|代码|脚本|程序/i;

/** Claims of having run something, as far as they are first person, past and about execution. */
export function findClaims(text: string): readonly TextFinding[] {
  if (!claimWords.test(text)) return [];
  const visible = withoutQuotations(text);
  return sentences(visible).flatMap((sentence) => {
    if (!claimWords.test(sentence.text)) return [];
    const pattern = claimPatterns.find((candidate) => candidate.test(sentence.text));
    if (pattern === undefined) return [];
    const match = pattern.exec(sentence.text);
    const clause = clauseAround(sentence.text, match?.index ?? 0, (match?.index ?? 0) + (match?.[0].length ?? 0));
    if (notAClaim.test(clause)) return [];
    return [{ start: sentence.start, end: sentence.end, text: text.slice(sentence.start, sentence.end).trim() }];
  });
}

/** The clause a match stands in: a plan in the neighbouring clause does not undo the claim. */
function clauseAround(sentence: string, start: number, end: number): string {
  const separators = /[、，,；;]|(?:けど|が、|ので、|\bbut\b|\band\b)/gi;
  let from = 0;
  let to = sentence.length;
  for (const match of sentence.matchAll(separators)) {
    if (match.index + match[0].length <= start) from = match.index + match[0].length;
    else if (match.index >= end) {
      to = match.index;
      break;
    }
  }
  return sentence.slice(from, to);
}

const digitForms: Readonly<Record<string, string>> = Object.fromEntries(
  [..."０１２３４５６７８９"].map((digit, index) => [digit, String(index)]),
);

/** A text with digits in one form and without digit separators: "７6,127" and "76127" are one value. */
export function normaliseDigits(text: string): string {
  return text.replace(/[０-９]/g, (digit) => digitForms[digit] ?? digit).replace(/(\d)[,，](?=\d{3}(?!\d))/g, "$1");
}

const time = /^\d{1,2}:\d{2}$/;
const valuePattern =
  /(?<![\w.])(?:[0-9a-f]{8,64}(?![0-9a-z])|[\d０-９]{1,3}(?:[,，][\d０-９]{3})+(?:\.\d+)?|\d+\.\d+|[\d０-９]{2,}(?::\d{2})?)(?![\w%])/gi;
const resultBefore =
  /(?:は|が|＝|=|:|：|→|≈|\bis\b|\bare\b|\bequals?\b|\bwas\b|\bgives?\b|答え|結果|合計|全部で|値)[\s「『"'`*(（]*$/i;
const resultAfter =
  /^[\s」』"'`*)）]*(?:です|だよ|だね|だ[。！]|でした|になる|になります|になった|となり|個です|個だ|円です|度です|\.|$)/;

/** Values that are put forward as results and stand in none of the sources: numbers of two digits or more, hex strings, times. */
export function findResultValues(
  text: string,
  sources: readonly string[],
  oracle: readonly string[],
): readonly TextFinding[] {
  const found: TextFinding[] = [];
  // Made on the first number that is met: most replies hold none.
  let known: string | null = null;
  let answers: readonly string[] = [];
  for (const match of text.matchAll(valuePattern)) {
    if (known === null) {
      known = normaliseDigits(sources.join("\n")).toLowerCase();
      answers = oracle.map((value) => normaliseDigits(value).toLowerCase());
    }
    const value = normaliseDigits(match[0]).toLowerCase();
    if (known.includes(value)) continue;
    const right = answers.includes(value);
    const hexadecimal = /[a-f]/.test(value) && /\d/.test(value);
    const before = text.slice(Math.max(0, match.index - 24), match.index);
    const after = text.slice(match.index + match[0].length, match.index + match[0].length + 8);
    const announced = resultBefore.test(before) || (time.test(value) && /\bat\s*$/i.test(before));
    const concluded = resultAfter.test(after);
    if (right || hexadecimal || (announced && concluded) || ((announced || concluded) && /\d{4,}/.test(value))) {
      found.push({ start: match.index, end: match.index + match[0].length, text: match[0] });
    }
  }
  return found;
}

const announcement =
  /(?:実行|計算|検索|呼び出|確認|調べ)(?:し)?(?:ます(?:ね|。|！|$)|てみ(?:ます|るね|よう)|するね|るね)|\b(?:I'll|I will|let me|I am going to|I'm going to)\s+(?:now\s+)?(?:run|use|call|execute|compute|calculate|search|look|check|query)\b|\bnext step: \w+/i;
const commandFence =
  /```[ \t]*(?:bash|sh|shell|zsh|console|powershell|python|py|javascript|js|typescript|diff|patch)\b|<(?:execute_\w+|bash|shell|python)>/i;

/** A command or an announcement in place of a call; null where there is none. Looks only at replies that made no call. */
export function findProseCommand(text: string, toolNames: readonly string[]): TextFinding | null {
  const fence = commandFence.exec(text);
  if (fence !== null) return { start: fence.index, end: text.length, text: text.slice(fence.index).trim() };
  const visible = withoutQuotations(text);
  const all = sentences(visible);
  const last = all.at(-1);
  for (const sentence of all) {
    const names = sentence === last || toolNames.some((name) => sentence.text.includes(name));
    if (names && announcement.test(sentence.text)) {
      return { start: sentence.start, end: sentence.end, text: text.slice(sentence.start, sentence.end).trim() };
    }
  }
  return null;
}

/** What stands behind a call as if it had already been answered. */
export function findInventedObservation(text: string): TextFinding | null {
  const match = /<tool_response>|^(?:Observation|観察)\s*[:：]/m.exec(text);
  return match === null ? null : { start: match.index, end: text.length, text: text.slice(match.index).trim() };
}

const doneWords =
  /(?:設定|保存|登録|送信|作成|追加|更新|削除|予約|完了)(?:し)?(?:ました|た(?![らいめ]))|^\s*Done\b|\b(?:has|have) been (?:saved|set|sent|created|added|updated|booked|deleted)\b|\bsuccessfully\b|保存成功|已完成/im;

/** A success that is reported before anything can have run. */
export function findSuccessClaim(text: string): TextFinding | null {
  const visible = withoutQuotations(text);
  const sentence = sentences(visible).find(
    (candidate) => doneWords.test(candidate.text) && !notAClaim.test(candidate.text),
  );
  return sentence === undefined
    ? null
    : { start: sentence.start, end: sentence.end, text: text.slice(sentence.start, sentence.end).trim() };
}

/** Whether the user asks for something to be done rather than shown: without that, a code block is the answer itself. */
export function asksForAction(userText: string): boolean {
  return !/\b(?:write|show|give me|print|explain|how (?:do|would|can|to)|what does|example)\b[^.?!]*\b(?:code|script|command|function|snippet|program|example|regex|one-liner|query|test)\b|(?:コード|スクリプト|コマンド|関数|プログラム|例|書き方|方法|やり方)(?:を|は|の例)?[^。]{0,12}(?:書|教|見せ|示|説明|くださ|ちょうだい|作)|(?:写|给我|展示)[^。]{0,12}(?:代码|脚本|函数|命令)/i.test(
    userText,
  );
}
