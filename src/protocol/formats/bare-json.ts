import { type JsonValue, parseJson, spacedJson } from "../json.ts";
import type { CallReader, Meter, ParserNames, ReaderStep, ScannedCall, ToolCallFormat } from "./format.ts";
import {
  argumentsInDamagedJson,
  firstCallKeys,
  nameInDamagedJson,
  readJsonCall,
  toolNamePattern,
} from "./json-call.ts";
import { createJsonExtent } from "./json-extent.ts";
import { skipBlanks } from "./text-cursor.ts";

type ArgumentKey = "arguments" | "parameters" | "args" | "input" | null;

/** The longest first key or name that is waited for before a candidate is given up. */
const longestWord = 128;

/** A JSON string without escapes at `from` (its opening quote): its text, "more" where the buffer ends first, null where it is none. */
function plainString(buffer: string, from: number, meter: Meter): string | "more" | null {
  for (let cursor = from + 1; cursor < from + 2 + longestWord; cursor++) {
    meter.steps++;
    if (cursor >= buffer.length) return "more";
    const code = buffer.charCodeAt(cursor);
    if (code === 0x22) return buffer.slice(from + 1, cursor);
    if (code === 0x5c || code === 0x0a) return null;
  }
  return null;
}

/**
 * Looks at the beginning of a candidate only: an object (or a list that begins with one) whose first key is a key of calls,
 * and whose name, if it comes first, can be a tool's. This rules out nearly all JSON within a few characters.
 */
function readPrologue(buffer: string, meter: Meter): "in" | "out" | "more" {
  let cursor = 0;
  if (buffer.charCodeAt(0) === 0x5b) {
    cursor = skipBlanks(buffer, 1, meter);
    if (cursor === buffer.length) return "more";
    if (buffer.charCodeAt(cursor) !== 0x7b) return "out";
  }
  cursor = skipBlanks(buffer, cursor + 1, meter);
  if (cursor === buffer.length) return "more";
  if (buffer.charCodeAt(cursor) !== 0x22) return "out";
  const key = plainString(buffer, cursor, meter);
  if (key === "more") return "more";
  if (key === null || !firstCallKeys.has(key)) return "out";
  cursor = skipBlanks(buffer, cursor + key.length + 2, meter);
  if (cursor === buffer.length) return "more";
  if (buffer.charCodeAt(cursor) !== 0x3a) return "out";
  if (key !== "name" && key !== "tool_name" && key !== "tool") return "in";
  cursor = skipBlanks(buffer, cursor + 1, meter);
  if (cursor === buffer.length) return "more";
  if (buffer.charCodeAt(cursor) !== 0x22) return "out";
  const name = plainString(buffer, cursor, meter);
  if (name === "more") return "more";
  return name !== null && toolNamePattern.test(name) ? "in" : "out";
}

/**
 * JSON that is a call by its keys alone. `wants` decides by the key under which the arguments stand, so that formats which
 * differ in nothing else never claim each other's calls. JSON of another meaning is handed back as text, unread inside.
 */
function createBareReader(meter: Meter, wants: (key: ArgumentKey) => boolean): CallReader {
  let ruledIn = false;
  let extent: ReturnType<typeof createJsonExtent> | null = null;

  const readCalls = (value: JsonValue): readonly ScannedCall[] | null => {
    const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
    const reads = items.map((item) => readJsonCall(item));
    const calls = reads.flatMap((read) => (read !== null && wants(read.key) ? [read.call] : []));
    return calls.length === items.length && calls.length > 0 ? calls : null;
  };
  const damaged = (buffer: string, end: number, reason: "cut" | "malformed"): ReaderStep => {
    const text = buffer.slice(0, end);
    const key = /"(arguments|parameters|args|input)"\s*:/.exec(text.slice(0, 4096))?.[1] as ArgumentKey | undefined;
    const name = nameInDamagedJson(text);
    if (name === null || key === undefined || !wants(key)) return { kind: "text", end };
    return { kind: "broken", end, reason, calls: [], name, argumentsText: argumentsInDamagedJson(text) };
  };

  return {
    read(buffer, ended) {
      if (!ruledIn) {
        const prologue = readPrologue(buffer, meter);
        if (prologue === "more") return ended ? { kind: "no" } : { kind: "more" };
        if (prologue === "out") return { kind: "no" };
        ruledIn = true;
      }
      extent ??= createJsonExtent(0, meter);
      const step = extent.read(buffer);
      if (step.kind === "more") return ended ? damaged(buffer, buffer.length, "cut") : { kind: "more" };
      if (step.kind === "mismatch") return damaged(buffer, step.at, "malformed");
      const value = parseJson(buffer.slice(0, step.end));
      if (value === undefined) return damaged(buffer, step.end, "malformed");
      const calls = readCalls(value);
      return calls === null ? { kind: "text", end: step.end } : { kind: "call", end: step.end, calls };
    },
  };
}

function bareFormat(
  name: string,
  argumentsKey: "arguments" | "parameters",
  wants: (key: ArgumentKey) => boolean,
  parsers: ParserNames,
): ToolCallFormat {
  return {
    name,
    openers: ["{", "["],
    bare: true,
    parsers,
    openReader: (meter) => createBareReader(meter, wants),
    render: (calls) => calls.map((call) => spacedJson({ name: call.name, [argumentsKey]: call.arguments })).join("; "),
  };
}

/** `{"name", "parameters"}`: Llama 3.x, with no marker around it. */
export const llama3Json = bareFormat("llama3_json", "parameters", (key) => key === "parameters", {
  vllm: ["llama3_json"],
  sglang: ["llama3"],
  ollama: [],
  "llama-server": ["a Llama 3.x chat template"],
});

/** `{"name", "arguments"}` with no marker around it: what is left when tags are lost, and what small models write. */
export const bareJson = bareFormat("bare_json", "arguments", (key) => key !== null && key !== "parameters", {
  vllm: [],
  sglang: [],
  ollama: [],
  "llama-server": [],
});
