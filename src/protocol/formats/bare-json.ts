import { isJsonObject, type JsonValue, parseJson, spacedJson } from "../json.ts";
import type { CallReader, Glance, Meter, ParserNames, ReaderStep, ScannedCall, ToolCallFormat } from "./format.ts";
import {
  argumentsInDamagedJson,
  firstCallKeys,
  nameInDamagedJson,
  readJsonCall,
  toolNamePattern,
} from "./json-call.ts";
import { createJsonExtent } from "./json-extent.ts";
import { skipBlanks } from "./text-cursor.ts";
import { writtenLike } from "./written-like.ts";

type ArgumentKey = "arguments" | "parameters" | "args" | "input" | null;

/** The longest first key or name that is waited for before a candidate is given up, and the most white space in front of it. */
const longestWord = 128;

/** A word at `from`, in quotes of either kind or in none: its text and where it ends; "more" where the buffer ends first, null where it is none. */
function readWord(buffer: string, from: number, meter: Meter): { text: string; end: number } | "more" | null {
  const quote = buffer[from];
  const quoted = quote === '"' || quote === "'";
  for (let at = quoted ? from + 1 : from; at < from + longestWord + 2; at++) {
    meter.steps++;
    const character = buffer[at];
    if (character === undefined) return "more";
    if (quoted && character === quote) return { text: buffer.slice(from + 1, at), end: at + 1 };
    if (quoted ? character === "\\" || character === "\n" : !/\w/.test(character))
      return quoted || at === from ? null : { text: buffer.slice(from, at), end: at };
  }
  return null;
}

/** White space skipped, but no more of it than JSON is laid out with. */
function skipLayout(buffer: string, from: number, meter: Meter): number | "more" | null {
  const at = skipBlanks(buffer.slice(from, from + longestWord), 0, meter);
  if (from + at < buffer.length) return at < longestWord ? from + at : null;
  return "more";
}

/**
 * Looks at the beginning of a candidate only: an object (or a list that begins with one) whose first key is one of `keys`, and
 * whose name, if it comes first, can be a tool's. This rules out nearly all JSON within a few characters.
 */
export function glanceAtKeys(keys: ReadonlySet<string>): (buffer: string, at: number, meter: Meter) => Glance {
  const initials = new Set([...keys].map((key) => key[0]));
  return (buffer, from, meter) => {
    let at = from;
    if (buffer[at] === "[") {
      const inside = skipLayout(buffer, at + 1, meter);
      if (inside === "more") return "more";
      if (inside === null || buffer[inside] !== "{") return "out";
      at = inside;
    }
    const keyStart = skipLayout(buffer, at + 1, meter);
    if (keyStart === null || keyStart === "more") return keyStart ?? "out";
    const quoted = buffer[keyStart] === '"' || buffer[keyStart] === "'";
    const initial = buffer[quoted ? keyStart + 1 : keyStart];
    if (initial !== undefined && !initials.has(initial)) return "out";
    const key = readWord(buffer, keyStart, meter);
    if (key === "more") {
      const begun = buffer.slice(quoted ? keyStart + 1 : keyStart);
      return [...keys].some((known) => known.startsWith(begun)) ? "more" : "out";
    }
    if (key === null || !keys.has(key.text)) return "out";
    return glanceAtValue(buffer, key.end, nameKeys.has(key.text), meter);
  };
}

const nameKeys: ReadonlySet<string> = new Set(["name", "tool_name", "tool"]);

/** The same behind the first key: a colon, and, where a name should stand, a tool's name. */
function glanceAtValue(buffer: string, from: number, isName: boolean, meter: Meter): Glance {
  const colon = skipLayout(buffer, from, meter);
  if (colon === "more") return "more";
  if (colon === null || (buffer[colon] !== ":" && buffer[colon] !== "：")) return "out";
  if (!isName) return "in";
  const start = skipLayout(buffer, colon + 1, meter);
  if (start === "more") return "more";
  if (start === null || (buffer[start] !== '"' && buffer[start] !== "'")) return "out";
  const name = readWord(buffer, start, meter);
  if (name === "more") {
    const begun = buffer.slice(start + 1);
    return begun === "" || toolNamePattern.test(begun) ? "more" : "out";
  }
  return name !== null && toolNamePattern.test(name.text) ? "in" : "out";
}

/** The same for objects that begin as calls of a name and arguments do. */
export const glanceAtJson = glanceAtKeys(firstCallKeys);

/** Keys of calls stand at the beginning; further in, the same words are data. */
const lookedAt = 4096;

/** How one format reads JSON that nothing marks as a call but its keys. */
export interface BareJson {
  /** Calls of a decoded value; null where it is another format's, or none. */
  readonly readCalls: (value: JsonValue) => readonly ScannedCall[] | null;
  /** What can be told of a call in JSON that does not parse; null where it is not this format's. */
  readonly readDamage: (text: string) => { readonly name: string; readonly argumentsText: string } | null;
}

