import type { Capture, Exchange } from "../../../src/lab/capture/capture.ts";
import type { RunRecord, TargetRecord } from "../../../src/lab/capture/run-record.ts";
import type { CallAxis, Classification, Finding, Headline, Owner } from "../../../src/lab/classify/classification.ts";
import type { Diagnosis } from "../../../src/lab/diagnose/diagnosis.ts";
import type { ReportSource } from "../../../src/lab/report/model.ts";
import type { Contract, ScenarioClass } from "../../../src/lab/scenario/scenario.ts";
import { wilsonWithUndecided } from "../../../src/lab/stats/proportions.ts";
import type { Cell, Summary } from "../../../src/lab/stats/summary.ts";
import { hostileReplies } from "./hostile-replies.ts";

/** A sample told in short: what came back, and how it was judged. */
interface Told {
  readonly target: string;
  readonly suite: string;
  readonly class: ScenarioClass;
  readonly contract: Contract;
  readonly arm: string;
  readonly stream: boolean;
  readonly trial: number;
  readonly reply: Reply;
}

/** What the model wrote and what became of it. */
export type Reply =
  | { readonly kind: "structured"; readonly task: string }
  | { readonly kind: "marker"; readonly text: string; readonly ahead?: string }
  | { readonly kind: "leaked" | "swallowed"; readonly text: string }
  | { readonly kind: "text"; readonly text: string; readonly headline: Headline; readonly claim?: string }
  | { readonly kind: "unanswered"; readonly cause: string };

const question: Readonly<Record<ScenarioClass, string>> = {
  memorizable: "1から1000までの素数って全部足すといくつ？正確な値が知りたい！",
  near: "1から1001までの素数って全部足すといくつ？",
  unmemorizable: "「kotonia2026」の SHA-256 ハッシュの先頭10文字を正確に教えて！",
  impossible: "夕焼けの絵を見せて！",
  irrelevant: "おはよう！今日もよろしくね。",
};
const persona = "あなたは「イヴ」。明るいコンパニオンAI。口調はカジュアルで2〜4文で返す。";
const names: Readonly<Record<string, string>> = {
  memorizable: "seed-memorizable",
  unmemorizable: "seed-unmemorizable",
  irrelevant: "greeting",
};
export const qwenCall =
  '<tool_call>\n<function=run_python>\n<parameter=task>\nimport hashlib\ntext = "kotonia2026"\nprint(hashlib.sha256(text.encode()).hexdigest()[:10])\n</parameter>\n</function>\n</tool_call>';
export const fabricated = "1から1000までの素数を全部足すと、76127になるよ！✨ 計算はPythonで正確に求めたから安心だね。";
export const claim = "計算はPythonで正確に求めた";
export const ahead = "先頭10文字は e3b0c44298 だよ！念のため計算で確かめるね。 {{PYTHON: kotonia2026 の SHA-256}}";
const direct = "1から1000までの素数の和は 76127 だよ！";
const marker = "まかせて、計算するね！ {{PYTHON: 1から1000までの素数の和}}";

const hermes = "thinkingcap-hermes";
const agents = "agents-a1";
const ollama = "small-ollama";

/** The story of the demo in small: two vLLM targets, and an Ollama target with hostile replies and gaps. */
export function tellRun(): ReportSource & { readonly captureList: readonly Capture[] } {
  const samples = [...toldByThinkingcap(), ...toldByAgents(), ...toldByOllama()].map(recorded);
  const captureList = samples.map(({ capture }) => capture);
  const classifications = new Map(samples.map(({ judged }) => [judged.id, judged]));
  return {
    record,
    classifications,
    captureList,
    summary: summaryOf(samples),
    async *captures() {
      yield* captureList;
    },
  };
}

function matrix(target: string, cells: readonly [ScenarioClass, Contract, readonly Reply[]][]): Told[] {
  return cells.flatMap(([name, contract, replies]) =>
    replies.map((reply, trial) => ({
      target,
      suite: "contract-matrix",
      class: name,
      contract,
      arm: contract,
      stream: false,
      trial,
      reply,
    })),
  );
}

