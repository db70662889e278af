import type { ToolCallFormat } from "./format.ts";
import { createXmlReader, renderXml } from "./xml-calls.ts";
import type { XmlTags } from "./xml-tags.ts";

const elements = {
  call: "<function=",
  callCloser: "</function>",
  parameter: "<parameter=",
  parameterCloser: "</parameter>",
} as const;

const qwenTags: XmlTags = { ...elements, outer: ["<tool_call>"], outerClosers: ["</tool_call>"], shared: true };
const seedTags: XmlTags = { ...elements, outer: ["<seed:tool_call>"], outerClosers: ["</seed:tool_call>"] };

/** `<tool_call><function=NAME><parameter=K>V</parameter></function></tool_call>`, the outer tag often left out. */
export const qwen3Coder: ToolCallFormat = {
  name: "qwen3_coder",
  openers: ["<tool_call>", elements.call],
  bare: false,
  parsers: {
    vllm: ["qwen3_coder", "qwen3_xml", "mimo", "step3p5"],
    vllm010: ["qwen3_coder"],
    sglang: ["qwen3_coder", "mimo", "step3p5"],
    ollama: ["qwen3-coder", "qwen3.5", "ornith", "nemotron-3-nano", "nemotron-3.5-nano"],
    "llama-server": ["a chat template with <function= and <parameter="],
  },
  models: "Qwen3-Coder, Qwen3.5/3.6/3.8, Nemotron-3, MiMo-V2, Step-3.5, Trinity",
  openReader: (meter) => createXmlReader(meter, qwenTags),
  render: (calls) => renderXml(qwenTags, { line: "\n", valueLine: "\n", together: false, quoted: false }, calls),
};

/** The elements of Qwen3-Coder in `<seed:tool_call>`. */
export const seedOss: ToolCallFormat = {
  name: "seed_oss",
  openers: seedTags.outer,
  bare: false,
  parsers: {
    vllm: ["seed_oss"],
    vllm010: [],
    sglang: [],
    ollama: [],
    "llama-server": ["a chat template with <seed:tool_call>"],
  },
  models: "ByteDance Seed-OSS",
  openReader: (meter) => createXmlReader(meter, seedTags),
  render: (calls) => renderXml(seedTags, { line: "\n", valueLine: "", together: true, quoted: false }, calls),
};
