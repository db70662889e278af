import { isJsonObject, spacedJson } from "../json.ts";
import type { ReaderStep, ScannedCall, ToolCallFormat } from "./format.ts";
import { toolNamePattern } from "./json-call.ts";
import { takeJson } from "./json-reading.ts";
import { brokenStep, callStep, createReader, cutStep, noStep } from "./reader-steps.ts";
import { comes, findTag, peek, type Reading, type Steps, takeBlanks, takeOne } from "./reading.ts";

const start = "<|start|>";
const channel = "<|channel|>";
const message = "<|message|>";
const ends = ["<|call|>", "<|end|>", "<|return|>", start, channel];

/** A message's header holds a role, a channel, a recipient and a type, in changing order, and nothing longer. */
const longestHeader = 200;
const recipient = /\bto=(?:functions\.)?([^\s<{[("'`]{1,128})/;
/** Models misspell the channel, but it stands right behind its marker. */
const headerWords =
  /^(?:assistant|commentary|analysis|final|json|code|to=[^\s<{[("'`]+|<\|channel\|>[a-z]{1,20}|<\|(?:start|constrain)\|>|\s)*$/;

/**
 * Takes a header up to `<|message|>`, or, where special tokens were stripped, up to the bracket of the arguments. Gives its text;
 * null where it is no header of a call.
 */
function* takeHeader(reading: Reading): Steps<{ header: string; ended: boolean } | null> {
  for (let at = reading.at; ; at++) {
    if (at >= reading.buffer.length && !(yield* comes(reading, at)))
      return { header: reading.buffer.slice(0, at), ended: true };
    if (at > longestHeader) return null;
    reading.meter.steps++;
    const character = reading.buffer[at];
    if (character === "<") {
      reading.at = at;
      const tag = yield* takeOne(reading, [message, channel, "<|constrain|>", start]);
      if (tag === null) return reading.ended ? { header: reading.buffer.slice(0, at), ended: true } : null;
      if (tag === message) return { header: reading.buffer.slice(0, at), ended: false };
      at = reading.at - 1;
    } else if (character === "{") {
      reading.at = at;
      return { header: reading.buffer.slice(0, at), ended: false };
    }
  }
}

/** `weak`: without any special token, what begins like a header may be prose. */
function* readMessage(reading: Reading, weak: boolean): Steps<ReaderStep> {
  const head = yield* takeHeader(reading);
  if (head === null) return noStep;
  const header = head.header.replace(/\s+/g, " ");
  const name = recipient.exec(header)?.[1] ?? null;
  if (name === null || name === "self" || !toolNamePattern.test(name) || !headerWords.test(header)) return noStep;
  if (head.ended) return weak ? noStep : cutStep(reading, [], name);

  yield* takeBlanks(reading);
  const next = yield* peek(reading);
  if (next === "") return weak ? noStep : cutStep(reading, [], name);
  if (next !== "{") return yield* readRawBody(reading, name);
  const read = yield* takeJson(reading);
  const argumentsText = reading.buffer.slice(read.start, read.end);
  if (read.kind === "value" && isJsonObject(read.value)) {
    yield* takeEnd(reading);
    return callStep(reading, [{ name, arguments: read.value, argumentsText, untyped: false }]);
  }
  const reason = read.kind === "damaged" ? read.reason : "malformed";
  const found = reason === "cut" ? null : yield* findEnd(reading, read.end);
  return brokenStep([], { end: found ?? read.end, reason, name, argumentsText });
}

/** Text in place of arguments, as the built-in tools take it: it ends with the message. Which argument it is, the schema says. */
function* readRawBody(reading: Reading, name: string): Steps<ReaderStep> {
  const from = reading.at;
  const found = yield* findTag(reading, ends);
  const text = reading.buffer.slice(from, found?.at ?? reading.buffer.length);
  reading.at = found === null ? reading.buffer.length : found.at;
  if (found === null) return brokenStep([], { end: reading.at, reason: "cut", name, argumentsText: text });
  yield* takeEnd(reading);
  const call: ScannedCall = { name, arguments: text.trim(), argumentsText: text, untyped: true };
  return callStep(reading, [call]);
}

function* findEnd(reading: Reading, from: number): Steps<number | null> {
  reading.at = from;
  const found = yield* findTag(reading, ends);
  if (found === null) return reading.buffer.length;
  return found.tag === start || found.tag === channel ? found.at : found.at + found.tag.length;
}

function* takeEnd(reading: Reading): Steps<void> {
  const end = reading.at;
  yield* takeBlanks(reading);
  if ((yield* takeOne(reading, ["<|call|>", "<|end|>", "<|return|>"])) === null) reading.at = end;
}

/**
 * `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>`. The recipient in the header makes the
 * call, on whatever channel and in whatever order; a mention of a tool in a message does not.
 */
export const harmony: ToolCallFormat = {
  name: "harmony",
  openers: [`${start}assistant`, channel],
  bare: false,
  parsers: {
    vllm: ["openai"],
    sglang: ["gpt-oss"],
    ollama: ["harmony"],
    "llama-server": ["a chat template of gpt-oss"],
  },
  models: "gpt-oss 20b/120b",
  openReader: (meter) => createReader(meter, (reading) => readMessage(reading, false)),
  residue: {
    openers: ["commentary to=", "assistantcommentary to=", "analysis to=functions.", "assistantanalysis to=functions."],
    bare: true,
    openReader: (meter) => createReader(meter, (reading) => readMessage(reading, true)),
  },
  render: (calls) =>
    calls
      .map(
        (call) =>
          `${channel}commentary to=functions.${call.name} <|constrain|>json${message}${spacedJson(call.arguments)}<|call|>`,
      )
      .join(`${start}assistant`),
};
