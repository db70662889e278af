import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  foldReply,
  grammarOf,
  post,
  readFile,
  runPython,
  searchNotes,
  setThermostat,
  shapeOf,
  simulate,
} from "./support.ts";

const folder = fileURLToPath(new URL("../fixtures/wire/", import.meta.url));

const primes = { tool: "run_python", arguments: { task: "1から1000までの素数の和を計算する" } };
const power = { tool: "run_python", arguments: { task: "3の50乗を計算する" } };
const miso = { tool: "search_notes", arguments: { query: "味噌づくり", tags: ["料理", "発酵"], limit: 5 } };
const lights = ["灯台", "港"].map((query) => ({ tool: "search_notes", arguments: { query, limit: 3 } }));
const rooms = [
  { tool: "set_thermostat", arguments: { room: "kitchen", celsius: 20 } },
  { tool: "set_thermostat", arguments: { room: "hall", celsius: 18.5 } },
];
const corridor = { tool: "set_thermostat", arguments: { room: "廊下", celsius: 18, dry_run: false } };
const config = { tool: "read_file", arguments: { path: "config.yaml", max_lines: 25 } };
const announced = "わかりました。Pythonで計算しますね。\n";
const direct = "The sum of the primes from 1 to 1000 is 76127.";
const prose =
  "Lighthouses mark dangerous coasts and safe entries to harbours. Early ones burned wood on towers, later ones oil.";

const servers = {
  vllmHermes: { kind: "vllm", parser: "hermes" },
  vllmCoder: { kind: "vllm", parser: "qwen3_coder" },
  vllmThinking: { kind: "vllm", parser: "hermes", reasoningParser: "qwen3" },
  vllmNone: { kind: "vllm", parser: null },
  ollamaHermes: { kind: "ollama", template: "hermes" },
  ollamaCoder: { kind: "ollama", template: "qwen3-coder" },
  ollama35: { kind: "ollama", template: "qwen3.5" },
  ollamaNative: { kind: "ollama", template: "native" },
  ollamaNoTools: { kind: "ollama", template: "notools" },
  llamaHermes: { kind: "llama-server", template: "hermes" },
  llamaThink: { kind: "llama-server", template: "hermes-think" },
  llamaCoder: { kind: "llama-server", template: "qwen3coder" },
  llama3: { kind: "llama-server", template: "llama3" },
  llamaPlain: { kind: "llama-server", template: "plain" },
} as const;

interface Recorded {
  readonly file: string;
  readonly status?: number;
  readonly server: (typeof servers)[keyof typeof servers];
  readonly format?: string;
  readonly card: object;
  readonly tools: readonly object[];
  readonly request?: Record<string, unknown>;
  readonly path?: string;
  readonly chunk?: number;
  readonly forced?: object;
  readonly contextLength?: number;
  /** The text differs: the recorded model was turned into something that no profile can know. */
  readonly ownText?: true;
}

const named = { type: "function", function: { name: "search_notes" } };
const notes = [searchNotes, readFile];
const python = [runPython, readFile];
const thermostat = [setThermostat, readFile];
const coder = "qwen3_coder";
const stream = { stream: true };
const usage = { stream: true, stream_options: { include_usage: true } };

