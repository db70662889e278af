import { spacedJson } from "../protocol/json.ts";
import type { AfterCall, Asked, Mode, Outcome, SetUp } from "./matrices/outcome.ts";
import { countTokens, firstTokens } from "./tokens.ts";
import { renderCalls, type Utterance, type WrittenCall } from "./utterance.ts";

/** A stretch of the generated text and where the API shows it. */
export type Track = TextTrack | CallTrack;
export interface TextTrack {
  readonly kind: "content" | "reasoning" | "hidden";
  readonly start: number;
  readonly end: number;
}
/** A stretch that comes back as a tool call. Offsets say when its parts are known to a reader of the stream. */
export interface CallTrack {
  readonly kind: "call";
  readonly start: number;
  readonly end: number;
  readonly index: number;
  readonly name: string;
  readonly argumentsText: string;
  readonly nameEnd: number;
  readonly argumentsStart: number;
  readonly argumentsEnd: number;
  /** Where the call is whole. */
  readonly closed: number;
}

/** What was generated and what the API shows of it. Tracks joined are `raw`. */
export interface Serving {
  /** Text as generated, steered or not. */
  readonly raw: string;
  readonly tracks: readonly Track[];
  /** True where max_tokens ended it. */
  readonly cut: boolean;
  /** The server fails behind the tracks. */
  readonly failed: boolean;
  /** max_tokens cut a call that the server then could not read. */
  readonly unreadableCall: string | null;
  readonly outcome: Outcome;
}

/** All that decides how an utterance is served. */
export interface ServingOrder {
  readonly utterance: Utterance;
  readonly outcome: Outcome;
  readonly setUp: SetUp;
  readonly mode: Mode;
  readonly asked: Asked;
  /** Most tokens that may be generated. */
  readonly limit: number;
  /** What a grammar writes, where one does. */
  readonly forcedCalls: readonly WrittenCall[];
  /** True where the model has a call of its own to fall back on when the end of the text is forbidden. */
  readonly canBeForced: boolean;
  /** False where the request asked for thinking to be left in the content. */
  readonly splitThinking: boolean;
}

/** Lays an utterance out over what a measured server shows. */
export function serve(order: ServingOrder): Serving {
  const layout = new Layout(order.setUp);
  const failed = layOut(order, layout);
  const whole: Serving = {
    raw: layout.raw,
    tracks: layout.tracks,
    cut: false,
    failed,
    unreadableCall: null,
    outcome: order.outcome,
  };
  return countTokens(whole.raw) > order.limit ? cutServing(whole, order) : whole;
}

class Layout {
  raw = "";
  readonly tracks: Track[] = [];
  private readonly setUp: SetUp;
  private calls = 0;

  constructor(setUp: SetUp) {
    this.setUp = setUp;
  }

  add(kind: TextTrack["kind"], text: string): void {
    if (text === "") return;
    const start = this.raw.length;
    this.raw += text;
    this.tracks.push({ kind, start, end: this.raw.length });
  }

  /** Adds text whose surrounding white space is not shown. */
  addTrimmed(kind: TextTrack["kind"], text: string): void {
    const head = text.length - text.trimStart().length;
    const tail = Math.max(head, text.trimEnd().length);
    this.add("hidden", text.slice(0, head));
    this.add(kind, text.slice(head, tail));
    this.add("hidden", text.slice(tail));
  }

  addCalls(calls: readonly WrittenCall[]): void {
    const text = renderCalls(calls);
    const base = this.raw.length;
    let cursor = 0;
    for (const call of calls) {
      const own = renderCalls([call]);
      const start = Math.max(cursor, text.indexOf(own, cursor));
      this.add("hidden", text.slice(cursor, start));
      cursor = start + own.length;
      this.tracks.push(this.callTrack(call, own, base + start));
      this.raw += own;
    }
    this.add("hidden", text.slice(cursor));
  }

  private callTrack(call: WrittenCall, own: string, start: number): CallTrack {
    const spaced = spacedJson(call.arguments);
    const nameEnd = own.indexOf(call.name) + call.name.length + 1;
    const verbatim = own.indexOf(spaced, nameEnd);
    const compact = this.setUp.argumentsStyle === "compact";
    return {
      kind: "call",
      start,
      end: start + own.length,
      index: this.calls++,
      name: call.name,
      argumentsText: compact ? JSON.stringify(call.arguments) : spaced,
      nameEnd: start + nameEnd,
      // A format without JSON arguments shows the first of them when it opens its first parameter.
      argumentsStart: start + (verbatim === -1 ? Math.min(own.length - 1, nameEnd + "\n<parameter=".length) : verbatim),
      argumentsEnd: start + (verbatim === -1 ? own.length : verbatim + spaced.length),
      closed: start + (verbatim === -1 ? own.length : Math.min(own.length, verbatim + spaced.length + 1)),
    };
  }
}

