import { spacedJson } from "../json.ts";
import type { ToolCallFormat } from "./format.ts";
import { createJsonSectionReader } from "./json-section.ts";
import { createNamedJsonReader } from "./named-json.ts";

const opener = "[TOOL_CALLS]";

/** `[TOOL_CALLS][{"name", "arguments"}]`: Mistral's tokenizers before version 11. */
export const mistral: ToolCallFormat = {
  name: "mistral",
  openers: [opener],
  bare: false,
  parsers: {
    vllm: ["mistral"],
    sglang: ["mistral"],
    ollama: [],
    "llama-server": ["a chat template with [TOOL_CALLS] and a JSON list"],
  },
  models: "Mistral 7B v0.3, Nemo, Small up to 3.1, Large 2",
  openReader: (meter) => createJsonSectionReader(meter, { opening: [[opener]], closing: ["</s>"], body: "{[" }),
  render: (calls) =>
    `${opener}[${calls.map((call) => spacedJson({ name: call.name, arguments: call.arguments })).join(", ")}]`,
};

/** `[TOOL_CALLS]NAME[ARGS]{…}`, repeated for each call; some models put `[CALL_ID]ID` in front of `[ARGS]`. */
export const mistralV11: ToolCallFormat = {
  name: "mistral_v11",
  openers: [opener],
  bare: false,
  parsers: {
    vllm: ["mistral"],
    sglang: ["mistral"],
    ollama: ["ministral"],
    "llama-server": ["a chat template with [TOOL_CALLS] and [ARGS]"],
  },
  models: "Mistral Small 3.2, Magistral, Devstral, Ministral 3, Large 3",
  openReader: (meter) =>
    createNamedJsonReader(meter, {
      before: [[opener]],
      nameStops: "{\n",
      readName: (text) => /^([^[\]]+?)(?:\[CALL_ID\][\w-]*)?(?:\[ARGS\])?$/.exec(text)?.[1] ?? null,
      between: [],
      after: [["</s>"]],
      repeats: true,
      weak: true,
    }),
  residue: {
    openers: [],
    nameThen: ["{"],
    nameMayJoin: true,
    bare: true,
    openReader: (meter) =>
      createNamedJsonReader(meter, { before: [], nameStops: "{", between: [], after: [], repeats: false, weak: true }),
  },
  render: (calls) => calls.map((call) => `${opener}${call.name}[ARGS]${spacedJson(call.arguments)}`).join(""),
};
