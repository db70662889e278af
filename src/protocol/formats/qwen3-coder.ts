import { spacedJson } from "../json.ts";
import type { CallReader, Meter, ReaderStep, ScannedCall, ToolCallFormat } from "./format.ts";
import { toolNamePattern } from "./json-call.ts";
import { mayBecome, skipBlanks } from "./text-cursor.ts";

const outerOpener = "<tool_call>";
const outerCloser = "</tool_call>";
const functionOpener = "<function=";
const functionCloser = "</function>";
const parameterOpener = "<parameter=";
const parameterCloser = "</parameter>";
const longestName = 128;

type State = "outer" | "name" | "body" | "parameter-name" | "value" | "after-function";

/** One line break at each end belongs to the layout, not to the value. */
function trimValue(text: string): string {
  const from = text.startsWith("\r\n") ? 2 : text.startsWith("\n") ? 1 : 0;
  const rest = text.slice(from);
  return rest.endsWith("\r\n") ? rest.slice(0, -2) : rest.endsWith("\n") ? rest.slice(0, -1) : rest;
}

/** Position of a character at most `reach` characters on, or -1: a far one is not worth looking for. */
function indexWithin(buffer: string, character: string, from: number, reach: number): number {
  const at = buffer.slice(from, from + reach + 1).indexOf(character);
  return at === -1 ? -1 : from + at;
}

/**
 * `<tool_call><function=NAME><parameter=K>V</parameter></function></tool_call>`, the outer tag often left out. Values are
 * raw text. A closing tag inside a value is provisional: it counts only if the grammar goes on behind it, because values
 * hold programs that may quote the protocol.
 */