/** Writes the layout; true where the server fails behind it. */
function layOut(order: ServingOrder, layout: Layout): boolean {
  const { utterance, outcome, setUp, mode } = order;
  const written = `${utterance.text}${renderCalls(utterance.calls)}`;
  const fullText = `${utterance.before}${written}${utterance.after}`;
  if (outcome === "forced_call") {
    addThought(order, layout, "call");
    layout.addCalls(order.forcedCalls);
    return false;
  }
  if (outcome === "reasoning" || outcome === "reasoning_unforced") {
    if (setUp.trims) layout.addTrimmed("reasoning", fullText);
    else layout.add("reasoning", fullText);
    return false;
  }
  addThought(order, layout, outcome === "call" ? "call" : "text");
  switch (outcome) {
    case "text":
    case "leaked":
      if (setUp.trims) layout.addTrimmed("content", fullText);
      else layout.add("content", fullText);
      return false;
    case "call":
      addBefore(order, layout);
      layout.addCalls(utterance.calls);
      addAfter(setUp.afterCall?.[mode], utterance.after, layout);
      return false;
    case "converted_call":
      layout.add("content", utterance.before);
      layout.addCalls(order.forcedCalls);
      return false;
    case "swallowed":
      addBefore(order, layout);
      addSwallowed(order, written, layout);
      addAfter(setUp.afterSwallowed?.[mode], utterance.after, layout);
      return false;
    case "text_then_call":
      layout.add("content", fullText);
      if (order.canBeForced) layout.addCalls(order.forcedCalls);
      else layout.add("content", "#".repeat(Math.max(0, order.limit + 1 - countTokens(layout.raw))));
      return false;
    case "tag_then_call":
      layout.add("content", `${utterance.before}<tool_call>\n`);
      layout.addCalls(order.forcedCalls);
      return false;
    case "parse_error": {
      addBefore(order, layout);
      const brace = setUp.failsAt === "brace" ? Math.max(0, written.indexOf("{")) : 0;
      layout.add("content", written.slice(0, brace));
      layout.add("hidden", `${written.slice(brace)}${utterance.after}`);
      return true;
    }
    case "refused":
      return false;
    default:
      return outcome satisfies never;
  }
}

/** In the qwen3.5 pair text before a call is thinking that the call ends; elsewhere it is content. */
function addBefore(order: ServingOrder, layout: Layout): void {
  const unclosed = order.setUp.thinking === "exact" || order.setUp.thinking === "trimmed";
  const kind = unclosed && order.utterance.thought === null ? "reasoning" : "content";
  if (order.setUp.trims) layout.addTrimmed(kind, order.utterance.before);
  else layout.add(kind, order.utterance.before);
}

/** Calls of which nothing is shown, or nothing but those behind the first; of the parser's own format their opening line alone. */
function addSwallowed({ utterance, setUp, mode }: ServingOrder, written: string, layout: Layout): void {
  const leaks = setUp.laterSwallowed?.[mode] === "leaked" && utterance.calls.length > 1;
  const first = leaks ? renderCalls(utterance.calls.slice(0, 1)).length : written.length;
  const gap = /^\s*/.exec(written.slice(first))?.[0].length ?? 0;
  const isOwn = utterance.calls[0]?.format === setUp.nativeFormat;
  const from = isOwn ? first : first + gap;
  const until = isOwn ? written.indexOf("\n", first + gap) + 1 : written.length;
  layout.add("hidden", written.slice(0, from));
  layout.add("content", written.slice(from, Math.max(from, until)));
  layout.add("hidden", written.slice(Math.max(from, until)));
}

function addAfter(fate: AfterCall | undefined, after: string, layout: Layout): void {
  if (fate === "kept") layout.add("content", after);
  else if (fate !== "unwritten") layout.add("hidden", after);
}

/** The thinking block; `next` is what follows it, since one server shows the white space between thinking and a streamed call. */
function addThought(order: ServingOrder, layout: Layout, next: "call" | "text"): void {
  const { thought } = order.utterance;
  if (thought === null) return;
  const { thinking } = order.setUp;
  const gap = "\n\n";
  if (thinking === "text" || !order.splitThinking) {
    layout.add("content", `<think>\n${thought}\n</think>${gap}`);
    return;
  }
  layout.add("hidden", "<think>");
  if (thinking === "exact") layout.add("reasoning", `\n${thought}\n`);
  else if (thinking === "leading_cut") {
    layout.add("hidden", "\n");
    layout.add("reasoning", `${thought}\n`);
  } else layout.addTrimmed("reasoning", `\n${thought}\n`);
  layout.add("hidden", "</think>");
  const shown = thinking === "exact" && (next === "text" || order.mode === "stream") && order.outcome !== "forced_call";
  layout.add(shown ? "content" : "hidden", gap);
}

