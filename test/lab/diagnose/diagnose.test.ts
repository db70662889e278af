import { describe, expect, it } from "vitest";
import type { CallAxis, Classification, Finding, Headline, Owner } from "../../../src/lab/classify/classification.ts";
import { diagnose } from "../../../src/lab/diagnose/diagnose.ts";
import type { DiagnoseContext } from "../../../src/lab/diagnose/diagnosis-maker.ts";
import type { JudgedSample } from "../../../src/lab/diagnose/judged-sample.ts";
import { serverRecord } from "../../../src/protocol/servers/index.ts";
import type { ServerKind, TargetFacts } from "../../../src/protocol/servers/server.ts";

const span = { exchange: 0, choice: 0, field: "content" as const, start: 0, end: 1 };

function facts(kind: ServerKind, more: Partial<TargetFacts> = {}): TargetFacts {
  return {
    kind,
    version: null,
    model: "m",
    toolParser: { state: "active", name: null, source: "metric" },
    reasoningParser: { state: "unknown", name: null, source: "unknown" },
    contextLength: 8192,
    toolsInPrompt: "whole",
    systemInPrompt: "kept",
    ...more,
  };
}

function context(
  kind: ServerKind = "vllm",
  more: Partial<TargetFacts> = {},
  blocked: readonly string[] = [],
): DiagnoseContext {
  return {
    target: "t",
    route: "direct",
    facts: facts(kind, more),
    server: serverRecord(kind),
    notTestable: blocked.map((arm) => ({ arm, reason: "ignored" })),
  };
}

let counter = 0;
function sample(
  axis: CallAxis,
  more: Partial<JudgedSample> & { owner?: Owner; findings?: readonly Finding[]; headline?: Headline } = {},
): JudgedSample {
  const { owner = "none", findings = [], headline = "non_call", ...factors } = more;
  counter += 1;
  const id = `t/direct/s/${counter}`;
  const tried = axis.kind !== "none" && axis.kind !== "refused";
  const classification: Classification = {
    schemaVersion: 1,
    id,
    measured: true,
    reason: null,
    headline,
    owner,
    delivered: axis.kind === "structured" && axis.validity === "valid" ? "yes" : "no",
    attempted: tried ? "yes" : "no",
    latency: { firstByteMs: 1, totalMs: 2 },
    replies: [{ measured: true, exchange: 0, axis, findings, headline, owner, handedOn: [], residual: null }],
  };
  return {
    id,
    target: "t",
    route: "direct",
    suite: "parser-mismatch",
    scenario: "s",
    shape: "small",
    language: "ja",
    class: "unmemorizable",
    contract: "native",
    arm: "auto",
    stream: false,
    trial: 1,
    choice: "auto",
    promptCharacters: 100,
    maxTokens: 512,
    judge: "call",
    classification,
    ...factors,
  };
}

const good = { name: "run_python", arguments: { task: "x" }, validity: "valid" as const, problems: [] };
const served = (): CallAxis => ({ kind: "structured", validity: "valid", calls: [good] });
const leaked = (
  format = "qwen3_coder",
  validity: "valid" | "hallucinated_tool" | "invalid_args" = "valid",
): CallAxis => ({
  kind: "leaked",
  format,
  where: "content",
  bare: false,
  validity,
  calls: [{ ...good, validity, problems: validity === "invalid_args" ? ["missing_required"] : [] }],
  span,
});
const swallowed = (format = "qwen3_coder"): CallAxis => ({
  kind: "swallowed",
  format,
  grade: "in_band",
  validity: "valid",
  calls: [good],
  span,
});
const none: CallAxis = { kind: "none" };
const codes = (samples: readonly JudgedSample[], where = context()) =>
  diagnose(where, samples).map(({ code, owner }) => `${code}:${owner}`);