function arm(
  target: string,
  id: string,
  name: ScenarioClass,
  whole: readonly Reply[],
  streamed: readonly Reply[],
): Told[] {
  const told = (stream: boolean) => (reply: Reply, trial: number) => ({
    target,
    suite: "parser-mismatch",
    class: name,
    contract: "native" as const,
    arm: id,
    stream,
    trial,
    reply,
  });
  return [...whole.map(told(false)), ...streamed.map(told(true))];
}

function toldByThinkingcap(): Told[] {
  const leaked: Reply = { kind: "leaked", text: qwenCall };
  const swallowed: Reply = { kind: "swallowed", text: qwenCall };
  const answer: Reply = { kind: "text", text: direct, headline: "direct_answer" };
  const forced: Reply = { kind: "structured", task: "print(76127)" };
  const asked: Reply = { kind: "marker", text: marker };
  const hello: Reply = { kind: "structured", task: "print('hello')" };
  return [
    ...matrix(hermes, [
      ["memorizable", "marker", [asked, asked, asked]],
      ["memorizable", "native", [leaked, answer, leaked]],
      ["unmemorizable", "marker", [asked, { kind: "marker", text: ahead, ahead: "e3b0c44298" }, asked]],
      ["unmemorizable", "native", [leaked, leaked, leaked]],
    ]),
    ...arm(hermes, "auto", "memorizable", [leaked, leaked, answer], [swallowed, answer, swallowed]),
    ...arm(hermes, "auto", "unmemorizable", [leaked, leaked, leaked], [swallowed, swallowed, swallowed]),
    ...arm(hermes, "required", "unmemorizable", [forced, forced, forced], [forced, forced, forced]),
    ...arm(hermes, "named", "unmemorizable", [forced, forced, forced], [forced, forced, forced]),
    ...arm(hermes, "none", "unmemorizable", [leaked, leaked, leaked], [leaked, leaked, leaked]),
    ...arm(hermes, "required", "irrelevant", [hello, hello, hello], []),
  ];
}

function toldByAgents(): Told[] {
  const call: Reply = { kind: "structured", task: "print(hashlib.sha256(b'kotonia2026').hexdigest()[:10])" };
  const lie: Reply = { kind: "text", text: fabricated, headline: "fabricated_provenance", claim };
  const asked: Reply = { kind: "marker", text: marker };
  return [
    ...matrix(agents, [
      ["memorizable", "marker", [asked, asked, asked]],
      ["memorizable", "native", [lie, call, lie]],
      ["unmemorizable", "marker", [asked, asked, asked]],
      ["unmemorizable", "native", [call, call, call]],
    ]),
    ...arm(agents, "auto", "unmemorizable", [call, call, call], [call, call, call]),
  ];
}

function toldByOllama(): Told[] {
  const cause = "nothing came within 120 s";
  return [
    ...matrix(ollama, [
      ["memorizable", "native", hostileReplies],
      [
        "unmemorizable",
        "native",
        [
          { kind: "unanswered", cause },
          { kind: "unanswered", cause },
        ],
      ],
      [
        "unmemorizable",
        "marker",
        [
          { kind: "marker", text: marker },
          { kind: "unanswered", cause },
        ],
      ],
    ]),
    ...arm(ollama, "required", "unmemorizable", [{ kind: "text", text: direct, headline: "direct_answer" }], []),
  ];
}

interface Recorded {
  readonly capture: Capture;
  readonly judged: Classification;
}

function recorded(told: Told): Recorded {
  const mode = told.stream ? "stream" : "body";
  const scenario = names[told.class] ?? told.class;
  const id = `${told.target}.${told.suite}.${scenario}.${told.arm}.${mode}.${told.trial + 1}`;
  const exchanges = exchangesOf(told);
  const capture: Capture = {
    schemaVersion: 1,
    id,
    target: told.target,
    kind: told.target === ollama ? "ollama" : "vllm",
    route: "direct",
    suite: told.suite,
    scenario,
    shape: "small",
    language: "ja",
    class: told.class,
    contract: told.contract,
    arm: told.arm,
    stream: told.stream,
    trial: told.trial + 1,
    seed: 7,
    expectation: {
      tools: [{ type: "function", function: { name: "run_python", parameters: { type: "object" } } }],
      contract: told.contract,
      wanted: "run_python",
      markerRule: told.contract === "marker" ? { name: "PYTHON" } : null,
      memorizable: told.class === "memorizable",
      oracle: ["76127"],
      nonce: null,
      judge: "call",
    },
    request: {
      choice: told.arm === "required" || told.arm === "none" || told.arm === "named" ? told.arm : "auto",
      namedTool: told.arm === "named" ? "run_python" : null,
      maxTokens: 512,
      sources: [
        { role: "system", text: persona },
        { role: "user", text: question[told.class] },
      ],
    },
    exchanges,
    startedAt: "2026-11-30T09:00:00.000Z",
  };
  return { capture, judged: judgedAs(told, capture) };
}

