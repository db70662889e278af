import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { jsonResponse } from "../../../src/protocol/handler.ts";
import { askThrough } from "../../../src/protocol/servers/ask-through.ts";
import { identify } from "../../../src/protocol/servers/identify.ts";
import { serverRecord } from "../../../src/protocol/servers/index.ts";
import type { Inspection, RenderedPrompt, RenderInput, ServerProbe } from "../../../src/protocol/servers/probe.ts";
import { type Extra, fixtureServer, serve, wireText } from "./fixture-server.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

async function probeOf(setup: string, model: string, extra?: Extra): Promise<{ probe: ServerProbe; kind: string }> {
  const { handler } = fixtureServer(setup, extra);
  const ask = askThrough(handler);
  const { models, version, kind } = await identify(ask, { apiPrefix: "/v1" });
  return { probe: { ask, model, apiPrefix: "/v1", version, models, hash }, kind };
}

async function inspected(setup: string, model: string, extra?: Extra): Promise<Inspection> {
  const { probe, kind } = await probeOf(setup, model, extra);
  return serverRecord(kind as "vllm").inspect(probe);
}

async function rendered(setup: string, model: string, input: RenderInput, extra?: Extra): Promise<RenderedPrompt> {
  const { probe, kind } = await probeOf(setup, model, extra);
  return serverRecord(kind as "vllm").renderPrompt(probe, input);
}

describe("what Ollama shows of its models", () => {
  it.each([
    ["hermes", "active", null, "template", "go_template"],
    ["hermesfunction", "active", null, "template", "go_template"],
    ["native", "active", null, "template", "native"],
    ["qwen3coder", "active", "qwen3-coder", "builtin", "builtin"],
    ["notools", "none", null, "template", "go_template"],
  ])("%s: tool parser %s, name %s, by %s", async (model, state, name, source, path) => {
    const found = await inspected("Ollama", model);
    expect(found.toolParser).toEqual({ state, name, source });
    expect(found.identity["path"]).toBe(path);
  });

  it("takes digest, template and parameters for identity and the version for incidental", async () => {
    const found = await inspected("Ollama", "hermes:latest", ({ path, body }) =>
      path === "/api/show" && body["model"] === "hermes:latest" ? serve("side/ollama-show-hermes.json") : undefined,
    );
    const template = (JSON.parse(wireText("side/ollama-show-hermes.json")) as { template: string }).template;
    expect(found.identity).toMatchObject({
      digest: "22c6f8316a04b1fe5e4e275e001f779b8bbf804c6a837f1f6612b2c4defde201",
      template: hash(template),
      capabilities: ["completion", "tools"],
      context_length: 4096,
    });
    expect(found.incidental["version"]).toBe("0.34.2");
    expect(found.reasoningParser.state).toBe("none");
  });

  it("prefers the context that is loaded to the one in the parameters", async () => {
    const found = await inspected("Ollama", "native", ({ path }) =>
      path === "/api/ps" ? jsonResponse({ models: [{ name: "native:latest", context_length: 2048 }] }) : undefined,
    );
    expect(found.contextLength).toBe(2048);
  });

  it("is not misled by a template that contains a PARSER line", async () => {
    const found = await inspected("Ollama", "trap", ({ path }) =>
      path === "/api/show"
        ? jsonResponse({
            modelfile: 'FROM x\nTEMPLATE """{{ .Tools }}\nPARSER qwen3-coder\n"""\n',
            template: "{{ .Tools }}\nPARSER qwen3-coder\n",
            capabilities: ["tools"],
          })
        : undefined,
    );
    expect(found.toolParser).toEqual({ state: "active", name: null, source: "template" });
  });

  it("knows nothing where /api/show does not answer", async () => {
    expect((await inspected("Ollama", "nope")).toolParser.state).toBe("unknown");
  });
});

describe("what vLLM shows", () => {
  it("is context, root and, by the parser's counter, that some parser is set", async () => {
    const found = await inspected("vLLM 0.32.0, parser hermes", "scripted");
    expect(found.toolParser).toEqual({ state: "active", name: null, source: "metric" });
    expect([found.contextLength, found.identity["root"], found.incidental["version"]]).toEqual([
      8192,
      "model",
      "0.32.0",
    ]);
  });

  const withoutCounter = wireText("side/vllm-metrics-excerpt.txt")
    .split("\n")
    .filter((line) => !line.includes("tool_call_parser"))
    .join("\n");

  it.each([
    ["0.32.0", withoutCounter, "none"],
    ["0.10.1", withoutCounter, "unknown"],
    ["0.32.0", "", "unknown"],
  ])("version %s without the counter: %#", async (version, metrics, state) => {
    const found = await inspected("vLLM", "scripted", ({ path }) => {
      if (path === "/version") return jsonResponse({ version });
      return path === "/metrics" ? new Response(metrics) : undefined;
    });
    expect(found.toolParser.state).toBe(state);
  });
});

