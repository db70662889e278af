import { isJsonObject, spacedJson } from "../json.ts";
import type { CallReader, ToolCallFormat } from "./format.ts";
import { readJsonCall } from "./json-call.ts";
import { createNamedJsonReader, type NamedJson } from "./named-json.ts";

/** The recipient of plain text. */
const reservedNames = ["all"];

const lines: Omit<NamedJson, "before"> = {
  nameStops: "\n {<>(",
  readName: (text) => (reservedNames.includes(text) ? null : text),
  between: [],
  after: [],
  repeats: false,
  weak: true,
};

/** A late "no" makes the scanner read again; for longer objects that would not stay linear. */
const longestLookedInto = 8192;

/** A line of one word above a JSON call ("Checking." above `{"name", "arguments"}`) is an announcement: the object is the call. */
function withoutJsonCall(reader: CallReader): CallReader {
  return {
    read: (buffer, ended) => {
      const step = reader.read(buffer, ended);
      if (step.kind !== "call" || step.end > longestLookedInto) return step;
      const given = step.calls[0]?.arguments;
      const isCall =
        isJsonObject(given) &&
        ("action" in given || "tool_calls" in given || (readJsonCall(given)?.key ?? null) !== null);
      return isCall ? { kind: "no" } : step;
    },
  };
}

/** `<function=NAME>{…}</function>`. */
export const functionary31: ToolCallFormat = {
  name: "functionary31",
  openers: ["<function="],
  bare: false,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": ["a chat template of Functionary v3.1"] },
  models: "Functionary v3.1, Llama 3.1 with custom tools",
  openReader: (meter) =>
    createNamedJsonReader(meter, {
      before: [["<function="]],
      nameStops: '><\n"',
      between: [[">"]],
      after: [["</function>"]],
      repeats: false,
      weak: true,
    }),
  render: (calls) => calls.map((call) => `<function=${call.name}>${spacedJson(call.arguments)}</function>`).join("\n"),
};

/** `>>>NAME` and the arguments on the next line; `>>>all` opens text. The prompt ends with the first `>>>`. */
export const functionary32: ToolCallFormat = {
  name: "functionary32",
  openers: [">>>"],
  reservedNames,
  bare: false,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": ["a chat template of Functionary v3.2"] },
  models: "Functionary v3.2",
  openReader: (meter) => createNamedJsonReader(meter, { ...lines, before: [[">>>"]] }),
  residue: {
    openers: [],
    nameThen: ["\n{"],
    bare: true,
    openReader: (meter) => withoutJsonCall(createNamedJsonReader(meter, { ...lines, before: [] })),
  },
  render: (calls) => calls.map((call) => `>>>${call.name}\n${spacedJson(call.arguments)}`).join("\n"),
};