function exchangesOf({ reply, stream }: Told): Exchange[] {
  if (reply.kind === "unanswered") {
    return [
      {
        ...wire,
        status: null,
        headers: {},
        body: { utf8: "" },
        end: { kind: "failed", phase: "first_byte", cause: reply.cause },
      },
    ];
  }
  const calls =
    reply.kind === "structured"
      ? [
          {
            id: "call_1",
            type: "function",
            function: { name: "run_python", arguments: JSON.stringify({ task: reply.task }) },
          },
        ]
      : undefined;
  const content = reply.kind === "structured" || reply.kind === "swallowed" ? null : reply.text;
  const finish = calls === undefined ? "stop" : "tool_calls";
  const tokens = reply.kind === "swallowed" ? { token_ids: [1, 2, 3] } : {};
  const body = stream
    ? sse([
        {
          index: 0,
          delta: {
            role: "assistant",
            content: content ?? "",
            ...(calls ? { tool_calls: calls.map((call) => ({ index: 0, ...call })) } : {}),
          },
          ...tokens,
        },
        { index: 0, delta: {}, finish_reason: finish },
      ])
    : JSON.stringify({
        choices: [
          {
            index: 0,
            message: { role: "assistant", content, tool_calls: calls ?? [] },
            finish_reason: finish,
            ...tokens,
          },
        ],
        usage: { prompt_tokens: 212, completion_tokens: 48 },
      });
  const subject: Exchange = {
    ...wire,
    headers: { "content-type": stream ? "text/event-stream" : "application/json" },
    body: { utf8: body },
  };
  if (reply.kind !== "swallowed") return [subject];
  const side: Exchange = {
    ...wire,
    hop: "side",
    purpose: "detokenize",
    parent: 0,
    path: "/detokenize",
    body: { utf8: JSON.stringify({ prompt: reply.text }) },
  };
  return [subject, side];
}

function sse(choices: readonly object[]): string {
  return [...choices.map((choice) => JSON.stringify({ choices: [choice] })), "[DONE]"]
    .map((data) => `data: ${data}\n\n`)
    .join("");
}

const wire: Exchange = {
  hop: "subject",
  purpose: "sample",
  turn: 0,
  attempt: 1,
  method: "POST",
  path: "/v1/chat/completions",
  request: "0".repeat(64),
  sentHeaders: {},
  startedAt: "2026-11-30T09:00:00.000Z",
  status: 200,
  headers: { "content-type": "application/json" },
  body: { utf8: "" },
  chunks: [[120, 400]],
  timing: { headMs: 80, firstByteMs: 120, endMs: 840 },
  end: { kind: "complete" },
};

function judgedAs({ reply }: Told, capture: Capture): Classification {
  const base = { schemaVersion: 1 as const, id: capture.id };
  if (reply.kind === "unanswered") {
    const verdict = { headline: "transport_error", owner: "network" } as const;
    return {
      ...base,
      ...verdict,
      measured: false,
      reason: "transport",
      delivered: "no",
      attempted: "no",
      latency: { firstByteMs: null, totalMs: null },
      replies: [{ ...verdict, measured: false, exchange: 0, reason: "transport", detail: reply.cause }],
    };
  }
  const [axis, headline, owner, findings] = judgement(reply);
  const delivered = axis.kind === "structured" || axis.kind === "marker";
  return {
    ...base,
    headline,
    owner,
    measured: true,
    reason: null,
    delivered: delivered ? "yes" : "no",
    attempted: axis.kind === "none" ? "no" : "yes",
    latency: { firstByteMs: 120, totalMs: 840 },
    replies: [{ measured: true, exchange: 0, axis, findings, headline, owner, handedOn: [], residual: null }],
  };
}

