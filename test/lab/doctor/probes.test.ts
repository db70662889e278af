import { describe, expect, it } from "vitest";
import type { StatementCode, StatementState, Topic } from "../../../src/lab/diagnose/checkup-statement.ts";
import { checkupLines, cureSentence } from "../../../src/lab/report/checkup-report.ts";
import { type Handler, jsonResponse } from "../../../src/protocol/handler.ts";
import type { ServerKind } from "../../../src/protocol/servers/server.ts";
import { simulate } from "../../simulator/support.ts";
import { scratch } from "../run/harness.ts";
import { type Examined, examined } from "./harness.ts";

const vllm = { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 32_768 } as const;
const servers: readonly (Readonly<Record<string, unknown>> & { readonly kind: ServerKind })[] = [
  vllm,
  { kind: "ollama", version: "0.34.2", template: "hermes", parser: null, contextLength: 32_768 },
  { kind: "llama-server", version: "b10434", template: "hermes", parser: null, contextLength: 32_768 },
  { kind: "openai", contextLength: 32_768 },
];

/** A model that does everything right that a check-up asks, behind rules that plant a fault. */
function model(
  rules: readonly unknown[] = [],
  server: Readonly<Record<string, unknown>> = vllm,
  format = "hermes",
): Handler {
  return simulate({
    server,
    models: {
      m: {
        format,
        rules: [
          ...rules,
          { when: { user: "^Write your code" }, cards: [{ text: "{{seen:code word is ([a-z]+[0-9]+)}}" }] },
          { when: { user: "こんにちは" }, cards: [{ text: "いい一日になりますように！" }] },
          {
            when: { last: "tool" },
            cards: [{ text: "{{seen:[0-9]{2}:[0-9]{2}:[0-9]{2}}}", unseen: "I do not know." }],
          },
          { when: { user: "clock", tools: true }, cards: [{ call: { tool: "clock", arguments: { zone: "UTC" } } }] },
        ],
        default: { text: "Have a nice day!" },
        forced: { tool: "clock" },
      },
    },
  });
}

function says({ checkup }: Examined, topic: Topic) {
  const found = checkup.statements.find((each) => each.topic === topic);
  if (found === undefined) throw new Error(`nothing is said of ${topic}`);
  return found;
}

const probeTopics: readonly Topic[] = ["parity", "negative_intent", "history", "relay", "language"];

describe("a sound model and server", () => {
  it.each(servers)(
    "$kind: every probe is asked, nothing is found, under 20 requests and a minute at 20 tokens/s",
    async (server) => {
      await using root = await scratch();
      const run = await examined(root.path, model([], server));
      expect(run.checkup).toMatchObject({ verdict: "healthy", cure: { kind: "nothing" } });
      expect(probeTopics.map((topic) => says(run, topic).code)).toEqual([
        "parity_alike",
        "intent_kept",
        "history_taken",
        "relay_clean",
        "language_kept",
      ]);
      const told = run.checkup.statements.filter(({ state }) => state === "fault" || state === "caution");
      // What follows from the kind of server, whatever the model does.
      expect(told.map(({ code }) => code).filter((code) => code !== "required_free" && code !== "tools_cost")).toEqual(
        [],
      );
      expect(run.asked.paths.length).toBeLessThan(20);
      expect(run.asked.limits.reduce((sum, limit) => sum + limit, 0)).toBeLessThan(60 * 20);
    },
  );
});

interface PlantedInDoctor {
  readonly what: string;
  readonly handler: Handler;
  readonly topic: Topic;
  readonly code: StatementCode;
  readonly state: StatementState;
  readonly owner: string;
  readonly details?: Readonly<Record<string, string | number>>;
  /** What helps, literally; null where nothing is named. */
  readonly remedy?: string;
  readonly sentences: readonly [english: RegExp, japanese: RegExp];
}

/** Refuses requests of which the body fits. */
function refusing(pattern: RegExp, message: string): Handler {
  const inner = model();
  return async (request) => {
    const body = request.method === "POST" ? await request.clone().text() : "";
    return pattern.test(body) && request.url.endsWith("/chat/completions")
      ? jsonResponse({ error: { message, type: "invalid_request_error" } }, 400)
      : inner(request);
  };
}

