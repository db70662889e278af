import { parseJson, spacedJson } from "../json.ts";
import type { CallReader, Meter, ReaderStep, ScannedCall, ToolCallFormat } from "./format.ts";
import { argumentsInDamagedJson, nameInDamagedJson, readJsonCall } from "./json-call.ts";
import { createJsonExtent } from "./json-extent.ts";
import { createTagSearch, skipBlanks } from "./text-cursor.ts";

const opener = "<tool_call>";
const closer = "</tool_call>";

/**
 * `<tool_call>{"name", "arguments"}</tool_call>`. The call ends with its JSON object, not with the first literal close
 * tag, since file contents quote the protocol. A close tag missing at the end of the input is forgiven: the object is whole.
 */
function openReader(meter: Meter): CallReader {
  let cursor = opener.length;
  let objectStart = -1;
  let extent: ReturnType<typeof createJsonExtent> | null = null;
  let skipping: ReturnType<typeof createTagSearch> | null = null;
  const calls: ScannedCall[] = [];

  const damaged = (buffer: string, end: number, reason: "cut" | "malformed"): ReaderStep => {
    const text = buffer.slice(objectStart === -1 ? opener.length : objectStart, end);
    return {
      kind: "broken",
      end,
      reason,
      calls,
      name: nameInDamagedJson(text),
      argumentsText: argumentsInDamagedJson(text),
    };
  };

  return {
    read(buffer, ended) {
      for (;;) {
        if (skipping !== null) {
          const at = skipping.find(buffer);
          if (at !== -1) return damaged(buffer, at + closer.length, "malformed");
          return ended ? damaged(buffer, buffer.length, "malformed") : { kind: "more" };
        }
        if (extent === null) {
          cursor = skipBlanks(buffer, cursor, meter);
          if (cursor === buffer.length) {
            if (!ended) return { kind: "more" };
            return calls.length > 0 ? { kind: "call", end: cursor, calls } : damaged(buffer, cursor, "cut");
          }
          if (buffer[cursor] === "{") {
            objectStart = cursor;
            extent = createJsonExtent(cursor, meter);
            continue;
          }
          if (calls.length === 0) return { kind: "no" };
          const rest = buffer.slice(cursor, cursor + closer.length);
          if (rest === closer) return { kind: "call", end: cursor + closer.length, calls };
          if (!ended && closer.startsWith(rest)) return { kind: "more" };
          return { kind: "call", end: cursor, calls };
        }
        const step = extent.read(buffer);
        if (step.kind === "more") return ended ? damaged(buffer, buffer.length, "cut") : { kind: "more" };
        const value = step.kind === "closed" ? parseJson(buffer.slice(objectStart, step.end)) : undefined;
        const read = value === undefined ? null : readJsonCall(value);
        if (read === null) {
          skipping = createTagSearch(closer, step.kind === "closed" ? step.end : step.at, meter);
          continue;
        }
        calls.push(read.call);
        cursor = step.kind === "closed" ? step.end : cursor;
        extent = null;
      }
    },
  };
}

export const hermes: ToolCallFormat = {
  name: "hermes",
  openers: [opener],
  bare: false,
  parsers: {
    vllm: ["hermes"],
    sglang: ["qwen25", "hermes", "qwen"],
    ollama: ["qwen3", "qwen3-thinking", "qwen3-vl-instruct", "qwen3-vl-thinking"],
    "llama-server": ["a chat template with <tool_call> JSON"],
  },
  openReader,
  render: (calls) =>
    calls
      .map((call) => `${opener}\n${spacedJson({ name: call.name, arguments: call.arguments })}\n${closer}`)
      .join("\n"),
};
