import { type JsonObject, spacedJson } from "../json.ts";
import type { ParserNames, ToolCall, ToolCallFormat } from "./format.ts";
import { createJsonSectionReader, type JsonSection, readKeyedCalls, readKeyedDamage } from "./json-section.ts";

const none: ParserNames = { vllm: [], sglang: [], ollama: [], "llama-server": [] };

interface JsonTags {
  readonly name: string;
  readonly openers: readonly string[];
  readonly section: JsonSection;
  readonly parsers: Partial<ParserNames>;
  readonly models: string;
  /** How one call stands in its JSON. Default: name and arguments. */
  readonly toJson?: (call: ToolCall, index: number) => JsonObject;
  /** `list`: one block holds all calls; `repeated`: a block for each. */
  readonly several: "list" | "repeated";
  /** Text in front of and behind the JSON. */
  readonly around: readonly [string, string];
}

/** A format that is JSON with markers around it, and differs from its kin in nothing but the markers and the keys. */
function jsonTags(tags: JsonTags): ToolCallFormat {
  const toJson = tags.toJson ?? ((call: ToolCall) => ({ name: call.name, arguments: call.arguments }));
  const [before, behind] = tags.around;
  return {
    name: tags.name,
    openers: tags.openers,
    bare: false,
    parsers: { ...none, ...tags.parsers },
    models: tags.models,
    openReader: (meter) => createJsonSectionReader(meter, tags.section),
    render: (calls) => {
      const written = calls.map((call, index) => spacedJson(toJson(call, index)));
      return tags.several === "list"
        ? `${before}[${written.join(", ")}]${behind}`
        : written.map((text) => `${before}${text}${behind}`).join("\n");
    },
  };
}

const withParameters = (call: ToolCall): JsonObject => ({ name: call.name, parameters: call.arguments });

/** `<longcat_tool_call>{"name", "arguments"}</longcat_tool_call>`. */
export const longcat = jsonTags({
  name: "longcat",
  openers: ["<longcat_tool_call>"],
  section: { opening: [["<longcat_tool_call>"]], closing: ["</longcat_tool_call>"], body: "{[" },
  parsers: { vllm: ["longcat"], vllm010: [] },
  models: "LongCat-Flash",
  several: "repeated",
  around: ["<longcat_tool_call>\n", "\n</longcat_tool_call>"],
});

/** `<TOOLCALL>[…]</TOOLCALL>`. */
export const nemotronV2 = jsonTags({
  name: "nemotron_v2",
  openers: ["<TOOLCALL>"],
  section: { opening: [["<TOOLCALL>"]], closing: ["</TOOLCALL>"], body: "{[" },
  parsers: { "llama-server": ["a chat template with <TOOLCALL>"] },
  models: "Nemotron-Nano-v2",
  several: "list",
  around: ["<TOOLCALL>", "</TOOLCALL>"],
});

