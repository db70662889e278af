import { callKey } from "../../../protocol/hand-on.ts";
import { parseJson } from "../../../protocol/json.ts";
import type { ChatReply } from "../../../protocol/reply.ts";
import { shortCharacters, wantedTokens } from "../../scenario/dialogue.ts";
import type { ProbeFault, ProbeResult } from "../classification.ts";
import {
  blocked,
  errorExcerpt,
  excerpt,
  failed,
  fault,
  holds,
  isLost,
  type ProbeView,
  passed,
  resultOf,
  servedIn,
  type Turn,
  textOf,
  tokenFacts,
  undecided,
  withoutCall,
} from "./probe-view.ts";

/** Is a tool called when it is needed, among few and many, and left alone when it is not? */
export function judgeNeed(view: ProbeView): ProbeResult {
  const { probe, turns } = view;
  const facts = { ...tokenFacts(turns), tools: probe.toolCount };
  const stopped = withoutCall(view);
  if (stopped !== null) return { ...stopped, facts };
  if (probe.call !== null) return passed(facts);
  const [first] = turns;
  const called = servedIn(first).map(({ name }) => name);
  const axis = first?.judgement.measured === true ? first.judgement.axis : null;
  const written = axis !== null && "calls" in axis ? axis.calls.map(({ name }) => name) : called;
  // A server that makes a call of words that only quote one has its own fault.
  if (first?.judgement.measured === true && first.judgement.findings.some(({ kind }) => kind === "quoted_call"))
    return blocked(facts);
  if (written.length === 0) return axis?.kind === "none" ? passed(facts) : blocked(facts);
  const code = probe.variant === "told-not-to" ? "called_against_word" : "called_without_need";
  return failed([fault(code, "model", written.join(", "))], facts);
}

/** The same request, whole and streamed: one generation that is served in two ways. */
export function judgeParity(view: ProbeView): ProbeResult {
  const { turns } = view;
  const [whole, streamed] = turns;
  const facts = tokenFacts(turns);
  if (whole === undefined || streamed === undefined) return blocked(facts);
  if (!whole.judgement.measured || !streamed.judgement.measured) return blocked(facts);
  const differing = differences(whole, streamed);
  if (differing.length === 0) return passed(facts);
  const [bodyRaw, streamRaw] = [rawOf(whole), rawOf(streamed)];
  // Another text may well be served otherwise. Where both texts are shown and equal, the server alone made the difference.
  if (bodyRaw !== null && streamRaw !== null && bodyRaw !== streamRaw) return undecided(facts);
  const shown = bodyRaw !== null && bodyRaw === streamRaw;
  if (!shown && differing.every((part) => part === "text" || part === "reasoning")) return undecided(facts);
  return failed(
    [fault("replies_differ_streamed", "server_parser", differing.join(", "), shown ? "shown" : "inferred")],
    facts,
  );
}

function differences(whole: Turn, streamed: Turn): readonly string[] {
  const [one, other] = [whole.reply, streamed.reply];
  if (one === null || other === null) return one === other ? [] : ["error"];
  const parts: [string, boolean][] = [
    ["error", (whole.error === null) === (streamed.error === null)],
    ["calls", callsOf(one) === callsOf(other)],
    ["text", one.content.trim() === other.content.trim()],
    ["reasoning", one.reasoning.trim() === other.reasoning.trim()],
    ["finish_reason", one.finishReason === other.finishReason],
  ];
  return parts.filter(([, same]) => !same).map(([name]) => name);
}

/** Calls without their ids, which are drawn anew; arguments as values, since white space is no difference. */
function callsOf({ calls }: ChatReply): string {
  return JSON.stringify(
    calls.map(({ name, argumentsText }) => callKey({ name, arguments: parseJson(argumentsText) ?? argumentsText })),
  );
}

function rawOf(turn: Turn): string | null {
  return turn.raw;
}

/** A history with something wrong in it: does the server take it, does the model still call? */
export function judgeHistory(view: ProbeView): ProbeResult {
  const { turns } = view;
  const [first] = turns;
  const facts = tokenFacts(turns);
  if (first !== undefined && first.error !== null && !isLost(first))
    return failed([fault("history_refused", "server_limit", errorExcerpt(first.error))], facts);
  const stopped = withoutCall(view);
  if (stopped === null) return passed(facts);
  // Whether the history is to blame is seen beside the clean one, over all samples.
  const what =
    stopped.blocked && first?.judgement.measured === true ? first.judgement.axis.kind : excerpt(textOf(first));
  return stopped.passed === "undecidable"
    ? stopped
    : { ...stopped, faults: [fault("history_poisons", "model", what, "inferred")], facts };
}