/** Hands on everything but the calls of streams. */
const losingStreams: Handler = async (request) => {
  const response = await model([], { ...servers[2] })(request);
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) return response;
  const events = (await response.text()).split("\n\n").filter((event) => !event.includes('"tool_calls":['));
  return new Response(events.join("\n\n"), { status: response.status, headers: response.headers });
};

const callClock = { call: { tool: "clock", arguments: { zone: "UTC" } } } as const;

const planted: readonly PlantedInDoctor[] = [
  {
    what: "a model that calls what it was told not to call",
    handler: model([{ when: { user: "^Write your code", tools: true }, cards: [callClock] }]),
    topic: "negative_intent",
    code: "intent_broken",
    state: "caution",
    owner: "model",
    details: { called: 2, of: 2 },
    sentences: [/told not to .*\(2 of 2\); lab adapter/i, /呼ばないように言っても.*2 回中 2 回/],
  },
  {
    what: "a model that calls a tool to say hello",
    handler: model([{ when: { user: "こんにちは", tools: true }, cards: [callClock] }]),
    topic: "negative_intent",
    code: "called_unasked",
    state: "caution",
    owner: "model",
    details: { called: 2, of: 2 },
    sentences: [/answers a greeting with a call \(2 of 2\)/, /挨拶だけでも.*2 回中 2 回/],
  },
  {
    what: "a server that refuses earlier arguments which are not JSON",
    handler: refusing(/Asia\/To\\"|Asia\/To"/, "Failed to parse tool call arguments as JSON"),
    topic: "history",
    code: "history_refused",
    state: "caution",
    owner: "server_limit",
    details: { variants: "malformed-call", message: "Failed to parse tool call arguments as JSON" },
    remedy: "arguments of earlier calls as whole JSON, or the broken call left out of the history",
    sentences: [
      /refuses a conversation with a broken call .*What helps: arguments of earlier calls/,
      /壊れた呼び出しがあると、サーバーが拒否し.*対策: arguments/,
    ],
  },
  {
    what: "a server that takes short call ids only",
    handler: refusing(/toolu_/, "Tool call IDs should be alphanumeric strings with length 9!"),
    topic: "history",
    code: "history_refused",
    state: "caution",
    owner: "server_limit",
    details: { variants: "foreign-ids" },
    remedy: "call ids of nine letters and digits, mapped both ways",
    sentences: [/another server's call ids/, /他サーバーの呼び出し ID/],
  },
  {
    what: "a model that calls no more after a broken call",
    handler: model([{ when: { prompt: "arguments are not JSON" }, cards: [{ text: "I cannot tell the time." }] }]),
    topic: "history",
    code: "history_poisons",
    state: "caution",
    owner: "model",
    details: { variant: "malformed-call", of: 2 },
    sentences: [
      /After a broken call in the conversation the model calls no more \(0 of 2\)/,
      /呼び出さなくなります\(2 回中 0 回\)/,
    ],
  },
  {
    what: "a model that hands on warnings",
    handler: model([
      {
        when: { last: "tool" },
        cards: [{ text: "{{seen:[0-9]{2}:[0-9]{2}:[0-9]{2}}} (tzdata 2019c is out of date)" }],
      },
    ]),
    topic: "relay",
    code: "relay_noisy",
    state: "caution",
    owner: "model",
    sentences: [/hands on the warning/, /警告まで書きます/],
  },
  {
    what: "a model that falls back into English",
    handler: model([{ when: { user: "こんにちは" }, cards: [{ text: "Have a wonderful day, my friend!" }] }]),
    topic: "language",
    code: "language_left",
    state: "caution",
    owner: "model",
    details: { language: "en", left: 2, of: 2 },
    sentences: [/answers in English \(2 of 2\)/, /英語で答えます\(2 回中 2 回\)/],
  },
];

describe("a fault that is planted", () => {
  it.each(planted)("$what", async ({ handler, topic, code, state, owner, details = {}, remedy = null, sentences }) => {
    await using root = await scratch();
    const run = await examined(root.path, handler);
    expect(says(run, topic)).toMatchObject({ code, state, owner, remedy, details });
    const others = run.checkup.statements.filter((each) => each.topic !== topic && each.state !== "good");
    expect(others.filter((each) => each.state !== "unknown").map((each) => each.code)).toEqual([]);
    expect(run.asked.paths.length).toBeLessThan(20);
    expect(run.asked.limits.length).toBeLessThanOrEqual(14);
    for (const [index, lang] of (["en", "ja"] as const).entries()) {
      const options = { lang, width: 400, colour: false } as const;
      expect(checkupLines(run.checkup, "vllm", options).join("\n")).toMatch(sentences[index] ?? /^$/);
    }
    // A note is no reason to fail: what to change is said of faults alone.
    if (state === "caution") expect(run.checkup).toMatchObject({ verdict: "healthy", cure: { kind: "nothing" } });
  });

  it("a parser that leaks a call whole and swallows it streamed: the one text is shown, and so is the difference", async () => {
    await using root = await scratch();
    const run = await examined(root.path, model([], vllm, "qwen3_coder"));
    expect(says(run, "parity")).toMatchObject({
      code: "parity_differs",
      state: "fault",
      owner: "server_parser",
      certainty: "shown",
      details: { whole: "leaked", streamed: "swallowed" },
    });
    // The parser is the one thing to change; the difference goes with it.
    expect(cureSentence(run.checkup, "vllm", "en")).toBe("Fix: Start vLLM with --tool-call-parser qwen3_coder.");
    expect(says(run, "negative_intent").state).not.toBe("good");
  });

  it("a gateway that loses the calls of streams: the difference is shown, and what helps", async () => {
    await using root = await scratch();
    const run = await examined(root.path, losingStreams);
    expect(says(run, "auto").code).toBe("calls_delivered");
    expect(says(run, "parity")).toMatchObject({
      code: "parity_differs",
      state: "fault",
      owner: "server_parser",
      details: { whole: "structured", streamed: "swallowed" },
    });
    expect(run.checkup.verdict).toBe("fault");
    for (const [lang, words] of [
      ["en", /^Fix: Ask without streaming/],
      ["ja", /^対処: ストリームを使わないか/],
    ] as const)
      expect(cureSentence(run.checkup, "llama-server", lang)).toMatch(words);
  });

  it("shown once and not again is said with its counts, and asked no third time", async () => {
    await using root = await scratch();
    const [english, inner] = [
      model([{ when: { user: "こんにちは" }, cards: [{ text: "Have a wonderful day!" }] }]),
      model(),
    ];
    let greetings = 0;
    const run = await examined(root.path, async (request) => {
      const body = request.method === "POST" ? await request.clone().text() : "";
      if (!body.includes("こんにちは")) return inner(request);
      greetings += 1;
      return greetings === 1 ? english(request) : inner(request);
    });
    expect(greetings).toBe(2);
    expect(says(run, "language")).toMatchObject({ code: "language_left", details: { left: 1, of: 2 } });
  });
});

describe("what is not asked", () => {
  it("is unknown where tools are refused, and no fault", async () => {
    await using root = await scratch();
    const run = await examined(root.path, model([], { ...vllm, parser: null }));
    for (const topic of probeTopics) expect(says(run, topic)).toMatchObject({ state: "unknown", owner: null });
  });

  it("is unknown where the server fails on just that, and no fault", async () => {
    await using root = await scratch();
    const inner = model();
    const failing: Handler = async (request) => {
      const body = request.method === "POST" ? await request.clone().text() : "";
      return /こんにちは|Asia|Write your code word/.test(body) && request.url.endsWith("/chat/completions")
        ? new Response("<html><h1>502 Bad Gateway</h1></html>", {
            status: 502,
            headers: { "content-type": "text/html" },
          })
        : inner(request);
    };
    const run = await examined(root.path, failing);
    expect(run.checkup.verdict).toBe("healthy");
    for (const topic of ["negative_intent", "history", "language"] as const)
      expect(says(run, topic)).toMatchObject({ state: "unknown" });
  });
});