/** `<|tools_prefix|>[{"NAME": {…}}]<|tools_suffix|>`: the tool's name is the key. */
export const apertus: ToolCallFormat = {
  ...jsonTags({
    name: "apertus",
    openers: ["<|tools_prefix|>"],
    section: {
      opening: [["<|tools_prefix|>"]],
      closing: ["<|tools_suffix|>"],
      body: "[",
      readCalls: readKeyedCalls,
      readDamage: readKeyedDamage,
    },
    parsers: { vllm: ["apertus"], vllm010: [], sglangNewer: ["apertus2509"] },
    models: "Apertus",
    toJson: (call) => ({ [call.name]: call.arguments }),
    several: "list",
    around: ["<|tools_prefix|>", "<|tools_suffix|>"],
  }),
  residue: {
    openers: ["["],
    bare: true,
    // Lists of objects are common; only one whose first object has a tool-like key with an object behind it goes on.
    glance: (buffer, at) => {
      const head = buffer.slice(at, at + 96);
      if (/^\[\s{0,4}\{\s{0,4}"[A-Za-z_][\w.-]{0,63}"\s{0,4}:\s{0,4}\{/.test(head)) return "in";
      const mayGrow = /^\[\s{0,4}(?:\{\s{0,4}(?:"(?:[A-Za-z_][\w.-]{0,63}(?:"\s{0,4}(?::\s{0,4})?)?)?)?)?$/;
      return head.length < 96 && mayGrow.test(head) ? "more" : "out";
    },
    openReader: (meter) =>
      createJsonSectionReader(meter, {
        opening: [[""]],
        closing: [],
        body: "[",
        readCalls: readKeyedCalls,
        readDamage: readKeyedDamage,
        weak: true,
      }),
  },
};

/** `<|START_ACTION|>[{"tool_call_id", "tool_name", "parameters"}]<|END_ACTION|>`. */
export const cohereAction = jsonTags({
  name: "cohere_action",
  openers: ["<|START_ACTION|>"],
  section: { opening: [["<|START_ACTION|>"]], closing: ["<|END_ACTION|>"], body: "{[" },
  parsers: {
    vllm: ["cohere_command3", "cohere_command4"],
    vllm010: [],
    sglangNewer: ["cohere_command4"],
    ollama: ["cohere"],
    "llama-server": ["a chat template of Command R7B or later"],
  },
  models: "Command R7B, Command A",
  toJson: (call, index) => ({ tool_call_id: String(index), tool_name: call.name, parameters: call.arguments }),
  several: "list",
  around: ["<|START_ACTION|>", "<|END_ACTION|>"],
});

/** `<|action_start|><|plugin|>{"name", "parameters"}<|action_end|>`. */
export const internlm = jsonTags({
  name: "internlm",
  openers: ["<|action_start|>"],
  section: { opening: [["<|action_start|>"], ["<|plugin|>"]], closing: ["<|action_end|>"], body: "{" },
  parsers: { vllm: ["internlm"], sglang: ["interns1"] },
  models: "InternLM 2.5, Intern-S1",
  toJson: withParameters,
  several: "repeated",
  around: ["<|action_start|><|plugin|>\n", "<|action_end|>"],
});

/** `<function_call> {"name", "arguments"}`, repeated, with no end tag. */
export const granite20bFc = jsonTags({
  name: "granite_20b_fc",
  openers: ["<function_call>"],
  section: { opening: [["<function_call>"]], closing: ["</function_call>"], body: "{" },
  parsers: { vllm: ["granite-20b-fc"] },
  models: "Granite-20B-FunctionCalling",
  several: "repeated",
  around: ["<function_call> ", ""],
});

/** `<|content_invoke_tool_json|>{"name", "args"}<|end_message|>`. */
export const inkling = jsonTags({
  name: "inkling",
  openers: ["<|message_model|><|content_invoke_tool_json|>", "<|content_invoke_tool_json|>"],
  section: {
    opening: [["<|message_model|>", ""], ["<|content_invoke_tool_json|>"]],
    closing: ["<|end_message|>"],
    body: "{",
  },
  parsers: { vllm: ["inkling"], vllm010: [], sglangNewer: ["inkling"] },
  models: "Inkling",
  toJson: (call) => ({ name: call.name, args: call.arguments }),
  several: "repeated",
  around: ["<|message_model|><|content_invoke_tool_json|>", "<|end_message|>"],
});

/** `<tools>{…}</tools>`: the tag of the prompt's list of tools, written by models that drift. */
export const toolsTag = jsonTags({
  name: "tools_tag",
  openers: ["<tools>"],
  section: { opening: [["<tools>"]], closing: ["</tools>"], body: "{[", weak: true },
  parsers: {},
  models: "Qwen2.5-Coder (drift)",
  several: "repeated",
  around: ["<tools>\n", "\n</tools>"],
});

/** `<tool>{"name", "parameters"}</tool>`. */
export const toolTag = jsonTags({
  name: "tool_tag",
  openers: ["<tool>"],
  section: { opening: [["<tool>"]], closing: ["</tool>"], body: "{[", weak: true },
  parsers: {},
  models: "Gemma 3 with custom templates",
  toJson: withParameters,
  several: "repeated",
  around: ["<tool>", "</tool>"],
});