/** Is a word of the system prompt known to the model? */
export function judgeSystemPrompt(view: ProbeView): ProbeResult {
  const { probe, turns, facts: known } = view;
  const facts = tokenFacts(turns);
  const [first] = turns;
  if (first === undefined || !first.judgement.measured) return undecided(facts);
  if (isLost(first)) return blocked(facts);
  const missing = probe.answer.find((wanted) => !holds(textOf(first), wanted));
  if (missing === undefined) return passed(facts);
  const inPrompt = view.inPrompt(missing);
  const owner = inPrompt === false || (inPrompt === null && known.systemInPrompt === "dropped") ? "template" : "model";
  const certainty = inPrompt === null ? "inferred" : "shown";
  const said =
    servedIn(first).length > 0
      ? servedIn(first)
          .map(({ name }) => name)
          .join(", ")
      : excerpt(textOf(first));
  return failed([fault("system_prompt_unseen", owner, said, certainty)], facts);
}

/** Below this share of the tokens sent, a prompt was cut; the count by characters is not exact. */
const wholeShare = 0.8;

/** Does a prompt of a size come through whole, or is it cut without a word? */
export function judgeContext(view: ProbeView): ProbeResult {
  const { probe, turns, facts: known } = view;
  const wanted = wantedTokens(probe, known.contextLength);
  const facts: Record<string, number> = { wantedTokens: wanted };
  const [short, long] = turns;
  const counts = short?.reply?.usage?.promptTokens ?? null;
  if (counts !== null) facts["tokensPerThousandCharacters"] = Math.round((1000 * counts) / shortCharacters(probe));
  // A model that does not find the word in a short prompt shows nothing by not finding it in a long one.
  if (short === undefined || !probe.answer.every((word) => holds(textOf(short), word))) return undecided(facts);
  if (long === undefined) return undecided(facts);
  const limit = known.contextLength;
  const counted = long.reply?.usage?.promptTokens ?? null;
  if (long.error !== null || !long.judgement.measured) {
    const fits = limit === null || wanted <= limit * 0.9;
    return fits
      ? failed([fault("context_refused_early", "server_option", errorExcerpt(long.error ?? ""))], facts)
      : passed({ ...facts, refused: 1 });
  }
  if (counted !== null) facts["promptTokens"] = counted;
  const found = probe.answer.every((word) => holds(textOf(long), word));
  if (counted !== null && counted < wanted * wholeShare)
    return failed([fault("context_cut_silently", "server_option", `${counted} of ${wanted} tokens`)], facts);
  if (found) return passed(facts);
  if (counted !== null && limit !== null && counted <= limit)
    return failed([fault("context_recall", "model", excerpt(textOf(long)))], facts);
  return limit !== null && wanted > limit
    ? failed([fault("context_cut_silently", "server_option", `${wanted} tokens sent, ${limit} fit`, "inferred")], facts)
    : undecided(facts);
}

const thinkingMark = /<\/?(?:think|thought|seed:think|mm:think)>|\[\/?THINK\]/;

/** Are tools taken at all on this route, and what do they cost? What the model answers does not matter. */
export function judgeCapability({ turns, facts: known }: ProbeView): ProbeResult {
  const [first] = turns;
  const facts = tokenFacts(turns);
  if (first === undefined || !first.judgement.measured) return undecided(facts);
  if (first.judgement.axis.kind === "refused") return blocked(facts);
  const faults: ProbeFault[] = [];
  if (thinkingMark.test(textOf(first)))
    faults.push(
      fault("thinking_in_text", known.kind === "ollama" ? "template" : "server_option", excerpt(textOf(first))),
    );
  return resultOf(faults, facts);
}

/** Is what a tool gave back handed on exactly, without its harmless noise? */
export function judgeRelay(view: ProbeView): ProbeResult {
  const { probe, turns } = view;
  const [first] = turns;
  const facts = tokenFacts(turns);
  if (first === undefined || !first.judgement.measured) return undecided(facts);
  if (isLost(first)) return blocked(facts);
  const text = textOf(first);
  const called = servedIn(first).map(({ name }) => name);
  if (called.length > 0) return failed([fault("called_without_need", "model", called.join(", "))], facts);
  const missing = probe.answer.find((wanted) => !holds(text, wanted));
  if (missing !== undefined) {
    const shown = view.inPrompt(missing);
    return shown === false
      ? failed([fault("result_not_in_prompt", "template", missing)], facts)
      : failed([fault("relay_wrong", "model", excerpt(text), shown === true ? "shown" : "inferred")], facts);
  }
  const noise = probe.never.filter((word) => holds(text, word));
  return noise.length === 0 ? passed(facts) : failed([fault("warning_relayed", "model", noise.join(", "))], facts);
}
