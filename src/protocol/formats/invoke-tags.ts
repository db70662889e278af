import type { ParserNames, ToolCallFormat } from "./format.ts";
import { createXmlReader, renderXml } from "./xml-calls.ts";
import type { XmlTags } from "./xml-tags.ts";

interface InvokeTags {
  readonly name: string;
  /** Put in front of each element's name: a namespace, or nothing. */
  readonly prefix: string;
  readonly tags: Pick<XmlTags, "outer" | "outerClosers"> & Partial<XmlTags>;
  readonly openers?: readonly string[];
  readonly parsers: Partial<ParserNames>;
  readonly models: string;
  readonly line?: string;
}

/** Tags of `<invoke name="…">` and `<parameter name="…">` elements with a namespace in front. */
export function invokeElements(prefix: string): Pick<XmlTags, "call" | "callCloser" | "parameter" | "parameterCloser"> {
  return {
    call: `<${prefix}invoke name=`,
    callCloser: `</${prefix}invoke>`,
    parameter: `<${prefix}parameter name=`,
    parameterCloser: `</${prefix}parameter>`,
  };
}

/** A format of `<invoke name="…"><parameter name="…">` elements, which families tell apart by a namespace and an outer tag. */
function invokeTags(format: InvokeTags): ToolCallFormat {
  const tags: XmlTags = { ...invokeElements(format.prefix), ...format.tags };
  return {
    name: format.name,
    openers: format.openers ?? [...tags.outer, tags.call],
    bare: false,
    parsers: { vllm: [], sglang: [], ollama: [], "llama-server": [], ...format.parsers },
    models: format.models,
    openReader: (meter) => createXmlReader(meter, tags),
    render: (calls) =>
      renderXml(tags, { line: format.line ?? "\n", valueLine: "", together: true, quoted: true }, calls),
  };
}

/** `<minimax:tool_call><invoke name="NAME">…`. */
export const minimaxM2 = invokeTags({
  name: "minimax_m2",
  prefix: "",
  tags: { outer: ["<minimax:tool_call>"], outerClosers: ["</minimax:tool_call>"] },
  openers: ["<minimax:tool_call>"],
  parsers: {
    vllm: ["minimax_m2"],
    vllm010: [],
    sglang: ["minimax-m2"],
    "llama-server": ["a chat template of MiniMax M2"],
  },
  models: "MiniMax M2.x",
});

/** `<function_calls><invoke name="NAME">…`, the outer tag sometimes left out. */
export const anthropicXml = invokeTags({
  name: "anthropic_xml",
  prefix: "",
  tags: { outer: ["<function_calls>"], outerClosers: ["</function_calls>"], shared: true },
  parsers: {},
  models: "models trained on Claude's transcripts",
});

/** `<dots_function_call><invoke name="NAME">…`. */
export const dots = invokeTags({
  name: "dots",
  prefix: "",
  tags: { outer: ["<dots_function_call>"], outerClosers: ["</dots_function_call>"] },
  openers: ["<dots_function_call>"],
  parsers: { vllm: ["dots"], vllm010: [], sglangNewer: ["dots"] },
  models: "dots3",
});

/** `<｜DSML｜function_calls>` (V3.2) or `<｜DSML｜tool_calls>` (V4) around elements that say of each value whether it is text or JSON. */
export const deepseekDsml = invokeTags({
  name: "deepseek_dsml",
  prefix: "｜DSML｜",
  tags: {
    outer: ["<｜DSML｜function_calls>", "<｜DSML｜tool_calls>"],
    outerClosers: ["</｜DSML｜function_calls>", "</｜DSML｜tool_calls>"],
    typed: true,
  },
  parsers: {
    vllm: ["deepseek_v32", "deepseek_v4"],
    vllm010: [],
    sglang: ["deepseekv32", "deepseekv4"],
    "llama-server": ["a chat template of DeepSeek V3.2 or V4"],
  },
  models: "DeepSeek V3.2, V4",
});

/** `<function name="NAME"><param name="K">V</param></function>`. */
export const minicpm5 = invokeTags({
  name: "minicpm5",
  prefix: "",
  tags: {
    outer: [],
    outerClosers: [],
    call: "<function name=",
    callCloser: "</function>",
    parameter: "<param name=",
    parameterCloser: "</param>",
  },
  parsers: {
    vllm: ["minicpm5"],
    vllm010: [],
    sglangNewer: ["minicpm5"],
    "llama-server": ["a chat template of MiniCPM5"],
  },
  models: "MiniCPM5",
  line: "",
});
