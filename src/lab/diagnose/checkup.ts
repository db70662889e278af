import type { ServerFix } from "../../protocol/servers/server.ts";
import type { Owner } from "../classify/classification.ts";
import type { CheckedSample } from "./checked-sample.ts";
import { type CheckupInput, calls, cutByLimit, formatOf, inferredParsers } from "./checkup-calls.ts";
import { probeStatements } from "./checkup-probes.ts";
import type { Checkup, Cure, Statement, StatementCode, StatementEvidence } from "./checkup-statement.ts";
import type { DiagnosisCode } from "./diagnosis.ts";
import { measuredReply } from "./judged-sample.ts";
import { captureLines, makeStatement } from "./make-statement.ts";

/** Judges a check-up. Pure: a stored one is judged again with today's rules. */
export function checkup(input: CheckupInput): Checkup {
  const server = serverStatement(input);
  const statements = [
    server,
    toolsStatement(input),
    systemStatement(input),
    callsStatement(input, false),
    callsStatement(input, true),
    parserStatement(input),
    requiredStatement(input),
    resultsStatement(input),
    thinkingStatement(input),
    contextStatement(input),
    ...probeStatements(input),
    // What follows from the kind of server alone is shown by what shows the kind.
  ].map((each) => (each.evidence.length > 0 ? each : { ...each, evidence: server.evidence }));
  const faults = statements.filter(({ state }) => state === "fault");
  const unmeasured = statements.find(({ code }) => code === "calls_unmeasured");
  const cure = cureOf(input, faults);
  if (faults.length > 0) return { verdict: "fault", statements, cure };
  if (unmeasured !== undefined)
    return {
      verdict: "unmeasured",
      statements,
      cure: { kind: "measure", why: String(unmeasured.details["why"] ?? "") },
    };
  return { verdict: "healthy", statements, cure: { kind: "nothing" } };
}

/** Lines of probes.jsonl behind what the target stage concluded about one thing. */
function probes({ target }: CheckupInput, about: string): readonly StatementEvidence[] {
  const lines = target.evidence.flatMap((each) =>
    each.about === about && each.probe !== null ? [each.probe + 1] : [],
  );
  return [...new Set(lines)].map((line) => ({ file: "probes.jsonl", line }));
}

function serverStatement(input: CheckupInput): Statement {
  const { facts, model } = input.target;
  const details = { kind: facts.kind, version: facts.version ?? "", model };
  const evidence = probes(input, "server");
  return input.server.tried
    ? makeStatement("server", "good", "server_is", { details, evidence })
    : makeStatement("server", "caution", "server_untried", { details, evidence });
}

function toolsStatement(input: CheckupInput): Statement {
  const evidence = probes(input, "prompt");
  switch (input.target.facts.toolsInPrompt) {
    case "whole":
      return makeStatement("tools", "good", "tools_whole", { evidence });
    case "damaged":
      return makeStatement("tools", "fault", "tools_damaged", { evidence });
    case "missing":
      return makeStatement("tools", "fault", "tools_missing", { evidence });
    case "unknown":
      return toolsByArithmetic(input);
    default:
      return input.target.facts.toolsInPrompt satisfies never;
  }
}

/** The same conversation with and without tools: a prompt that is no longer with them does not hold them. */
function toolsByArithmetic({ samples }: CheckupInput): Statement {
  const plain = samples.find(({ sample }) => sample.arm === "plain");
  const withTools = samples.find(({ sample }) => sample.scenario === "doctor-code-word");
  const [less, more] = [plain?.seen.promptTokens ?? null, withTools?.seen.promptTokens ?? null];
  if (plain === undefined || withTools === undefined || less === null || more === null)
    return makeStatement("tools", "unknown", "tools_unknown");
  const evidence = captureLines([withTools, plain]);
  const details = { tokens: more - less };
  // That the prompt grows shows that something of the tools is in it, not that they are whole.
  return more > less
    ? makeStatement("tools", "caution", "tools_cost", { details, evidence, certainty: "inferred" })
    : makeStatement("tools", "fault", "tools_missing", { details, evidence, certainty: "inferred" });
}

