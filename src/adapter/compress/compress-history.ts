import type { ChatMessage, Tool } from "../../protocol/chat.ts";
import { isJsonObject, type JsonObject } from "../../protocol/json.ts";
import {
  type Depth,
  type Layout,
  layOut,
  longestMark,
  longestWhole,
  type Rendering,
  renderUnits,
  type Unit,
} from "./block.ts";
import { type Fact, findFactsInPieces, type Speaker } from "./facts.ts";
import { placesOfWords, relevance } from "./relevance.ts";
import { textRank } from "./text-rank.ts";
import { messagesSize, utf8Length } from "./text-size.ts";

/** Which kind of text something was left out of. */
export const blockKinds = ["old_output", "background", "earlier_output", "last_output", "instructions"] as const;
export type BlockKind = (typeof blockKinds)[number];

/** One entry of the ledger: a text that does not reach the model, and where it stood. */
export interface DroppedSpan {
  /** Index of the message. */
  readonly message: number;
  /** Index of the part where the content is a list; null where it is one text. */
  readonly part: number | null;
  /** In UTF-16 units of the text. */
  readonly start: number;
  readonly end: number;
  readonly reason: BlockKind | "repeated";
  readonly text: string;
}

/** What became of a history. Sizes are bytes of UTF-8, see `messagesSize`. */
export type Compression =
  | { readonly kind: "untouched"; readonly bytes: number }
  | {
      readonly kind: "compressed";
      readonly messages: readonly ChatMessage[];
      readonly bytesBefore: number;
      readonly bytesAfter: number;
      /** False where what must be kept is alone more than the budget; then nothing else was kept of what may be left out. */
      readonly fits: boolean;
      readonly dropped: readonly DroppedSpan[];
    };

interface Block {
  readonly message: number;
  readonly part: number | null;
  readonly kind: BlockKind;
  readonly speaker: Speaker;
  readonly layout: Layout;
  depth: Depth;
  rendering: Rendering;
}

/** What is given up, in this order, until the rest fits. Instructions come late and keep their lines: a model follows them, not their words. */
const steps: readonly { readonly kinds: readonly BlockKind[]; readonly depth: Depth }[] = [
  { kinds: ["old_output", "earlier_output", "last_output"], depth: "repeats" },
  { kinds: ["old_output"], depth: "facts_and_their_lines" },
  { kinds: ["background"], depth: "facts_and_their_lines" },
  { kinds: ["old_output"], depth: "facts" },
  { kinds: ["background"], depth: "facts" },
  { kinds: ["earlier_output"], depth: "facts_and_their_lines" },
  { kinds: ["earlier_output"], depth: "facts" },
  { kinds: ["last_output"], depth: "facts_and_their_lines" },
  { kinds: ["instructions"], depth: "facts_and_their_lines" },
  { kinds: ["last_output"], depth: "facts" },
];

/**
 * Shortens a history to `budgetBytes`, below which nothing is touched. Messages, their order, ids and calls stay; texts become
 * shorter. The latest user turn, paths, URLs, flags, services, commands, arguments, error lines, exit codes and what the user does
 * not want are kept word for word; of the rest, tool output by its relevance to the question, background by its centrality. In the
 * middle of a text of megabytes, the rest is only what stands beside such facts and the longer words of the question.
 */
export function compressHistory(
  messages: readonly ChatMessage[],
  budgetBytes: number,
  tools: readonly Tool[] = [],
): Compression {
  return finish(compressInSteps(messages, budgetBytes, tools));
}

function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps of a few milliseconds, between which others may have their turn; a short history is one step. */
export function* compressInSteps(
  messages: readonly ChatMessage[],
  budgetBytes: number,
  tools: readonly Tool[] = [],
  bytes = messagesSize(messages),
): Generator<void, Compression> {
  if (bytes <= budgetBytes) return { kind: "untouched", bytes };
  const long = bytes > longestWhole;
  const turn = latestUserTurn(messages);
  const blocks = yield* openBlocks(messages, turn, requiredArguments(messages, tools), long);
  const fixed = bytes - blocks.reduce((sum, block) => sum + block.rendering.bytes, 0);
  const size = (): number => fixed + blocks.reduce((sum, block) => sum + block.rendering.bytes, 0);

  let fits = false;
  for (const { kinds, depth } of steps) {
    const touched = blocks.filter((block) => kinds.includes(block.kind));
    for (const block of touched) {
      block.depth = depth;
      block.rendering = renderUnits(block.layout, depth, new Set());
      if (long) yield;
    }
    const taken = size();
    if (touched.length === 0 || taken > budgetBytes) continue;
    fits = true;
    if (depth !== "repeats") yield* restored(touched, budgetBytes - taken, questionOf(messages, turn), long);
    break;
  }
  // Not a single unit could be given up.
  if (!fits) fits = size() <= budgetBytes;
  return {
    kind: "compressed",
    messages: rewritten(messages, blocks),
    bytesBefore: bytes,
    bytesAfter: size(),
    fits,
    dropped: blocks.flatMap(droppedOf),
  };
}

