import type { ToolCallFormat } from "./format.ts";
import { invokeElements } from "./invoke-tags.ts";
import { createXmlReader, renderXml } from "./xml-calls.ts";
import type { XmlTags } from "./xml-tags.ts";

const callsBegin = "<｜tool_calls_begin｜>";
const callBegin = "<｜tool_call_begin｜>";
const separator = "<｜tool_sep｜>";
const callEnd = "<｜tool_call_end｜>";
const callsEnd = "<｜tool_calls_end｜>";

const tags: XmlTags = {
  ...invokeElements("steptml:"),
  outer: [callsBegin, callBegin],
  outerClosers: [callEnd, callsEnd],
  around: [callBegin, "function", separator, callEnd],
};

/** `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="NAME">…` (plain underscores between fullwidth bars). */
export const step3: ToolCallFormat = {
  name: "step3",
  openers: [...tags.outer, `function${tags.call}`, tags.call],
  bare: false,
  parsers: { vllm: ["step3"], vllm010: [], sglang: ["step3"], ollama: [], "llama-server": [] },
  models: "Step-3",
  openReader: (meter) => createXmlReader(meter, tags),
  render: (calls) => {
    const layout = { line: "", valueLine: "", together: false, quoted: true };
    const invoked = calls.map((call) => renderXml({ ...tags, outer: [], outerClosers: [] }, layout, [call]));
    return `${callsBegin}${invoked.map((text) => `${callBegin}function${separator}${text}${callEnd}`).join("")}${callsEnd}`;
  },
};
