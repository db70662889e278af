import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StatementCode, Topic } from "../../../src/lab/diagnose/checkup-statement.ts";
import { storedCheckup } from "../../../src/lab/doctor.ts";
import { rejudge } from "../../../src/lab/rejudge.ts";
import { cureSentence } from "../../../src/lab/report/checkup-report.ts";
import { type Handler, jsonResponse } from "../../../src/protocol/handler.ts";
import type { ServerKind } from "../../../src/protocol/servers/server.ts";
import { simulate } from "../../simulator/support.ts";
import { scratch } from "../run/harness.ts";
import { type Asked, type Examined, examined } from "./harness.ts";

type Says = Partial<Record<Topic, StatementCode>>;

/** A model that always calls, in one format; `narrow` keeps to choices that were measured on the real server. */
function calling(format: string, server: Record<string, unknown>, narrow?: string) {
  return simulate({
    server: { contextLength: 32_768, ...server },
    models: {
      m: {
        format,
        rules: [
          { when: { user: "^Good morning" }, cards: [{ text: "Have a nice day!" }] },
          {
            when: { tools: true, ...(narrow === undefined ? {} : { choice: narrow }) },
            cards: [{ call: { tool: "*" } }],
          },
        ],
        default: { text: "OK" },
      },
    },
  });
}

function thrifty({ paths, limits }: Asked): void {
  expect(paths.length).toBeLessThan(20);
  expect(limits.length).toBeLessThanOrEqual(14);
  expect(Math.max(...limits)).toBeLessThanOrEqual(256);
  expect(limits.filter((limit) => limit > 64).length).toBeLessThanOrEqual(2);
  expect(limits.reduce((sum, limit) => sum + limit, 0)).toBeLessThanOrEqual(1200);
}

function codes({ checkup }: Examined): Says {
  return Object.fromEntries(checkup.statements.map(({ topic, code }) => [topic, code]));
}

const vllm = { kind: "vllm", version: "0.32.0" };

describe("lab doctor on vLLM", () => {
  it.each<[string, string, Record<string, unknown>, string, string]>([
    ["hermes", "hermes", { parser: "hermes" }, "hermes", "healthy"],
    ["qwen3_coder", "qwen3_coder", { parser: "qwen3_coder" }, "qwen3_coder", "healthy"],
    ["hermes", "qwen3_coder", { parser: "hermes" }, "hermes", "--tool-call-parser qwen3_coder"],
    ["qwen3_coder", "hermes", { parser: "qwen3_coder" }, "qwen3_coder", "--tool-call-parser hermes"],
  ])(
    "with parser %s and a model that writes %s: infers the parser and says so",
    async (_parser, format, set, name, cure) => {
      await using root = await scratch();
      const run = await examined(root.path, calling(format, { ...vllm, ...set }));
      thrifty(run.asked);
      expect(run.statement("parser")).toMatchObject({
        code: "parser_inferred",
        certainty: "inferred",
        details: { name },
      });
      expect(codes(run)).toMatchObject({ server: "server_is", tools: "tools_whole", system: "system_kept" });
      expect(codes(run)).toMatchObject({
        required: "required_enforced",
        thinking: "thinking_none",
        context: "context_is",
      });
      if (cure === "healthy") {
        expect(run.checkup).toMatchObject({ verdict: "healthy", cure: { kind: "nothing" } });
        expect(codes(run)).toMatchObject({ auto: "calls_delivered", streamed: "calls_delivered" });
      } else {
        expect(run.checkup).toMatchObject({ verdict: "fault", cure: { diagnosis: { fix: { option: cure } } } });
        expect(codes(run)).toMatchObject({ auto: "calls_lost", streamed: "calls_lost" });
      }
    },
  );

  it("without a parser: shows the refusal, and infers from the model's own words which one it needs", async () => {
    await using root = await scratch();
    const run = await examined(root.path, calling("qwen3_coder", { ...vllm, parser: null }));
    thrifty(run.asked);
    expect(codes(run)).toMatchObject({ auto: "calls_refused", parser: "parser_none", required: "required_unknown" });
    expect(run.statement("parser")).toMatchObject({ state: "fault", certainty: "shown" });
    expect(cureSentence(run.checkup, "vllm", "en")).toContain(
      "--enable-auto-tool-choice --tool-call-parser qwen3_coder",
    );
  });

  it("with parser hermes and reasoning parser qwen3: infers both, and finds the answers that come back empty", async () => {
    await using root = await scratch();
    const server = { ...vllm, parser: "hermes", reasoningParser: "qwen3" };
    const run = await examined(root.path, calling("hermes", server, "auto|required|named"));
    thrifty(run.asked);
    expect(run.statement("parser")).toMatchObject({
      code: "parser_inferred",
      details: { name: "hermes", why: "reads" },
    });
    expect(run.statement("thinking")).toMatchObject({ code: "answer_hidden", state: "fault", certainty: "inferred" });
    expect(codes(run)).toMatchObject({ auto: "calls_delivered", streamed: "calls_delivered" });
    expect(run.checkup.verdict).toBe("fault");
    expect(cureSentence(run.checkup, "vllm", "en")).toMatch(/^Fix: .*without its reasoning parser/);
  });

  it("infers the parser from what the server itself writes where the model never calls", async () => {
    await using root = await scratch();
    const server = { ...vllm, parser: "qwen3_coder", contextLength: 8192 };
    const silent = simulate({ server, models: { m: { format: "hermes", default: { text: "It is late." } } } });
    const run = await examined(root.path, silent);
    expect(run.statement("parser")).toMatchObject({ details: { name: "qwen3_coder", why: "writes" } });
    expect(codes(run)).toMatchObject({ auto: "calls_not_made", required: "required_enforced" });
    expect(run.checkup).toMatchObject({ verdict: "fault", cure: { diagnosis: { owner: "model" } } });
  });

  it("gives a wordy model more room, twice", async () => {
    await using root = await scratch();
    const wordy = simulate({
      server: { ...vllm, parser: "hermes", contextLength: 8192 },
      models: {
        m: {
          format: "qwen3_coder",
          rules: [
            {
              when: { tools: true },
              cards: [{ before: "Let me have a look at the clock for you. ".repeat(2), call: { tool: "*" } }],
            },
          ],
          default: { text: "OK" },
        },
      },
    });
    const run = await examined(root.path, wordy);
    thrifty(run.asked);
    expect(run.asked.limits.filter((limit) => limit === 256)).toHaveLength(2);
    expect(run.checkup).toMatchObject({ cure: { diagnosis: { fix: { option: "--tool-call-parser qwen3_coder" } } } });
  });
});