/**
 * Shortens one text to `maxBytes` by its relevance to a question, without regard to facts. Its beginning is kept where nothing
 * has to do with the question.
 */
export function shortenText(text: string, maxBytes: number, question: string): string {
  const bytes = utf8Length(text);
  if (bytes <= maxBytes) return text;
  const depth = "facts_and_their_lines";
  const layout = layOut(text, "lines", [], () => false);
  const rendering = renderUnits(layout, depth, new Set());
  const block: Block = { message: 0, part: null, kind: "last_output", speaker: "tool", layout, depth, rendering };
  finish(restored([block], maxBytes - rendering.bytes, question, false, "forward"));
  return block.rendering.text;
}

/** The last run of user messages: what is being asked, with what the client put beside it. Empty where there is none. */
function latestUserTurn(messages: readonly ChatMessage[]): { readonly start: number; readonly end: number } {
  const end = messages.findLastIndex((message) => message.role === "user") + 1;
  let start = end;
  while (start > 0 && messages[start - 1]?.role === "user") start -= 1;
  return { start, end };
}

function questionOf(messages: readonly ChatMessage[], turn: { readonly start: number; readonly end: number }): string {
  const asked = messages.slice(turn.start, turn.end).flatMap((message) => textsOf(message).map(({ text }) => text));
  const lastCalls = messages.findLast((message) => (message.tool_calls ?? []).length > 0)?.tool_calls ?? [];
  return [...lastCalls.map((call) => call.function.arguments), ...asked.slice(-2)].join("\n");
}

function requiredArguments(messages: readonly ChatMessage[], tools: readonly Tool[]): readonly string[] {
  const names = new Set<string>();
  const called = new Set(messages.flatMap((message) => message.tool_calls ?? []).map((call) => call.function.name));
  for (const tool of tools) {
    const { required, properties } = tool.function.parameters ?? {};
    if (Array.isArray(required)) for (const name of required) if (typeof name === "string") names.add(name);
    if (called.has(tool.function.name) && isJsonObject(properties))
      for (const name of Object.keys(properties)) names.add(name);
  }
  return [...names];
}

interface PlacedText {
  readonly part: number | null;
  readonly text: string;
}

function textsOf(message: ChatMessage): readonly PlacedText[] {
  const { content } = message;
  if (typeof content === "string") return content === "" ? [] : [{ part: null, text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: JsonObject, at) =>
    typeof part["text"] === "string" && part["text"] !== "" ? [{ part: at, text: part["text"] }] : [],
  );
}

function* openBlocks(
  messages: readonly ChatMessage[],
  turn: { readonly start: number; readonly end: number },
  argumentNames: readonly string[],
  long: boolean,
): Generator<void, readonly Block[]> {
  const lastCall = messages.findLastIndex((message) => (message.tool_calls ?? []).length > 0);
  /** Keys of facts that stand in a text kept already. */
  const said = new Set<string>();
  const found: { message: number; kind: BlockKind; speaker: Speaker; place: PlacedText; facts: readonly Fact[] }[] = [];
  for (const [at, message] of messages.entries()) {
    for (const call of message.tool_calls ?? [])
      for (const fact of yield* findFactsInPieces(call.function.arguments, "user", []))
        if (fact.once) said.add(fact.key);
    const inTurn = at >= turn.start && at < turn.end;
    const speaker = speakerOf(message);
    for (const place of textsOf(message)) {
      const facts = yield* findFactsInPieces(place.text, speaker, argumentNames);
      if (inTurn) for (const fact of facts) said.add(fact.key);
      else found.push({ message: at, kind: kindOf(speaker, at, turn.end, lastCall), speaker, place, facts });
    }
  }
  if (long) yield;
  const kept = keptFacts(found, said);
  const blocks: Block[] = [];
  for (const { message, kind, speaker, place, facts } of found) {
    if (long) yield;
    const { part, text } = place;
    const wanted = text.length > longestWhole ? placesOfWords(text, questionOf(messages, turn)) : [];
    if (long) yield;
    const layout = layOut(text, speaker === "tool" ? "lines" : "sentences", facts, (fact) => kept.has(fact), wanted);
    const rendering = { text, bytes: layout.bytes, gaps: [] };
    blocks.push({ message, part, kind, speaker, layout, depth: "whole", rendering });
  }
  return blocks;
}

function speakerOf(message: ChatMessage): Speaker {
  if (message.role === "user" || message.role === "assistant" || message.role === "tool") return message.role;
  return message.role === "function" ? "tool" : "instructions";
}

function kindOf(speaker: Speaker, at: number, turnEnd: number, lastCall: number): BlockKind {
  if (speaker === "instructions") return "instructions";
  if (speaker !== "tool") return "background";
  if (at < turnEnd) return "old_output";
  return at < lastCall ? "earlier_output" : "last_output";
}

