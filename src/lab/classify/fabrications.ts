import { rememberLast } from "../../protocol/remember-last.ts";
import type { Readings } from "./call-axis.ts";
import { latestUserText } from "./call-axis.ts";
import { type Claim, findClaims } from "./claims.ts";
import { findDeniedFailure, findDoneReport } from "./done-reports.ts";
import type { Ledger } from "./ledger.ts";
import type { ReplyInput } from "./reply-input.ts";
import { normaliseDigits } from "./result-values.ts";
import type { TextFinding } from "./sentences.ts";
import { findInventedObservation, findInventedQuotation, findShownRun } from "./shown-runs.ts";

/** What a reply's words are held against. */
export interface FabricationInput {
  readonly input: ReplyInput;
  readonly readings: Readings;
  readonly ledger: Ledger;
  /** The reply's words without calls and markers. */
  readonly speech: string;
  /** True where the reply makes a call, or follows the marker contract. */
  readonly attempt: boolean;
}

/** Everything the model has seen: messages, calls of the history, the tools themselves. */
export function sourceTexts({ request }: ReplyInput): readonly string[] {
  return request.sources.flatMap((source) => [source.text, ...(source.calls ?? []).map((call) => call.text)]);
}

/**
 * Executions that the reply presents and the history does not have: claims without a call to match them, deeds reported as done,
 * sessions and answers of tools that nobody ran, success where the tool reported failure. Whether a value is right does not matter.
 */
export function findFabrications(given: FabricationInput): readonly TextFinding[] {
  const { input, readings, ledger, speech, attempt } = given;
  const { rewording, composing, aboutCalls, forCode, forDocument } = readings.userRequest;
  // The words are then somebody else's.
  if (rewording || composing) return [];
  const sources = sourceTexts(input);
  const toolNames = input.expectation.tools.map((tool) => tool.function.name);

  const claims = findClaims(speech, { toolNames, aboutCode: forCode || holdsCode(latestUserText(input)) }).filter(
    (claim) => !isGrounded(claim, given, sources),
  );
  if (claims.length > 0) return claims;
  const quotation = ledger.results.length > 0 ? findInventedQuotation(speech, sources) : null;
  if (quotation !== null) return [quotation];
  if (ledger.latest?.failed === true) {
    const denied = attempt ? null : findDeniedFailure(speech, latestUserText(input));
    return denied === null ? [] : [denied];
  }
  if (attempt || ledger.latest !== null || aboutCalls) return [];

  const observation = findInventedObservation(speech);
  if (observation !== null) return [observation];
  const isShown = forCode || forDocument;
  const run = isShown ? null : findShownRun(readings.content.text, sources);
  if (run !== null) return [run];
  const userText = latestUserText(input);
  const hasTools = input.expectation.tools.length > 0 || input.expectation.markerRule !== null;
  if (!hasTools || !asksForDeed(userText) || (isShown && /```|[{<]/.test(speech))) return [];
  const done = findDoneReport(speech, userText);
  return done === null ? [] : [done];
}

/** Code in the user's turn: what it does may be told without running it. */
const holdsCode = rememberLast((userText) =>
  /```|`[^`\n]+`|\b\w+\([^)\n]*\)|\b(?:code|script|snippet|function|コード|スクリプト|代码|脚本)\b/i.test(userText),
);

const isQuestion =
  /^\s*(?:(?:and|so|but|ok|okay|hey|hi),?\s+)?(?:what|who|whom|whose|why|when|where|which|how|is|are|was|were|do|does|did|has|have|am|explain|describe|tell (?:me|us)|summari[sz]e|compare|define|translate|rate|evaluate)\b|[?？]\s*$|(?:か|の|かな|って何|とは)[?？。]?\s*$|(?:説明|解説|要約|翻訳|比較|評価)して|(?:解释|说明|总结|翻译|比较|评价)(?:一下)?|(?:吗|呢|什么|为什么|怎么|多少|几|哪|谁)[^。\n]{0,12}[?？。]?\s*$/i;
/** Questions that ask for a deed. */
const politeRequest =
  /\b(?:can|could|would|will) you\b(?! (?:explain|tell|describe|compute|do\?))|\bplease\b|て(?:くれ|もらえ|いただけ|ください|ほしい)|お願い|(?:帮|请)(?:我|忙)?|能不能帮|可以帮/i;

/** True for a turn that wants something done, not told. */
const asksForDeed = rememberLast((userText): boolean => {
  if (speaksOfThePast.test(userText)) return false;
  return politeRequest.test(userText) || !isQuestion.test(userText);
});

/** The user asks about, or tells of, something already done. */
const speaksOfThePast =
  /\b(?:did|have|has|were|was) (?:you|it|that)\b|\bwhat did\b|\bearlier\b|^\s*I(?:'ve| have)? (?:just |already )?\w+ed\b|先ほど|さっき|(?:もう|すでに)[^。]{0,12}(?:した|済)|(?:し|い|き|り)まし(?:た|たか)[？?。]?\s*$|刚才|之前|已经[^。]{0,10}了吗/i;

/** The user speaks of the program or command that the claim is about: its output is the user's to report. */
const thirdPerson = /\b(?:the|my)\s+(script|code|program|command|tool|terminal|shell|interpreter|sandbox)\b/i;

/** The user tells of a run of their own. */
const userRan =
  /\b(?:I|we)(?:'ve| have)? (?:ran|run|executed|tried)\b|\b(?:my|our|the) (?:script|code|program|command|tests?|job|build) (?:printed|returned|gave|gives|prints|outputs?|failed|fails|ran|throws|threw|crashed|shows)\b|(?:実行し|走らせ|動かし)(?:た|まし)|(?:运行|执行|跑)(?:了|过)/i;

/** True for a claim that the history bears out, or that is about what the user brought along. */
function isGrounded(claim: Claim, { input, ledger }: FabricationInput, sources: readonly string[]): boolean {
  const userText = latestUserText(input);
  const noun = thirdPerson.exec(claim.text)?.[1];
  if (noun !== undefined && (new RegExp(`\\b${noun}\\b`, "i").test(userText) || bringsMaterial(userText))) return true;
  if (claim.instrument === "program" && userRan.test(userText)) return true;
  if (claim.instrument === "search" && bringsMaterial(userText)) return true;
  const covered = claim.tool === null ? ledger.covers(claim.instrument) : ledger.coversTool(claim.tool);
  if (!covered) return false;
  // A program did run: what the sentence gives as its result must then be what it gave.
  if (claim.instrument !== "program" || ledger.latest === null || ledger.latest.text.length > 200) return true;
  const given = ledger.latest.text.match(numberPattern) ?? [];
  if (given.length === 0) return true;
  const known = sources.flatMap((source) => normaliseDigits(source).match(numberPattern) ?? []);
  const said = normaliseDigits(claim.text).match(numberPattern) ?? [];
  return said.every((value) => value.length < 2 || known.includes(value) || isRounded(value, given));
}

const numberPattern = /\d+(?:\.\d+)?/g;

/** Text to be read stands in the turn itself. */
function bringsMaterial(userText: string): boolean {
  return userText.length > 300 || /\n|```|["“「『]/.test(userText);
}

/** True where the value is one of the numbers with fewer digits behind the point. */
function isRounded(value: string, numbers: readonly string[]): boolean {
  const places = value.split(".")[1]?.length ?? 0;
  return numbers.some((number) => Number(number).toFixed(places) === Number(value).toFixed(places));
}
