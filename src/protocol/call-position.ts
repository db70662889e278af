import type { Piece } from "./formats/format.ts";

/** A stretch of text with its surroundings, as far as its place can tell whether it acts or is only spoken of. */
export interface PlaceInput {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** True where only the place can make it a call: JSON or code without markup of its own. */
  readonly bare: boolean;
  /** Text of the latest user turn: whether an example or an action was asked for. */
  readonly userText: string;
}

/** Where a stretch stands: a `call` acts, anything else is spoken of, for the reason given. */
export type Place =
  | { readonly kind: "call" }
  | {
      readonly kind: "quoted";
      readonly reason:
        | "code_span"
        | "fence"
        | "quotation"
        | "mid_sentence"
        | "refusal"
        | "example"
        | "conditional"
        | "text_follows";
    };

const sentenceEnd = /(?:^|[.!?:;。！？：；…」』)）>*~✨🙂😊]|\p{Extended_Pictographic})\s*$/u;

/** Words by which a writer says that what stands beside them is an example or a description. */
const exampleWords =
  /\b(?:for example|for instance|e\.g\.|example|looks? like|written as|the (?:format|syntax)|in the form(?:at)?|would (?:write|emit|output|look|be)|sample|template|documentation)\b|例えば|たとえば|例[:：はを]|という形|形式(?:は|で書|です|を)|書式|のように書|のような(?:形|実行|呼び出し)|例如|比如|格式|写作/i;
/** Words of refusal or negation about doing it. */
const refusalWords =
  /\b(?:won't|will not|can(?:no|')t|cannot|refuse|not going to|shouldn't|should not|must not|do not run|don't run|never run|not (?:run|execute|call)(?:ning|ing)? )|(?:実行|呼び出し|呼ば|使い|行い)(?:は)?(?:しません|しない|いません|ません|できません|たくありません)|お断り|控え(?:ます|る)|(?:不会|不能|无法|拒绝)(?:执行|调用|运行)?/i;
const conditionalWords =
  /\b(?:if you (?:want|like|run|ran|need)|would you like|should i|shall i|could run|you (?:can|could|may) (?:run|use|call))\b|(?:実行|計算|呼び出)(?:し)?(?:たら|すれば|する場合|した場合)|(?:もし|よければ|必要なら|ご希望なら)|しましょうか|如果|要不要/i;
/** A user who asks to be shown, told or taught, not for something to be done. */
const asksForText =
  /\b(?:explain|describe|show me (?:an?|the) (?:example|format|syntax)|what does|how (?:do|does|would|should) .{0,40}(?:format|write|look)|example of|write (?:a|an|the) (?:test|fixture|readme|documentation|doc|example|config|function|script|snippet)|translate|summari[sz]e|review)\b|(?:説明|解説|例(?:を|示)|書き方|書式|形式|翻訳|訳して|要約|レビュー|テスト(?:を|コード)|ドキュメント|サンプル)|(?:解释|说明|举例|翻译|总结|格式)/i;

interface Fence {
  readonly start: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  readonly end: number;
}