describe("lab doctor on Ollama", () => {
  it.each<[string, Says, RegExp | null]>([
    [
      "hermes",
      { auto: "calls_delivered", streamed: "calls_delivered", tools: "tools_whole", required: "required_not_testable" },
      null,
    ],
    ["notools", { auto: "calls_refused", parser: "parser_none" }, /TEMPLATE|template|tag/],
    [
      "hermesfunction",
      { tools: "tools_damaged", auto: "calls_delivered" },
      /\{\{ \. \}\} or \{\{ json \.Function \}\}/,
    ],
    ["exclusive", { system: "system_dropped", auto: "calls_delivered" }, /\.System stands beside \.Tools/],
  ])("with template %s", async (template, says, change) => {
    await using root = await scratch();
    const run = await examined(root.path, calling("hermes", { kind: "ollama", version: "0.34.2", template }));
    thrifty(run.asked);
    expect(codes(run)).toMatchObject(says);
    expect(run.checkup.verdict).toBe(change === null ? "healthy" : "fault");
    if (change !== null) expect(cureSentence(run.checkup, "ollama", "en")).toMatch(change);
  });

  it("finds calls that are swallowed, by the words that the model wrote", async () => {
    await using root = await scratch();
    const run = await examined(
      root.path,
      calling("qwen3_coder", { kind: "ollama", version: "0.34.2", template: "hermes" }),
    );
    thrifty(run.asked);
    expect(run.statement("auto")).toMatchObject({
      code: "calls_lost",
      details: { swallowed: 2, format: "qwen3_coder" },
    });
    expect(cureSentence(run.checkup, "ollama", "en")).toMatch(/RENDERER qwen3-coder/);
  });

  it("warns of a context that is cut without a word", async () => {
    await using root = await scratch();
    const run = await examined(
      root.path,
      calling("hermes", { kind: "ollama", version: "0.34.2", template: "hermes", contextLength: 4096 }),
    );
    expect(run.statement("context")).toMatchObject({ code: "context_cuts", state: "caution" });
  });
});

describe("lab doctor on llama-server", () => {
  it.each<[string, string, Says, RegExp | null]>([
    ["hermes", "hermes", { auto: "calls_delivered", streamed: "calls_delivered", tools: "tools_whole" }, null],
    ["llama3", "llama3_json", { auto: "calls_delivered", tools: "tools_whole" }, null],
    ["llama3", "hermes", { auto: "calls_failed", streamed: "calls_failed" }, /--chat-template-file/],
    ["plain", "hermes", { tools: "tools_missing", auto: "calls_lost" }, /--jinja/],
  ])("with template %s and a model that writes %s", async (template, format, says, change) => {
    await using root = await scratch();
    const run = await examined(root.path, calling(format, { kind: "llama-server", version: "b1-7e4c0a9", template }));
    thrifty(run.asked);
    expect(codes(run)).toMatchObject(says);
    // Its parser follows from the template: there is no option to name.
    expect(codes(run).parser).not.toBe("parser_inferred");
    expect(run.checkup.verdict).toBe(change === null ? "healthy" : "fault");
    if (change !== null) expect(cureSentence(run.checkup, "llama-server", "en")).toMatch(change);
  });
});

