import type { NotTestable } from "../capture/run-record.ts";
import type { FindingKind, Owner } from "../classify/classification.ts";
import type { Diagnosis, DiagnosisCode } from "./diagnosis.ts";
import { type DiagnoseContext, type DiagnosisMaker, diagnosisMaker } from "./diagnosis-maker.ts";
import { findingOf, isRated, type JudgedSample, measuredReply } from "./judged-sample.ts";
import { diagnoseLostCalls, diagnoseRefusals, enoughCalls, fixFor } from "./lost-calls.ts";
import { diagnoseProbes } from "./probe-faults.ts";

/** Samples whose outcome may be held against somebody: no habit arm, no irrelevant prompt, no arm the server cannot test. */
export function ratedSamples(
  samples: readonly JudgedSample[],
  notTestable: readonly NotTestable[],
): readonly JudgedSample[] {
  const blocked = new Set(notTestable.map((entry) => entry.arm));
  return samples.filter((sample) => isRated(sample) && !blocked.has(sample.arm));
}

/**
 * Names the faults of one target on one route, gravest first, each with its owner, its samples and, where that kind of server
 * has one, the option that mends it. Pure: the same samples give the same diagnoses.
 */
export function diagnose(context: DiagnoseContext, all: readonly JudgedSample[]): readonly Diagnosis[] {
  const conversations = all.filter(({ probe, classification }) => probe !== undefined && classification.measured);
  const single = all.filter(({ probe }) => probe === undefined);
  const measured = single.filter((sample) => measuredReply(sample) !== null);
  const rated = ratedSamples(measured, context.notTestable);
  // What became of a call is the same question in a conversation; what the model should have done is not.
  const calls = [...rated, ...conversations.flatMap(callOf)];
  const make = diagnosisMaker(context);
  const lost = diagnoseLostCalls(context, make, calls);
  const diagnoses = [
    ...diagnoseRefusals(context, make, calls, [...measured, ...conversations.flatMap(callOf)]),
    ...diagnosePrompt(context, make, calls),
    ...lost,
    ...(lost.length === 0 ? diagnoseStreaming(make, rated) : []),
    ...diagnoseServerFailures(context, make, calls),
    ...diagnoseBudget(make, calls),
    ...diagnoseChoice(make, rated),
    ...diagnoseModel(context, make, rated),
    ...diagnoseProbes(context, make, conversations),
    ...diagnoseTransport(context, make, all),
  ];
  const judged = [...rated, ...conversations];
  if (diagnoses.length === 0 && judged.length > 0) {
    const delivered = judged.filter((sample) => sample.classification.delivered === "yes");
    if (delivered.length === judged.length) return [make("no_fault", "none", delivered, judged.length)];
  }
  return distinct(diagnoses);
}

/** The reply of a conversation that shows what becomes of a call: the one that was lost, else the first. */
function callOf(sample: JudgedSample): readonly JudgedSample[] {
  const { classification } = sample;
  const replies = classification.replies.filter((reply) => reply.measured);
  const served = replies.find(({ axis }) => axis.kind === "structured");
  // One request served in two ways: where one of them brings the call, the parser reads it, and the difference has its own name.
  const isRead = sample.probe === "parity" && served !== undefined;
  const lost = isRead ? undefined : replies.find(({ axis }) => axis.kind !== "structured" && axis.kind !== "none");
  const first = isRead ? served : replies[0];
  const shown = lost ?? (sample.judge === "call" ? first : undefined);
  if (shown === undefined || (shown.axis.kind === "none" && lost === undefined)) return [];
  // A poisoned history may well bring out another format: that is the suite's own matter.
  if (sample.probe === "history" && sample.arm !== "clean") return [];
  return [
    {
      ...sample,
      class: "unmemorizable",
      judge: "call",
      classification: { ...classification, owner: shown.owner, replies: [shown] },
    },
  ];
}

/** What two ways of looking can find. */
const foundTwice: readonly DiagnosisCode[] = ["tools_not_in_prompt", "system_prompt_dropped", "context_cut"];

/** A fault that two ways of looking found is named once, by the one that came first. */
function distinct(diagnoses: readonly Diagnosis[]): readonly Diagnosis[] {
  const seen = new Set<DiagnosisCode>();
  return diagnoses.filter(({ code }) => {
    const again = foundTwice.includes(code) && seen.has(code);
    seen.add(code);
    return !again;
  });
}

/** Tools or system prompt lost on the way into the prompt: then nothing that the model did is its own doing. */
function diagnosePrompt(
  context: DiagnoseContext,
  make: DiagnosisMaker,
  rated: readonly JudgedSample[],
): readonly Diagnosis[] {
  const native = rated.filter((sample) => sample.contract === "native");
  const found: Diagnosis[] = [];
  if (native.length > 0 && (context.facts.toolsInPrompt === "missing" || context.facts.toolsInPrompt === "damaged")) {
    found.push(
      make("tools_not_in_prompt", "template", native, native.length, {
        details: { state: context.facts.toolsInPrompt },
      }),
    );
  }
  if (native.length > 0 && context.facts.systemInPrompt === "dropped")
    found.push(
      make("system_prompt_dropped", "template", native, native.length, {
        fix: context.server.templateFixes.system,
      }),
    );
  return found;
}

