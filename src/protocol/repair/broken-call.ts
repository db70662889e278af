import type { Piece } from "../formats/format.ts";
import { toolCallFormats } from "../formats/index.ts";
import { readJsonCall } from "../formats/json-call.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import type { GivenCall } from "./fit-call.ts";
import { repairJson } from "./json-text.ts";
import { type AppliedRepair, applied } from "./repair.ts";

/** A call read from a damaged stretch, with what it took to read it. */
export interface MendedCall {
  readonly given: GivenCall;
  readonly repairs: readonly AppliedRepair[];
}

type BrokenPiece = Extract<Piece, { kind: "broken" }>;

/** How many brackets are tried as the beginning of the call's JSON: markup may hold a few of its own. */
const triedBrackets = 4;

/**
 * Reads the call of a damaged stretch of `text`, if safe repairs of its JSON make it whole; null where they do not. `stopped`: the
 * writer ended the text by itself, so that one missing bracket at its end is a slip and no cut. An open string is never closed.
 */
export function mendBroken(text: string, piece: BrokenPiece, stopped: boolean): readonly MendedCall[] | null {
  const isCut = piece.reason === "cut";
  if (isCut && !stopped) return null;
  const stretch = text.slice(piece.start, piece.end);
  const closer = ownCloser(stretch, piece.format);
  const body = withoutCloser(stretch, closer);
  if (piece.calls.length === 0) {
    const whole = mendWholeJson(body, isCut);
    if (whole !== null) return whole;
  }
  if (piece.name === null || piece.argumentsText.trim() === "") return null;
  const before = stretch
    .slice(0, Math.max(0, stretch.length - piece.argumentsText.length))
    .replace(/\[\/?[A-Z_]+\]/g, "");
  const openBefore = Math.max(0, (before.match(/[{[]/g)?.length ?? 0) - (before.match(/[}\]]/g)?.length ?? 0));
  const read = repairJson(withoutCloser(piece.argumentsText, closer), {
    // Arguments inside a JSON object that is itself open would lack two brackets.
    stopped: isCut && !/[{[]/.test(before),
    behind: "markup",
    openBefore,
  });
  if (read === null || !isJsonObject(read.value)) return null;
  // The arguments are whole, so it is what stands around them that was never closed.
  const last = body.slice(-24);
  const unclosed =
    closer === "" ? applied("unclosed_call", last, "") : applied("missing_outer_brace", last, `${last}}`);
  const repairs = read.repairs.length > 0 ? read.repairs : [unclosed];
  return [{ given: given(piece.name, read.value), repairs }];
}

/** What a format writes behind the JSON of its calls, tag by tag: the first, the first two, and so on. */
const closers: ReadonlyMap<string, readonly string[]> = new Map(
  toolCallFormats.map((format) => {
    const rendered = format.render([{ name: "f", arguments: { a: 1 } }]);
    const behind = rendered.slice(Math.max(rendered.lastIndexOf("}"), rendered.lastIndexOf("]")) + 1).trim();
    const tags = behind.match(/[^>]+>?/g) ?? [];
    return [format.name, tags.map((_, at) => tags.slice(0, at + 1).join(""))];
  }),
);

/** The format's own words for the end of a call, where the stretch ends with them: those are no damage. */
function ownCloser(stretch: string, format: string): string {
  const end = stretch.trimEnd();
  return closers.get(format)?.findLast((closer) => end.endsWith(closer)) ?? "";
}

function withoutCloser(text: string, closer: string): string {
  const trimmed = text.trimEnd();
  return closer !== "" && trimmed.endsWith(closer) ? trimmed.slice(0, -closer.length) : text;
}

/** The call as one JSON object or list, from one of the first brackets to the end of the stretch. */
function mendWholeJson(body: string, isCut: boolean): readonly MendedCall[] | null {
  let at = -1;
  for (let tried = 0; tried < triedBrackets; tried++) {
    at = nextBracket(body, at + 1);
    if (at === -1) return null;
    const read = repairJson(body.slice(at), { stopped: isCut, behind: "markup" });
    if (read === null) continue;
    const items = Array.isArray(read.value) ? (read.value as readonly JsonValue[]) : [read.value];
    const calls = items.map((item) => readJsonCall(item)?.call ?? null);
    if (calls.length === 0 || calls.some((call) => call === null)) continue;
    const repairs = read.repairs.length > 0 ? read.repairs : [applied("unclosed_call", body.slice(-24), "")];
    return calls.flatMap((call) => (call === null ? [] : [{ given: given(call.name, call.arguments), repairs }]));
  }
  return null;
}

function nextBracket(text: string, from: number): number {
  const brace = text.indexOf("{", from);
  const bracket = text.indexOf("[", from);
  if (brace === -1 || bracket === -1) return Math.max(brace, bracket);
  return Math.min(brace, bracket);
}

function given(name: string, value: JsonValue): GivenCall {
  return { name, arguments: value, untyped: false, stopped: true, jsonText: false };
}
