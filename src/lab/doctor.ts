import { isJsonObject, parseJson } from "../protocol/json.ts";
import { readReply } from "../protocol/read-reply.ts";
import { serverRecord } from "../protocol/servers/index.ts";
import type { ParserState, ServerRecord } from "../protocol/servers/server.ts";
import type { Capture } from "./capture/capture.ts";
import type { StoredRun } from "./capture/open-run.ts";
import { recordExchange } from "./capture/record.ts";
import type { TargetRecord } from "./capture/run-record.ts";
import type { RunStore } from "./capture/store.ts";
import { classifyCapture } from "./classify/classify-capture.ts";
import { conclude } from "./conclude.ts";
import { type CheckedSample, checkedSample } from "./diagnose/checked-sample.ts";
import { checkup } from "./diagnose/checkup.ts";
import type { Checkup } from "./diagnose/checkup-statement.ts";
import { measuredReply } from "./diagnose/judged-sample.ts";
import { type Budget, budgeted } from "./doctor/budget.ts";
import { type BrokenHistory, doctorSample, type Question, renderQuestion, tokenLimits } from "./doctor/questions.ts";
import type { Route, RunTarget } from "./run-options.ts";
import { cellsOf } from "./run-plan.ts";
import { runSample, type SampleContext } from "./sample-run.ts";
import type { PlannedSample } from "./scenario/plan.ts";
import type { RequestOverrides } from "./scenario/request.ts";
import { meetTarget } from "./target/meet-target.ts";

export interface DoctorOptions {
  readonly target: Omit<RunTarget, "routes">;
  readonly seed: string;
  readonly overrides: RequestOverrides;
  readonly store: RunStore;
  readonly clock: { now(): number; date(): Date };
  readonly signal: AbortSignal;
  /** Milliseconds to wait for a server that is loading. */
  readonly patienceMs?: number | undefined;
  note(text: string): void;
}

export type DoctorResult =
  | { readonly kind: "unmet"; readonly line: string }
  | { readonly kind: "examined"; readonly target: TargetRecord; readonly checkup: Checkup };

/**
 * Examines one server with at most 20 short requests, of which at most 14 generate, and leaves a run folder of the suite
 * `doctor` that can be judged and reported like every other. @throws StoreError
 */
export async function examine(options: DoctorOptions): Promise<DoctorResult> {
  const { store, seed, clock } = options;
  const budget = budgeted(options.target.handler);
  const route: Route = {
    id: "direct",
    treatment: "direct",
    open: () => ({ handler: budget.handler, exchanges: () => [], trace: () => [] }),
  };
  const target: RunTarget = { ...options.target, handler: budget.handler, routes: [route] };
  const met = await meetTarget({
    ...target,
    raw: "auto",
    effort: "brief",
    clock,
    record: (raw) =>
      store.probe(recordExchange(raw, { hop: "side", purpose: "probe", turn: 0, attempt: 1 }, store.request)),
    renderInputs: [renderQuestion(seed)],
    patienceMs: options.patienceMs,
    interruption: options.signal,
    note: options.note,
  });
  await store.flush();
  if (!met.ok) {
    await store.record({ unmet: [{ target: target.name, line: met.line }], finishedAt: clock.date().toISOString() });
    await finish(store, []);
    return { kind: "unmet", line: met.line };
  }
  await store.record({ targets: [met.target] });
  const asked: PlannedSample[] = [];
  const context: SampleContext = {
    target,
    met: met.target,
    server: met.server,
    routes: new Map([[route.id, route]]),
    overrides: options.overrides,
    store,
    clock,
    enough: showsWholeCall,
  };
  const seen = await ask({ options, context, budget, asked });
  const known = { ...met.target, facts: afterAnswers(met.target, met.server, seen) };
  const plan = { ...store.current().plan, cells: cellsOf(asked), samples: asked.length, scenarios: scenariosOf(asked) };
  await store.record({ targets: [known], plan, finishedAt: clock.date().toISOString() });
  const samples = judge(seen, known);
  await finish(store, samples);
  return { kind: "examined", target: known, checkup: conclusion(store.current(), known, samples) };
}

/** The check-up that a stored run of the doctor comes to with today's rules; null where the run is none. */
export async function storedCheckup(
  stored: StoredRun,
): Promise<{ readonly target: TargetRecord; readonly checkup: Checkup } | null> {
  const [target] = stored.record.targets;
  if (!stored.record.plan.suites.includes("doctor") || target === undefined) return null;
  const captures: Capture[] = [];
  for await (const capture of stored.captures()) captures.push(capture);
  return { target, checkup: conclusion(stored.record, target, judge(captures, target)) };
}

