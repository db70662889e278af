import { type JsonValue, spacedJson } from "../json.ts";
import type { ReaderStep, ScannedCall, ToolCallFormat } from "./format.ts";
import { toolNamePattern } from "./json-call.ts";
import { jsonOrText } from "./json-reading.ts";
import { brokenStep, callStep, createReader, cutStep, noStep } from "./reader-steps.ts";
import { endsInside, findTag, type Reading, type Steps, takeBlanks, takeOne, takeUpTo } from "./reading.ts";

/** The markers of this family's markup, or nothing in their place where a server strips them. */
interface Marks {
  readonly open: string;
  readonly close: string;
  readonly separator: string;
}

const marks: Marks = { open: "<|open|>", close: "<|close|>", separator: "<|sep|>" };
const stripped: Marks = { open: "", close: "", separator: "" };

/** Attributes of an element's head, `tool="NAME" index="1"`. */
function attribute(head: string, key: string): string | null {
  return new RegExp(`\\b${key}="([^"]*)"`).exec(head)?.[1] ?? null;
}

function decode(text: string, type: string | null): JsonValue {
  return type === null || type === "string" ? text : jsonOrText(text);
}

/** Takes the head of an element up to its last attribute, and the separator behind it. */
function* takeHead(reading: Reading, separator: string): Steps<string | null> {
  if (separator !== "") {
    const head = yield* takeUpTo(reading, "<", 256);
    return head !== null && (yield* takeOne(reading, [separator])) !== null ? head : null;
  }
  let head = "";
  for (let part = 0; part < 4; part++) {
    const key = yield* takeUpTo(reading, '"', 64);
    if (key === null) return null;
    reading.at++;
    const value = yield* takeUpTo(reading, '"', 128);
    if (value === null) return null;
    reading.at++;
    head += `${key}"${value}"`;
    if (/\b(?:index|type)="[^"]*"$/.test(head)) return head;
  }
  return null;
}

function* readTools(reading: Reading, own: Marks): Steps<ReaderStep> {
  const { open, close, separator } = own;
  const marked = open !== "";
  if ((yield* takeOne(reading, [`${open}tools${separator}`])) === null) return noStep;
  const calls: ScannedCall[] = [];
  for (;;) {
    yield* takeBlanks(reading);
    const expected = [`${open}call tool=`, `${close}tools${separator}`];
    const tag = yield* takeOne(reading, expected);
    if (tag === expected[1] && calls.length > 0) return callStep(reading, calls);
    if (tag !== expected[0]) {
      if (endsInside(reading, expected) && marked) return cutStep(reading, calls);
      return calls.length === 0 ? noStep : callStep(reading, calls);
    }
    // The tag ended with the attribute's key.
    const head = yield* takeHead(reading, separator);
    const name = attribute(`tool=${head ?? ""}`, "tool");
    if (head === null || name === null || !toolNamePattern.test(name)) {
      if (reading.ended && marked) return cutStep(reading, calls);
      return calls.length === 0 ? noStep : brokenStep(calls, { end: reading.at, reason: "malformed" });
    }
    const step = yield* readArguments(reading, own, name, calls);
    if (step !== null) return step;
  }
}

function* readArguments(reading: Reading, own: Marks, name: string, calls: ScannedCall[]): Steps<ReaderStep | null> {
  const { open, close, separator } = own;
  const bodyStart = reading.at;
  const entries: [string, JsonValue][] = [];
  const broken = (end: number, reason: "cut" | "malformed"): ReaderStep =>
    brokenStep(calls, { end, reason, name, argumentsText: reading.buffer.slice(bodyStart, end) });
  for (;;) {
    yield* takeBlanks(reading);
    const expected = [`${open}argument key=`, `${close}call${separator}`];
    const tag = yield* takeOne(reading, expected);
    if (tag === expected[1]) break;
    if (tag === null) {
      const cut = endsInside(reading, expected);
      return broken(cut ? reading.buffer.length : reading.at, cut ? "cut" : "malformed");
    }
    const head = yield* takeHead(reading, separator);
    const key = attribute(`key=${head ?? ""}`, "key");
    if (head === null || key === null)
      return reading.ended ? broken(reading.buffer.length, "cut") : broken(reading.at, "malformed");
    const valueStart = reading.at;
    const end = yield* findTag(reading, [`${close}argument${separator}`]);
    if (end === null) return broken(reading.buffer.length, "cut");
    reading.at = end.at + end.tag.length;
    entries.push([key, decode(reading.buffer.slice(valueStart, end.at), attribute(head, "type"))]);
  }
  const values = Object.fromEntries(entries);
  calls.push({ name, arguments: values, argumentsText: spacedJson(values), untyped: false });
  return null;
}

function typeName(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** `<|open|>call tool="NAME" index="1"<|sep|><|open|>argument key="K" type="string"<|sep|>V<|close|>argument<|sep|>…` in a section `tools`. */
export const kimiK3: ToolCallFormat = {
  name: "kimi_k3",
  openers: [`${marks.open}tools${marks.separator}`],
  bare: false,
  parsers: {
    vllm: ["kimi_k3"],
    vllm010: [],
    sglang: [],
    sglangNewer: ["kimi_k3"],
    ollama: [],
    "llama-server": [],
  },
  models: "Kimi K3",
  openReader: (meter) => createReader(meter, (reading) => readTools(reading, marks)),
  residue: {
    openers: ["toolscall tool="],
    bare: true,
    openReader: (meter) => createReader(meter, (reading) => readTools(reading, stripped)),
  },
  render: (calls) => {
    const { open, close, separator } = marks;
    const element = (head: string, body: string): string =>
      `${open}${head}${separator}${body}${close}${head.split(" ", 1)[0] ?? ""}${separator}`;
    const written = calls.map((call, index) => {
      const values = Object.entries(call.arguments).map(([key, value]) => {
        const text = typeof value === "string" ? value : spacedJson(value);
        return element(`argument key="${key}" type="${typeName(value)}"`, text);
      });
      return element(`call tool="${call.name}" index="${index + 1}"`, values.join(""));
    });
    return element("tools", written.join(""));
  },
};