/**
 * Which facts must stand where they are. Those that belong to their place always; an error line that only repeats itself, first
 * and last; of the others the last place that says it, as it is nearest to the question.
 */
function keptFacts(texts: readonly { readonly facts: readonly Fact[] }[], said: Set<string>): ReadonlySet<Fact> {
  const kept = new Set<Fact>();
  for (const { facts } of texts) {
    const placed = facts.filter((fact) => !fact.once);
    const last = new Map(placed.map((fact) => [fact.key, fact]));
    const seen = new Set<string>();
    for (const fact of placed) {
      const repeats = fact.kind === "error_line" && seen.has(fact.key) && last.get(fact.key) !== fact;
      seen.add(fact.key);
      if (!repeats) kept.add(fact);
    }
    let end = 0;
    for (const fact of facts) {
      if (kept.has(fact)) end = Math.max(end, fact.end);
      else if (fact.once && fact.end <= end) said.add(fact.key);
    }
  }
  for (const { facts } of texts.toReversed()) {
    for (const fact of facts.toReversed()) {
      if (!fact.once || said.has(fact.key)) continue;
      said.add(fact.key);
      kept.add(fact);
    }
  }
  return kept;
}

/** With more units than this, one round more costs more time than its room is worth. */
const manyUnits = 20_000;

/** Puts units back, best first, as long as there is room. */
function* restored(
  blocks: readonly Block[],
  room: number,
  question: string,
  long: boolean,
  direction: "forward" | "backward" = "backward",
): Generator<void, void> {
  const candidates: { block: Block; unit: Unit; score: number }[] = [];
  for (const block of blocks) {
    const scores = scoresOf(block, question);
    if (long) yield;
    for (const [at, unit] of block.layout.units.entries()) candidates.push({ block, unit, score: scores[at] ?? 0 });
  }
  // A stable sort: of equal units of a history the later one comes first, because it is nearer to the question.
  const listed = direction === "backward" ? candidates.toReversed() : candidates;
  const order = listed.toSorted((one, two) => two.score - one.score);
  const chosen = new Set<Unit>();
  let left = room;
  // What a mark costs is known only once it is written; a few rounds use the room that was set aside for marks.
  const rounds = order.length > manyUnits ? 2 : 8;
  for (let round = 0; round < rounds; round++) {
    if (long) yield;
    const before = chosen.size;
    let reserved = left;
    for (const { block, unit } of order) {
      if (chosen.has(unit) || (block.depth === "facts_and_their_lines" && unit.facts.length > 0)) continue;
      // The gaps on both sides may get another mark each.
      const cost = unit.bytes + 2 * longestMark;
      if (cost > reserved) continue;
      reserved -= cost;
      chosen.add(unit);
    }
    if (chosen.size === before) return;
    for (const block of blocks) {
      const bytes = block.rendering.bytes;
      block.rendering = renderUnits(block.layout, block.depth, chosen);
      left += bytes - block.rendering.bytes;
    }
  }
}

const longestScored = 8192;

/** Each unit by what it is worth in its block; the neighbours of a good line and the ends of an output are worth something too. */
function scoresOf(block: Block, question: string): readonly number[] {
  const { text, units } = block.layout;
  // What lies between the places that matter in a very long text is no line that could be near to a question.
  const texts = units.map(({ start, end }) => (end - start > longestScored ? "" : text.slice(start, end)));
  if (block.speaker !== "tool") return textRank(texts);
  const scores = relevance(texts, question);
  const highest = Math.max(...scores.slice(0, 50_000), Number.MIN_VALUE);
  return scores.map((score, at) => {
    const beside = (scores[at - 1] ?? 0) + (scores[at + 1] ?? 0);
    const atEnd = at < 3 || at >= scores.length - 5 ? 0.3 : 0;
    return (score + 0.4 * beside) / highest + atEnd - (units[at]?.repeated === true ? 1 : 0);
  });
}

function droppedOf(block: Block): readonly DroppedSpan[] {
  const reason = block.depth === "repeats" ? "repeated" : block.kind;
  return block.rendering.gaps.map(({ start, end }) => ({
    message: block.message,
    part: block.part,
    start,
    end,
    reason,
    text: block.layout.text.slice(start, end),
  }));
}

function rewritten(messages: readonly ChatMessage[], blocks: readonly Block[]): readonly ChatMessage[] {
  const changed = new Map<number, Block[]>();
  for (const block of blocks) {
    if (block.rendering.gaps.length === 0) continue;
    const own = changed.get(block.message);
    if (own === undefined) changed.set(block.message, [block]);
    else own.push(block);
  }
  return messages.map((message, at) => {
    const own = changed.get(at);
    if (own === undefined) return message;
    if (!Array.isArray(message.content)) return { ...message, content: own[0]?.rendering.text ?? "" };
    const texts = new Map(own.map((block) => [block.part, block.rendering.text]));
    const content = message.content.map((part: JsonObject, index) => {
      const text = texts.get(index);
      return text === undefined ? part : { ...part, text };
    });
    return { ...message, content };
  });
}