function conclusion(
  record: Parameters<typeof conclude>[0],
  target: TargetRecord,
  samples: readonly CheckedSample[],
): Checkup {
  const { diagnoses } = conclude(
    record,
    samples.map(({ sample }) => sample),
  );
  return checkup({ target, server: serverRecord(target.facts.kind), samples, diagnoses });
}

function judge(captures: readonly Capture[], { facts }: TargetRecord): readonly CheckedSample[] {
  return captures.map((capture, index) => checkedSample(capture, classifyCapture(capture, facts), index + 1));
}

async function finish(store: RunStore, samples: readonly CheckedSample[]): Promise<void> {
  for (const { sample } of samples) store.classification(sample.classification);
  await store.summary(
    conclude(
      store.current(),
      samples.map(({ sample }) => sample),
    ),
  );
  await store.close();
}

function scenariosOf(samples: readonly PlannedSample[]): readonly string[] {
  return [...new Set(samples.map(({ scenario }) => scenario))];
}

interface Asking {
  readonly options: DoctorOptions;
  readonly context: SampleContext;
  readonly budget: Budget;
  readonly asked: PlannedSample[];
}

/** Asks what there is to ask, most telling first; what an answer rules out is not asked. */
async function ask(asking: Asking): Promise<readonly Capture[]> {
  const { options, context, budget } = asking;
  const { server, met } = context;
  const captures: Capture[] = [];
  const thinks = met.facts.reasoningParser.state === "active";
  const off =
    server.thinkingOff !== null && (!server.thinkingOff.onlyWhereThinking || thinks) ? server.thinkingOff.keys : {};
  // Channels that a server turned out not to have are not asked for again.
  const dead = new Set<string>();

  const put = async (question: Question): Promise<CheckedSample | null> => {
    if (options.signal.aborted || budget.requests < 1 || budget.generating < 1 || budget.tokens < question.maxTokens)
      return null;
    const sample = doctorSample(question, context.target.name, options.seed);
    asking.asked.push(sample);
    const capture = await runSample(sample, {
      ...context,
      met: { ...met, raw: looksBehind(question) ? withoutDead(met.raw, dead) : noChannels },
      // The plain question shows what the server does with an answer as the model gives it, thinking or not.
      extras: question.arm === "plain" ? {} : off,
      // What a served call looked like names the parser that read it, and what a grammar writes names its own.
      rawOfServed:
        question.arm === "required" || (question.check === "tool" && !question.stream && question.trial === 1),
      overrides: { ...options.overrides, maxTokens: question.maxTokens },
    });
    await options.store.capture(capture);
    captures.push(capture);
    for (const { hop, purpose, status } of capture.exchanges) if (hop === "side" && status === 400) dead.add(purpose);
    return judge([capture], met)[0] ?? null;
  };

  const tool = (stream: boolean, trial: number, maxTokens: number, draw = trial) =>
    put({ check: "tool", arm: "auto", stream, trial, maxTokens, draw });
  const first = await tool(false, 1, tokenLimits.usual);
  if (first === null || isHopeless(first)) return captures;
  if (axisOf(first) === "refused") {
    // The model's own words say which parser it needs; without a parser they come back under `none`.
    if (!server.ignoredChoices.includes("none"))
      for (const trial of [1, 2])
        await put({ check: "tool", arm: "none", stream: false, trial, maxTokens: tokenLimits.usual });
    await put({ check: "plain", arm: "plain", stream: false, trial: 1, maxTokens: tokenLimits.usual });
    return captures;
  }
  // A model that thinks, or talks, past the usual limit gets more room for one whole and one streamed reply.
  const room = ranOut(first) ? tokenLimits.thinking : tokenLimits.usual;
  const second = await tool(false, 2, room);
  // Streamed, what was asked whole is asked once more; a first reply that was cut has no twin.
  await tool(true, 1, room, room === tokenLimits.usual ? 1 : 2);
  if (room === tokenLimits.usual) await tool(true, 2, room);
  if (!server.ignoredChoices.includes("required"))
    await put({ check: "greeting", arm: "required", stream: false, trial: 1, maxTokens: tokenLimits.usual });
  await put({ check: "plain", arm: "plain", stream: false, trial: 1, maxTokens: tokenLimits.usual });
  const usual = { stream: false, maxTokens: tokenLimits.usual } as const;
  const codeWord = (trial: number) => put({ ...usual, check: "code-word", arm: "auto", trial });
  const greet = (trial: number) => put({ ...usual, check: "language", arm: "auto", trial });
  const behind = (arm: BrokenHistory, trial: number) => put({ ...usual, check: "history", arm, trial });
  const called = await codeWord(1);
  await put({ ...usual, check: "result", arm: "auto", trial: 1 });
  if (second !== null && room === tokenLimits.usual && axisOf(first) !== axisOf(second)) await tool(false, 3, room);
  const broken = await behind("malformed-call", 1);
  const greeted = await greet(1);
  await behind("foreign-ids", 1);
  // One reply may be chance: what would be held against the model is asked once more.
  if (called !== null && callsNow(called)) await codeWord(2);
  if (greeted !== null && (callsNow(greeted) || (greeted.seen.language ?? "ja") !== "ja")) await greet(2);
  if (broken?.sample.classification.probe?.faults.some(({ code }) => code === "history_poisons") === true)
    await behind("malformed-call", 2);
  return captures;
}

