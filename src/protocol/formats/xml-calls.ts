import { type JsonValue, spacedJson } from "../json.ts";
import type { CallReader, Meter, ReaderStep, ScannedCall, ToolCall } from "./format.ts";
import { toolNamePattern } from "./json-call.ts";
import { jsonOrText } from "./json-reading.ts";
import { brokenStep, callStep, createReader, noStep } from "./reader-steps.ts";
import { endsInside, type Reading, type Steps, takeBlanks, takeOne, takeUpTo } from "./reading.ts";
import type { XmlTags } from "./xml-tags.ts";
import { takeValue } from "./xml-value.ts";

/**
 * Reads calls of XML-like tags. Values are raw text, to be typed by the schema. A closing tag inside a value is provisional: it
 * counts only if the grammar goes on behind it, because values hold programs that may quote the protocol.
 */
export function createXmlReader(meter: Meter, tags: XmlTags): CallReader {
  return createReader(meter, (reading) => readXmlBlock(reading, tags));
}

/** Name or parameter in a tag's head: `NAME>`, `"NAME">`, `"NAME" string="true">`. */
function* takeHead(reading: Reading): Steps<{ name: string; attributes: string } | "cut" | null> {
  const text = yield* takeUpTo(reading, "><\n");
  if (text === null) return reading.ended && reading.buffer.length - reading.at <= 128 ? "cut" : null;
  if (reading.buffer[reading.at] !== ">") return null;
  reading.at++;
  const quoted = /^\s*"([^"]*)"([^"]*(?:"[^"]*"[^"]*)*)$/.exec(text) ?? /^\s*'([^']*)'(.*)$/.exec(text);
  const name = (quoted?.[1] ?? text).trim();
  return name === "" || /["'=]/.test(name) ? null : { name, attributes: quoted?.[2] ?? "" };
}

/** The same from the place reached: for formats with a header of their own in front. */
export function* readXmlBlock(reading: Reading, tags: XmlTags): Steps<ReaderStep> {
  const calls: ScannedCall[] = [];
  const outer = tags.outer.length > 0 && (yield* takeOne(reading, [...tags.outer, ""])) !== "";
  for (;;) {
    const end = reading.at;
    yield* takeAround(reading, tags);
    const behindMarkers = reading.at;
    if ((yield* takeOne(reading, [tags.call])) === null) {
      if (calls.length > 0) {
        reading.at = end;
        return yield* closeBlock(reading, tags, outer, calls);
      }
      // A tag that ends the input says nothing about its family where families share it; a begun call does.
      const begun = endsInside(reading, [tags.call]) && (behindMarkers < reading.buffer.length || tags.shared !== true);
      return begun && outer ? brokenStep(calls, { end: reading.buffer.length, reason: "cut" }) : noStep;
    }
    const head = yield* takeHead(reading);
    if (head === "cut" && outer) return brokenStep(calls, { end: reading.buffer.length, reason: "cut" });
    if (head === "cut" || head === null || !toolNamePattern.test(head.name))
      return calls.length > 0 ? brokenStep(calls, { end: reading.at, reason: "malformed" }) : noStep;
    const step = yield* readParameters(reading, tags, head.name, calls, outer);
    if (step !== null) return step;
    if (!outer) return yield* closeBlock(reading, tags, outer, calls);
  }
}

function* takeAround(reading: Reading, tags: XmlTags): Steps<void> {
  do yield* takeBlanks(reading);
  while (tags.around !== undefined && (yield* takeOne(reading, tags.around)) !== null);
}

/** Reads one call's parameters to its end and adds it to `calls`; gives a step where it is damaged, or no call at all. */
function* readParameters(
  reading: Reading,
  tags: XmlTags,
  name: string,
  calls: ScannedCall[],
  outer: boolean,
): Steps<ReaderStep | null> {
  const bodyStart = reading.at;
  const entries: [string, JsonValue][] = [];
  const closers = [tags.callCloser, ...(outer ? tags.outerClosers : [])];
  const broken = (end: number, reason: "cut" | "malformed"): ReaderStep =>
    brokenStep(calls, { end, reason, name, argumentsText: reading.buffer.slice(bodyStart, end) });
  const finish = (): null => {
    const values = Object.fromEntries(entries);
    calls.push({ name, arguments: values, argumentsText: spacedJson(values), untyped: tags.typed !== true });
    return null;
  };

  for (;;) {
    yield* takeBlanks(reading);
    const before = reading.at;
    const tag = yield* takeOne(reading, [tags.parameter, ...closers]);
    if (tag === tags.callCloser) return finish();
    if (tag === null) {
      if (endsInside(reading, [tags.parameter, ...closers])) return broken(reading.buffer.length, "cut");
      // Behind the name stands neither a parameter nor the end: another family's body, or prose.
      return calls.length === 0 && entries.length === 0 ? noStep : broken(reading.at, "malformed");
    }
    if (tag !== tags.parameter) {
      reading.at = before;
      return finish();
    }
    const head = yield* takeHead(reading);
    if (head === "cut") return broken(reading.buffer.length, "cut");
    if (head === null) return broken(reading.at, "malformed");
    const value = yield* takeValue(reading, tags, outer);
    if (value === null) return broken(reading.buffer.length, "cut");
    const json = tags.typed === true && /\bstring\s*=\s*"false"/.test(head.attributes);
    entries.push([head.name, json ? jsonOrText(value.text) : value.text]);
    if (value.closesCall) return finish();
  }
}

/** Takes the block's closing tags. Without an outer tag, a stray closer is still part of the markup: the opener was lost. */
function* closeBlock(
  reading: Reading,
  tags: XmlTags,
  outer: boolean,
  calls: readonly ScannedCall[],
): Steps<ReaderStep> {
  let end = reading.at;
  if (outer) yield* takeAround(reading, tags);
  else yield* takeBlanks(reading);
  for (const closer of tags.outerClosers) {
    if ((yield* takeOne(reading, [closer])) === null) continue;
    end = reading.at;
    yield* takeBlanks(reading);
  }
  reading.at = end;
  return callStep(reading, calls);
}

/** Writes calls in these tags, one block for all (`together`) or one for each. */
export function renderXml(
  tags: XmlTags,
  layout: { readonly line: string; readonly valueLine: string; readonly together: boolean; readonly quoted: boolean },
  calls: readonly ToolCall[],
): string {
  const { line, valueLine, together } = layout;
  const quote = layout.quoted ? '"' : "";
  const written = calls.map((call) => {
    const parameters = Object.entries(call.arguments).map(([key, value]) => {
      const text = typeof value === "string" ? value : spacedJson(value);
      const type = tags.typed === true ? ` string="${typeof value === "string"}"` : "";
      return `${tags.parameter}${quote}${key}${quote}${type}>${valueLine}${text}${valueLine}${tags.parameterCloser}${line}`;
    });
    return `${tags.call}${quote}${call.name}${quote}>${line}${parameters.join("")}${tags.callCloser}`;
  });
  const [open = ""] = tags.outer;
  const close = tags.outerClosers[0] ?? "";
  if (open === "") return written.join("\n");
  const block = (body: string): string => `${open}${line}${body}${line}${close}`;
  return together ? block(written.join(line)) : written.map(block).join("\n");
}