/** Fenced code blocks of a text; one without an end runs to the end of the text. */
export function findFences(text: string): readonly Fence[] {
  const fences: Fence[] = [];
  const line = /^[ \t]*(`{3,}|~{3,})[^\n]*$/gm;
  let open: { start: number; bodyStart: number; mark: string } | null = null;
  for (let match = line.exec(text); match !== null; match = line.exec(text)) {
    const mark = match[1] ?? "";
    if (open === null) open = { start: match.index, bodyStart: Math.min(text.length, line.lastIndex + 1), mark };
    else if (mark[0] === open.mark[0] && mark.length >= open.mark.length) {
      fences.push({ start: open.start, bodyStart: open.bodyStart, bodyEnd: match.index, end: line.lastIndex });
      open = null;
    }
  }
  if (open !== null)
    fences.push({ start: open.start, bodyStart: open.bodyStart, bodyEnd: text.length, end: text.length });
  return fences;
}

const quotationMarks: readonly (readonly [string, string])[] = [
  ["「", "」"],
  ["『", "』"],
  ["“", "”"],
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
];

/** Sentences of prose right before and right behind a stretch, where people say what it is. */
function neighbourhood(text: string, start: number, end: number): { before: string; after: string } {
  return { before: text.slice(Math.max(0, start - 240), start), after: text.slice(end, end + 240) };
}

/**
 * Says whether a stretch stands where a call stands: the whole reply, a block of its own after an announcement, or the last
 * thing in the turn. Quotations, code spans, documented examples, refusals and conditionals never do.
 */
export function placeOf(input: PlaceInput): Place {
  const { text, start, end } = input;
  const fence = findFences(text).find((candidate) => candidate.start <= start && end <= candidate.end);
  const from = fence?.start ?? start;
  const to = fence?.end ?? end;
  const { before, after } = neighbourhood(text, from, to);
  const asked = asksForText.test(input.userText);

  if (fence !== undefined) {
    const alone = text.slice(fence.bodyStart, start).trim() === "" && text.slice(end, fence.bodyEnd).trim() === "";
    if (!alone || asked || after.trim() !== "") return { kind: "quoted", reason: "fence" };
  }
  const previous = text[from - 1] ?? "";
  const next = text[to] ?? "";
  if (previous === "`" && next === "`") return { kind: "quoted", reason: "code_span" };
  if (quotationMarks.some(([left, right]) => previous === left && next === right))
    return { kind: "quoted", reason: "quotation" };

  const lineBefore = before.slice(before.lastIndexOf("\n") + 1);
  const lineAfter = after.split("\n", 1)[0] ?? "";
  if (lineBefore.trim() !== "" && !sentenceEnd.test(lineBefore)) return { kind: "quoted", reason: "mid_sentence" };
  if (input.bare && after.trim() !== "") return { kind: "quoted", reason: "text_follows" };
  if (
    /^[\s]*(?:のよう|という|を(?:使|書|送)|などの|の形|\b(?:is|are|was|would|means|in the|as an?|tag|block|format)\b)/.test(
      lineAfter,
    )
  ) {
    return { kind: "quoted", reason: "mid_sentence" };
  }
  const said = lastParagraph(before);
  if (exampleWords.test(said) || (asked && (input.bare || said.trim() !== "")))
    return { kind: "quoted", reason: "example" };
  if (refusalWords.test(said) || refusalWords.test(firstParagraph(after))) return { kind: "quoted", reason: "refusal" };
  if (conditionalWords.test(said)) return { kind: "quoted", reason: "conditional" };
  return { kind: "call" };
}

function lastParagraph(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf("\n\n") + 1);
}

function firstParagraph(text: string): string {
  return text.trimStart().split("\n\n", 1)[0] ?? "";
}

/**
 * Where the call-like piece at `index` stands. Bare calls that only white space, commas or semicolons separate stand in one
 * place together: what follows the first of them is then no foreign text.
 */
export function placeOfPiece(
  text: string,
  pieces: readonly Piece[],
  index: number,
  bare: boolean,
  userText: string,
): Place {
  const piece = pieces[index];
  if (piece === undefined) return { kind: "call" };
  const start = bare ? startOfRun(pieces, index, text) : piece.start;
  const end = bare ? endOfRun(pieces, index, text) : piece.end;
  return placeOf({ text, start, end, bare, userText });
}

function endOfRun(pieces: readonly Piece[], from: number, text: string): number {
  let end = pieces[from]?.end ?? 0;
  for (const piece of pieces.slice(from + 1)) {
    if (piece.kind === "text" && !/^[\s,;]*$/.test(text.slice(piece.start, piece.end))) break;
    end = piece.end;
  }
  return end;
}

function startOfRun(pieces: readonly Piece[], from: number, text: string): number {
  let start = pieces[from]?.start ?? 0;
  for (const piece of pieces.slice(0, from).reverse()) {
    if (piece.kind === "text" && !/^[\s,;]*$/.test(text.slice(piece.start, piece.end))) break;
    start = piece.start;
  }
  return start;
}