function judgement(reply: Exclude<Reply, { kind: "unanswered" }>): [CallAxis, Headline, Owner, Finding[]] {
  const calls = [{ name: "run_python", arguments: { task: "…" }, validity: "valid", problems: [] }] as const;
  switch (reply.kind) {
    case "structured":
      return [{ kind: "structured", validity: "valid", calls }, "structured_call", "none", []];
    case "marker": {
      const span = spanIn(reply.text, reply.text.slice(reply.text.indexOf("{{")), "content");
      const findings: Finding[] =
        reply.ahead === undefined
          ? []
          : [
              {
                kind: "value_ahead",
                owner: "model",
                spans: [spanIn(reply.text, reply.ahead, "content")],
                text: reply.ahead,
              },
            ];
      return [
        { kind: "marker", grade: "as_asked", span },
        findings.length === 0 ? "marker_call" : "value_ahead",
        findings.length === 0 ? "none" : "model",
        findings,
      ];
    }
    case "leaked":
      return [
        {
          kind: "leaked",
          format: "qwen3_coder",
          where: "content",
          bare: false,
          validity: "valid",
          calls,
          span: spanIn(reply.text, reply.text, "content"),
        },
        "leaked_call",
        "server_parser",
        [],
      ];
    case "swallowed":
      return [
        {
          kind: "swallowed",
          format: "qwen3_coder",
          grade: "in_band",
          validity: "valid",
          calls,
          span: spanIn(reply.text, reply.text, "raw"),
        },
        "swallowed_call",
        "server_parser",
        [],
      ];
    case "text": {
      const findings: Finding[] =
        reply.claim === undefined
          ? []
          : [
              {
                kind: "provenance_claim",
                owner: "model",
                spans: [spanIn(reply.text, reply.claim, "content")],
                text: reply.claim,
              },
            ];
      return [{ kind: "none" }, reply.headline, "model", findings];
    }
  }
}

function spanIn(text: string, part: string, field: "content" | "raw") {
  const start = text.indexOf(part);
  return { exchange: 0, choice: 0, field, start, end: start + part.length };
}

