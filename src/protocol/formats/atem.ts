import type { CallReader, Meter, ToolCallFormat } from "./format.ts";
import { invokeElements } from "./invoke-tags.ts";
import { createReader, noStep } from "./reader-steps.ts";
import { takeBlanks, takeOne, takeUpTo } from "./reading.ts";
import { readXmlBlock, renderXml } from "./xml-calls.ts";
import type { XmlTags } from "./xml-tags.ts";

const header = "<|start|>assistant";
const message = "<|message|>";
const tags: XmlTags = {
  ...invokeElements("atem:"),
  outer: ["<atem:function_calls>"],
  outerClosers: ["</atem:function_calls>", "<|eom|>", "<|eot|>"],
};

function openReader(meter: Meter): CallReader {
  return createReader(meter, function* (reading) {
    const start = yield* takeOne(reading, [header, "to=", ""]);
    if (start === header) yield* takeBlanks(reading);
    if (start === "to=" || (start === header && (yield* takeOne(reading, ["to="])) !== null)) {
      if ((yield* takeUpTo(reading, "<{\n")) === null || (yield* takeOne(reading, [message])) === null) return noStep;
      yield* takeBlanks(reading);
    } else if (start === header) return noStep;
    return yield* readXmlBlock(reading, tags);
  });
}

/** `<|start|>assistant to=NAME<|message|><atem:function_calls><atem:invoke name="NAME">…`; the header is often lost, whole or in part. */
export const atem: ToolCallFormat = {
  name: "atem",
  openers: [header, ...tags.outer, tags.call],
  bare: false,
  parsers: {
    vllm: ["muse_glimmer"],
    vllm010: [],
    sglang: [],
    sglangNewer: ["muse"],
    ollama: ["glimmer"],
    "llama-server": [],
  },
  models: "Muse Glimmer",
  openReader,
  // The header's first words lost, the block whole.
  residue: { openers: ["to="], opensAt: "sentence", bare: true, openReader },
  render: (calls) =>
    `${header} to=${calls[0]?.name ?? ""}${message}${renderXml(tags, { line: "\n", valueLine: "", together: true, quoted: true }, calls)}<|eot|>`,
};
