import type { ReadReply, RequestFacts } from "../../protocol/reply.ts";
import type { EvidenceGrade, ServerRecord } from "../../protocol/servers/server.ts";
import type { Expectation } from "../scenario/scenario.ts";
import type { ExchangeEnd } from "../transport/exchange.ts";

/** A text of the conversation: what a value in the reply may come from without being invented. */
export interface Source {
  readonly role: string;
  readonly text: string;
  /** Calls that an assistant message of the history made: a claim about one of these is an account, not an invention. */
  readonly calls?: readonly { readonly name: string; readonly text: string }[];
}

/** What the model really wrote, as far as a raw channel shows it. */
export interface RawEvidence {
  readonly text: string;
  readonly grade: EvidenceGrade;
  /** Index of the exchange that shows it. */
  readonly exchange: number;
  /** True for a twin without grammar: it shows what the model would write, not what it wrote here. */
  readonly habit: boolean;
}

/** Everything the judgement of one reply may look at; the same for a live capture, an old one and a case file. */
export interface ReplyInput {
  /** Index of the judged exchange in its capture. */
  readonly exchange: number;
  readonly status: number | null;
  readonly end: ExchangeEnd;
  /** The body as text, for error messages only. */
  readonly body: string;
  readonly reply: ReadReply;
  readonly request: RequestFacts & { readonly sources: readonly Source[] };
  readonly expectation: Expectation;
  readonly raw: RawEvidence | null;
  readonly server: ServerRecord;
  /** Whether a parser for tool calls is at work on this server, as far as known. */
  readonly toolParser: "active" | "none" | "unknown";
  /** Whether the tools reached the prompt whole. */
  readonly toolsInPrompt: "whole" | "damaged" | "missing" | "unknown";
}
