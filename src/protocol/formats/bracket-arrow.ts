import { type JsonObject, type JsonValue, spacedJson } from "../json.ts";
import type { ReaderStep, ToolCallFormat } from "./format.ts";
import { toolNamePattern } from "./json-call.ts";
import { createJsonExtent } from "./json-extent.ts";
import { jsonOrText } from "./json-reading.ts";
import { brokenStep, callStep, createReader, cutStep, noStep } from "./reader-steps.ts";
import { endsInside, findTag, peek, type Reading, type Steps, takeBlanks, takeOne } from "./reading.ts";

const opener = "[TOOL_CALL]";
const closer = "[/TOOL_CALL]";
const name = /^\s*\{\s*tool\s*=>\s*"([^"\n]{1,128})"\s*,\s*args\s*=>\s*\{/;
const flag = /\s*--([\p{L}_][\p{L}\p{N}_-]*)[ \t]+/uy;
const string = /"(?:[^"\\]|\\[\s\S])*"/y;
const word = /[^\s{}[\]"]+/y;

/** Flags and their values, to the closing braces; null where it is no such thing. */
function readFlags(text: string): JsonObject | null {
  const entries: [string, JsonValue][] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const takeJsonText = (): string | undefined => {
    if (text[at] !== "{" && text[at] !== "[") return undefined;
    const extent = createJsonExtent(at, { steps: 0 }).read(text);
    if (extent.kind !== "closed") return undefined;
    const written = text.slice(at, extent.end);
    at = extent.end;
    return written;
  };
  for (let key = take(flag); key !== null; key = take(flag)) {
    const written = takeJsonText() ?? (take(string) ?? take(word))?.[0];
    if (written === undefined) return null;
    entries.push([key[1] ?? "", jsonOrText(written)]);
  }
  return /^\s*\}\s*\}\s*$/.test(text.slice(at)) ? Object.fromEntries(entries) : null;
}

function* readArrow(reading: Reading): Steps<ReaderStep> {
  if ((yield* takeOne(reading, [opener])) === null) return noStep;
  yield* takeBlanks(reading);
  const next = yield* peek(reading);
  if (next !== "{") return next === "" ? cutStep(reading, []) : noStep;
  const bodyStart = reading.at;
  reading.at++;
  yield* takeBlanks(reading);
  if ((yield* takeOne(reading, ["tool"])) === null)
    return endsInside(reading, ["tool"]) ? cutStep(reading, []) : noStep;
  const found = yield* findTag(reading, [closer]);
  const body = reading.buffer.slice(bodyStart, found?.at ?? reading.buffer.length);
  const head = name.exec(body);
  const tool = head?.[1] ?? null;
  const argumentsText = body.slice(head?.[0].length ?? 0);
  if (found === null) return brokenStep([], { end: reading.buffer.length, reason: "cut", name: tool, argumentsText });
  reading.at = found.at + closer.length;
  const values = readFlags(argumentsText);
  if (tool === null || !toolNamePattern.test(tool) || values === null)
    return brokenStep([], { end: reading.at, reason: "malformed", name: tool, argumentsText });
  return callStep(reading, [{ name: tool, arguments: values, argumentsText, untyped: false }]);
}

/** `[TOOL_CALL]{tool => "NAME", args => {--k "v"}}[/TOOL_CALL]`. */
export const bracketArrow: ToolCallFormat = {
  name: "bracket_arrow",
  openers: [opener],
  bare: false,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": [] },
  models: "several models behind chat gateways",
  openReader: (meter) => createReader(meter, readArrow),
  render: (calls) =>
    calls
      .map((call) => {
        const flags = Object.entries(call.arguments).map(([key, value]) => `  --${key} ${spacedJson(value)}\n`);
        return `${opener}\n{tool => "${call.name}", args => {\n${flags.join("")}}}\n${closer}`;
      })
      .join("\n"),
};
