import { type Place, placeOfPiece } from "../../protocol/call-position.ts";
import type { Tool } from "../../protocol/chat.ts";
import type { Piece, ScannedCall } from "../../protocol/formats/format.ts";
import { findFormat, toolCallFormats } from "../../protocol/formats/index.ts";
import { scanText } from "../../protocol/formats/scanner.ts";
import { mendBroken } from "../../protocol/hand-on.ts";
import type { JudgedCall } from "./classification.ts";
import { judgeCall } from "./served-calls.ts";

/** A call, or the beginning of one, that the model wrote as text at a place where calls stand. */
export interface TextAttempt {
  readonly format: string;
  readonly bare: boolean;
  readonly start: number;
  readonly end: number;
  /** `whole`: it could be read to its end; `cut`: the text ends inside it; `broken`: it is damaged in itself. */
  readonly state: "whole" | "cut" | "broken";
  /** Whole calls, and what a safe repair makes of a damaged one. */
  readonly calls: readonly JudgedCall[];
  /** Name of the call that was cut or damaged, where readable. */
  readonly name: string | null;
}

/** Attempts in a text and the stretches that look like calls and only speak of them. */
export interface TextCalls {
  readonly attempts: readonly TextAttempt[];
  readonly quoted: readonly {
    readonly start: number;
    readonly end: number;
    readonly format: string;
    readonly place: Place;
  }[];
  readonly pieces: readonly Piece[];
}

/** True for formats in which only the place makes a call of JSON or code. */
export function isBareFormat(name: string): boolean {
  return findFormat(name)?.bare ?? false;
}

/** Formats hold their arguments as an object; one that a model wrote as a string is escaped once too often. */
function judgeScanned(call: ScannedCall, tools: readonly Tool[]): JudgedCall {
  const judged = judgeCall(call.name, call.arguments, tools, call.untyped);
  return typeof call.arguments === "string" && judged.validity === "valid"
    ? { ...judged, validity: "repairable", problems: ["escaped_twice"] }
    : judged;
}

/** A call that took a repair to read is repairable at best. */
function lowered(call: JudgedCall): JudgedCall {
  return call.validity === "valid" ? { ...call, validity: "repairable" } : call;
}

/** Finds what the model wrote as calls in one text (a field of the reply without its reasoning, or a raw text). */
export function findTextCalls(text: string, tools: readonly Tool[], userText: string): TextCalls {
  const pieces = scanText(toolCallFormats, text);
  const attempts: TextAttempt[] = [];
  const quoted: TextCalls["quoted"][number][] = [];
  const declared = new Set(tools.map((tool) => tool.function.name));

  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === "text") continue;
    const bare = isBareFormat(piece.format);
    const place = placeOfPiece(text, pieces, index, bare, userText);
    if (place.kind === "quoted") {
      quoted.push({ start: piece.start, end: piece.end, format: piece.format, place });
      continue;
    }
    const calls = piece.calls.map((call) => judgeScanned(call, tools));
    const base = { format: piece.format, bare, start: piece.start, end: piece.end };
    if (piece.kind === "call") {
      // Without markup an undeclared name is just data that happens to have such keys.
      if (bare && !piece.calls.some((call) => declared.has(call.name))) continue;
      attempts.push({ ...base, state: "whole", calls, name: piece.calls[0]?.name ?? null });
      continue;
    }
    if (bare && (piece.name === null || !declared.has(piece.name))) continue;
    const mended = mendBroken(piece);
    const damaged = mended === null ? null : lowered(judgeCall(mended.call.name, mended.call.arguments, tools));
    attempts.push({
      ...base,
      state: piece.reason === "cut" ? "cut" : "broken",
      calls: damaged === null ? calls : [...calls, damaged],
      name: piece.name,
    });
  }
  return { attempts, quoted, pieces };
}

/** Reasoning wrappers that stand in the text itself: `inside` is thought, `from` is where the reply proper begins. */
export function splitReasoning(text: string): {
  readonly inside: string;
  readonly insideStart: number;
  readonly from: number;
  readonly closed: boolean;
} {
  const open = /^\s*<think(?:ing)?>/.exec(text);
  const close = /<\/think(?:ing)?>/.exec(text);
  if (close !== null && (open !== null || !text.slice(0, close.index).includes("<think"))) {
    const insideStart = open?.[0].length ?? 0;
    return {
      inside: text.slice(insideStart, close.index),
      insideStart,
      from: close.index + close[0].length,
      closed: true,
    };
  }
  if (open !== null)
    return { inside: text.slice(open[0].length), insideStart: open[0].length, from: text.length, closed: false };
  return { inside: "", insideStart: 0, from: 0, closed: true };
}