describe("lab doctor on any other endpoint", () => {
  it("says what is not shown, and still whether calls are delivered", async () => {
    await using root = await scratch();
    const run = await examined(root.path, calling("hermes", { kind: "openai" }));
    thrifty(run.asked);
    expect(codes(run)).toMatchObject({
      auto: "calls_delivered",
      streamed: "calls_delivered",
      parser: "parser_unknown",
    });
    expect(run.statement("tools")).toMatchObject({ code: "tools_cost", certainty: "inferred" });
    expect(run.checkup.verdict).toBe("healthy");
  });
});

describe("lab doctor on SGLang", () => {
  const sglang = (body: (request: Request) => Promise<Response>): Handler => {
    return async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/v1/models")
        return jsonResponse({
          object: "list",
          data: [{ id: "m", object: "model", owned_by: "sglang", max_model_len: 32768 }],
        });
      if (pathname === "/server_info")
        return jsonResponse({
          model_path: "m",
          version: "0.5.9",
          tool_call_parser: "qwen25",
          reasoning_parser: null,
          context_length: 32768,
        });
      return pathname === "/v1/chat/completions" ? body(request) : jsonResponse({ detail: "Not Found" }, 404);
    };
  };

  it("names the parser that the server shows, and says that this kind was not tried", async () => {
    await using root = await scratch();
    const text = async (): Promise<Response> =>
      jsonResponse({
        choices: [{ index: 0, message: { role: "assistant", content: null }, finish_reason: "stop" }],
        usage: { prompt_tokens: 40, completion_tokens: 20, total_tokens: 60 },
      });
    const run = await examined(root.path, sglang(text));
    thrifty(run.asked);
    expect(codes(run)).toMatchObject({ server: "server_untried", parser: "parser_named", auto: "calls_not_seen" });
    expect(run.statement("server").state).toBe("caution");
    expect(run.stored.record.targets[0]?.evidence.map(({ statement }) => statement)).toContain(
      "SGLang is known to this lab from its source code alone: it was not tried.",
    );
  });
});

describe("a check-up", () => {
  it("names what shows each statement, and the lines are there", async () => {
    await using root = await scratch();
    const run = await examined(root.path, calling("qwen3_coder", { ...vllm, parser: "hermes" }));
    for (const { topic, evidence } of run.checkup.statements) {
      expect(evidence.length, topic).toBeGreaterThan(0);
      for (const { file, line } of evidence) {
        const lines = (await readFile(join(run.folder, file), "utf8")).trimEnd().split("\n");
        expect(JSON.parse(lines[line - 1] ?? "null"), `${topic} ${file}:${line}`).not.toBeNull();
      }
    }
    const auto = run.statement("auto").evidence.map(({ line }) => line);
    const captures = (await readFile(join(run.folder, "captures.jsonl"), "utf8")).trimEnd().split("\n");
    for (const line of auto)
      expect(JSON.parse(captures[line - 1] ?? "{}")).toMatchObject({ arm: "auto", stream: false });
  });

  it("is a run: judged again it is the same, and it is read back from its folder", async () => {
    await using root = await scratch();
    const run = await examined(root.path, calling("qwen3_coder", { ...vllm, parser: "hermes" }));
    const read = (name: string) => readFile(join(run.folder, name), "utf8");
    const before = [await read("classifications.jsonl"), await read("summary.json")];
    expect(await rejudge(run.stored)).toMatchObject({ changed: 0 });
    expect([await read("classifications.jsonl"), await read("summary.json")]).toEqual(before);
    expect((await storedCheckup(run.stored))?.checkup).toEqual(run.checkup);
    expect(run.stored.record.plan.samples).toBe(
      run.stored.record.plan.cells.reduce((sum, cell) => sum + cell.trials, 0),
    );
  });

  it.each<[ServerKind]>([["vllm"], ["ollama"], ["llama-server"], ["openai"]])(
    "costs %s no more than it may when everything goes wrong",
    async (kind) => {
      await using root = await scratch();
      const failing = calling("hermes", {
        kind,
        ...(kind === "vllm" ? { parser: "qwen3_coder", version: "0.32.0" } : {}),
        ...(kind === "ollama" ? { template: "qwen3-coder" } : {}),
      });
      const run = await examined(root.path, failing);
      thrifty(run.asked);
    },
  );

  it("stops reading a stream once it has seen the call", async () => {
    await using root = await scratch();
    const inner = calling("hermes", { ...vllm, parser: "hermes" });
    let cancelled = 0;
    const run = await examined(root.path, async (request) => {
      const response = await inner(request);
      if (response.headers.get("content-type")?.includes("event-stream") !== true || response.body === null)
        return response;
      const reader = response.body.getReader();
      // After what the model says this stream never ends.
      const endless = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value, done } = await reader.read();
          if (done) await new Promise((resolve) => setTimeout(resolve, 5));
          controller.enqueue(done ? new TextEncoder().encode(": still here\n\n") : value);
        },
        cancel() {
          cancelled += 1;
        },
      });
      return new Response(endless, { status: response.status, headers: response.headers });
    });
    expect(cancelled).toBe(2);
    expect(run.statement("streamed").code).toBe("calls_delivered");
    expect(run.checkup.verdict).toBe("healthy");
  });
});
