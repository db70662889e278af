import { describe, expect, it } from "vitest";
import { rawText } from "../../../src/lab/capture/raw-text.ts";
import { recordExchange } from "../../../src/lab/capture/record.ts";
import type { TargetRecord } from "../../../src/lab/capture/run-record.ts";
import { type SideEvidenceOptions, sideEvidence } from "../../../src/lab/target/side-channel.ts";
import { jsonResponse } from "../../../src/protocol/handler.ts";
import type { JsonObject } from "../../../src/protocol/json.ts";
import { serverRecord } from "../../../src/protocol/servers/index.ts";
import type { ServerKind } from "../../../src/protocol/servers/server.ts";
import { type Extra, fixtureServer, serve, wireBytes } from "../../protocol/servers/fixture-server.ts";
import { rawExchange, readStored } from "../capture/exchange-fixture.ts";

const raws: Readonly<Partial<Record<ServerKind, TargetRecord["raw"]>>> = {
  vllm: { inBand: { body: ["token_ids"], stream: ["token_ids"] }, side: { body: [], stream: [] } },
  ollama: {
    inBand: { body: [], stream: [] },
    side: { body: ["logprobs_replay", "raw_generate"], stream: ["logprobs_replay", "raw_generate"] },
  },
  "llama-server": {
    inBand: { body: ["verbose"], stream: [] },
    side: { body: ["none_twin"], stream: ["verbose_replay", "none_twin"] },
  },
};
const none: TargetRecord["raw"] = { inBand: { body: [], stream: [] }, side: { body: [], stream: [] } };
const request = {
  model: "m",
  messages: [{ role: "user", content: "go" }],
  tools: [{ type: "function", function: { name: "python" } }],
  tool_choice: "auto",
  seed: 5,
  temperature: 0.7,
  stream: true,
  stream_options: { include_usage: true },
};

async function gather(
  kind: ServerKind,
  file: string,
  extra: Extra,
  more: Partial<SideEvidenceOptions> = {},
  status = 200,
) {
  const server = fixtureServer("nothing", extra);
  const subject = rawExchange(wireBytes(file), { requestBody: JSON.stringify(request), status });
  const made = await sideEvidence({
    line: { handler: server.handler, headers: {}, clock: { now: () => 0, date: () => new Date(0) } },
    server: serverRecord(kind),
    model: "m",
    raw: raws[kind] ?? none,
    subject,
    parent: 0,
    turn: 1,
    stream: /\.(?:sse|ndjson)$/.test(file),
    wholeCallServed: false,
    parsesWithoutTools: false,
    ...more,
  });
  const stored = [
    { raw: more.subject ?? subject, facts: { hop: "subject", purpose: "sample", turn: 1, attempt: 1 } as const },
    ...made,
  ].map(({ raw, facts }) => recordExchange(raw, facts));
  const [judged] = stored;
  const seen = judged === undefined ? null : rawText(stored, 0, readStored(judged));
  return { made, seen, asked: server.asked, bodies: server.bodies };
}

const xml = /^<tool_call>\n<function=search_notes>[\s\S]*<\/tool_call>$/;

