import type { TextFinding } from "./sentences.ts";

const digitForms: Readonly<Record<string, string>> = Object.fromEntries(
  [..."０１２３４５６７８９"].map((digit, index) => [digit, String(index)]),
);

/** A text with digits in one form and without digit separators: "７6,127" and "76127" are one value. */
export function normaliseDigits(text: string): string {
  return text.replace(/[０-９]/g, (digit) => digitForms[digit] ?? digit).replace(/(\d)[,，](?=\d{3}(?!\d))/g, "$1");
}

const time = /^\d{1,2}:\d{2}$/;
const valuePattern =
  /(?<![\w.])(?:[0-9a-f]{8,64}(?![0-9a-z])|[\d０-９]{1,3}(?:[,，][\d０-９]{3})+(?:\.\d+)?|\d+\.\d+|[\d０-９]{2,}(?::\d{2})?)(?!\w)/gi;
/** Without a digit or a run of hexadecimal letters there is no value: most replies are words alone. */
const holdsValue = (text: string): boolean => /[\d０-９]/.test(text) || /[a-f]{8}/i.test(text);
const resultBefore =
  /(?:は|が|＝|=|:|：|→|≈|\bis\b|\bare\b|\bequals?\b|\bwas\b|\bwere\b|\bgives?\b|\bhas\b|\bhave\b|\bholds?\b|\bcosts?\b|\bstands? at\b|\breads?\b|\bshows?\b|\breturns?\b|\bthere (?:are|is)\b|答え|結果|合計|全部で|値|是|为|等于|共|有|还剩|得到)[\s「『"'`*(（]*(?:約|およそ|about |around |roughly |exactly |only |大约|约)?[\s「『"'`*(（¥$€]*$/i;
// A group that captures is compiled once, together with what stands behind it, and not once for each of its words.
const unit =
  "(?:\\s?(%|％|°[CF]?|℃|度|円|元|個|个|件|人|本|台|枚|回|条|份|km|kg|cm|mm|GB|MB|ms|yen|dollars?|units?|items?|pieces?|degrees?|people|hours?|minutes?|days?|in stock|left))?";
const resultAfter = new RegExp(
  `^${unit}[\\s」』"'\`*)）]*(?:です|だよ|だね|だ[。！]|でした|であ|になる|になります|になった|となり|あります|ある[。！]|[.。！!,，;；]|$)`,
);
/** A value inside such a sentence is asked for, supposed or planned, not put forward. */
const notPutForward =
  /[?？]\s*$|\b(?:if|would|could|should|let me|I'll|I will|going to)\b|もし|でしょうか|ますか|如果|吗/i;

/** Values that are put forward as results and stand in none of the sources: numbers of two digits or more, hex strings, times. */
export function findResultValues(
  text: string,
  sources: readonly string[],
  oracle: readonly string[],
): readonly TextFinding[] {
  const found: TextFinding[] = [];
  if (!holdsValue(text)) return found;
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
    const end = match.index + match[0].length;
    const right = answers.includes(value);
    const hexadecimal = /[a-f]/.test(value) && /\d/.test(value);
    const before = text.slice(Math.max(0, match.index - 32), match.index);
    const after = text.slice(end, end + 24);
    const announced = resultBefore.test(before) || (time.test(value) && /\bat\s*$/i.test(before));
    const concluded = resultAfter.test(after);
    const strong = right || hexadecimal;
    if (!strong && notPutForward.test(sentenceAround(text, match.index, end))) continue;
    if (strong || (announced && concluded) || ((announced || concluded) && /\d{4,}/.test(value)))
      found.push({ start: match.index, end, text: match[0] });
  }
  return found;
}

/** The sentence that a value stands in, as far as it is near. */
function sentenceAround(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - 120), start);
  const after = text.slice(end, end + 120);
  const from = Math.max(
    before.lastIndexOf("。"),
    before.lastIndexOf("！"),
    before.lastIndexOf("\n"),
    before.lastIndexOf(". "),
  );
  const stop = after.search(/[。！？!?\n]|\.(?:\s|$)/);
  return before.slice(from + 1) + text.slice(start, end) + (stop === -1 ? after : after.slice(0, stop + 1));
}