/** Reads such JSON; what has another meaning is handed back as text, unread inside. */
export function createBareReader(meter: Meter, format: BareJson): CallReader {
  const extent = createJsonExtent(0, meter);
  const damaged = (buffer: string, end: number, reason: "cut" | "malformed"): ReaderStep => {
    const damage = format.readDamage(buffer.slice(0, end));
    return damage === null ? { kind: "text", end } : { kind: "broken", end, reason, calls: [], ...damage };
  };
  return {
    read(buffer, ended) {
      const step = extent.read(buffer);
      if (step.kind === "more") return ended ? damaged(buffer, buffer.length, "cut") : { kind: "more" };
      if (step.kind === "mismatch") return damaged(buffer, step.at, "malformed");
      const value = parseJson(buffer.slice(0, step.end));
      if (value === undefined) return damaged(buffer, step.end, "malformed");
      const calls = format.readCalls(value);
      return calls === null ? { kind: "text", end: step.end } : { kind: "call", end: step.end, calls };
    },
  };
}

const argumentsKey = /["']?\b(arguments|parameters|args|input)["']?\s*[:：]/;

/**
 * `wants` decides by the key under which the arguments stand, so that formats which differ in nothing else never claim each
 * other's calls.
 */
function bareFormat(
  own: Pick<ToolCallFormat, "name" | "parsers" | "models">,
  key: "arguments" | "parameters",
  wants: (key: ArgumentKey, listed: boolean) => boolean,
): ToolCallFormat {
  const readCalls = (value: JsonValue): readonly ScannedCall[] | null => {
    const listed = Array.isArray(value);
    const items = listed ? (value as readonly JsonValue[]) : [value];
    const reads = items.map((item) => readJsonCall(item));
    const calls = reads.flatMap((read) => (read !== null && wants(read.key, listed) ? [read.call] : []));
    return calls.length === items.length && calls.length > 0 ? calls : null;
  };
  const readDamage = (text: string): ReturnType<BareJson["readDamage"]> => {
    const name = nameInDamagedJson(text);
    const found = argumentsKey.exec(text.slice(0, lookedAt))?.[1] as ArgumentKey | undefined;
    if (name === null || found === undefined || !wants(found, text.startsWith("["))) return null;
    return { name, argumentsText: argumentsInDamagedJson(text) };
  };
  return {
    ...own,
    openers: ["{", "["],
    bare: true,
    glance: glanceAtJson,
    openReader: (meter) => createBareReader(meter, { readCalls, readDamage }),
    render: (calls) => calls.map((call) => spacedJson({ name: call.name, [key]: call.arguments })).join("; "),
  };
}

const noParsers: ParserNames = { vllm: [], sglang: [], ollama: [], "llama-server": [] };

/** `{"name", "parameters"}`: Llama 3.x, with no marker around it. */
export const llama3Json = bareFormat(
  {
    name: "llama3_json",
    parsers: {
      vllm: ["llama3_json", "llama4_json"],
      sglang: ["llama3"],
      ollama: [],
      "llama-server": ["a Llama 3.x chat template"],
    },
    models: "Llama 3.1 to 3.3, Llama 4 in JSON mode",
  },
  "parameters",
  (key, listed) => key === "parameters" && !listed,
);

/** `{"name", "arguments"}` with no marker around it, or a list of calls: what is left when tags are lost, and what small models write. */
export const bareJson = bareFormat(
  { name: "bare_json", parsers: noParsers, models: "any model that lost its tags" },
  "arguments",
  (key, listed) => key !== null && (listed || key !== "parameters"),
);

/** xLAM writes a bare list, which other formats leave behind too when their markers are stripped. */
export const xlam = writtenLike(bareJson, {
  name: "xlam",
  parsers: { ...noParsers, vllm: ["xlam"] },
  models: "Salesforce xLAM",
  render: (calls) => `[${calls.map((call) => spacedJson({ name: call.name, arguments: call.arguments })).join(", ")}]`,
});

const openAiKeys: ReadonlySet<string> = new Set(["tool_calls", "function_call", "role", "content"]);

/** Calls in OpenAI's own shape, written into the content: `{"tool_calls": [{"function": {"name", "arguments"}}]}`. */
export const toolCallsJson: ToolCallFormat = {
  name: "tool_calls_json",
  openers: ["{"],
  bare: true,
  parsers: noParsers,
  models: "Devstral and others (drift)",
  glance: glanceAtKeys(openAiKeys),
  openReader: (meter) =>
    createBareReader(meter, {
      readCalls: (value) => {
        if (!isJsonObject(value)) return null;
        const given = value["tool_calls"] ?? value["function_call"];
        const items = Array.isArray(given) ? (given as readonly JsonValue[]) : given === undefined ? [] : [given];
        const calls = items.flatMap((item) => readOpenAiCall(item) ?? []);
        return calls.length === items.length && calls.length > 0 ? calls : null;
      },
      readDamage: (text) => {
        const name = /"(?:tool_calls|function_call)"\s*:/.test(text.slice(0, lookedAt))
          ? nameInDamagedJson(text)
          : null;
        return name === null ? null : { name, argumentsText: argumentsInDamagedJson(text) };
      },
    }),
  render: (calls) =>
    spacedJson({
      tool_calls: calls.map((call, index) => ({
        id: String(index + 1),
        type: "function",
        function: { name: call.name, arguments: spacedJson(call.arguments) },
      })),
    }),
};

/** In this shape arguments are JSON text by rule, with a `function` object around them or without. */
function readOpenAiCall(item: JsonValue): ScannedCall | null {
  const read = readJsonCall(item)?.call ?? null;
  if (read === null || typeof read.arguments !== "string") return read;
  const decoded = parseJson(read.arguments);
  return isJsonObject(decoded) ? { ...read, arguments: decoded } : read;
}