function systemStatement(input: CheckupInput): Statement {
  const { samples, target } = input;
  const evidence = probes(input, "prompt");
  if (target.facts.systemInPrompt === "kept") return makeStatement("system", "good", "system_kept", { evidence });
  if (target.facts.systemInPrompt === "dropped")
    return makeStatement("system", "fault", "system_dropped", { evidence });
  const answered = (sample: CheckedSample | undefined): sample is CheckedSample =>
    sample !== undefined && measuredReply(sample.sample) !== null && sample.seen.content;
  const plain = samples.find(({ sample }) => sample.arm === "plain");
  const withTools = samples.find(({ sample }) => sample.scenario === "doctor-code-word");
  if (answered(withTools) && withTools.seen.codeWord)
    return makeStatement("system", "good", "system_kept", { evidence: captureLines([withTools]) });
  // A model that says the word without tools and not with them did not get it with them, or would not obey: that is inferred.
  if (answered(withTools) && answered(plain) && plain.seen.codeWord)
    return makeStatement("system", "fault", "system_dropped", {
      evidence: captureLines([plain, withTools]),
      certainty: "inferred",
    });
  return makeStatement("system", "unknown", "system_unknown", {
    evidence: captureLines([plain, withTools].filter(answered)),
  });
}

function callsStatement(input: CheckupInput, stream: boolean): Statement {
  const topic = stream ? "streamed" : "auto";
  const asked = calls(input, stream);
  const measured = asked.filter(({ sample }) => measuredReply(sample) !== null);
  const evidence = captureLines(asked);
  if (measured.length === 0) {
    const reply = asked[0]?.sample.classification.replies.at(-1);
    const why = reply?.measured === false ? reply.detail : "";
    if (asked.some(({ sample }) => sample.classification.reason === "context_invalid"))
      return makeStatement(topic, "fault", "context_exceeded", { details: { why }, evidence });
    return asked.length === 0 && isRefused(input)
      ? makeStatement(topic, "unknown", "calls_refused", {
          details: { message: "" },
          evidence: captureLines(calls(input, false)),
        })
      : makeStatement(topic, "unknown", "calls_unmeasured", { details: { why }, evidence });
  }
  // What the check-up's own limit cut shows nothing of the server.
  if (asked.every(({ sample, seen }) => cutByLimit(sample, seen)))
    return makeStatement(topic, "unknown", "calls_unmeasured", { details: { why: "cut" }, evidence });
  const kinds = measured.map(({ sample }) => measuredReply(sample)?.axis.kind ?? "none");
  const count = (...wanted: readonly string[]): number => kinds.filter((kind) => wanted.includes(kind)).length;
  const delivered = measured.filter(({ sample }) => sample.classification.delivered === "yes").length;
  const details = {
    delivered,
    of: measured.length,
    leaked: count("leaked"),
    swallowed: count("swallowed", "reasoning_only"),
    none: count("none"),
    format: formatOf(measured) ?? "",
  };
  if (delivered === measured.length) return makeStatement(topic, "good", "calls_delivered", { details, evidence });
  const axis = measuredReply(measured[0]?.sample ?? never())?.axis;
  if (count("refused") === measured.length)
    return makeStatement(topic, "fault", "calls_refused", {
      details: { ...details, message: axis?.kind === "refused" ? axis.message : "" },
      evidence,
    });
  if (count("server_error") === measured.length)
    return makeStatement(topic, "fault", "calls_failed", {
      details: { ...details, message: axis?.kind === "server_error" ? axis.message : "" },
      evidence,
    });
  if (count("none") === measured.length) {
    const blind = measured.every(({ seen }) => seen.raw === "hidden");
    return makeStatement(topic, "fault", blind ? "calls_not_seen" : "calls_not_made", { details, evidence });
  }
  const lost = count("leaked", "swallowed", "reasoning_only");
  return lost === measured.length
    ? makeStatement(topic, "fault", "calls_lost", { details, evidence })
    : makeStatement(topic, "fault", "calls_mixed", { details, evidence });
}

function never(): never {
  throw new RangeError("a measured sample is missing");
}

function isRefused(input: CheckupInput): boolean {
  return calls(input, false).some(({ sample }) => measuredReply(sample)?.axis.kind === "refused");
}

