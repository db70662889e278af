import { describe, expect, it } from "vitest";
import { classifyReply } from "../../../src/lab/classify/classify-reply.ts";
import type { ReplyInput } from "../../../src/lab/classify/reply-input.ts";
import { readReply } from "../../../src/protocol/read-reply.ts";
import { serverRecord } from "../../../src/protocol/servers/index.ts";
import type { ServerKind } from "../../../src/protocol/servers/server.ts";

const tools = [{ type: "function" as const, function: { name: "run_python", parameters: { type: "object" } } }];

function input(kind: ServerKind, body: string, more: Partial<ReplyInput> = {}, status = 200): ReplyInput {
  return {
    exchange: 0,
    status,
    end: { kind: "complete" },
    body,
    reply: readReply({ body, contentType: null, status, streamed: body.startsWith("data:") }),
    request: { choice: "auto", namedTool: null, stream: body.startsWith("data:"), maxTokens: 512, sources: [] },
    expectation: {
      tools,
      contract: "native",
      wanted: "run_python",
      markerRule: null,
      memorizable: false,
      oracle: [],
      nonce: null,
      judge: "call",
    },
    raw: null,
    server: serverRecord(kind),
    toolParser: "active",
    toolsInPrompt: "whole",
    ...more,
  };
}
const call = [{ id: "1", type: "function", function: { name: "run_python", arguments: "{}" } }];
const whole = (message: object) => JSON.stringify({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
const piece = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

describe("a call that a grammar forces behind the model's own text", () => {
  const body = whole({ content: "76127", tool_calls: call });
  const raw = {
    text: '76127{"name": "run_python", "parameters": {}}',
    grade: "in_band",
    exchange: 0,
    habit: false,
  } as const;
  const findings = (choice: "auto" | "required", kind: ServerKind) => {
    const given = input(kind, body, { raw });
    const judged = classifyReply({ ...given, request: { ...given.request, choice } });
    return judged.measured ? judged.findings.map((finding) => finding.kind) : [];
  };

  it("is no quotation where the choice starts the grammar", () => {
    expect(findings("required", "llama-server")).not.toContain("quoted_call");
    expect(findings("required", "llama-server")).toContain("grammar_steered");
  });
});

describe("the text that remains", () => {
  const residualOf = (content: string) => {
    const judged = classifyReply(input("openai", whole({ content })));
    return judged.measured ? judged.residual : "unmeasured";
  };

  it.each([
    ["a plain answer", "The sum is large.\n", null],
    ["nothing", "", null],
    [
      "what stands around a call",
      'Before.\n<tool_call>\n{"name": "run_python", "arguments": {}}\n</tool_call>',
      "Before.",
    ],
    ["what follows the thinking", "<think>Hm.</think>\n\nThe sum is large.", "The sum is large."],
  ])("of %s is stored only where it differs from the content", (_, content, residual) => {
    expect(residualOf(content)).toBe(residual);
  });
});

describe("a reply of which a part is missing", () => {
  const text = piece({ content: "Let me see." });
  const end = `${piece({}, "stop")}data: [DONE]\n\n`;
  it.each<[string, string, "transport" | "unreadable"]>([
    ["broken JSON between events", `${text}data: {"cho\n\n${end}`, "unreadable"],
    ["an end inside an event", `${text}data: {"cho`, "transport"],
    ["an end without finish_reason and [DONE]", text, "transport"],
  ])("says nothing about the model: %s", (_name, body, reason) => {
    expect(classifyReply(input("openai", body))).toMatchObject({ measured: false, reason });
  });

  it("is judged by the call that it shows", () => {
    const calls = piece({ tool_calls: [{ index: 0, ...call[0] }] });
    const judged = classifyReply(input("openai", `${calls}data: {"cho\n\n${end}`));
    expect(judged).toMatchObject({ measured: true, axis: { kind: "structured" } });
  });

  it("is judged as ever where only the goodbye is missing", () => {
    expect(classifyReply(input("openai", text + piece({}, "stop")))).toMatchObject({ measured: true });
    expect(classifyReply(input("openai", `${text}data: [DONE]\n\n`))).toMatchObject({ measured: true });
  });

  it("is the server's failure where that kind of server ends its streams so", () => {
    const silent = `${text}data: ${JSON.stringify({ id: "c", model: "", choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] })}\n\n`;
    expect(classifyReply(input("ollama", silent))).toMatchObject({ measured: true, axis: { kind: "server_error" } });
  });
});

describe("why a reply was not measured", () => {
  it("names the HTTP status, and is never longer than people read", () => {
    const detail = (body: string, status: number) => {
      const judged = classifyReply(input("openai", body, {}, status));
      return judged.measured ? "" : judged.detail;
    };
    expect(detail('{"error":{"message":"Invalid API key"}}', 401)).toBe("HTTP 401: Invalid API key");
    expect(detail("", 502)).toBe("HTTP 502");
    expect(detail(JSON.stringify({ error: { message: "x".repeat(100_000) } }), 500)).toMatch(/^HTTP 500: x{400,500}…$/);
  });
});
