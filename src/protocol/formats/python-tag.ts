import { spacedJson } from "../json.ts";
import type { ToolCallFormat } from "./format.ts";
import { createJsonSectionReader } from "./json-section.ts";
import { createPythonReader, pythonCall } from "./python-calls.ts";
import { writtenLike } from "./written-like.ts";

const opener = "<|python_tag|>";
const closers = ["<|eom_id|>", "<|eot_id|>"];

/** `<|python_tag|>{"name", "parameters"}`, several separated by `;`, or a built-in tool as `name.call(query="…")`. */
export const pythonTag: ToolCallFormat = {
  name: "python_tag",
  openers: [opener],
  bare: false,
  parsers: {
    vllm: ["llama3_json"],
    sglang: ["llama3"],
    ollama: [],
    "llama-server": ["a Llama 3.x chat template"],
  },
  models: "Llama 3.1 to 3.3",
  openReader: (meter) => {
    const json = createJsonSectionReader(meter, { opening: [[opener]], closing: closers, body: "{[" });
    const code = createPythonReader(meter, {
      opener,
      closers,
      list: "never",
      weak: true,
      readName: (written) => (written.endsWith(".call") ? written.slice(0, -".call".length) : null),
    });
    let isJson: boolean | null = null;
    return {
      read(buffer, ended) {
        if (isJson === null) {
          const first = /^\s*(\S)/.exec(buffer.slice(opener.length))?.[1];
          if (first === undefined && !ended) return { kind: "more" };
          isJson = first === undefined || first === "{" || first === "[";
        }
        return (isJson ? json : code).read(buffer, ended);
      },
    };
  },
  render: (calls) =>
    `${opener}${calls.map((call) => spacedJson({ name: call.name, parameters: call.arguments })).join("; ")}`,
};

/** The built-in tools of Llama 3.1: `<|python_tag|>brave_search.call(query="…")`. */
export const llama3Builtin = writtenLike(pythonTag, {
  name: "llama3_builtin",
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": [] },
  models: "Llama 3.1 with its built-in tools",
  render: (calls) => calls.map((call) => `${opener}${pythonCall(call, `${call.name}.call`)}`).join("\n"),
});