function parserStatement(input: CheckupInput): Statement {
  const { target, server } = input;
  const { toolParser } = target.facts;
  const shown = probes(input, "set_up");
  if (toolParser.state === "none") {
    const refusals = calls(input, false).filter(({ sample }) => measuredReply(sample)?.axis.kind === "refused");
    const evidence = refusals.length > 0 ? [...shown, ...captureLines(refusals)] : shown;
    return makeStatement("parser", isRefused(input) ? "fault" : "caution", "parser_none", {
      details: { source: toolParser.source },
      evidence,
    });
  }
  if (toolParser.name !== null)
    return makeStatement("parser", "good", "parser_named", { details: { name: toolParser.name }, evidence: shown });
  const inferred = inferredParsers(input);
  if (inferred !== null) {
    const { names, why, format, samples } = inferred;
    return makeStatement("parser", "good", "parser_inferred", {
      details: { name: names[0] ?? "", others: names.slice(1).join(", "), why, format },
      evidence: [...shown, ...captureLines(samples)],
      certainty: "inferred",
    });
  }
  return toolParser.state === "active"
    ? makeStatement("parser", "good", "parser_active", { details: { kind: server.kind }, evidence: shown })
    : makeStatement("parser", "unknown", "parser_unknown", { evidence: shown });
}

function requiredStatement(input: CheckupInput): Statement {
  const { server, samples } = input;
  if (server.ignoredChoices.includes("required"))
    return makeStatement("required", "unknown", "required_not_testable", { details: { kind: server.kind } });
  const asked = samples.filter(({ sample }) => sample.choice === "required" && measuredReply(sample) !== null);
  const evidence = captureLines(asked);
  const [first] = asked;
  const axis = first === undefined ? undefined : measuredReply(first.sample)?.axis;
  if (axis === undefined || axis.kind === "refused" || axis.kind === "server_error")
    return makeStatement("required", "unknown", "required_unknown", { evidence });
  // A greeting asks for no tool: a call in answer to it was forced.
  if (axis.kind === "structured") return makeStatement("required", "good", "required_enforced", { evidence });
  return server.requiredAllowsText
    ? makeStatement("required", "caution", "required_free", { evidence })
    : makeStatement("required", "fault", "required_not_enforced", { evidence });
}

/** A call and its result stand in the history: does the model answer with it? */
function resultsStatement({ samples }: CheckupInput): Statement {
  const asked = samples.find(({ sample }) => sample.scenario === "doctor-result");
  if (asked === undefined) return makeStatement("results", "unknown", "results_unknown");
  const evidence = captureLines([asked]);
  const { classification } = asked.sample;
  if (!classification.measured)
    return classification.reason === "bad_request"
      ? makeStatement("results", "fault", "results_refused", { details: { message: asked.seen.error ?? "" }, evidence })
      : makeStatement("results", "unknown", "results_unknown", { evidence });
  const faults = classification.probe?.faults ?? [];
  // Noise that is handed on beside the result is a matter of its own.
  const isUsed =
    classification.delivered === "yes" || (faults.length > 0 && faults.every(({ code }) => code === "warning_relayed"));
  if (isUsed) return makeStatement("results", "good", "results_used", { evidence });
  const lost = faults.find(({ code }) => code === "result_not_in_prompt");
  if (lost !== undefined)
    return makeStatement("results", "fault", "results_lost", { evidence, certainty: lost.certainty });
  // Once is too little to hold it against a model that it does otherwise.
  return cutByLimit(asked.sample, asked.seen)
    ? makeStatement("results", "unknown", "results_unknown", { evidence })
    : makeStatement("results", "caution", "results_unused", { evidence });
}

