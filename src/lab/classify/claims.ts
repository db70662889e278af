import { patternsFor } from "./claim-patterns.ts";
import type { Instrument } from "./ledger.ts";
import { clauseAround, sentencesWith, speechIn, type TextFinding } from "./sentences.ts";

/** A sentence in which the writer says that something was run. `tool` is set where it names a declared one. */
export interface Claim extends TextFinding {
  readonly instrument: Instrument;
  readonly tool: string | null;
}

/** A reply says the same again and again where it loops; the first few claims say all. */
const mostClaims = 8;

/** Words that turn a clause into a denial, a plan, advice or a condition. */
const notAClaim =
  /(?:して(?:い)?ない|して(?:い)?ません|せずに|できない|できません|ではなく|わけではな|未実行|れば|てください|ましょう|つもり|予定(?:です|だ|で|の|に(?:なって|して))|もし|はず|あなた|きみ|君が|ユーザー|(?:し|き|り|び|み|い)ます(?:ね|よ|。|！|$)(?![^。]*(?:た|ました))|ますか|でしょうか|ませんか)|\b(?:didn't|did not|haven't|have not|hasn't|without|never|not actually|not yet|would|could|can|can't|cannot|unable|if|let me|going to|will|should|you|your|he|she|they|user|perhaps|maybe|probably|might)\b|\?\s*$|没有|没|如果|可以|能够|将|未能|吗|您|你|用户|让我|我来|我会|请|也许|可能/i;
/** Phrases with "you" in them in which the writer is still the one who acts. */
const courtesies =
  /\b(?:for you|as you (?:asked|requested|wanted)|thank you|to you|give you|tell you|(?:on|in|from) your)\b|为(?:您|你)|给(?:您|你)|帮(?:您|你)/gi;

/**
 * Words without which no claim can be made: most replies hold none, and are then not looked at sentence by sentence. Written out
 * as they are: V8 finds its way among alternatives that are nothing but literals in half the time.
 */
const claimWords =
  /Python|パイソン|コード|スクリプト|プログラム|ツール|インタプリタ|サンドボックス|シェル|ターミナル|関数|コマンド|電卓|計算機|エージェント|run_|実行|呼び出|検索|出力|調べ|確認し|読み|読ん|開い|取得し|問い合わせ|テスト|ネット|\b(?:per|web|internet|online|forecast|put|fed|plugged|script|scripts|code|tool|tools|interpreter|sandbox|shell|command|program|agent|notebook|terminal|calculator|test|tests|query|search|searched|searches|lookup|ran|listed|visited|programmatically|computed|calculated|evaluated|looked|googled|browsed|queried|fetched|pulled|consulted|checked|read|reading|reviewed|reviewing|went|gone|opened|inspected|scanned|examined|running|calling|found|conducted|analysed|analyzed|retrieved|execut\w+)\b|工具|代码|脚本|程序|命令|计算器|查|搜|检|读|看了|看过|运行|执行|经/gi;

/** Where a claim's words are held against what the user spoke of. */
export interface ClaimContext {
  readonly toolNames: readonly string[];
  /** The user's turn is about code: what code does is then explained in the present tense. */
  readonly aboutCode: boolean;
}

/** Claims of having run or looked up something, as far as they are first person, past and about execution. */
export function findClaims(
  text: string,
  { toolNames, aboutCode }: ClaimContext = { toolNames: [], aboutCode: false },
): readonly Claim[] {
  const named = toolNames.filter((name) => name.length > 2 && text.includes(name));
  const claims: Claim[] = [];
  for (const sentence of speakingOf(named, text)) {
    const whole = text.slice(sentence.start, sentence.end);
    const claim = claimIn(sentence.text, whole, named, aboutCode);
    if (claim !== null) claims.push({ start: sentence.start, end: sentence.end, text: whole.trim(), ...claim });
    if (claims.length === mostClaims) break;
  }
  return claims;
}

/** Sentences in which something is said that a claim may be made of. */
function speakingOf(toolNames: readonly string[], text: string): Iterable<TextFinding> {
  const speech = speechIn(text);
  if (toolNames.length === 0) return sentencesWith(speech, claimWords);
  const worded = new Set(sentencesWith(speech, claimWords));
  return speech.sentences.filter((sentence) => {
    if (worded.has(sentence)) return true;
    const whole = text.slice(sentence.start, sentence.end);
    return toolNames.some((name) => whole.includes(name));
  });
}

/** `visible`: the sentence with quotations blanked; `whole`: with them, for tools named in code marks. */
function claimIn(
  visible: string,
  whole: string,
  toolNames: readonly string[],
  aboutCode: boolean,
): Pick<Claim, "instrument" | "tool"> | null {
  const holds = new Map<RegExp, boolean>();
  const has = (words: RegExp): boolean => {
    const known = holds.get(words) ?? words.test(visible);
    holds.set(words, known);
    return known;
  };
  for (const { instrument, pattern, needs, present } of patternsFor(visible)) {
    if (needs?.every(has) === false) continue;
    // "Running the following shows it:" introduces code.
    if (present === true && (aboutCode || /[:：]\s*$/.test(visible))) continue;
    const match = pattern.exec(visible);
    if (match === null) continue;
    const clause = clauseAround(visible, match.index, match.index + match[0].length).replace(courtesies, "");
    if (!notAClaim.test(clause)) return { instrument, tool: null };
  }
  const tool = toolNames.find((name) => saysItRan(whole, name));
  return tool === undefined ? null : { instrument: "any", tool };
}

/** A declared tool as what was used, or as what answered: "I used X", "X returned", "X を呼び出しました", "调用了 X". */
function saysItRan(sentence: string, name: string): boolean {
  const at = sentence.indexOf(name);
  if (at === -1) return false;
  const before = sentence.slice(Math.max(0, at - 40), at);
  const after = sentence.slice(at + name.length, at + name.length + 40);
  const used =
    /(?:\b(?:I|we)(?:'ve| have)?\s+(?:just |already |then |now )*|^\s*|\()(?:used|called|ran|invoked|executed|queried)\s+(?:the\s+)?(?:tool\s+)?[`"'「]?$/i.test(
      before,
    ) ||
    /(?:已(?:经)?)?(?:调用|使用|运行|执行)(?:了|过)\s*[`"'「]?$/.test(before) ||
    /(?:according to|based on|from|via)\s+(?:the\s+)?(?:output of\s+)?[`"'「]?$/i.test(before) ||
    /^[`"'」]?\s*(?:ツール|関数)?(?:を使って|で)?(?:を|で|に)?(?:呼び出し|使っ|使用し|実行し|叩い|問い合わせ|検索し|計算し|確認し|調べ)(?:て)?(?:た(?!ら|い|め)|ました(?!ら)|みました|みた|たら[^。]{0,20}(?:た|でした))/.test(
      after,
    ) ||
    /^[`"'」]?(?:\s*\([^)]*\))?\s+(?:tool\s+)?(?:returned|printed|responded|reported|gave|came back|says|said|output|shows|showed)\b/i.test(
      after,
    ) ||
    /^[`"'」]?\s*(?:の)?(?:結果(?:は|では|によると)|が返し|は[^。]{0,20}を返し|返回(?:了|的)|显示)/.test(after);
  if (!used) return false;
  const clause = clauseAround(sentence, at, at + name.length).replace(courtesies, "");
  return !notAClaim.test(clause);
}
