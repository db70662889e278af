import { parseJson } from "../../protocol/json.ts";
import { readReply } from "../../protocol/read-reply.ts";
import type { ChatReply, ReadReply } from "../../protocol/reply.ts";
import { stringAt } from "../../protocol/servers/probe.ts";
import type { EvidenceGrade } from "../../protocol/servers/server.ts";
import { bodyText } from "./body.ts";
import type { Exchange } from "./capture.ts";

/** What the model wrote, before any parser took calls out of it. */
export interface RawText {
  readonly text: string;
  readonly grade: EvidenceGrade;
  /** Index of the exchange that shows it: the judged one itself, or a side exchange. */
  readonly exchange: number;
}

/** Tokens that end a turn in the known templates. Closers of a call are none: they belong to what the model wrote. */
const endTokens = [
  "<|im_end|>",
  "<|endoftext|>",
  "<|eot_id|>",
  "<|eom_id|>",
  "<|end_of_text|>",
  "<|end|>",
  "<|return|>",
  "<|user|>",
  "<|observation|>",
  "<|END_OF_TURN_TOKEN|>",
  "<｜end▁of▁sentence｜>",
  "<end_of_turn>",
  "<turn|>",
  "<eos>",
  "</s>",
  "[e~[",
] as const;

/**
 * The raw text of a stored reply, from the best evidence there is: fields of the reply itself, its token ids decoded by a
 * side exchange, else a repetition. Null where nothing shows it. Looks at the first choice only. `read` is the judged
 * reply.
 */
export function rawText(exchanges: readonly Exchange[], parent: number, read: ReadReply): RawText | null {
  const reply = firstOf(read);
  const sides = exchanges.flatMap((exchange, index) =>
    exchange.hop === "side" && exchange.parent === parent ? [{ exchange, index }] : [],
  );
  return inBand(reply, parent, sides) ?? repeated(sides);
}

interface Side {
  readonly exchange: Exchange;
  readonly index: number;
}

function inBand(reply: ChatReply | null, parent: number, sides: readonly Side[]): RawText | null {
  if (reply === null) return null;
  if (reply.verboseText !== null && reply.verboseText !== "")
    return { text: reply.verboseText, grade: "in_band", exchange: parent };
  if (reply.tokenIds !== null) {
    for (const { exchange, index } of sides) {
      const text = exchange.purpose === "detokenize" ? detokenized(exchange) : null;
      if (text !== null) return { text: withoutEndToken(text, reply.finishReason), grade: "in_band", exchange: index };
    }
  }
  if (reply.logprobText !== null) {
    return { text: withoutEndToken(reply.logprobText, reply.finishReason), grade: "in_band", exchange: parent };
  }
  return null;
}

/** The best repetition: one with the same seed that held before a second draw, whatever their order. */
function repeated(sides: readonly Side[]): RawText | null {
  const found = sides.flatMap(({ exchange, index }): RawText[] => {
    const text = repetitionText(exchange);
    return text === null ? [] : [{ text, grade: exchange.evidenceGrade ?? "second_generation", exchange: index }];
  });
  return found.find(({ grade }) => grade !== "second_generation") ?? found[0] ?? null;
}

function repetitionText(exchange: Exchange): string | null {
  const reply = firstReply(exchange);
  // A text whose end did not come cannot show whether a call was whole, and would be taken for the model's own break.
  if (reply === null || reply.finishReason === null) return null;
  switch (exchange.purpose) {
    case "verbose_replay":
      return reply.verboseText === "" ? null : reply.verboseText;
    case "logprobs_replay":
      return reply.logprobText === null ? null : withoutEndToken(reply.logprobText, reply.finishReason);
    case "none_twin":
    case "raw_generate":
      return reply.error === null ? reply.reasoning + reply.content : null;
    case "sample":
    case "detokenize":
    case "render":
    case "probe":
      return null;
    default:
      return exchange.purpose satisfies never;
  }
}

/** vLLM answers `{prompt}`, llama-server `{content}`. Ids outside the vocabulary give an empty text, which shows nothing. */
function detokenized(exchange: Exchange): string | null {
  if (exchange.status !== 200) return null;
  const body = parseJson(bodyText(exchange.body));
  const text = stringAt(body, "prompt") ?? stringAt(body, "content");
  return text === undefined || text === "" ? null : text;
}

function firstReply(exchange: Exchange): ChatReply | null {
  const read = readReply({
    body: bodyText(exchange.body),
    contentType: exchange.headers["content-type"] ?? null,
    status: exchange.status,
    streamed: false,
  });
  return firstOf(read);
}

function firstOf(read: ReadReply): ChatReply | null {
  return read.replies.find(({ choice }) => choice === 0) ?? read.replies[0] ?? null;
}

/** A reply that stopped by itself ends with its stop token where the channel shows control tokens; that one is not text. */
function withoutEndToken(text: string, finishReason: string | null): string {
  if (finishReason === null || finishReason === "length") return text;
  const token = endTokens.find((end) => text.endsWith(end));
  return token === undefined ? text : text.slice(0, -token.length);
}