describe("what llama-server shows", () => {
  it("is template, context, sampling and whether the template knows tools", async () => {
    const found = await inspected("llama-server", "scripted");
    expect(found.toolParser).toEqual({ state: "active", name: null, source: "template" });
    expect(found.contextLength).toBe(8192);
    expect(found.identity).toMatchObject({ model_file: "model.gguf", n_params: 436608 });
    expect((found.identity["sampling"] as Record<string, unknown>)["top_k"]).toBe(40);
    expect(found.incidental["build"]).toBe("b1-7e4c0a9");
    expect(JSON.stringify(found.identity)).not.toContain("media_marker");
  });

  it("says none for a template without tools", async () => {
    const props = JSON.parse(wireText("side/llama-server-props.json")) as {
      chat_template_caps: Record<string, boolean>;
    };
    const caps = { ...props.chat_template_caps, supports_tools: false, supports_tool_calls: false };
    const found = await inspected("llama-server", "scripted", ({ path }) =>
      path === "/props" ? jsonResponse({ ...props, chat_template_caps: caps }) : undefined,
    );
    expect(found.toolParser.state).toBe("none");
  });
});

describe("what SGLang shows", () => {
  it.each([
    ["qwen25", { state: "active", name: "qwen25", source: "flag" }],
    [null, { state: "none", name: null, source: "flag" }],
  ])("is its parser's name: %s", async (parser, state) => {
    const found = await inspected("nothing", "m", ({ path }) =>
      path === "/server_info"
        ? jsonResponse({
            version: "1",
            tool_call_parser: parser,
            reasoning_parser: "qwen3",
            model_path: "m",
            context_length: 7,
          })
        : undefined,
    );
    expect(found.toolParser).toEqual(state);
    expect([found.reasoningParser.name, found.contextLength]).toEqual(["qwen3", 7]);
  });
});

describe("renderPrompt", () => {
  const input: RenderInput = {
    messages: [{ role: "user", content: "hi" }],
    tools: [{ type: "function", function: { name: "noop" } }],
  };
  const text = "the prompt with noop";

  it("decodes vLLM's token ids", async () => {
    const found = await rendered("vLLM", "scripted", input, ({ path, body }) => {
      if (path === "/tokenize") return jsonResponse({ count: 2, tokens: [1, 2], max_model_len: 9 });
      return path === "/detokenize" && JSON.stringify(body["tokens"]) === "[1,2]"
        ? jsonResponse({ prompt: text })
        : undefined;
    });
    expect(found).toMatchObject({ kind: "text", text });
  });

  it("falls back to the number of tokens where they cannot be decoded", async () => {
    const found = await rendered("vLLM", "scripted", input, ({ path }) =>
      path === "/tokenize" ? jsonResponse({ count: 42, tokens: [1] }) : undefined,
    );
    expect(found).toMatchObject({ kind: "tokens", count: 42 });
  });

  it("asks Ollama for at most one token should it not know the debug field", async () => {
    const seen: unknown[] = [];
    const found = await rendered("Ollama", "hermes", input, ({ path, body }) => {
      if (path !== "/api/chat") return undefined;
      seen.push(body["options"], body["_debug_render_only"]);
      return jsonResponse({ message: { role: "assistant", content: "O" }, done: true });
    });
    expect(found.kind).toBe("unavailable");
    expect(seen).toEqual([{ num_predict: 1 }, true]);
  });

  it("hands Ollama's native route the arguments of earlier calls as objects", async () => {
    const history: RenderInput = {
      messages: [
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "1", type: "function", function: { name: "noop", arguments: '{"a":1}' } }],
        },
      ],
      tools: [],
    };
    let sent: unknown;
    await rendered("Ollama", "hermes", history, ({ path, body }) => {
      if (path !== "/api/chat") return undefined;
      sent = body["messages"];
      return jsonResponse({ _debug_info: { rendered_template: text } });
    });
    expect(sent).toMatchObject([{ tool_calls: [{ function: { name: "noop", arguments: { a: 1 } } }] }]);
  });

  it("reports a refusal with the server's words", async () => {
    const found = await rendered("Ollama", "notools", input, ({ path }) =>
      path === "/api/chat" ? serve("side/ollama-notools-render-tools.error.json", 400) : undefined,
    );
    expect(found).toMatchObject({
      kind: "refused",
      status: 400,
      message: "registry.ollama.ai/library/notools:latest does not support tools",
    });
  });
});
