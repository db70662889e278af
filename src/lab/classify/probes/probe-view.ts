import type { ChatReply } from "../../../protocol/reply.ts";
import type { ServerRecord, TargetFacts } from "../../../protocol/servers/server.ts";
import type { Probe } from "../../scenario/probe.ts";
import type { JudgedCall, Owner, ProbeFault, ProbeFaultCode, ProbeResult, ReplyJudgement } from "../classification.ts";

/** One request of a conversation and what came of it. */
export interface Turn {
  readonly judgement: ReplyJudgement;
  readonly reply: ChatReply | null;
  /** Message of an error, where the reply is one. */
  readonly error: string | null;
  readonly status: number | null;
  readonly stream: boolean;
  /** What the model wrote, where this very reply shows it. */
  readonly raw: string | null;
}

/** Everything that a judgement of a conversation may look at. */
export interface ProbeView {
  readonly probe: Probe;
  readonly turns: readonly Turn[];
  readonly facts: TargetFacts;
  readonly server: ServerRecord;
  /** Contents of the tool messages that the conversation handed back. */
  readonly handedBack: readonly string[];
  /** Whether the prompt of the last request holds a text; null where the server shows no prompt. */
  inPrompt(text: string): boolean | null;
}

export function fault(
  code: ProbeFaultCode,
  owner: Owner,
  text = "",
  certainty: ProbeFault["certainty"] = "shown",
): ProbeFault {
  return { code, owner, text, certainty };
}

export function passed(facts: ProbeResult["facts"] = {}): ProbeResult {
  return { passed: "yes", blocked: false, faults: [], facts };
}

export function failed(faults: readonly ProbeFault[], facts: ProbeResult["facts"] = {}): ProbeResult {
  return { passed: "no", blocked: false, faults, facts };
}

/** What the suite is about was not reached; what kept it from that is a matter of its own. */
export function blocked(facts: ProbeResult["facts"] = {}): ProbeResult {
  return { passed: "no", blocked: true, faults: [], facts };
}

/** Passed where nothing went wrong. */
export function resultOf(faults: readonly ProbeFault[], facts: ProbeResult["facts"] = {}): ProbeResult {
  return faults.length === 0 ? passed(facts) : failed(faults, facts);
}

/** Nothing can be said either way. */
export function undecided(facts: ProbeResult["facts"] = {}): ProbeResult {
  return { passed: "undecidable", blocked: false, faults: [], facts };
}

/** Calls that the API served in a turn. */
export function servedIn(turn: Turn | undefined): readonly JudgedCall[] {
  const axis = turn?.judgement.measured === true ? turn.judgement.axis : null;
  return axis?.kind === "structured" ? axis.calls : [];
}

/** True where a call was written and did not come through, or tools were refused: the harness is judged by that elsewhere. */
export function isLost(turn: Turn | undefined): boolean {
  const axis = turn?.judgement.measured === true ? turn.judgement.axis : null;
  return axis !== null && axis.kind !== "structured" && axis.kind !== "none";
}

/** What the user sees of a turn. */
export function textOf(turn: Turn | undefined): string {
  return turn?.reply?.content ?? "";
}

/** Is the text there, written with other dashes or blanks? */
export function holds(text: string, wanted: string): boolean {
  return squeeze(text).includes(squeeze(wanted));
}

function squeeze(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\s*_`]/g, "")
    .toLowerCase();
}

/** Prompt tokens by turn, as far as the server counts them. */
export function tokenFacts(turns: readonly Turn[]): Record<string, number> {
  const facts: Record<string, number> = { turns: turns.length };
  const counted = turns.flatMap(({ reply }) => reply?.usage?.promptTokens ?? []);
  const [first] = counted;
  const last = counted.at(-1);
  if (first !== undefined) facts["promptTokensFirst"] = first;
  if (last !== undefined && counted.length > 1) facts["promptTokensLast"] = last;
  return facts;
}

/**
 * What became of the first call: null where the wanted tool was called with arguments that fit, else the result to which the
 * whole conversation comes.
 */
export function withoutCall({ probe, turns, facts }: ProbeView): ProbeResult | null {
  const [first] = turns;
  const numbers = tokenFacts(turns);
  if (first === undefined || !first.judgement.measured) return undecided(numbers);
  if (probe.call === null) return null;
  if (isLost(first)) return blocked(numbers);
  const served = servedIn(first);
  if (served.some(({ name, validity }) => name === probe.call && validity === "valid")) return null;
  const [other] = served;
  if (other !== undefined) {
    // Broken arguments have a diagnosis of their own.
    return other.name === probe.call
      ? blocked(numbers)
      : failed([fault("wrong_tool_chosen", "model", other.name)], numbers);
  }
  const owner: Owner = facts.toolsInPrompt === "missing" || facts.toolsInPrompt === "damaged" ? "template" : "model";
  const code = probe.judgement === "need" && probe.toolCount > 1 ? "lost_among_tools" : "call_not_made";
  return failed([fault(code, owner, excerpt(textOf(first)))], numbers);
}

/** Enough of a text to recognise it by. */
export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}

/** Enough of an error to know it by: where a trace ends in what was wrong, that and not the trace. */
export function errorExcerpt(text: string): string {
  return excerpt(/(?:^|\n)Error: ([^\n]+)\s*$/.exec(text)?.[1] ?? text);
}

/** The error of a later request, where the server would not go on; null where it did. */
export function refusedFollowUp({ turns, probe }: ProbeView): ProbeFault | null {
  const last = turns.at(-1);
  if (last === undefined || last.error === null || (probe.judgement !== "history" && turns.length < 2)) return null;
  return fault("followup_refused", "template", errorExcerpt(last.error));
}