describe("lost calls", () => {
  it("blames the parser and names the option after two whole calls of one format", () => {
    const samples = [sample(leaked()), sample(leaked()), sample(none, { owner: "model" })];
    const [first] = diagnose(context(), samples);
    expect(first).toMatchObject({
      code: "parser_mismatch",
      owner: "server_parser",
      fix: { kind: "flag", option: "--tool-call-parser qwen3_coder" },
      samples: [samples[0]?.id, samples[1]?.id],
      of: 3,
      certainty: "inferred",
    });
  });

  it("infers which parser is active from how it loses the format", () => {
    const both = [
      sample(leaked()),
      sample(leaked()),
      sample(swallowed(), { stream: true }),
      sample(swallowed(), { stream: true }),
    ];
    expect(diagnose(context(), both)[0]?.details).toMatchObject({ parser: "hermes" });
    const hermes = [
      sample(swallowed("hermes")),
      sample(swallowed("hermes")),
      sample(swallowed("hermes"), { stream: true }),
    ];
    expect(diagnose(context(), hermes)[0]).toMatchObject({
      details: { parser: "qwen3_coder" },
      fix: { option: "--tool-call-parser hermes" },
    });
    expect(
      diagnose(context(), [sample(leaked("hermes")), sample(leaked("hermes"))])[0]?.details["parser"],
    ).toBeUndefined();
  });

  it("calls one lost call, or lost calls beside a served one, the model's drift and names no option", () => {
    expect(diagnose(context(), [sample(leaked()), sample(none, { owner: "model" })])[0]).toMatchObject({
      code: "format_drift",
      owner: "model",
      fix: null,
    });
    expect(diagnose(context(), [sample(leaked()), sample(leaked()), sample(served())])[0]).toMatchObject({
      code: "format_drift",
      owner: "model",
      fix: null,
    });
  });

  it("does not take a call under required for proof that the parser reads auto", () => {
    const samples = [sample(leaked()), sample(leaked()), sample(served(), { arm: "required", choice: "required" })];
    expect(codes(samples)).toEqual(["parser_mismatch:server_parser", "required_hides_fault:server_parser"]);
  });

  it("names the missing option where nothing parses", () => {
    const where = context("vllm", { toolParser: { state: "none", name: null, source: "error" } });
    expect(diagnose(where, [sample(leaked()), sample(leaked())])[0]).toMatchObject({
      code: "parser_missing",
      owner: "server_option",
      certainty: "shown",
      fix: { option: "--enable-auto-tool-choice --tool-call-parser qwen3_coder" },
    });
  });

  it("names only what that kind of server has", () => {
    const lost = [sample(leaked()), sample(leaked())];
    expect(diagnose(context("ollama"), lost)[0]?.fix).toMatchObject({ kind: "modelfile" });
    expect(diagnose(context("llama-server"), lost)[0]?.fix).toMatchObject({ kind: "template" });
    expect(diagnose(context("openai"), lost)[0]?.fix).toBeNull();
  });

  it("does not count broken or undeclared calls as lost ones", () => {
    const samples = [
      sample(leaked("qwen3_coder", "hallucinated_tool"), { owner: "model" }),
      sample(leaked("qwen3_coder", "invalid_args"), { owner: "model" }),
    ];
    expect(codes(samples)).toEqual(["invalid_arguments:model", "undeclared_tool:model"]);
  });

  it("leaves the habit arm, the irrelevant prompt and untestable arms out", () => {
    const samples = [
      sample(leaked(), { arm: "none", choice: "none", owner: "model" }),
      sample(leaked(), { judge: "no_call", class: "irrelevant" }),
      sample(leaked(), { arm: "required", choice: "required" }),
    ];
    expect(diagnose(context("ollama", {}, ["required"]), samples)).toEqual([]);
  });
});

describe("refusals", () => {
  const refused: CallAxis = {
    kind: "refused",
    status: 400,
    message: '"auto" tool choice requires ...',
    about: "parser_option",
  };

  it("takes the option from the format that the model writes under none", () => {
    const samples = [
      sample(refused, { owner: "server_option" }),
      sample(leaked("hermes"), { arm: "none", choice: "none", owner: "model" }),
    ];
    expect(diagnose(context("vllm"), samples)[0]).toMatchObject({
      code: "tools_refused",
      owner: "server_option",
      fix: { option: "--enable-auto-tool-choice --tool-call-parser hermes" },
    });
  });

  it("names no parser that nothing points to", () => {
    expect(diagnose(context("vllm"), [sample(refused, { owner: "server_option" })])[0]).toMatchObject({
      code: "tools_refused",
      fix: null,
    });
  });
});

