import type { ToolChoiceWord } from "../../protocol/chat.ts";

/** What a server makes of what a model wrote; closed, so that every dialect says something about each. */
export const outcomes = [
  /** Plain text or a marker, handed on as it is. */
  "text",
  /** The call came back as a tool call; text before it as content. */
  "call",
  /** The call came back as text. */
  "leaked",
  /** Neither call nor text of it came back; text before it did. */
  "swallowed",
  /** A grammar was active from the first token: a call and nothing else, whatever the model meant to write. */
  "forced_call",
  /** A grammar took over behind its trigger: a clean call of a declared tool. */
  "converted_call",
  /** Free text is legal, the end of the text is not: text and then a call, or text on to max_tokens. */
  "text_then_call",
  /** The opening tag came back as content, then the grammar wrote a call. */
  "tag_then_call",
  /** The server failed on the model's output. */
  "parse_error",
  /** The server refuses the request before anything is generated. */
  "refused",
  /** All of the text came back as reasoning. */
  "reasoning",
  /** As `reasoning`, although a call was required: nothing forced it. */
  "reasoning_unforced",
] as const;
export type Outcome = (typeof outcomes)[number];

/** How a reply travels. */
export type Mode = "body" | "stream";

/** What the request asked: a word of tool_choice, or no tools at all. */
export type Asked = ToolChoiceWord | "no_tools";
export const askedValues: readonly Asked[] = ["auto", "required", "named", "none", "no_tools"];

/**
 * What a model wrote, as the rows of the matrices name it: a text format of tool calls, `marker`, or `text`. `braced` is a
 * text or marker that holds `{`; only set-ups where that makes a difference have such a row.
 */
export type WrittenForm = string;

export type Cell = Readonly<Record<Mode, Outcome>>;
export type Row = Readonly<Partial<Record<Asked, Cell>>>;
export type Cells = Readonly<Record<WrittenForm, Row>>;

/**
 * What becomes of a call that max_tokens cuts: shown as text, served with what there is of its arguments (before its name is
 * whole: nothing, or the tag as text), served with `{}`, lost, or an HTTP 500.
 */
export type CutCall = "leaked" | "partial" | "partial_or_tag" | "emptied" | "lost" | "failed";

/** `<think>…</think>`: left in the content, or taken out with its white space as it is, without the first line break, or trimmed. */
export type ThinkingSplit = "text" | "exact" | "leading_cut" | "trimmed";

/** What becomes of text behind a call; `unwritten`: the grammar does not let the model write it. */
export type AfterCall = "kept" | "dropped" | "unwritten";

/** One measured set-up of a server. A cell that is absent was not measured: a profile that can reach it is refused. */
export interface SetUp {
  /** As it is named in messages: "vllm, parser hermes". */
  readonly name: string;
  readonly cells: Cells;
  /** Cells for replies that begin with a closed `<think>` block; absent where the block is just text. */
  readonly thoughtCells?: Cells;
  readonly thinking: ThinkingSplit;
  /** The format in which a grammar of this set-up makes the model write. */
  readonly nativeFormat: string;
  /** A well-formed call of a tool that the request does not declare: passed on, lost, or impossible since a grammar knows the names. */
  readonly undeclared: "as_declared" | "swallowed" | "steered";
  /** Text behind a call that came back as a call, and behind one that was swallowed; absent where it was not measured. */
  readonly afterCall?: Readonly<Record<Mode, AfterCall>>;
  readonly afterSwallowed?: Readonly<Record<Mode, AfterCall>>;
  /** The second of several swallowed calls and those behind it; swallowed, too, where absent. */
  readonly laterSwallowed?: Readonly<Record<Mode, "swallowed" | "leaked">>;
  /** Where a parse error strikes a stream: before anything of the call is shown, or at the first `{` with half a call. */
  readonly failsAt: "start" | "brace";
  readonly cutCall: Readonly<Record<Mode, CutCall>>;
  /** White space around served text is removed. */
  readonly trims: boolean;
  /** Arguments with blanks behind `:` and `,` as models write them, or printed anew without. */
  readonly argumentsStyle: "spaced" | "compact";
  /** Most calls that a forced reply holds; absent = as many as the model writes. */
  readonly forcedCalls: Readonly<Partial<Record<Asked, number>>>;
}

export function both(outcome: Outcome): Cell {
  return { body: outcome, stream: outcome };
}

export function split(body: Outcome, stream: Outcome): Cell {
  return { body, stream };
}

/** The row for a text or a marker: set-ups that stumble over a brace have a row of their own for it. */
export function formOfText(text: string, marker: boolean, setUp: SetUp): string {
  if (marker) return "marker";
  return text.includes("{") && setUp.cells["braced"] !== undefined ? "braced" : "text";
}

/** The measured cell, or undefined. */
export function cellOf(setUp: SetUp, form: string, asked: Asked, thought: boolean): Cell | undefined {
  const cells = thought && setUp.thoughtCells !== undefined ? setUp.thoughtCells : setUp.cells;
  return cells[form]?.[asked];
}
