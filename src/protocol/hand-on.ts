import type { Tool, ToolChoiceWord } from "./chat.ts";
import type { Piece } from "./formats/format.ts";
import { canonicalJson, type JsonObject, type JsonValue } from "./json.ts";
import { skipDebris, withoutDebrisAtEnd } from "./markup-debris.ts";
import type { FittedCall } from "./repair/fit-call.ts";
import type { AppliedRepair } from "./repair/repair.ts";
import { readUserRequest } from "./user-request.ts";
import { readWritten, type WrittenStretch } from "./written-calls.ts";

/** What a careful adapter needs to know beside the text. */
export interface HandOnRequest {
  readonly tools: readonly Tool[];
  readonly choice: ToolChoiceWord;
  readonly namedTool: string | null;
  /** Text of the latest user turn. */
  readonly userText: string;
}

/** How the text ended: by the model's own will, by a budget, or because the stream was lost. */
export type TextEnd = "stopped" | "budget" | "lost";

/** A call that may be handed on. `repairs` is what it took, in order, with evidence; empty for a call read strictly. */
export interface HandedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly format: string;
  readonly start: number;
  readonly end: number;
  readonly repairs: readonly AppliedRepair[];
}

/** A call-like stretch that must not be acted on, with the reason. */
export interface RejectedCall {
  readonly name: string | null;
  readonly format: string;
  readonly start: number;
  readonly end: number;
  readonly reason:
    | "undeclared_tool"
    | "arguments_do_not_fit"
    | "not_json"
    | "cut"
    | "quoted"
    | "two_readings"
    | "choice_none"
    | "not_the_named_tool";
}

export interface HandOn {
  readonly calls: readonly HandedCall[];
  readonly rejected: readonly RejectedCall[];
  /** The text without the calls that were handed on, and without markup that holds no readable call. */
  readonly residual: string;
}

/** A text that two calls share only if they are one: the same name and equal arguments. */
export function callKey(call: { readonly name: string; readonly arguments: JsonValue | null }): string {
  return `${call.name} ${canonicalJson(call.arguments)}`;
}

/**
 * What a careful adapter would hand on of a scanned text. Three conditions for each call: its tool is declared, its
 * arguments fit (perhaps after a safe repair), and it stands where a call stands. A call that was cut is never completed.
 */
export function handOn(text: string, pieces: readonly Piece[], request: HandOnRequest, end: TextEnd): HandOn {
  const stretches = readWritten(text, pieces, {
    tools: request.tools,
    request: readUserRequest(request.userText),
    stopped: end === "stopped",
  });
  return handOnWritten(text, stretches, request);
}

/** The same for stretches that have been read already. */
export function handOnWritten(
  text: string,
  stretches: readonly WrittenStretch[],
  request: Pick<HandOnRequest, "choice" | "namedTool">,
): HandOn {
  const calls: HandedCall[] = [];
  const rejected: RejectedCall[] = [];
  const removed: [number, number][] = [];
  const known = new Set<string>();

  for (const written of stretches) {
    const { format, start, end } = written;
    const stretch = { format, start, end };
    if (written.place.kind === "quoted") {
      rejected.push({ name: written.name, ...stretch, reason: "quoted" });
      continue;
    }
    removed.push([start, end]);
    for (const entry of written.entries) {
      for (const fitted of entry.fitted) {
        const reason = reasonAgainst(fitted, request);
        if (reason !== null) rejected.push({ name: fitted.name, ...stretch, reason });
        // Equal calls are one call: some models and servers repeat them.
        else if (fitted.kind === "fits" && !known.has(callKey(fitted))) {
          known.add(callKey(fitted));
          calls.push({
            name: fitted.name,
            arguments: fitted.arguments,
            ...stretch,
            repairs: [...entry.readRepairs, ...fitted.repairs],
          });
        }
      }
    }
    if (written.lost)
      rejected.push({ name: written.name, ...stretch, reason: written.state === "cut" ? "cut" : "not_json" });
  }
  return { calls, rejected, residual: residualText(text, removed) };
}

/** Why a call may not be made although it stands where calls stand; null where it may. */
function reasonAgainst(
  fitted: FittedCall,
  request: Pick<HandOnRequest, "choice" | "namedTool">,
): RejectedCall["reason"] | null {
  switch (fitted.kind) {
    case "undeclared":
      return "undeclared_tool";
    case "ambiguous":
      return "two_readings";
    case "unfit":
      return fitted.problems.includes("not_json") ? "not_json" : "arguments_do_not_fit";
    case "fits":
      if (request.choice === "none") return "choice_none";
      return request.namedTool !== null && request.namedTool !== fitted.name ? "not_the_named_tool" : null;
    default:
      return fitted satisfies never;
  }
}

/** The text without the stretches that are given (in order, none inside another) and without the wreckage of markup around them. */
export function residualText(text: string, removed: readonly (readonly [number, number])[]): string {
  if (removed.length === 0) return text.trim();
  let residual = "";
  let from = 0;
  for (const [start, end] of removed) {
    residual = withoutDebrisAtEnd(residual + text.slice(from, Math.max(from, start)));
    from = skipDebris(text, Math.max(from, end));
  }
  return (residual + text.slice(from)).replace(/\n{3,}/g, "\n\n").trim();
}