describe("the model", () => {
  const claim: Finding = { kind: "provenance_claim", owner: "model", spans: [span], text: "Pythonで求めた" };

  it("is named for claims, with the words", () => {
    expect(diagnose(context(), [sample(none, { findings: [claim], owner: "model" })])[0]).toMatchObject({
      code: "fabricated_provenance",
      details: { words: "Pythonで求めた" },
    });
  });

  it("is said to skip known answers only where it does call for unknown ones", () => {
    const known = (axis: CallAxis) =>
      sample(axis, { class: "memorizable", owner: axis.kind === "none" ? "model" : "none" });
    const unknown = (axis: CallAxis) => sample(axis, { owner: axis.kind === "none" ? "model" : "none" });
    const gate = [known(none), known(none), known(served()), unknown(served()), unknown(served()), unknown(served())];
    expect(codes(gate)).toEqual(["declines_known_answers:model"]);
    expect(codes([...gate, unknown(none)])).toEqual(["no_attempt:model"]);
  });

  it("is said not to call when it does not, once the tools were seen in the prompt", () => {
    const plain = [sample(none, { owner: "model" }), sample(none, { owner: "model" })];
    expect(diagnose(context(), plain)).toMatchObject([
      { code: "no_attempt", owner: "model", certainty: "shown", of: 2 },
    ]);
    expect(diagnose(context("openai", { toolsInPrompt: "unknown" }), plain)[0]?.certainty).toBe("inferred");
  });

  it("is not blamed when the tools never reached the prompt", () => {
    const samples = [sample(none, { owner: "template" }), sample(none, { owner: "template" })];
    expect(codes(samples, context("ollama", { toolsInPrompt: "damaged" }))).toEqual(["tools_not_in_prompt:template"]);
  });
});

describe("everything else", () => {
  it("blames the budget for cut calls and doubles it", () => {
    const cut: CallAxis = { kind: "truncated", format: "hermes", where: "content", cause: "budget", span };
    expect(diagnose(context(), [sample(cut, { owner: "budget", maxTokens: 64 })])).toMatchObject([
      { code: "budget_too_small", owner: "budget", fix: { option: "--max-tokens 128" } },
    ]);
  });

  it("keeps server failures and their owner", () => {
    const failure: CallAxis = { kind: "server_error", status: 500, message: "EOF", modelCall: "whole", format: null };
    expect(codes([sample(failure, { owner: "server_parser" })])).toEqual(["server_fails_on_output:server_parser"]);
  });

  it("names what reads the calls that a server fails on, from two whole ones of one format on", () => {
    const failure = (format: string | null): JudgedSample =>
      sample(
        { kind: "server_error", status: 500, message: "EOF", modelCall: "whole", format },
        { owner: "server_parser" },
      );
    const [known] = diagnose(context("ollama"), [failure("qwen3_coder"), failure("qwen3_coder"), failure(null)]);
    expect(known).toMatchObject({ fix: { option: "RENDERER qwen3-coder\nPARSER qwen3-coder" } });
    for (const formats of [["qwen3_coder"], ["qwen3_coder", "hermes"], [null, null]])
      expect(diagnose(context("ollama"), formats.map(failure))).toMatchObject([{ fix: null }]);
  });

  it("says who is answerable for an ignored choice", () => {
    const ignored: Finding = { kind: "choice_violated", owner: "server_limit", spans: [], text: "nothing was called" };
    expect(
      codes([sample(none, { arm: "required", choice: "required", owner: "server_limit", findings: [ignored] })]),
    ).toEqual(["choice_ignored:server_limit"]);
  });

  it("counts what was not measured as the connection's fault, never the model's", () => {
    const lost = sample(none);
    const unmeasured: JudgedSample = {
      ...lost,
      classification: {
        ...lost.classification,
        measured: false,
        reason: "transport",
        replies: [
          {
            measured: false,
            exchange: 0,
            reason: "transport",
            detail: "connection reset",
            headline: "transport_error",
            owner: "network",
          },
        ],
      },
    };
    expect(diagnose(context(), [unmeasured])).toMatchObject([
      { code: "network", owner: "network", details: { cause: "connection reset" } },
    ]);
  });

  it("says that there is no fault only when every rated sample was delivered", () => {
    expect(codes([sample(served()), sample(served())])).toEqual(["no_fault:none"]);
    expect(codes([])).toEqual([]);
  });
});