function axisOf({ sample }: CheckedSample): string | null {
  return measuredReply(sample)?.axis.kind ?? null;
}

/** A call came where none was asked for. */
function callsNow(checked: CheckedSample): boolean {
  const kind = axisOf(checked);
  return kind === "structured" || kind === "leaked";
}

const noChannels: TargetRecord["raw"] = { inBand: { body: [], stream: [] }, side: { body: [], stream: [] } };

/** What the model wrote matters where a call may be lost on the way; the other questions are about what comes, and save requests. */
function looksBehind({ check }: Question): boolean {
  return check === "tool" || check === "greeting";
}

/** Nothing that is asked after this would fare better. */
function isHopeless({ sample }: CheckedSample): boolean {
  const { reason } = sample.classification;
  return reason === "wrong_key" || reason === "model_missing" || reason === "context_invalid";
}

/** The reply ended in the middle, with no whole call so far. */
function ranOut(checked: CheckedSample): boolean {
  const axis = measuredReply(checked.sample)?.axis;
  if (axis === undefined || checked.seen.finishReason !== "length") return false;
  return axis.kind === "none" || axis.kind === "truncated";
}

function withoutDead(raw: TargetRecord["raw"], dead: ReadonlySet<string>): TargetRecord["raw"] {
  const alive = <Channel extends string>(channels: readonly Channel[]): readonly Channel[] =>
    channels.filter((channel) => !dead.has(channel));
  return { inBand: raw.inBand, side: { body: alive(raw.side.body), stream: alive(raw.side.stream) } };
}

/** What the answers show of the set-up outweighs what the server shows. */
function afterAnswers(
  { facts }: TargetRecord,
  server: ServerRecord,
  captures: readonly Capture[],
): TargetRecord["facts"] {
  const samples = captures.map((capture, index) => checkedSample(capture, classifyCapture(capture, facts), index + 1));
  const auto = samples.filter(({ sample }) => sample.scenario === "doctor-tool" && sample.choice === "auto");
  const refused = auto.some((each) => {
    const axis = measuredReply(each.sample)?.axis;
    return axis?.kind === "refused" && axis.about !== "tokenizer";
  });
  const accepted = auto.some((each) => axisOf(each) !== null && axisOf(each) !== "refused");
  const toolParser = ((): ParserState => {
    if (refused) return { state: "none", name: facts.toolParser.name, source: "error" };
    return accepted && server.acceptedToolsProveParser && facts.toolParser.state !== "active"
      ? { state: "active", name: facts.toolParser.name, source: "error" }
      : facts.toolParser;
  })();
  const thinks = samples.some(({ seen }) => seen.reasoning) && facts.reasoningParser.state === "unknown";
  return {
    ...facts,
    toolParser,
    reasoningParser: thinks ? { ...facts.reasoningParser, state: "active" } : facts.reasoningParser,
  };
}

/** True once a streamed answer holds a whole call: what follows would tell nothing more. */
function showsWholeCall(text: string): boolean {
  const { replies } = readReply({ body: text, contentType: "text/event-stream", status: 200, streamed: true });
  return replies.some(({ calls }) =>
    calls.some(({ name, argumentsText }) => name !== "" && isJsonObject(parseJson(argumentsText))),
  );
}
