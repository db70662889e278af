import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readErrorBody } from "../../../src/protocol/error-body.ts";
import { serverRecord } from "../../../src/protocol/servers/index.ts";
import type { ServerKind } from "../../../src/protocol/servers/server.ts";
import { classifyServerError } from "../../../src/protocol/servers/server-error.ts";
import { recordedRequests, wireFolder, wireText } from "./fixture-server.ts";

/** Every recorded error of a chat or model route, with the status it came with. */
const recorded: readonly (readonly [string, number, string])[] = [
  ["llama-server-hermes-long-auto-long.error.json", 400, "context"],
  ["llama-server-hermes-texthermes-auto-badchoice.error.json", 400, "bad_request"],
  ["llama-server-llama3-texthermes-auto.error.json", 500, "server_error"],
  ["ollama-hermes-hermes-auto-nomodel.error.json", 404, "model_missing"],
  ["ollama-native-trunchermes-auto.error.json", 500, "server_error"],
  ["ollama-notools-hermes-auto-api.error.json", 400, "refused model_capability"],
  ["ollama-notools-hermes-auto-stream.error.json", 400, "refused model_capability"],
  ["ollama-qwen3coder-hermes-auto.error.json", 500, "server_error"],
  ["vllm-hermes-hermes-auto-badchoice-stream.error.json", 400, "bad_request"],
  ["vllm-hermes-hermes-auto-long-stream.error.json", 400, "context"],
  ["vllm-hermes-hermes-auto-nomodel.error.json", 404, "model_missing"],
  ["vllm-hermes-hermes-auto-undeclared.error.json", 400, "bad_request"],
  ["vllm-none-hermes-auto-stream.error.json", 400, "refused parser_option"],
  ["vllm-none-hermes-required.error.json", 400, "refused parser_option"],
  ["side/llama-server-chat-loading.error.json", 503, "unavailable"],
  ["side/llama-server-health-loading.error.json", 503, "unavailable"],
  ["side/llama-server-root.error.json", 404, "other"],
  ["side/llama-server-version.error.json", 404, "other"],
  ["side/llama-server-api-version.error.json", 404, "other"],
  ["side/llama-server-api-tags.error.json", 404, "other"],
  ["side/ollama-native-hermes-auto-logprobs.error.json", 400, "bad_request"],
  ["side/ollama-notools-render-tools.error.json", 400, "refused model_capability"],
  ["side/ollama-show-nomodel.error.json", 404, "model_missing"],
  ["side/vllm-api-tags.error.json", 404, "other"],
  ["side/vllm-api-version.error.json", 404, "other"],
  ["side/vllm-apply-template.error.json", 404, "other"],
  ["side/vllm-props.error.json", 404, "other"],
  ["side/vllm-root.error.json", 404, "other"],
  ["side/vllm-server_info.error.json", 404, "other"],
  ["side/vllm-render-off.error.json", 403, "wrong_key"],
];