function openReader(meter: Meter): CallReader {
  let state: State = "outer";
  let cursor = 0;
  let outer = false;
  let name = "";
  let parameter = "";
  let valueStart = 0;
  let functionEnd = 0;
  let bodyStart = 0;
  let values: Record<string, string> = {};
  const calls: ScannedCall[] = [];

  const broken = (buffer: string, end: number, reason: "cut" | "malformed"): ReaderStep => ({
    kind: "broken",
    end,
    reason,
    calls,
    name: name === "" ? null : name,
    argumentsText: buffer.slice(bodyStart, end),
  });
  const finishFunction = (end: number): void => {
    calls.push({ name, arguments: values, argumentsText: spacedJson(values), untyped: true });
    values = {};
    name = "";
    cursor = functionEnd = end;
    state = "after-function";
  };

  /** Reads `NAME>` at the cursor: the name, "more", or null where it is none. */
  const readName = (buffer: string, ended: boolean): string | "more" | null => {
    const end = indexWithin(buffer, ">", cursor, longestName);
    const limit = cursor + longestName;
    meter.steps += Math.min(end === -1 ? buffer.length : end, limit) - cursor;
    if (end === -1 || end > limit) return end === -1 && !ended && buffer.length <= limit ? "more" : null;
    const text = buffer
      .slice(cursor, end)
      .trim()
      .replace(/^"(.*)"$/, "$1");
    if (text === "" || /[<>\n"']/.test(text)) return null;
    cursor = end + 1;
    return text;
  };

  /** What follows a possible end of a value at `at`: does the grammar go on there? */
  const continues = (buffer: string, at: number, ended: boolean, words: readonly string[]): boolean | "more" => {
    const next = skipBlanks(buffer, at, meter);
    if (next === buffer.length) return ended ? true : "more";
    if (words.some((word) => buffer.startsWith(word, next))) return true;
    return !ended && words.some((word) => mayBecome(word, buffer, next)) ? "more" : false;
  };

  /** Looks for the end of the value from the cursor on; the value's tags are the only places looked at closely. */
  const endOfValue = (
    buffer: string,
    ended: boolean,
  ): { end: number; next: number; closes: boolean } | "more" | null => {
    for (;;) {
      const at = buffer.indexOf("<", cursor);
      if (at === -1) {
        meter.steps += buffer.length - cursor;
        cursor = buffer.length;
        return ended ? null : "more";
      }
      meter.steps += at - cursor + 1;
      cursor = at;
      if (buffer.startsWith(parameterCloser, at)) {
        const after = at + parameterCloser.length;
        const goesOn = continues(buffer, after, ended, [parameterOpener, functionCloser, outerCloser]);
        if (goesOn === "more") return "more";
        if (goesOn) return { end: at, next: after, closes: false };
      } else if (buffer.startsWith(functionCloser, at)) {
        const goesOn = continues(buffer, at + functionCloser.length, ended, [outerCloser, functionOpener]);
        if (goesOn === "more") return "more";
        if (goesOn) return { end: at, next: at + functionCloser.length, closes: true };
      } else if (buffer.startsWith(parameterOpener, at) && buffer[at - 1] === "\n") {
        return { end: at, next: at, closes: false };
      } else if (
        !ended &&
        [parameterCloser, functionCloser, parameterOpener].some((tag) => mayBecome(tag, buffer, at))
      ) {
        return "more";
      }
      cursor = at + 1;
    }
  };

  return {
    read(buffer, ended) {
      for (;;) {
        switch (state) {
          case "outer": {
            if (!outer && cursor === 0) {
              outer = buffer.startsWith(outerOpener);
              cursor = outer ? outerOpener.length : 0;
            }
            cursor = skipBlanks(buffer, cursor, meter);
            if (buffer.startsWith(functionOpener, cursor)) {
              cursor += functionOpener.length;
              state = "name";
              continue;
            }
            if (!ended && mayBecome(functionOpener, buffer, cursor)) return { kind: "more" };
            // A tag that ends the input says nothing about its family; a begun <function= does.
            return ended && cursor < buffer.length && mayBecome(functionOpener, buffer, cursor) && outer
              ? broken(buffer, buffer.length, "cut")
              : { kind: "no" };
          }
          case "name": {
            const read = readName(buffer, ended);
            if (read === "more") return { kind: "more" };
            if (read === null || !toolNamePattern.test(read)) {
              return outer && ended && cursor + longestName > buffer.length
                ? broken(buffer, buffer.length, "cut")
                : { kind: "no" };
            }
            name = read;
            bodyStart = cursor;
            state = "body";
            continue;
          }
          case "body": {
            cursor = skipBlanks(buffer, cursor, meter);
            if (buffer.startsWith(parameterOpener, cursor)) {
              cursor += parameterOpener.length;
              state = "parameter-name";
              continue;
            }
            if (buffer.startsWith(functionCloser, cursor)) {
              finishFunction(cursor + functionCloser.length);
              continue;
            }
            if (buffer.startsWith(outerCloser, cursor) && outer) {
              finishFunction(cursor);
              continue;
            }
            if (
              cursor === buffer.length ||
              [parameterOpener, functionCloser, outerCloser].some((tag) => mayBecome(tag, buffer, cursor))
            ) {
              return ended ? broken(buffer, buffer.length, "cut") : { kind: "more" };
            }
            // Behind `<function=NAME>` stands neither a parameter nor the end: another family's body, or prose.
            return calls.length === 0 && Object.keys(values).length === 0
              ? { kind: "no" }
              : broken(buffer, cursor, "malformed");
          }
          case "parameter-name": {
            const read = readName(buffer, ended);
            if (read === "more") return { kind: "more" };
            if (read === null) return broken(buffer, ended ? buffer.length : cursor, ended ? "cut" : "malformed");
            parameter = read;
            valueStart = cursor;
            state = "value";
            continue;
          }
          case "value": {
            const found = endOfValue(buffer, ended);
            if (found === "more") return { kind: "more" };
            if (found === null) return broken(buffer, buffer.length, "cut");
            values[parameter] = trimValue(buffer.slice(valueStart, found.end));
            cursor = found.next;
            state = "body";
            if (found.closes) finishFunction(found.next);
            continue;
          }
          case "after-function": {
            const next = skipBlanks(buffer, cursor, meter);
            if (outer && buffer.startsWith(outerCloser, next))
              return { kind: "call", end: next + outerCloser.length, calls };
            if (outer && buffer.startsWith(functionOpener, next)) {
              cursor = next + functionOpener.length;
              state = "name";
              continue;
            }
            const open =
              next === buffer.length || [outerCloser, functionOpener].some((tag) => mayBecome(tag, buffer, next));
            if (outer && open && !ended) return { kind: "more" };
            // Without an outer tag a stray closer is still part of this call's markup (the opener was lost).
            if (!outer && buffer.startsWith(outerCloser, next))
              return { kind: "call", end: next + outerCloser.length, calls };
            if (!outer && !ended && (next === buffer.length || mayBecome(outerCloser, buffer, next)))
              return { kind: "more" };
            return { kind: "call", end: functionEnd, calls };
          }
        }
        state satisfies never;
      }
    },
  };
}

export const qwen3Coder: ToolCallFormat = {
  name: "qwen3_coder",
  openers: [outerOpener, functionOpener],
  bare: false,
  parsers: {
    vllm: ["qwen3_coder", "qwen3_xml"],
    sglang: ["qwen3_coder"],
    ollama: ["qwen3-coder", "qwen3.5"],
    "llama-server": ["a chat template with <function= and <parameter="],
  },
  openReader,
  render: (calls) =>
    calls
      .map((call) => {
        const parameters = Object.entries(call.arguments).map(
          ([key, value]) =>
            `<parameter=${key}>\n${typeof value === "string" ? value : spacedJson(value)}\n${parameterCloser}\n`,
        );
        return `${outerOpener}\n${functionOpener}${call.name}>\n${parameters.join("")}${functionCloser}\n${outerCloser}`;
      })
      .join("\n"),
};
