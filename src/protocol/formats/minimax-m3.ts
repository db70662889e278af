import { isJsonObject, type JsonValue, spacedJson } from "../json.ts";
import type { ReaderStep, ScannedCall, ToolCallFormat } from "./format.ts";
import { toolNamePattern } from "./json-call.ts";
import { brokenStep, callStep, createReader, cutStep, noStep } from "./reader-steps.ts";
import { endsInside, findTag, type Reading, type Steps, takeBlanks, takeOne, takeUpTo } from "./reading.ts";
import { trimValue } from "./xml-value.ts";

/** Stands in front of every tag, so that a tag in a value is told from one of the markup. */
const mark = "]<]minimax[>[";
const outer = `${mark}<tool_call>`;
const outerCloser = `${mark}</tool_call>`;
const invoke = `${mark}<invoke name=`;
const invokeCloser = `${mark}</invoke>`;
/** Nesting beyond this is no tool call, and recursion must end. */
const deepest = 32;

function* readBlock(reading: Reading): Steps<ReaderStep> {
  yield* takeOne(reading, [outer, ""]);
  const calls: ScannedCall[] = [];
  for (;;) {
    const end = reading.at;
    yield* takeBlanks(reading);
    const tag = yield* takeOne(reading, [invoke, outerCloser]);
    if (tag === outerCloser && calls.length > 0) return callStep(reading, calls);
    if (tag !== invoke) {
      if (endsInside(reading, [invoke, outerCloser]) && (calls.length === 0 || reading.at < reading.buffer.length))
        return cutStep(reading, calls);
      reading.at = end;
      return calls.length === 0 ? noStep : callStep(reading, calls);
    }
    const head = yield* takeUpTo(reading, "><\n");
    const name = /^"([^"]+)"$/.exec(head ?? "")?.[1] ?? null;
    if (name === null || !toolNamePattern.test(name))
      return reading.ended && head === null ? cutStep(reading, calls) : noStep;
    reading.at++;
    const bodyStart = reading.at;
    const values = yield* readElements(reading, invokeCloser, 0);
    if (typeof values === "string" || values === null) {
      const reason = values === null && reading.ended ? "cut" : "malformed";
      const at = reason === "cut" ? reading.buffer.length : reading.at;
      return brokenStep(calls, { end: at, reason, name, argumentsText: reading.buffer.slice(bodyStart, at) });
    }
    calls.push({ name, arguments: values, argumentsText: spacedJson(values), untyped: true });
  }
}

/** The elements up to `closer`, by name; the text in front of it where there are none; null where the grammar is broken or the text ends. */
function* readElements(
  reading: Reading,
  closer: string,
  depth: number,
): Steps<Readonly<Record<string, JsonValue>> | string | null> {
  const start = reading.at;
  const entries = new Map<string, JsonValue>();
  while (depth < deepest) {
    const found = yield* findTag(reading, [mark]);
    if (found === null) return null;
    const text = reading.buffer.slice(start, found.at);
    reading.at = found.at;
    const close = yield* takeOne(reading, [closer]);
    if (close !== null) {
      // No elements: a value as it stands, or a call without arguments.
      if (entries.size === 0 && closer !== invokeCloser) return trimValue(text);
      return Object.fromEntries(entries);
    }
    reading.at = found.at + mark.length;
    if ((yield* takeOne(reading, ["<"])) === null) return null;
    const key = yield* takeUpTo(reading, "><\n");
    if (key === null || key === "" || key.startsWith("/")) return null;
    reading.at++;
    const value: JsonValue | null = yield* readElements(reading, `${mark}</${key}>`, depth + 1);
    if (value === null) return null;
    const known = entries.get(key);
    entries.set(key, known === undefined ? value : Array.isArray(known) ? [...known, value] : [known, value]);
  }
  return null;
}

/** An element and what it holds: objects as elements again, all else as text. */
function element(key: string, value: JsonValue): string {
  const body = isJsonObject(value)
    ? Object.entries(value)
        .map(([inner, item]) => element(inner, item))
        .join("")
    : typeof value === "string"
      ? value
      : spacedJson(value);
  return `${mark}<${key}>${body}${mark}</${key}>`;
}

/** `]<]minimax[>[` in front of each tag of `<tool_call><invoke name="NAME"><K>V</K>…`; nested objects are nested tags. */
export const minimaxM3: ToolCallFormat = {
  name: "minimax_m3",
  openers: [outer, invoke],
  bare: false,
  parsers: {
    vllm: ["minimax_m3"],
    vllm010: [],
    sglang: ["minimax-m3"],
    ollama: [],
    "llama-server": ["a chat template of MiniMax M3"],
  },
  models: "MiniMax M3",
  openReader: (meter) => createReader(meter, readBlock),
  render: (calls) =>
    `${outer}\n${calls
      .map((call) => {
        const values = Object.entries(call.arguments).map(([key, value]) => element(key, value));
        return `${invoke}"${call.name}">${values.join("")}${invokeCloser}\n`;
      })
      .join("")}${outerCloser}`,
};