function kindOf(file: string): ServerKind {
  const name = file.replace(/^side\//, "");
  return (["llama-server", "ollama", "vllm"] as const).find((kind) => name.startsWith(kind)) ?? "openai";
}

function meaning(kind: ServerKind, status: number | null, message: string, inStream = false): string {
  const found = classifyServerError(serverRecord(kind), { status, message, inStream });
  return found.kind === "refused" ? `refused ${found.about}` : found.kind;
}

describe("classifyServerError", () => {
  it.each(recorded)("reads %s (HTTP %i) as %s", (file, status, expected) => {
    const message = readErrorBody(wireText(file))?.message ?? "";
    expect(message).not.toBe("");
    expect(meaning(kindOf(file), status, message)).toBe(expected);
    // Behind a gateway that hides the kind the same words mean the same.
    if (expected.startsWith("refused") || expected === "server_error" || expected === "context") {
      expect(meaning("openai", status, message)).toBe(expected);
    }
  });

  it("covers every recorded error body, with the status of the recording", () => {
    const files = [
      ...readdirSync(wireFolder),
      ...readdirSync(`${wireFolder}/side`).map((file) => `side/${file}`),
    ].filter((file) => file.endsWith(".error.json"));
    expect(recorded.map(([file]) => file).sort()).toEqual(files.sort());
    for (const [file, status] of recorded.filter(([name]) => name.startsWith("side/"))) {
      expect(recordedRequests.find((request) => `side/${request.file}` === file)?.status).toBe(status);
    }
  });

  it.each<readonly [ServerKind, number | null, string, string]>([
    ["vllm", 400, 'tool_choice=function "python" requires --tool-call-parser to be set', "refused parser_option"],
    [
      "vllm",
      500,
      "Hermes 2 Pro Tool parser could not locate tool call start/end tokens in the tokenizer!",
      "refused tokenizer",
    ],
    ["vllm", 400, "Expecting value: line 1 column 2 (char 1)", "server_error"],
    ["vllm", 400, "1 validation error:\n  {'type': 'missing'}", "bad_request"],
    ["vllm", 400, "max_tokens=5000 cannot be greater than max_model_len=2048.", "context"],
    ["vllm", 401, "Unauthorized", "wrong_key"],
    ["vllm", 400, "When using `tool_choice`, `tools` must be set.", "bad_request"],
    ["ollama", 500, "EOF", "server_error"],
    ["ollama", 400, "EOF", "bad_request"],
    ["ollama", 500, "XML syntax error on line 4: element <parameter> closed by </function>", "server_error"],
    ["ollama", 500, "failed to parse JSON: unexpected end of JSON input", "server_error"],
    ["ollama", 500, "expected element type <function> but have <parameter>", "server_error"],
    ["ollama", 500, "invalid character '<' looking for beginning of value", "server_error"],
    ["ollama", 400, "invalid character 'x' looking for beginning of value", "bad_request"],
    ["ollama", 500, "model requires more system memory (9 GiB) than is available", "unavailable"],
    [
      "ollama",
      400,
      '{"error":{"code":400,"message":"request (9 tokens) exceeds the available context size (8 tokens), try increasing it"}}',
      "context",
    ],
    ["ollama", 400, '"hermes" does not support thinking', "bad_request"],
    ["llama-server", 500, "tools param requires --jinja flag", "refused parser_option"],
    ["llama-server", 500, "tool_choice param requires --jinja flag", "refused parser_option"],
    ["llama-server", 500, "Failed to parse input at pos 12: <tool_call>", "server_error"],
    [
      "llama-server",
      500,
      "got exception: Unexpected empty grammar stack after accepting piece: >\n<f (329)",
      "server_error",
    ],
    [
      "llama-server",
      400,
      "Unable to generate parser for this template. Automatic parser generation failed: x",
      "refused template",
    ],
    [
      "llama-server",
      400,
      "Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed:\nUnrecognized schema: {}",
      "bad_request",
    ],
    [
      "llama-server",
      400,
      'Unable to generate parser for this template. Automatic parser generation failed: \n------------\nWhile executing CallExpression at line 9, column 64 in source:\n...{- raise_exception("user and assistant must alternate") }}...\n   ^\nError: Jinja Exception: user and assistant must alternate',
      "bad_request",
    ],
    [
      "llama-server",
      500,
      '\n------------\nWhile executing CallExpression at line 16, column 50 in source:\n...{- raise_exception("a result has no call") }}...\n   ^\nError: Jinja Exception: a result has no call',
      "bad_request",
    ],
    [
      "llama-server",
      500,
      "\n------------\nWhile executing CallExpression at line 1, column 9 in source:\n...\n   ^\nError: Jinja Exception: Tool use is not supported by this template",
      "refused template",
    ],
    [
      "llama-server",
      500,
      "\n------------\nWhile executing CallExpression at line 1, column 9 in source:\n...\n   ^\nError: Jinja Exception: This model only supports single tool-calls at once!",
      "bad_request",
    ],
    ["llama-server", 500, "Failed to parse tools: tools must be an array", "bad_request"],
    ["llama-server", 500, "[json.exception.parse_error.101] parse error", "bad_request"],
    ["llama-server", 401, "Invalid API Key", "wrong_key"],
    ["sglang", 400, "The input (9000 tokens) is longer than the model's context length (8192 tokens).", "context"],
    ["sglang", 400, "Tools cannot be empty if tool choice is set to required.", "bad_request"],
    ["openai", 404, "The model `gpt-9` does not exist or you do not have access to it.", "model_missing"],
    ["openai", 429, "Rate limit reached", "unavailable"],
    ["openai", 500, "Internal Server Error", "other"],
    ["openai", null, "anything", "other"],
  ])("%s, HTTP %s: %s → %s", (kind, status, message, expected) => {
    expect(meaning(kind, status, message)).toBe(expected);
  });

  it("reads an error inside a stream by its words alone", () => {
    expect(
      meaning(
        "llama-server",
        200,
        "The model produced output that does not match the expected peg-native format",
        true,
      ),
    ).toBe("server_error");
    expect(meaning("ollama", 200, "EOF", true)).toBe("server_error");
    expect(meaning("ollama", 200, "EOF", false)).toBe("other");
  });

  it("knows the silent end of an Ollama stream from its normal end", () => {
    const silent = serverRecord("ollama").silentStreamFailure;
    const cut =
      'data: {"id":"c","model":"m","choices":[{"delta":{"content":"a"},"finish_reason":null}]}\n\ndata: {"id":"c","object":"chat.completion.chunk","model":"","choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]}\n\n';
    expect(silent?.test(cut)).toBe(true);
    expect(silent?.test(wireText("ollama-hermes-texthermes-auto-stream.sse"))).toBe(false);
  });
});