function diagnoseServerFailures(
  { server, facts }: DiagnoseContext,
  make: DiagnosisMaker,
  rated: readonly JudgedSample[],
): readonly Diagnosis[] {
  const failed = rated.filter((sample) => measuredReply(sample)?.axis.kind === "server_error");
  return owned(failed).map(([owner, samples]) => {
    const axes = samples.flatMap((sample) => {
      const axis = measuredReply(sample)?.axis;
      return axis?.kind === "server_error" ? [axis] : [];
    });
    const written = axes.flatMap(({ format }) => format ?? []);
    const [format, ...others] = new Set(written);
    // One whole call may be chance, and two formats have no one remedy.
    const known =
      owner === "server_parser" && others.length === 0 && written.length >= enoughCalls ? format : undefined;
    return make("server_fails_on_output", owner, samples, rated.length, {
      fix: known === undefined ? null : fixFor(server, known, true, facts.version),
      details: { message: axes[0]?.message ?? "", ...(known === undefined ? {} : { format: known }) },
    });
  });
}

/** Samples by the owner of their judgement, in order of first appearance. */
function owned(samples: readonly JudgedSample[]): readonly (readonly [Owner, readonly JudgedSample[]])[] {
  const groups = new Map<Owner, JudgedSample[]>();
  for (const sample of samples) {
    const owner = sample.classification.owner;
    groups.set(owner, [...(groups.get(owner) ?? []), sample]);
  }
  return [...groups];
}

function diagnoseBudget(make: DiagnosisMaker, rated: readonly JudgedSample[]): readonly Diagnosis[] {
  const cut = rated.filter((sample) => {
    const axis = measuredReply(sample)?.axis;
    return axis?.kind === "truncated" && axis.cause === "budget";
  });
  if (cut.length === 0) return [];
  const limit = Math.max(...cut.map((sample) => sample.maxTokens ?? 0));
  return [
    make("budget_too_small", "budget", cut, rated.length, {
      fix: { kind: "request", option: `--max-tokens ${limit * 2}` },
      details: { maxTokens: limit },
    }),
  ];
}

/** Faults that are the model's own, each by the finding that shows it. */
function diagnoseModel(
  { facts }: DiagnoseContext,
  make: DiagnosisMaker,
  rated: readonly JudgedSample[],
): readonly Diagnosis[] {
  const found: Diagnosis[] = [];
  const byFinding = (
    kind: FindingKind,
    code: DiagnosisCode,
    only: (sample: JudgedSample) => boolean = () => true,
  ): void => {
    const samples = rated.filter((sample) => only(sample) && findingOf(sample, kind) !== null);
    const [first] = samples;
    if (first !== undefined)
      found.push(
        make(code, "model", samples, rated.length, { details: { words: findingOf(first, kind)?.text ?? "" } }),
      );
  };
  byFinding("provenance_claim", "fabricated_provenance");
  byFinding("value_ahead", "value_ahead");
  byFinding("prose_command", "prose_command");
  const quoted = rated.filter((sample) => findingOf(sample, "quoted_call") !== null);
  if (quoted.length > 0) found.push(make("quoted_call_served", "server_parser", quoted, rated.length));

  // A call wrong in itself is its own fault, whether it was served or leaked; one that a grammar wrote is not the model's.
  const wrong = rated.filter(
    (sample) => sample.classification.owner === "model" && validityOf(sample) === "invalid_args",
  );
  if (wrong.length > 0)
    found.push(make("invalid_arguments", "model", wrong, rated.length, { details: { problems: problemsOf(wrong) } }));
  const undeclared = rated.filter(
    (sample) => sample.classification.owner === "model" && validityOf(sample) === "hallucinated_tool",
  );
  if (undeclared.length > 0)
    found.push(
      make("undeclared_tool", "model", undeclared, rated.length, { details: { tool: calledName(undeclared[0]) } }),
    );

  const skipped = declinedKnownAnswers(rated);
  if (skipped.length > 0) {
    const auto = rated.filter(
      (sample) => sample.class === "memorizable" && sample.choice === "auto" && sample.contract === "native",
    );
    found.push(make("declines_known_answers", "model", skipped, auto.length, { certainty: "inferred" }));
  }
  const named = new Set(skipped);
  for (const contract of ["native", "marker"] as const) {
    const asked = rated.filter((sample) => sample.contract === contract && sample.choice === "auto");
    const plain = asked.filter((sample) => !named.has(sample) && isPlainReply(sample));
    if (plain.length === 0) continue;
    const certainty = contract === "marker" || facts.toolsInPrompt === "whole" ? "shown" : "inferred";
    found.push(make("no_attempt", "model", plain, asked.length, { certainty, details: { contract } }));
  }
  return found;
}

