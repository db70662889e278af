import { type Fence, findFences, type Place, placeOf } from "./call-position.ts";
import type { Tool } from "./chat.ts";
import type { Piece } from "./formats/format.ts";
import { type MendedCall, mendBroken } from "./repair/broken-call.ts";
import { type FittedCall, fitCall, type GivenCall } from "./repair/fit-call.ts";
import { mendLostDelimiter, readUnnamedArguments } from "./repair/named-values.ts";
import type { AppliedRepair } from "./repair/repair.ts";
import type { UserRequest } from "./user-request.ts";

/** One call of a written stretch: as it was given, and held against the tools. */
export interface WrittenEntry {
  readonly given: GivenCall;
  readonly fitted: readonly FittedCall[];
  /** What it took to read it at all, before it was held against the tools. */
  readonly readRepairs: readonly AppliedRepair[];
}

/** A stretch of text in a format of calls: where it stands, how whole it is, and what it says. */
export interface WrittenStretch {
  readonly format: string;
  readonly bare: boolean;
  readonly start: number;
  readonly end: number;
  readonly place: Place;
  /** `whole`: it could be read to its end; `cut`: the text ends inside it; `broken`: it is damaged in itself. */
  readonly state: "whole" | "cut" | "broken";
  /** Whole calls, and what a safe repair makes of a damaged one. */
  readonly entries: readonly WrittenEntry[];
  /** True where a cut or damaged call could not be mended. */
  readonly lost: boolean;
  /** Name of the cut or damaged call, or of the first whole one. */
  readonly name: string | null;
}

export interface WrittenContext {
  readonly tools: readonly Tool[];
  /** What the latest user turn asks for. */
  readonly request: UserRequest;
  /** The writer ended the text by itself. */
  readonly stopped: boolean;
}

type CallPiece = Exclude<Piece, { kind: "text" }>;

/** Reads every stretch of a scanned text that is in a format of calls, in order. Linear in the text. */
export function readWritten(
  text: string,
  pieces: readonly Piece[],
  context: WrittenContext,
): readonly WrittenStretch[] {
  if (pieces.every((piece) => piece.kind === "text")) return [];
  const fences = findFences(text);
  let nextFence = 0;
  const fenceAround = (start: number, end: number): Fence | undefined => {
    while (nextFence < fences.length && (fences[nextFence]?.end ?? 0) < end) nextFence++;
    const fence = fences[nextFence];
    return fence !== undefined && fence.start <= start ? fence : undefined;
  };
  return runsOf(text, pieces).flatMap((run) => {
    const [first] = run;
    const start = first?.start ?? 0;
    const end = run.at(-1)?.end ?? start;
    const bare = first?.bare ?? false;
    const place = placeOf({ text, start, end, bare, request: context.request, fence: fenceAround(start, end) });
    const stretches = run.map((piece) => readStretch(text, piece, place, context));
    // Without markup an undeclared name is just data that happens to have such keys.
    return !bare || stretches.some(namesDeclared)
      ? stretches
      : stretches.map((stretch): WrittenStretch => ({ ...stretch, place: { kind: "quoted", reason: "undeclared" } }));
  });
}

/** Calls that stand in one place: bare ones with nothing but white space, commas or semicolons between them, others alone. */
function runsOf(text: string, pieces: readonly Piece[]): readonly (readonly CallPiece[])[] {
  const runs: CallPiece[][] = [];
  let joins = false;
  for (const found of pieces) {
    if (found.kind === "text") {
      joins &&= found.end - found.start < 64 && /^[\s,;]*$/.test(text.slice(found.start, found.end));
      continue;
    }
    const piece = withOrphanCloser(text, found);
    const run = runs.at(-1);
    if (joins && piece.bare && run !== undefined) run.push(piece);
    else runs.push([piece]);
    joins = piece.bare;
  }
  return runs;
}

function readStretch(text: string, piece: CallPiece, place: Place, context: WrittenContext): WrittenStretch {
  const { tools, stopped } = context;
  const whole = piece.calls.map((call): WrittenEntry => {
    const given = { name: call.name, arguments: call.arguments, untyped: call.untyped, stopped, jsonText: false };
    return { given, fitted: fitCall(given, tools), readRepairs: [] };
  });
  const base = { format: piece.format, bare: piece.bare, start: piece.start, end: piece.end, place };
  if (piece.kind === "call")
    return { ...base, state: "whole", entries: whole, lost: false, name: piece.calls[0]?.name ?? null };
  const mended = mend(text, piece, context);
  const entries = (mended ?? []).map(
    ({ given, repairs }): WrittenEntry => ({ given, fitted: fitCall(given, tools), readRepairs: repairs }),
  );
  return {
    ...base,
    state: piece.reason === "cut" ? "cut" : "broken",
    entries: [...whole, ...entries],
    lost: mended === null,
    name: piece.name ?? mended?.[0]?.given.name ?? null,
  };
}

function mend(
  text: string,
  piece: Extract<CallPiece, { kind: "broken" }>,
  { tools, stopped }: WrittenContext,
): readonly MendedCall[] | null {
  const mended = mendBroken(text, piece, stopped);
  if (mended !== null) return mended;
  if (piece.reason === "cut") return null;
  const other = readUnnamedArguments(piece) ?? mendLostDelimiter(piece, tools);
  return other === null ? null : [other];
}

/** Close tags whose opener was lost, by the format that they give away. */
const orphanClosers: readonly (readonly [string, string])[] = [
  ["</tool_call>", "hermes"],
  ["</tools>", "tools_tag"],
  ["</tool_calls>", "jamba"],
];

/** Bare JSON with a close tag right behind it is a call whose open tag was lost: it is that format's, and the tag is part of it. */
function withOrphanCloser(text: string, piece: CallPiece): CallPiece {
  if (!piece.bare || piece.kind !== "call") return piece;
  const behind = text.slice(piece.end, piece.end + 32);
  const closer = orphanClosers.find(([tag]) => behind.trimStart().startsWith(tag));
  if (closer === undefined) return piece;
  const [tag, format] = closer;
  return { ...piece, format, bare: false, end: piece.end + behind.indexOf(tag) + tag.length };
}

function namesDeclared(stretch: WrittenStretch): boolean {
  return stretch.entries.some((entry) => entry.fitted.some((fitted) => fitted.kind !== "undeclared"));
}