/** What is left when max_tokens ends the text, as each set-up was seen to handle it. */
function cutServing(whole: Serving, order: ServingOrder): Serving {
  const raw = firstTokens(whole.raw, order.limit);
  const length = raw.length;
  const fate = order.setUp.cutCall[order.mode];
  const tracks: Track[] = [];
  let unreadableCall: string | null = null;
  for (const track of whole.tracks) {
    if (track.start >= length) break;
    if (track.kind !== "call") {
      tracks.push({ ...track, end: Math.min(track.end, length) });
      continue;
    }
    if (track.closed <= length) {
      tracks.push({ ...track, end: Math.min(track.end, length) });
      continue;
    }
    const rest: TextTrack = { kind: "hidden", start: track.start, end: length };
    switch (fate) {
      case "leaked":
        return {
          ...whole,
          raw,
          cut: true,
          failed: false,
          tracks: [...thinkingOf(tracks), shownFromThinking(tracks, length)],
        };
      case "partial":
      case "partial_or_tag":
        if (track.nameEnd <= length) tracks.push(cutCall(track, length));
        else tracks.push(fate === "partial" ? rest : { ...rest, kind: "content" });
        break;
      case "emptied":
        if (track.nameEnd <= length)
          tracks.push({ ...track, end: length, argumentsText: "{}", argumentsEnd: length, closed: length });
        else tracks.push(rest);
        break;
      case "lost":
        tracks.push(rest);
        break;
      case "failed":
        unreadableCall = track.name;
        tracks.push(rest);
        break;
      default:
        fate satisfies never;
    }
  }
  // A parser that fails on a whole foreign call finds nothing in one that was cut before its end.
  return { ...whole, raw, cut: true, failed: false, tracks, unreadableCall };
}

function thinkingOf(tracks: readonly Track[]): Track[] {
  const last = tracks.findLastIndex((track) => track.kind === "reasoning");
  return last === -1 ? [] : tracks.slice(0, last + 2);
}

function shownFromThinking(tracks: readonly Track[], length: number): TextTrack {
  return { kind: "content", start: thinkingOf(tracks).at(-1)?.end ?? 0, end: length };
}

function cutCall(track: CallTrack, length: number): CallTrack {
  return {
    ...track,
    end: length,
    argumentsText: track.argumentsText.slice(0, argumentsUpTo(track, length)),
    argumentsStart: Math.min(track.argumentsStart, length),
    argumentsEnd: length,
    closed: length,
  };
}

/** How much of a call's arguments is known to a reader at `position`: exactly where they stand in the text, else in proportion. */
function argumentsUpTo(track: CallTrack, position: number): number {
  const { argumentsStart: start, argumentsEnd: end, argumentsText } = track;
  if (position >= end) return argumentsText.length;
  if (position <= start) return 0;
  if (end - start === argumentsText.length) return position - start;
  const share = Math.floor((argumentsText.length * (position - start)) / (end - start));
  const unit = argumentsText.charCodeAt(share);
  return unit >= 0xdc00 && unit <= 0xdfff ? share + 1 : share;
}

/** What a reader of the stream learns from one piece. */
export type Emission =
  | { readonly kind: "content"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call_open"; readonly call: CallTrack }
  | { readonly kind: "call_arguments"; readonly call: CallTrack; readonly text: string }
  | { readonly kind: "call_whole"; readonly call: CallTrack };

/** What the API shows of the piece from `start` to `end`, in order. */
export function emissions(serving: Serving, start: number, end: number): Emission[] {
  const found: Emission[] = [];
  for (const track of serving.tracks) {
    if (track.end <= start) continue;
    if (track.start >= end) break;
    if (track.kind === "hidden") continue;
    if (track.kind !== "call") {
      found.push({ kind: track.kind, text: serving.raw.slice(Math.max(start, track.start), Math.min(end, track.end)) });
      continue;
    }
    if (track.nameEnd > start && track.nameEnd <= end) found.push({ kind: "call_open", call: track });
    const text = track.argumentsText.slice(argumentsUpTo(track, start), argumentsUpTo(track, end));
    if (text !== "" && end > track.argumentsStart) found.push({ kind: "call_arguments", call: track, text });
    if (track.closed > start && track.closed <= end) found.push({ kind: "call_whole", call: track });
  }
  return found;
}

/** Joined text of one field, as a body shows it. */
export function shownText(serving: Serving, kind: "content" | "reasoning"): string {
  return serving.tracks
    .filter((track) => track.kind === kind)
    .map((track) => serving.raw.slice(track.start, track.end))
    .join("");
}

export function servedCalls(serving: Serving): readonly CallTrack[] {
  return serving.tracks.filter((track) => track.kind === "call");
}
