import { spacedJson } from "../json.ts";
import type { ToolCallFormat } from "./format.ts";
import { createNamedJsonReader, type NamedJson } from "./named-json.ts";

const callsBegin = "<｜tool▁calls▁begin｜>";
const callsEnd = "<｜tool▁calls▁end｜>";
const callBegin = "<｜tool▁call▁begin｜>";
const callEnd = "<｜tool▁call▁end｜>";
const separator = "<｜tool▁sep｜>";

const outer = { open: [callsBegin], close: [callsEnd] };

const version3: NamedJson = {
  outer,
  before: [[callBegin], ["function"], [separator]],
  nameStops: "\n`{<",
  between: [["```json", "```", "json", ""]],
  after: [["```"], [callEnd]],
  repeats: true,
};

const version31: NamedJson = {
  outer,
  before: [[callBegin]],
  nameStops: "<\n{",
  // The word of version 3 in place of a name: that is version 3.
  readName: (text) => (text === "function" ? null : text),
  between: [[separator]],
  after: [[callEnd]],
  repeats: true,
};

/** `<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME` and the arguments in a json code fence. */
export const deepseekV3: ToolCallFormat = {
  name: "deepseek_v3",
  openers: [callsBegin, callBegin],
  bare: false,
  parsers: {
    vllm: ["deepseek_v3"],
    sglang: ["deepseekv3"],
    ollama: [],
    "llama-server": ["a chat template of DeepSeek V3 or R1"],
  },
  models: "DeepSeek V3, V3-0324, R1, R1-0528",
  openReader: (meter) => createNamedJsonReader(meter, version3),
  residue: {
    openers: ["function"],
    opensAt: "sentence",
    bare: true,
    openReader: (meter) =>
      createNamedJsonReader(meter, {
        before: [["function"]],
        nameStops: "\n`{<( ",
        between: [["```json"]],
        after: [["```"]],
        repeats: false,
        weak: true,
      }),
  },
  render: (calls) =>
    `${callsBegin}${calls
      .map(
        (call) =>
          `${callBegin}function${separator}${call.name}\n\`\`\`json\n${spacedJson(call.arguments)}\n\`\`\`${callEnd}`,
      )
      .join("\n")}${callsEnd}`,
};

/** `<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`: no word `function`, no fence. */
export const deepseekV31: ToolCallFormat = {
  name: "deepseek_v31",
  openers: [callsBegin, callBegin],
  bare: false,
  parsers: {
    vllm: ["deepseek_v31"],
    vllm010: [],
    sglang: ["deepseekv31"],
    ollama: ["deepseek3", "cogito"],
    "llama-server": ["a chat template of DeepSeek V3.1"],
  },
  models: "DeepSeek V3.1, V3.1-Terminus; Cogito v2",
  openReader: (meter) => createNamedJsonReader(meter, version31),
  render: (calls) =>
    `${callsBegin}${calls
      .map((call) => `${callBegin}${call.name}${separator}${spacedJson(call.arguments)}${callEnd}`)
      .join("")}${callsEnd}`,
};