function thinkingStatement(input: CheckupInput): Statement {
  const { samples, target } = input;
  const measured = samples.filter(({ sample }) => measuredReply(sample) !== null);
  const plain = measured.find(({ sample }) => sample.arm === "plain");
  if (plain === undefined) return makeStatement("thinking", "unknown", "thinking_unknown");
  const evidence = captureLines([plain]);
  const { seen } = plain;
  const known = target.facts.reasoningParser;
  const certainty =
    known.state === "active" && known.source !== "unknown" && known.source !== "error" ? "shown" : "inferred";
  // An answer that no thinking part stands in, and that comes back as nothing but thinking.
  const hidden = seen.reasoning && !seen.content && seen.finishReason !== "length" && seen.raw !== "thinks";
  if (hidden) return makeStatement("thinking", "fault", "answer_hidden", { evidence, certainty: "inferred" });
  if (measured.some((each) => each.seen.reasoning)) {
    const shown = measured.filter((each) => each.seen.reasoning);
    return makeStatement("thinking", "good", "thinking_apart", {
      details: { name: known.name ?? "" },
      evidence: captureLines(shown),
      certainty,
    });
  }
  const inText = measured.filter((each) => each.seen.thinkingInContent);
  if (inText.length > 0)
    return makeStatement("thinking", "caution", "thinking_in_text", { evidence: captureLines(inText) });
  return makeStatement("thinking", "good", "thinking_none", { evidence });
}

/** Prompts of agents are long; a server that cuts them without a word needs room for them. */
const roomForAgents = 16_384;

function contextStatement(input: CheckupInput): Statement {
  const { contextLength } = input.target.facts;
  const evidence = probes(input, "set_up");
  if (contextLength === null) return makeStatement("context", "unknown", "context_unknown", { evidence });
  const details = { tokens: contextLength };
  return input.server.cutsSilently && contextLength < roomForAgents
    ? makeStatement("context", "caution", "context_cuts", { details, evidence })
    : makeStatement("context", "good", "context_is", { details, evidence });
}

/** Diagnoses that name no fault of the set-up, or only the check-up's own short replies. */
const asideCodes: ReadonlySet<DiagnosisCode> = new Set([
  "no_fault",
  "budget_too_small",
  "required_hides_fault",
  // Once is too little to hold against a model.
  "relay_wrong",
  "warning_relayed",
  "called_without_need",
  // True of a whole kind of server, and no reason to change it.
  "history_refused",
  "network",
]);
/** What the model does is looked at last: where the harness is at fault, nothing can be held against it. */
const harnessOwners: ReadonlySet<Owner> = new Set(["template", "server_parser", "server_option", "server_limit"]);

/** The one thing to change first. */
function cureOf({ diagnoses }: CheckupInput, faults: readonly Statement[]): Cure {
  const usable = diagnoses.filter(({ code }) => !asideCodes.has(code));
  const ofHarness = usable.find(({ owner }) => harnessOwners.has(owner));
  if (ofHarness !== undefined) return { kind: "diagnosis", diagnosis: ofHarness };
  const order: readonly (readonly [StatementCode, Owner])[] = [
    ["tools_missing", "template"],
    ["tools_damaged", "template"],
    ["system_dropped", "template"],
    ["results_lost", "template"],
    ["results_refused", "template"],
    ["context_exceeded", "server_option"],
    ["answer_hidden", "server_option"],
  ];
  for (const [code, owner] of order) {
    const fault = faults.find((each) => each.code === code);
    if (fault !== undefined) return { kind: "fault", topic: fault.topic, code, owner };
  }
  const [auto, streamed] = (["auto", "streamed"] as const).map((topic) => faults.find((each) => each.topic === topic));
  if (auto === undefined && streamed !== undefined)
    return { kind: "fault", topic: "streamed", code: streamed.code, owner: "server_parser" };
  const parity = faults.find(({ code }) => code === "parity_differs");
  if (auto === undefined && parity !== undefined)
    return { kind: "fault", topic: "parity", code: parity.code, owner: "server_parser" };
  const [ofModel] = usable;
  if (ofModel !== undefined) return { kind: "diagnosis", diagnosis: ofModel };
  const [fault] = faults;
  return fault === undefined
    ? { kind: "nothing" }
    : { kind: "fault", topic: fault.topic, code: fault.code, owner: "server_parser" };
}

/** The remedy that the check-up names, where the server has one. */
export function cureFix({ cure }: Checkup): ServerFix | null {
  return cure.kind === "diagnosis" ? cure.diagnosis.fix : null;
}
