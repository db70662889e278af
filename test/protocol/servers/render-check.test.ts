import { describe, expect, it } from "vitest";
import type { ChatMessage, Tool } from "../../../src/protocol/chat.ts";
import { isJsonObject, parseJson } from "../../../src/protocol/json.ts";
import type { RenderInput } from "../../../src/protocol/servers/probe.ts";
import { checkRenderedText, judgeRendering } from "../../../src/protocol/servers/render-check.ts";
import { recordedRequest, wireText } from "./fixture-server.ts";

function recordedInput(file: string): RenderInput {
  const { body } = recordedRequest(file);
  if (!isJsonObject(body)) throw new Error(file);
  return { messages: body["messages"] as unknown as ChatMessage[], tools: (body["tools"] ?? []) as unknown as Tool[] };
}

function renderedText(file: string): string {
  const body = parseJson(wireText(`side/${file}`)) as unknown as {
    prompt?: string;
    _debug_info?: { rendered_template: string };
  };
  return body.prompt ?? body._debug_info?.rendered_template ?? "";
}

const tool = (
  name: string,
  properties: Record<string, { type: string; description?: string }>,
  description = "",
): Tool => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties } },
});

describe("checkRenderedText on recorded prompts", () => {
  it.each([
    ["ollama-hermes-render-tools.json", "whole", "kept"],
    ["ollama-qwen3coder-render-tools.json", "whole", "kept"],
    ["ollama-native-render-tools.json", "whole", "kept"],
    ["llama-server-apply-template.json", "whole", "kept"],
    ["ollama-hermesfunction-render-tools.json", "damaged", "kept"],
    ["ollama-exclusive-render-tools.json", "whole", "dropped"],
  ])("%s: tools %s, system prompt %s", (file, tools, system) => {
    const finding = checkRenderedText(renderedText(file), recordedInput(file));
    expect([finding.tools, finding.system]).toEqual([tools, system]);
  });

  it.each(["ollama-hermes-render-notools.json", "llama-server-apply-template-notools.json"])(
    "finds tools missing that the template of %s does not print",
    (file) => {
      const input = { ...recordedInput(file), tools: recordedInput("ollama-hermes-render-tools.json").tools };
      expect(checkRenderedText(renderedText(file), input).tools).toBe("missing");
    },
  );

  it("names the Go syntax it saw", () => {
    const file = "ollama-hermesfunction-render-tools.json";
    expect(checkRenderedText(renderedText(file), recordedInput(file)).detail).toContain("<nil>");
  });
});

describe("checkRenderedText", () => {
  const user: ChatMessage = { role: "user", content: "please use run_python with task" };
  const runPython = tool("run_python", { task: { type: "string" } });

  it("does not take the user's words for the tools", () => {
    expect(
      checkRenderedText("<user>please use run_python with task</user>", { messages: [user], tools: [runPython] }).tools,
    ).toBe("missing");
  });

  it("does not take a longer name for a shorter one", () => {
    const prompt = '{"name": "run_python_file", "parameters": {"tasks": 1}}';
    expect(checkRenderedText(prompt, { messages: [user], tools: [runPython] }).tools).toBe("missing");
  });

  it("counts a lost parameter and a lost tool as damage and names them", () => {
    const input = { messages: [user], tools: [runPython, tool("read_file", { path: { type: "string" } })] };
    const lostParameter = checkRenderedText("run_python(task) read_file()", input);
    expect([lostParameter.tools, lostParameter.detail]).toEqual([
      "damaged",
      "parameters not in the prompt: read_file.path",
    ]);
    expect(checkRenderedText("run_python(task)", input).detail).toBe("not in the prompt: read_file");
  });

  it("lets a description speak of Go maps", () => {
    const documented = tool("go_doc", { query: { type: "string", description: 'Such as map[string]int or "<nil>".' } });
    expect(checkRenderedText(JSON.stringify(documented), { messages: [user], tools: [documented] }).tools).toBe(
      "whole",
    );
    expect(
      checkRenderedText(`${JSON.stringify(documented)} map[query:1]`, { messages: [user], tools: [documented] }).tools,
    ).toBe("damaged");
  });

  it("finds names that a template printed with escapes", () => {
    const weather = tool("天気", { 都市: { type: "string" } });
    expect(
      checkRenderedText('{"name": "\\u5929\\u6c17", "properties": {"\\u90fd\\u5e02": {}}}', {
        messages: [user],
        tools: [weather],
      }).tools,
    ).toBe("whole");
  });

  it("keeps a system prompt that the template re-indents, and says nothing where there is none", () => {
    const system: ChatMessage = { role: "system", content: "Be  brief.\n\nAnswer in Japanese.\n" };
    expect(checkRenderedText("<s>Be brief. Answer in Japanese.</s>", { messages: [system], tools: [] }).system).toBe(
      "kept",
    );
    expect(checkRenderedText("<s></s>", { messages: [user], tools: [] }).system).toBe("unknown");
  });
});

describe("judgeRendering", () => {
  const input: RenderInput = { messages: [{ role: "user", content: "x" }], tools: [tool("noop", {})] };

  it.each([
    [10, 10, "missing"],
    [60, 10, "unknown"],
  ])("with only the prompt's length (%i tokens against %i): tools %s", (count, plain, tools) => {
    const rendered = { kind: "tokens", count, reference: 3 } as const;
    const finding = judgeRendering(rendered, input, { kind: "tokens", count: plain, reference: 4 });
    expect(finding.tools).toBe(tools);
    expect(finding.statement.reference).toBe(3);
  });

  it("knows nothing where the server shows nothing or refuses", () => {
    expect(judgeRendering({ kind: "unavailable", why: "no route" }, input, null).tools).toBe("unknown");
    expect(
      judgeRendering({ kind: "refused", status: 400, message: "m", reference: 1 }, input, null).statement.text,
    ).toContain("m");
  });
});