describe("sideEvidence", () => {
  it.each(["side/vllm-hermes-qwenxml-auto-ids.json", "side/vllm-hermes-qwenxml-auto-ids-stream.sse"])(
    "decodes the token ids of %s in one request",
    async (file) => {
      const { made, seen, asked, bodies } = await gather("vllm", file, ({ path }) =>
        path === "/detokenize" ? serve("side/vllm-detokenize-qwenxml.json") : undefined,
      );
      expect(asked).toEqual(["POST /detokenize"]);
      expect(bodies[0]?.["tokens"]).toHaveProperty("0", 259);
      expect(made.map(({ facts }) => [facts.hop, facts.purpose, facts.parent, facts.evidenceGrade])).toEqual([
        ["side", "detokenize", 0, "in_band"],
      ]);
      expect([seen?.grade, xml.test(seen?.text ?? "")]).toEqual(["in_band", true]);
    },
  );

  it("repeats a swallowed stream of Ollama with its seed, not streamed, and sees the call", async () => {
    const { seen, bodies } = await gather("ollama", "ollama-hermes-qwenxml-auto-stream.sse", ({ path }) =>
      path === "/v1/chat/completions" ? serve("side/ollama-hermes-qwenxml-auto-logprobs.json") : undefined,
    );
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toMatchObject({ seed: 5, temperature: 0.7, stream: false, logprobs: true, tool_choice: "auto" });
    expect(bodies[0]).not.toHaveProperty("stream_options");
    expect([seen?.grade, xml.test(seen?.text ?? "")]).toEqual(["same_seed_replay", true]);
  });

  it("repeats a stream of llama-server with verbose", async () => {
    const { seen, bodies } = await gather("llama-server", "side/llama-server-hermes-direct-required-stream.sse", () =>
      serve("side/llama-server-hermes-direct-required-verbose.json"),
    );
    expect(bodies[0]).toMatchObject({ stream: false, verbose: true });
    expect(seen?.grade).toBe("same_seed_replay");
  });

  it("does not take a repetition for the same generation when what was seen is not in it", async () => {
    const { seen, asked } = await gather("llama-server", "llama-server-plain-direct-auto-stream.sse", ({ body }) =>
      serve(
        body["verbose"] === true
          ? "side/llama-server-hermes-hermes-auto-verbose.json"
          : "side/llama-server-hermes-hermes-none-twin.json",
      ),
    );
    expect(seen?.grade).toBe("second_generation");
    expect(asked).toHaveLength(2);
  });

  it("asks for nothing where the body shows its text itself", async () => {
    const { made, seen } = await gather(
      "llama-server",
      "side/llama-server-hermes-direct-auto-verbose.json",
      () => undefined,
    );
    expect(made).toEqual([]);
    expect(seen?.grade).toBe("in_band");
  });

  it("shows the habit after llama-server failed on the model's output, and nothing stronger", async () => {
    const { seen, bodies } = await gather(
      "llama-server",
      "llama-server-llama3-texthermes-auto.error.json",
      () => serve("side/llama-server-hermes-hermes-none-twin.json"),
      {},
      500,
    );
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toMatchObject({ tool_choice: "none", reasoning_format: "none", stream: false });
    expect(seen?.grade).toBe("second_generation");
    expect(seen?.text).toContain("<tool_call>");
  });

  /** As seen on Ollama 0.34.2: the stream stops on the token at which the builtin parser gave up. */
  const cutStream = (tokens: readonly string[]): Response => {
    const chunks = tokens.map((token) => ({
      object: "chat.completion.chunk",
      model: "m",
      choices: [{ index: 0, delta: { content: "" }, finish_reason: null, logprobs: { content: [{ token }] } }],
    }));
    return new Response(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""));
  };
  const whole = '<tool_call>\n{"name":"python"}\n</tool_call>';
  const afterFailure =
    (generated: string): Extra =>
    ({ path, body }) => {
      if (path === "/v1/chat/completions") return cutStream(["<tool_call>", '\n{"name":"python"}\n']);
      if (path === "/api/chat") return jsonResponse({ _debug_info: { rendered_template: "PROMPT" } });
      return path === "/api/generate" && body["prompt"] === "PROMPT"
        ? jsonResponse({ model: "m", response: generated, done: true, done_reason: "stop" })
        : undefined;
    };

  it("finds the whole text after Ollama's parser failed: its beginning in a stream, all of it on the raw route", async () => {
    const { made, seen, asked, bodies } = await gather(
      "ollama",
      "ollama-qwen3coder-hermes-auto.error.json",
      afterFailure(whole),
      {},
      500,
    );
    expect(asked).toEqual(["POST /v1/chat/completions", "POST /api/chat", "POST /api/generate"]);
    expect(bodies[0]).toMatchObject({ stream: true, logprobs: true });
    expect(bodies[2]).toMatchObject({ raw: true, stream: false, options: { temperature: 0.7, top_p: 1, seed: 5 } });
    expect(made.map(({ facts }) => facts.purpose)).toEqual(["logprobs_replay", "probe", "raw_generate"]);
    expect(seen).toEqual({ text: whole, grade: "same_seed_replay", exchange: 3 });
  });

  it("treats a stream that Ollama ends without a word like a failure", async () => {
    const text = `data: ${JSON.stringify({ object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta: { content: "hm" }, finish_reason: null }] })}\n\n`;
    const end = `data: ${JSON.stringify({ id: "c", model: "", choices: [{ index: 0, delta: { content: "" }, finish_reason: null }] })}\n\n`;
    const subject = rawExchange(text + end, { requestBody: JSON.stringify(request) });
    const { bodies } = await gather("ollama", "ollama-hermes-qwenxml-auto-stream.sse", afterFailure(whole), {
      subject,
    });
    expect(bodies[0]).toMatchObject({ stream: true, logprobs: true });
  });

  it("takes a raw text that begins otherwise for another draw", async () => {
    const { seen } = await gather("ollama", "ollama-qwen3coder-hermes-auto.error.json", afterFailure("76127"), {}, 500);
    expect(seen).toEqual({ text: "76127", grade: "second_generation", exchange: 3 });
  });

  it("never takes a text whose end did not come for what the model wrote", async () => {
    const { seen } = await gather(
      "ollama",
      "ollama-qwen3coder-hermes-auto.error.json",
      ({ path }) => (path === "/v1/chat/completions" ? cutStream(["<tool_call>", "{"]) : undefined),
      {},
      500,
    );
    expect(seen).toBeNull();
  });

  it.each<readonly [string, ServerKind, string, Partial<SideEvidenceOptions>, number]>([
    ["a whole call was served", "ollama", "ollama-hermes-qwenxml-auto-stream.sse", { wholeCallServed: true }, 200],
    ["no channel was agreed on", "ollama", "ollama-hermes-qwenxml-auto-stream.sse", { raw: none }, 200],
    ["tools were refused", "ollama", "ollama-notools-hermes-auto-stream.error.json", {}, 400],
    ["the prompt was too long", "llama-server", "llama-server-hermes-long-auto-long.error.json", {}, 400],
    ["the kind has no channel", "openai", "ollama-hermes-qwenxml-auto-stream.sse", {}, 200],
  ])("sends nothing when %s", async (_why, kind, file, more, status) => {
    const { asked } = await gather(kind, file, () => undefined, more, status);
    expect(asked).toEqual([]);
  });

  it("sends nothing for a lost exchange or a text that came without tools", async () => {
    const lost = rawExchange("", { status: null, end: { kind: "failed", phase: "connect", cause: "x" } });
    expect(
      (await gather("ollama", "ollama-hermes-direct-auto-usage-stream.sse", () => undefined, { subject: lost })).asked,
    ).toEqual([]);
    const { tools: _tools, ...plain } = request;
    const text = rawExchange(wireBytes("ollama-hermes-direct-auto-usage-stream.sse"), {
      requestBody: JSON.stringify(plain),
    });
    expect(
      (await gather("ollama", "ollama-hermes-direct-auto-usage-stream.sse", () => undefined, { subject: text })).asked,
    ).toEqual([]);
  });

  it("looks behind a call that was served beside an open code fence or at the end of the budget, and no other", async () => {
    const served = (content: string, more: object, finish: string) =>
      rawExchange(
        JSON.stringify({
          choices: [
            {
              index: 0,
              finish_reason: finish,
              message: { content, ...more, tool_calls: [{ function: { name: "search_notes", arguments: "{}" } }] },
            },
          ],
        }),
        { requestBody: JSON.stringify({ ...request, stream: false }) },
      );
    const asked = async (content: string, more: object = {}, finish = "tool_calls") =>
      (
        await gather("ollama", "ollama-hermes-qwenxml-auto.json", () => undefined, {
          subject: served(content, more, finish),
          wholeCallServed: true,
        })
      ).asked.length > 0;
    expect(await asked("An example:\n\n```\n")).toBe(true);
    expect(await asked("```\nprint(1)\n```\nNow the call.")).toBe(false);
    expect(await asked("I will look.")).toBe(false);
    expect(await asked("", { reasoning: "An example:\n```\n" })).toBe(true);
    expect(await asked("", { reasoning: "I need the notes." })).toBe(false);
    expect(await asked("", {}, "length")).toBe(true);
  });

  it("asks about a text that came without tools where the model's own parser reads those, too", async () => {
    const { tools: _tools, ...plain } = request;
    const file = "ollama-hermes-direct-auto-usage-stream.sse";
    const subject = rawExchange(wireBytes(file), { requestBody: JSON.stringify(plain) });
    const { asked } = await gather("ollama", file, () => undefined, { subject, parsesWithoutTools: true });
    expect(asked[0]).toBe("POST /v1/chat/completions");
  });

  it("keeps a side exchange that failed as part of the record", async () => {
    const { made, seen } = await gather("ollama", "ollama-hermes-qwenxml-auto-stream.sse", ({ path }) =>
      path === "/v1/chat/completions" ? serve("side/ollama-native-hermes-auto-logprobs.error.json", 400) : undefined,
    );
    expect(made.map(({ raw, facts }) => [facts.purpose, raw.status, facts.evidenceGrade])).toEqual([
      ["logprobs_replay", 400, "second_generation"],
      ["probe", 404, undefined],
    ]);
    expect(seen).toBeNull();
  });

  it("leaves all other keys of the request as they were", async () => {
    const { bodies } = await gather("ollama", "ollama-hermes-qwenxml-auto-stream.sse", () =>
      serve("side/ollama-hermes-qwenxml-auto-logprobs.json"),
    );
    const { stream: _stream, stream_options: _options, ...kept } = request;
    expect(bodies[0]).toMatchObject(kept as unknown as JsonObject);
  });
});
