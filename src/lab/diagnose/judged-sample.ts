import type { ToolChoiceWord } from "../../protocol/chat.ts";
import type { StageCost, TraceEntry } from "../../protocol/trace.ts";
import type { Capture } from "../capture/capture.ts";
import type { Classification, Finding, ReplyJudgement } from "../classify/classification.ts";
import type { Judgement } from "../scenario/probe.ts";
import type { SampleFactors } from "../scenario/scenario.ts";

/** A judged sample with the factors that diagnosis and statistics group by; small enough to keep thousands in memory. */
export interface JudgedSample extends SampleFactors {
  readonly id: string;
  readonly target: string;
  readonly route: string;
  readonly trial: number;
  readonly choice: ToolChoiceWord;
  readonly maxTokens: number | null;
  readonly judge: Capture["expectation"]["judge"];
  /** Set where the sample is a conversation. */
  readonly probe?: Judgement | undefined;
  /** Length of the conversation and its tools as sent, in UTF-16 units. */
  readonly promptCharacters: number;
  readonly classification: Classification;
  /** What an adapter on the way did and cost; absent where there was none. */
  readonly adapter?: AdapterWork | undefined;
}

/** What an adapter did to one sample. */
export interface AdapterWork {
  readonly decisions: readonly Pick<TraceEntry, "stage" | "decision" | "reason">[];
  readonly costs: readonly StageCost[];
  /** Milliseconds of the whole exchange that the model server did not take; null where there was no answer. */
  readonly addedMs: number | null;
}

/** Joins a capture's factors with its judgement and lets go of the bodies. */
export function judgedSample(capture: Capture, classification: Classification): JudgedSample {
  const { suite, scenario, shape, language, arm, contract, stream, id, target, route, trial } = capture;
  return {
    suite,
    scenario,
    shape,
    language,
    class: capture.class,
    contract,
    arm,
    stream,
    id,
    target,
    route,
    trial,
    choice: capture.request.choice,
    maxTokens: capture.request.maxTokens,
    judge: capture.expectation.judge,
    ...(capture.expectation.probe === undefined ? {} : { probe: capture.expectation.probe.judgement }),
    promptCharacters:
      capture.request.sources.reduce((sum, { text }) => sum + text.length, 0) + lengthOf(capture.expectation.tools),
    classification,
    ...(route === "direct" ? {} : { adapter: adapterWork(capture) }),
  };
}

function adapterWork({ exchanges, adapterTrace, adapterCosts }: Capture): AdapterWork {
  const subject = exchanges.findLastIndex(({ hop }) => hop === "subject");
  const whole = exchanges[subject]?.timing.endMs ?? null;
  const behind = exchanges.reduce(
    (sum, { hop, parent, timing }) => sum + (hop === "upstream" && parent === subject ? timing.endMs : 0),
    0,
  );
  return {
    decisions: (adapterTrace ?? []).map(({ stage, decision, reason }) => ({ stage, decision, reason })),
    costs: adapterCosts ?? [],
    addedMs: whole === null ? null : Math.max(0, Math.round((whole - behind) * 100) / 100),
  };
}

/** Samples of a cell share their tools. */
const lengths = new WeakMap<object, number>();

function lengthOf(tools: Capture["expectation"]["tools"]): number {
  const known = lengths.get(tools);
  if (known !== undefined) return known;
  const length = tools.length === 0 ? 0 : JSON.stringify(tools).length;
  lengths.set(tools, length);
  return length;
}

/** The judgement of the sample's reply, where it was measured. */
export function measuredReply(sample: JudgedSample): Extract<ReplyJudgement, { measured: true }> | null {
  const reply = sample.classification.replies.at(-1);
  return sample.classification.measured && reply?.measured === true ? reply : null;
}

/** The first finding of a kind, or null. */
export function findingOf(sample: JudgedSample, kind: Finding["kind"]): Finding | null {
  return measuredReply(sample)?.findings.find((finding) => finding.kind === kind) ?? null;
}

/** True for samples that enter rates: the arm `none` shows a habit and the irrelevant prompt shows enforcement. */
export function isRated(sample: Pick<JudgedSample, "choice" | "judge" | "class" | "probe">): boolean {
  // A conversation passes or fails by what it is about, be it that nothing is called.
  if (sample.probe !== undefined) return true;
  return sample.choice !== "none" && sample.judge !== "no_call" && sample.class !== "irrelevant";
}