const recorded: readonly Recorded[] = [
  { file: "vllm-hermes-hermes-auto.json", server: servers.vllmHermes, card: { call: primes }, tools: python },
  {
    file: "vllm-hermes-direct-auto-usage-stream.sse",
    server: servers.vllmHermes,
    card: { text: direct },
    tools: python,
    request: usage,
  },
  {
    file: "vllm-hermes-qwenxml-auto.json",
    server: servers.vllmHermes,
    format: coder,
    card: { call: miso },
    tools: notes,
  },
  {
    file: "vllm-hermes-qwenxml-auto-stream.sse",
    server: servers.vllmHermes,
    format: coder,
    card: { call: miso },
    tools: notes,
    request: stream,
  },
  {
    file: "vllm-hermes-qwenxml-required.json",
    server: servers.vllmHermes,
    format: coder,
    card: { call: miso },
    tools: notes,
    request: { tool_choice: "required" },
  },
  {
    file: "vllm-hermes-qwenxml-named-stream.sse",
    server: servers.vllmHermes,
    format: coder,
    card: { call: miso },
    tools: notes,
    chunk: 1000,
    request: { ...stream, tool_choice: named },
  },
  {
    file: "vllm-hermes-texthermes-auto-stream.sse",
    server: servers.vllmHermes,
    card: { before: announced, call: power },
    tools: python,
    request: stream,
  },
  {
    file: "vllm-hermes-twohermes-auto-stream.sse",
    server: servers.vllmHermes,
    card: { calls: lights },
    tools: notes,
    request: stream,
  },
  {
    file: "vllm-hermes-hermes-auto-cut.json",
    server: servers.vllmHermes,
    card: { call: primes },
    tools: python,
    request: { max_tokens: 60 },
  },
  {
    file: "vllm-hermes-hermes-auto-badchoice-stream.error.json",
    status: 400,
    server: servers.vllmHermes,
    card: { call: primes },
    tools: python,
    request: { ...stream, tool_choice: "always" },
  },
  {
    file: "vllm-hermes-hermes-auto-long-stream.error.json",
    status: 400,
    server: servers.vllmHermes,
    card: { call: primes },
    tools: python,
    request: { ...stream, messages: [{ role: "user", content: "長".repeat(9000) }] },
  },
  {
    file: "vllm-hermes-hermes-auto-nomodel.error.json",
    status: 404,
    server: servers.vllmHermes,
    card: { call: primes },
    tools: python,
    request: { model: "nope" },
  },
  {
    file: "vllm-hermes-hermes-auto-undeclared.error.json",
    status: 400,
    server: servers.vllmHermes,
    card: { call: primes },
    tools: python,
    request: { tool_choice: { type: "function", function: { name: "nope" } } },
  },
  { file: "vllm-qwen3_coder-hermes-auto.json", server: servers.vllmCoder, card: { call: primes }, tools: python },
  {
    file: "vllm-qwen3_coder-hermes-auto-stream.sse",
    server: servers.vllmCoder,
    card: { call: primes },
    tools: python,
    request: stream,
  },
  {
    file: "vllm-qwen3_coder-qwenxml-auto-stream.sse",
    server: servers.vllmCoder,
    format: coder,
    card: { call: miso },
    tools: notes,
    request: stream,
  },
  {
    file: "vllm-qwen3_coder-twoxml-auto.json",
    server: servers.vllmCoder,
    format: coder,
    card: { calls: rooms },
    tools: thermostat,
  },
  { file: "vllm-hermes-qwen3-direct-auto.json", server: servers.vllmThinking, card: { text: direct }, tools: python },
  {
    file: "vllm-hermes-qwen3-direct-required.json",
    server: servers.vllmThinking,
    card: { text: direct },
    tools: python,
    request: { tool_choice: "required" },
  },
  {
    file: "vllm-hermes-qwen3-direct-required-stream.sse",
    server: servers.vllmThinking,
    card: { text: direct },
    tools: python,
    request: { ...stream, tool_choice: "required" },
  },
  {
    file: "vllm-hermes-qwen3-thinkhermes-auto-stream.sse",
    server: servers.vllmThinking,
    card: { reasoning: "利用者は廊下の温度を下げたい。道具を使う。", call: corridor },
    tools: thermostat,
    request: stream,
  },
  {
    file: "vllm-none-hermes-auto-stream.error.json",
    status: 400,
    server: servers.vllmNone,
    card: { call: primes },
    tools: python,
    request: stream,
  },
  {
    file: "vllm-none-hermes-required.error.json",
    status: 400,
    server: servers.vllmNone,
    card: { call: primes },
    tools: python,
    request: { tool_choice: "required" },
  },
  {
    file: "vllm-none-hermes-none-stream.sse",
    server: servers.vllmNone,
    card: { call: primes },
    tools: python,
    request: { ...stream, tool_choice: "none" },
  },

  {
    file: "ollama-hermes-direct-auto-usage-stream.sse",
    server: servers.ollamaHermes,
    card: { text: direct },
    tools: python,
    request: usage,
  },
  {
    file: "ollama-hermes-hermes-auto-api.json",
    server: servers.ollamaHermes,
    card: { call: primes },
    tools: python,
    path: "/api/chat",
    request: { stream: false },
  },
  {
    file: "ollama-hermes-hermes-auto-nomodel.error.json",
    status: 404,
    server: servers.ollamaHermes,
    card: { call: primes },
    tools: python,
    request: { model: "nope" },
  },
  {
    file: "ollama-hermes-qwenxml-auto.json",
    server: servers.ollamaHermes,
    format: coder,
    card: { call: miso },
    tools: notes,
  },
  {
    file: "ollama-hermes-qwenxml-auto-stream.sse",
    server: servers.ollamaHermes,
    format: coder,
    card: { call: miso },
    tools: notes,
    request: stream,
  },
  {
    file: "ollama-hermes-texthermes-auto-stream.sse",
    server: servers.ollamaHermes,
    card: { before: announced, call: power },
    tools: python,
    request: stream,
  },
  {
    file: "ollama-hermes-texthermes-auto-api-stream.ndjson",
    server: servers.ollamaHermes,
    card: { before: announced, call: power },
    tools: python,
    path: "/api/chat",
    request: stream,
  },
  {
    file: "ollama-hermes-twohermes-auto-stream.sse",
    server: servers.ollamaHermes,
    card: { calls: lights },
    tools: notes,
    request: stream,
  },
  {
    file: "ollama-qwen3coder-hermes-auto.error.json",
    status: 500,
    server: servers.ollamaCoder,
    card: { call: primes },
    tools: python,
  },
  {
    file: "ollama-qwen3coder-qwenxml-auto-stream.sse",
    server: servers.ollamaCoder,
    format: coder,
    card: { call: miso },
    tools: notes,
    request: stream,
  },
  {
    file: "ollama-qwen3coder-qwenxml-required.json",
    server: servers.ollamaCoder,
    format: coder,
    card: { call: miso },
    tools: notes,
    request: { tool_choice: "required" },
  },
  {
    file: "ollama-qwen3coder-texthermes-auto-stream.sse",
    server: servers.ollamaCoder,
    card: { before: announced, call: power },
    tools: python,
    request: stream,
  },
  {
    file: "ollama-qwen3coder-texthermes-auto-api-stream.ndjson",
    server: servers.ollamaCoder,
    card: { before: announced, call: power },
    tools: python,
    path: "/api/chat",
    request: stream,
  },
  { file: "ollama-qwen35-direct-auto.json", server: servers.ollama35, card: { text: direct }, tools: python },
  {
    file: "ollama-qwen35-thinkxml-auto-stream.sse",
    server: servers.ollama35,
    format: coder,
    card: { reasoning: "A file must be read first.", call: config },
    tools: [readFile],
    request: stream,
  },
  {
    file: "ollama-native-hermes-auto-stream.sse",
    server: servers.ollamaNative,
    card: { call: primes },
    tools: python,
    request: stream,
  },
  {
    file: "ollama-native-trunchermes-auto.error.json",
    status: 500,
    server: servers.ollamaNative,
    card: { call: miso },
    tools: notes,
    request: { max_tokens: 70 },
  },
  {
    file: "ollama-notools-hermes-auto-api.error.json",
    status: 400,
    server: servers.ollamaNoTools,
    card: { call: primes },
    tools: python,
    path: "/api/chat",
    request: { model: "notools" },
  },
  {
    file: "ollama-notools-hermes-auto-stream.error.json",
    status: 400,
    server: servers.ollamaNoTools,
    card: { call: primes },
    tools: python,
    request: { model: "notools", stream: true },
  },

  {
    file: "llama-server-hermes-hermes-auto-stream.sse",
    server: servers.llamaHermes,
    card: { call: primes },
    tools: python,
    request: stream,
  },
  {
    file: "llama-server-hermes-hermes-auto-cut-stream.sse",
    server: servers.llamaHermes,
    card: { call: primes },
    tools: python,
    request: { ...stream, max_tokens: 58 },
    ownText: true,
  },
  {
    file: "llama-server-hermes-long-auto-long.error.json",
    status: 400,
    server: servers.llamaHermes,
    card: { text: prose },
    tools: python,
    request: { messages: [{ role: "user", content: "long ".repeat(4000) }] },
    ownText: true,
  },
  {
    file: "llama-server-hermes-long-required-cut.json",
    server: servers.llamaHermes,
    card: { text: prose },
    tools: python,
    request: { tool_choice: "required", max_tokens: 84 },
  },
  {
    file: "llama-server-hermes-qwenxml-auto.json",
    server: servers.llamaHermes,
    format: coder,
    card: { call: miso },
    tools: notes,
    ownText: true,
  },
  {
    file: "llama-server-hermes-texthermes-auto.json",
    server: servers.llamaHermes,
    card: { before: announced, call: power },
    tools: python,
  },
  {
    file: "llama-server-hermes-texthermes-auto-stream.sse",
    server: servers.llamaHermes,
    card: { before: announced, call: power },
    tools: python,
    request: stream,
  },
  {
    file: "llama-server-hermes-texthermes-auto-usage-stream.sse",
    server: servers.llamaHermes,
    card: { before: announced, call: power },
    tools: python,
    request: usage,
  },
  {
    file: "llama-server-hermes-texthermes-auto-badchoice.error.json",
    status: 400,
    server: servers.llamaHermes,
    card: { before: announced, call: power },
    tools: python,
    request: { tool_choice: "always" },
  },
  {
    file: "llama-server-hermes-texthermes-none-stream.sse",
    server: servers.llamaHermes,
    card: { before: announced, call: power },
    tools: python,
    request: { ...stream, tool_choice: "none" },
  },
  {
    file: "llama-server-hermes-twohermes-auto-stream.sse",
    server: servers.llamaHermes,
    card: { calls: lights },
    tools: notes,
    request: stream,
  },
  {
    file: "llama-server-hermes-think-thinkhermes-auto.json",
    server: servers.llamaThink,
    card: { reasoning: "利用者は廊下の温度を下げたい。道具を使う。", call: corridor },
    tools: thermostat,
  },
  {
    file: "llama-server-hermes-think-thinkhermes-auto-stream.sse",
    server: servers.llamaThink,
    card: { reasoning: "利用者は廊下の温度を下げたい。道具を使う。", call: corridor },
    tools: thermostat,
    request: stream,
  },
  {
    file: "llama-server-qwen3coder-qwenxml-auto-stream.sse",
    server: servers.llamaCoder,
    format: coder,
    card: { call: miso },
    tools: notes,
    request: stream,
  },
  {
    file: "llama-server-llama3-texthermes-auto.error.json",
    status: 500,
    server: servers.llama3,
    card: { before: announced, call: power },
    tools: python,
  },
  {
    file: "llama-server-llama3-texthermes-auto-stream.sse",
    server: servers.llama3,
    card: { before: announced, call: power },
    tools: python,
    request: stream,
  },
  {
    file: "llama-server-plain-direct-auto-stream.sse",
    server: servers.llamaPlain,
    card: { text: direct },
    tools: python,
    request: stream,
  },
  {
    file: "llama-server-plain-hermes-required.json",
    server: servers.llamaPlain,
    card: { call: primes },
    tools: python,
    request: { tool_choice: "required" },
  },
];

const contentTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  vllm: { json: "application/json", sse: "text/event-stream; charset=utf-8" },
  ollama: { json: "application/json", sse: "text/event-stream", ndjson: "application/x-ndjson" },
  "llama-server": { json: "application/json; charset=utf-8", sse: "text/event-stream" },
};

/** Calls without the key order and spacing of their arguments, which Ollama's parser changes between equal requests. */
function comparable(text: string): unknown {
  const folded = foldReply(text);
  return {
    ...folded,
    calls: folded.calls.map((call) => ({
      ...call,
      arguments: call.arguments.endsWith("}")
        ? Object.entries(JSON.parse(call.arguments) as object).sort(([a], [b]) => a.localeCompare(b))
        : call.arguments,
    })),
  };
}

describe("replies have the shape of the recorded ones", () => {
  it.each(recorded)("$file", async (row) => {
    const text = readFileSync(`${folder}${row.file}`, "utf8").trimEnd();
    const model = String(row.request?.["model"] ?? "scripted");
    const handler = simulate({
      server: { ...row.server, ...(row.chunk !== undefined && { chunk: row.chunk }) },
      models: {
        [model === "nope" ? "scripted" : model]: {
          format: row.format ?? "hermes",
          rules: [{ when: { tools: true, choice: asWord(row.request?.["tool_choice"]) }, cards: [row.card] }],
        },
      },
    });
    const response = await post(handler, row.path ?? "/v1/chat/completions", {
      model,
      messages: [{ role: "user", content: "去年の味噌づくりのメモを5件まで探して" }],
      tools: row.tools,
      ...(row.path === undefined && { tool_choice: "auto", max_tokens: 512 }),
      ...row.request,
    });
    const ours = (await response.text()).trimEnd();
    expect(response.status).toBe(row.status ?? 200);
    const extension = row.file.split(".").at(-1) ?? "";
    const charset = row.path === "/api/chat" && extension === "json" ? "; charset=utf-8" : "";
    expect(response.headers.get("content-type")).toBe(`${contentTypes[row.server.kind]?.[extension]}${charset}`);
    expect(grammarOf(ours)).toEqual(grammarOf(text));
    if (row.ownText === undefined) expect(comparable(ours)).toEqual(comparable(text));
    else expect(foldReply(ours).finish).toBe(foldReply(text).finish);
  });

  it("errors are the recorded ones to the letter", async () => {
    const rows = recorded.filter((row) => row.file.includes("error") && row.ownText === undefined);
    expect(rows.length).toBeGreaterThan(8);
    for (const row of rows) {
      const model = String(row.request?.["model"] ?? "scripted");
      const handler = simulate({
        server: row.server,
        models: {
          [model === "nope" ? "scripted" : model]: {
            format: "hermes",
            rules: [{ when: { tools: true }, cards: [row.card] }],
          },
        },
      });
      const response = await post(handler, row.path ?? "/v1/chat/completions", {
        model,
        messages: [{ role: "user", content: "質問" }],
        tools: row.tools,
        max_tokens: 256,
        ...row.request,
      });
      expect(shapeOf(JSON.parse(await response.clone().text()))).toEqual(
        shapeOf(JSON.parse(readFileSync(`${folder}${row.file}`, "utf8"))),
      );
      const text = (await response.text()).replaceAll("run_python", "TOOL");
      expect(text).toBe(readFileSync(`${folder}${row.file}`, "utf8").trimEnd().replaceAll("run_python", "TOOL"));
    }
  });
});

function asWord(choice: unknown): string | undefined {
  if (choice === undefined || choice === "always") return "auto";
  return typeof choice === "string" ? choice : "named";
}