/** A reply that says something, calls nothing, and shows none of the graver faults that have a diagnosis of their own. */
function isPlainReply(sample: JudgedSample): boolean {
  const reply = measuredReply(sample);
  if (reply === null || reply.axis.kind !== "none" || reply.owner !== "model") return false;
  return !reply.findings.some(
    (finding) =>
      finding.kind === "provenance_claim" || finding.kind === "prose_command" || finding.kind === "swallow_suspected",
  );
}

/** Calls that `required` or a name asked for and that never came, by who is answerable for the choice. */
function diagnoseChoice(make: DiagnosisMaker, rated: readonly JudgedSample[]): readonly Diagnosis[] {
  const asked = rated.filter((sample) => sample.choice === "required" || sample.choice === "named");
  const byOwner = new Map<Owner, JudgedSample[]>();
  for (const sample of asked) {
    const owner = findingOf(sample, "choice_violated")?.owner ?? null;
    if (owner !== null) byOwner.set(owner, [...(byOwner.get(owner) ?? []), sample]);
  }
  return [...byOwner].map(([owner, samples]) =>
    make("choice_ignored", owner, samples, asked.length, {
      details: { choice: [...new Set(samples.map((sample) => sample.choice))].sort().join(", ") },
    }),
  );
}

/** The same requests with another outcome streamed than not, where nothing else explains it: two parsers that differ. */
function diagnoseStreaming(make: DiagnosisMaker, rated: readonly JudgedSample[]): readonly Diagnosis[] {
  const auto = rated.filter(
    (sample) =>
      (sample.suite === "parser-mismatch" || sample.suite === "request") &&
      sample.choice === "auto" &&
      sample.classification.attempted === "yes",
  );
  const kinds = (stream: boolean): ReadonlySet<string | undefined> =>
    new Set(auto.filter((sample) => sample.stream === stream).map((sample) => measuredReply(sample)?.axis.kind));
  const [whole, streamed] = [kinds(false), kinds(true)];
  const count = (stream: boolean): number => auto.filter((sample) => sample.stream === stream).length;
  if (whole.size !== 1 || streamed.size !== 1 || count(false) < 2 || count(true) < 2) return [];
  const [body] = whole;
  const [stream] = streamed;
  return body === stream
    ? []
    : [
        make("stream_differs", "server_parser", auto, auto.length, {
          details: { whole: body ?? "", streamed: stream ?? "" },
        }),
      ];
}

function validityOf(sample: JudgedSample): string | null {
  const axis = measuredReply(sample)?.axis;
  return axis !== undefined && "validity" in axis ? axis.validity : null;
}

function problemsOf(samples: readonly JudgedSample[]): string {
  const problems = samples.flatMap((sample) => {
    const axis = measuredReply(sample)?.axis;
    return axis !== undefined && "calls" in axis ? axis.calls.flatMap((call) => call.problems) : [];
  });
  return [...new Set(problems)].sort().join(", ");
}

function calledName(sample: JudgedSample | undefined): string {
  const axis = sample === undefined ? undefined : measuredReply(sample)?.axis;
  return axis !== undefined && "calls" in axis ? (axis.calls[0]?.name ?? "") : "";
}

/**
 * The confidence gate of seed 002: no attempt where the answer can be known, attempts everywhere where it cannot. Both
 * sides must be there in the arm `auto`, else nothing is said.
 */
function declinedKnownAnswers(rated: readonly JudgedSample[]): readonly JudgedSample[] {
  const auto = rated.filter((sample) => sample.choice === "auto" && sample.contract === "native");
  const known = auto.filter((sample) => sample.class === "memorizable");
  const unknown = auto.filter((sample) => sample.class === "unmemorizable" || sample.class === "impossible");
  const skipped = known.filter(
    (sample) => sample.classification.attempted === "no" && measuredReply(sample)?.axis.kind === "none",
  );
  const tried = unknown.filter((sample) => sample.classification.attempted === "yes");
  return skipped.length >= 2 && unknown.length >= 3 && tried.length === unknown.length ? skipped : [];
}

function diagnoseTransport(
  context: DiagnoseContext,
  make: DiagnosisMaker,
  all: readonly JudgedSample[],
): readonly Diagnosis[] {
  const unanswered = all.filter((sample) => !sample.classification.measured);
  const overflowed = unanswered.filter((sample) => sample.classification.reason === "context_invalid");
  const lost = unanswered.filter((sample) => sample.classification.reason !== "context_invalid");
  const found: Diagnosis[] = [];
  if (overflowed.length > 0) {
    found.push(
      make("context_cut", "server_option", overflowed, all.length, {
        details: context.facts.contextLength === null ? {} : { contextLength: context.facts.contextLength },
      }),
    );
  }
  const [first] = lost;
  const reply = first?.classification.replies.at(-1);
  if (first !== undefined)
    found.push(
      make("network", "network", lost, all.length, {
        details: { cause: reply?.measured === false ? reply.detail : "" },
      }),
    );
  return found;
}
