import { placeOfPiece } from "./call-position.ts";
import type { Tool, ToolChoiceWord } from "./chat.ts";
import type { Piece, ScannedCall } from "./formats/format.ts";
import { canonicalJson, isJsonObject, type JsonObject } from "./json.ts";
import { repairArguments } from "./repair/arguments.ts";
import { repairJson } from "./repair/json-text.ts";
import { argumentsFit, checkArguments, typeArguments } from "./tool-arguments.ts";

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

/** A call that may be handed on. `repairs` names what it took, in order; empty for a call read strictly. */
export interface HandedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly format: string;
  readonly start: number;
  readonly end: number;
  readonly repairs: readonly string[];
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
    | "choice_none"
    | "not_the_named_tool";
}

export interface HandOn {
  readonly calls: readonly HandedCall[];
  readonly rejected: readonly RejectedCall[];
  /** The text without the calls that were handed on, and without markup that holds no readable call. */
  readonly residual: string;
}

/** One call of one tool: the same name and equal arguments are one call, however often it is written. */
export function sameCall(
  left: { name: string; arguments: unknown },
  right: { name: string; arguments: unknown },
): boolean {
  return (
    left.name === right.name &&
    canonicalJson(left.arguments as JsonObject) === canonicalJson(right.arguments as JsonObject)
  );
}

/**
 * What a careful adapter would hand on of a scanned text. Three conditions for each call: its tool is declared, its
 * arguments fit (perhaps after a safe repair), and it stands where a call stands. A call that was cut is never completed.
 */
export function handOn(
  text: string,
  pieces: readonly Piece[],
  request: HandOnRequest,
  end: TextEnd,
  isBare: (format: string) => boolean,
): HandOn {
  const calls: HandedCall[] = [];
  const rejected: RejectedCall[] = [];
  const removed: [number, number][] = [];

  const consider = (piece: CallPiece, call: ScannedCall, viaRepair: readonly string[]): void => {
    const stretch = { format: piece.format, start: piece.start, end: piece.end };
    const fitted = fitCall(call, request);
    if (fitted.kind === "rejected") rejected.push({ name: call.name, ...stretch, reason: fitted.reason });
    // Equal calls are one call: some models and servers repeat them.
    else if (!calls.some((known) => sameCall(known, { name: call.name, arguments: fitted.arguments })))
      calls.push({
        name: call.name,
        arguments: fitted.arguments,
        ...stretch,
        repairs: [...viaRepair, ...fitted.repairs],
      });
  };

  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === "text") continue;
    const stretch = {
      name: piece.kind === "broken" ? piece.name : null,
      format: piece.format,
      start: piece.start,
      end: piece.end,
    };
    if (placeOfPiece(text, pieces, index, isBare(piece.format), request.userText).kind === "quoted") {
      rejected.push({ ...stretch, reason: "quoted" });
      continue;
    }
    removed.push([piece.start, piece.end]);
    for (const call of piece.calls) consider(piece, call, []);
    if (piece.kind === "call") continue;
    const mended = piece.reason === "malformed" || end === "stopped" ? mendBroken(piece) : null;
    if (mended !== null) consider(piece, mended.call, mended.repairs);
    else rejected.push({ ...stretch, reason: piece.reason === "cut" ? "cut" : "not_json" });
  }
  return { calls, rejected, residual: residualText(text, removed) };
}

type CallPiece = Exclude<Piece, { kind: "text" }>;

type Fitted =
  | { readonly kind: "fits"; readonly arguments: JsonObject; readonly repairs: readonly string[] }
  | { readonly kind: "rejected"; readonly reason: RejectedCall["reason"] };

/** Whether a call may be made: declared, allowed by the tool choice, its arguments fitting as they are or after a safe repair. */
function fitCall(call: ScannedCall, request: HandOnRequest): Fitted {
  const tool = request.tools.find((candidate) => candidate.function.name === call.name);
  if (tool === undefined) return { kind: "rejected", reason: "undeclared_tool" };
  if (request.choice === "none") return { kind: "rejected", reason: "choice_none" };
  if (request.namedTool !== null && request.namedTool !== call.name)
    return { kind: "rejected", reason: "not_the_named_tool" };
  const given = call.untyped ? typeArguments(tool, call.arguments) : call.arguments;
  if (isJsonObject(given) && argumentsFit(checkArguments(tool, given)))
    return { kind: "fits", arguments: given, repairs: [] };
  const repaired = repairArguments(tool, given);
  const repairs = typeof given === "string" ? ["escaped_twice", ...repaired.repairs] : repaired.repairs;
  if (repaired.value !== null) return { kind: "fits", arguments: repaired.value, repairs };
  return { kind: "rejected", reason: typeof given === "string" ? "not_json" : "arguments_do_not_fit" };
}

/** Mends the arguments' text of a damaged call whose name could be read; brackets may be closed, an open string never. */
export function mendBroken(
  piece: Extract<Piece, { kind: "broken" }>,
): { call: ScannedCall; repairs: readonly string[] } | null {
  if (piece.name === null || piece.argumentsText === "") return null;
  const text = piece.argumentsText.replace(/<\/tool_call>\s*$/, "").trimEnd();
  const candidates = [text, text.replace(/\}\s*$/, "")];
  for (const candidate of candidates) {
    const read = repairJson(candidate);
    if (read !== null && typeof read.value === "object" && read.value !== null && !Array.isArray(read.value)) {
      const call: ScannedCall = { name: piece.name, arguments: read.value, argumentsText: candidate, untyped: false };
      return { call, repairs: read.repairs.length > 0 ? read.repairs : ["unclosed_call"] };
    }
  }
  return null;
}

/** The text without what was acted on and without the wreckage of markup; text that only speaks of calls stays. */
function residualText(text: string, removed: readonly (readonly [number, number])[]): string {
  let residual = "";
  let from = 0;
  for (const [start, end] of removed) {
    residual += text.slice(from, start);
    from = end;
  }
  return (residual + text.slice(from)).replace(/\n{3,}/g, "\n\n").trim();
}