function summaryOf(samples: readonly Recorded[]): Summary {
  const groups = new Map<string, Recorded[]>();
  for (const sample of samples) {
    const { target, suite, scenario, arm: armId, stream } = sample.capture;
    const key = [target, suite, scenario, armId, stream].join("|");
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  const cells = [...groups.values()].map(cellOf);
  return {
    schemaVersion: 1,
    run: record.run,
    planned: samples.length,
    measured: samples.filter(({ judged }) => judged.measured).length,
    cells,
    diagnoses: diagnosesOf(samples),
    exclusions: samples
      .filter(({ judged }) => !judged.measured)
      .map(({ judged }) => ({ id: judged.id, reason: "transport", detail: "nothing came within 120 s" })),
  };
}

function cellOf(group: readonly Recorded[]): Cell {
  const [first] = group;
  if (first === undefined) throw new Error("a cell needs a sample");
  const { capture } = first;
  const measured = group.filter(({ judged }) => judged.measured);
  const count = (key: "delivered" | "attempted") => measured.filter(({ judged }) => judged[key] === "yes").length;
  const counts: Partial<Record<Headline, number>> = {};
  for (const { judged } of measured) counts[judged.headline] = (counts[judged.headline] ?? 0) + 1;
  const notTestable = record.targets
    .find((target) => target.name === capture.target)
    ?.notTestable.find((entry) => entry.arm === capture.arm);
  return {
    target: capture.target,
    route: capture.route,
    suite: capture.suite,
    scenario: capture.scenario,
    arm: capture.arm,
    contract: capture.contract,
    class: capture.class,
    shape: capture.shape,
    language: capture.language,
    stream: capture.stream,
    planned: group.length,
    measured: measured.length,
    attempted: count("attempted"),
    delivered: count("delivered"),
    undecidable: 0,
    counts,
    rated: capture.arm !== "none" && capture.class !== "irrelevant",
    notTestable: notTestable?.reason ?? null,
    deliveredRate: wilsonWithUndecided(count("delivered"), 0, measured.length),
    attemptedRate: wilsonWithUndecided(count("attempted"), 0, measured.length),
    medianMs: measured.length === 0 ? null : 840,
  };
}

function diagnosesOf(samples: readonly Recorded[]): Diagnosis[] {
  const idsOf = (target: string, wanted: (judged: Classification, capture: Capture) => boolean) =>
    samples
      .filter(({ capture, judged }) => capture.target === target && wanted(judged, capture))
      .map(({ judged }) => judged.id);
  const finds = (kind: Finding["kind"]) => (judged: Classification) =>
    judged.replies.some((reply) => reply.measured && reply.findings.some((finding) => finding.kind === kind));
  const base = { route: "direct", fix: null, certainty: "shown" as const, details: {} };
  return [
    {
      ...base,
      target: hermes,
      code: "parser_mismatch",
      owner: "server_parser",
      fix: { kind: "flag", option: "--tool-call-parser qwen3_coder" },
      samples: idsOf(
        hermes,
        (judged, { suite, arm: id }) =>
          suite === "parser-mismatch" && id === "auto" && judged.owner === "server_parser",
      ),
      of: 12,
      certainty: "inferred",
      details: { format: "qwen3_coder", parser: "hermes" },
    },
    {
      ...base,
      target: hermes,
      code: "required_hides_fault",
      owner: "server_parser",
      samples: idsOf(hermes, (_, { arm: id, class: name }) => id === "required" && name !== "irrelevant"),
      of: 6,
      details: { format: "qwen3_coder" },
    },
    {
      ...base,
      target: hermes,
      code: "value_ahead",
      owner: "model",
      samples: idsOf(hermes, finds("value_ahead")),
      of: 60,
      details: { words: "e3b0c44298" },
    },
    {
      ...base,
      target: agents,
      code: "fabricated_provenance",
      owner: "model",
      samples: idsOf(agents, finds("provenance_claim")),
      of: 18,
      details: { words: claim },
    },
    {
      ...base,
      target: agents,
      code: "declines_known_answers",
      owner: "model",
      samples: idsOf(agents, (judged) => judged.attempted === "no"),
      of: 3,
      certainty: "inferred",
    },
  ];
}

function target(name: string, model: string, port: number, more: Partial<TargetRecord>): TargetRecord {
  const raw = { body: [], stream: [] };
  return {
    name,
    model,
    baseUrl: `http://127.0.0.1:${port}`,
    facts: {
      kind: "vllm",
      version: "0.32.0",
      model,
      toolParser: { state: "active", name: null, source: "unknown" },
      reasoningParser: { state: "none", name: null, source: "unknown" },
      contextLength: 8192,
      toolsInPrompt: "whole",
      systemInPrompt: "kept",
    },
    fingerprint: { identity: {}, incidental: {} },
    raw: { inBand: raw, side: raw },
    notTestable: [],
    evidence: [{ statement: "vLLM answered /version with 0.32.0.", probe: 0 }],
    ...more,
  };
}

const record: RunRecord = {
  schemaVersion: 1,
  run: "20261130-090000-demo",
  createdAt: "2026-11-30T09:00:00.000Z",
  finishedAt: "2026-11-30T09:00:12.000Z",
  lab: { version: "0.1.0", node: "20.20.2" },
  seed: "demo",
  plan: {
    suites: ["contract-matrix", "parser-mismatch"],
    scenarios: ["seed-memorizable", "seed-unmemorizable"],
    trials: 3,
    shapes: ["small"],
    languages: ["ja"],
    concurrency: 4,
    raw: "auto",
    request: {},
    samples: 73,
    cells: [],
  },
  routes: [{ id: "direct", treatment: "none" }],
  unmet: [],
  targets: [
    target(agents, "agents-a1-35b", 8001, {}),
    target(hermes, "thinkingcap-27b", 8002, {}),
    target(ollama, "tiny:1b", 11434, {
      facts: {
        kind: "ollama",
        version: "0.33.2",
        model: "tiny:1b",
        toolParser: { state: "active", name: "template", source: "template" },
        reasoningParser: { state: "unknown", name: null, source: "unknown" },
        contextLength: null,
        toolsInPrompt: "unknown",
        systemInPrompt: "unknown",
      },
      notTestable: [{ arm: "required", reason: "Ollama ignores tool_choice" }],
      evidence: [],
    }),
  ],
};
