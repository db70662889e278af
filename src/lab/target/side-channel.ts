import { chatRequestSchema } from "../../protocol/chat.ts";
import { TransportError } from "../../protocol/handler.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../protocol/json.ts";
import type { ChatReply } from "../../protocol/reply.ts";
import { type Ask, type Question, stringAt } from "../../protocol/servers/probe.ts";
import { detokenizeQuestion, rawRequestKeys } from "../../protocol/servers/raw-channels.ts";
import type { EvidenceGrade, RawChannel, ServerRecord } from "../../protocol/servers/server.ts";
import { classifyServerError } from "../../protocol/servers/server-error.ts";
import type { Purpose } from "../capture/capture.ts";
import type { UnrecordedExchange } from "../capture/record.ts";
import type { TargetRecord } from "../capture/run-record.ts";
import type { RawExchange } from "../transport/exchange.ts";
import { exchange, exchangeReply, exchangeText, firstChoice, type Line } from "./chat-exchange.ts";

export interface SideEvidenceOptions {
  readonly line: Line;
  readonly server: ServerRecord;
  readonly model: string;
  /** The channels agreed on with this target. */
  readonly raw: TargetRecord["raw"];
  /** The exchange whose reply is judged: the one with the server itself. */
  readonly subject: RawExchange;
  /** Its index among the sample's exchanges. */
  readonly parent: number;
  readonly turn: number;
  readonly stream: boolean;
  /** True when the reply brought a whole call: then there is nothing hidden to look for. */
  readonly wholeCallServed: boolean;
  /** True where calls are read out of replies to requests without tools, too. */
  readonly parsesWithoutTools: boolean;
}

/**
 * Gathers what the model really wrote where the reply may hide it: decodes token ids, or repeats the request with the same
 * seed while asking for the text. Sends nothing when a whole call was served without an error, not out of a quotation and not at
 * the end of the budget, when nothing usable came, or when no channel was agreed on. Failed side exchanges are returned like the others: they are part of the record and of no measurement.
 */
export async function sideEvidence(options: SideEvidenceOptions): Promise<readonly UnrecordedExchange[]> {
  const { subject, server, raw, stream, wholeCallServed } = options;
  const mode = stream ? "stream" : "body";
  if (subject.status === null || subject.requestBody === null) return [];
  const request = parseJson(subject.requestBody);
  if (!isJsonObject(request)) return [];
  const reply = firstChoice(exchangeReply(subject));
  const afterFailure = (): Promise<readonly UnrecordedExchange[]> => {
    const usable = server.rawAfterError.filter(({ channel }) => raw.side[mode].includes(channel));
    return repeatUntilShown(options, request, reply, usable);
  };

  if (reply === null || reply.error !== null || subject.status >= 400) {
    const message = reply?.error?.message ?? exchangeText(subject).trim();
    const meaning = classifyServerError(server, { status: subject.status, message, inStream: subject.status < 400 });
    return meaning.kind === "server_error" ? afterFailure() : [];
  }
  const silent = reply.finishReason === null && (server.silentStreamFailure?.test(exchangeText(subject)) ?? false);
  if (silent) return afterFailure();
  const isOpen = opensQuotation(reply.content) || opensQuotation(reply.reasoning);
  // At the end of the budget a server may have closed a call that the model was still writing.
  const saysAll = wholeCallServed && !isOpen && reply.finishReason !== "length";
  if (saysAll || (reply.verboseText !== null && reply.verboseText !== "")) return [];
  if (reply.tokenIds !== null && reply.tokenIds.length > 0) {
    const decoded = await decodeTokenIds(options, reply.tokenIds);
    if (decoded.shown) return [decoded.exchange];
    return [decoded.exchange, ...(await repeatUntilShown(options, request, reply, repetitions(raw.side[mode])))];
  }
  if (reply.logprobText !== null && reply.logprobText !== "") return [];
  // Nothing can have been taken out of a text that came without tools in the request, unless the parser belongs to the model.
  const tools = request["tools"];
  const sentTools = Array.isArray(tools) && tools.length > 0;
  if (!sentTools && !options.parsesWithoutTools && reply.content !== "") return [];
  return repeatUntilShown(options, request, reply, repetitions(raw.side[mode]));
}

/** Text beside a served call that opens a code fence and does not close it: the call may have been taken out of an example. */
function opensQuotation(content: string): boolean {
  return (content.match(/```/g)?.length ?? 0) % 2 === 1;
}

interface Repetition {
  readonly channel: RawChannel;
  readonly stream: boolean;
}

function repetitions(channels: readonly RawChannel[]): readonly Repetition[] {
  return channels.map((channel) => ({ channel, stream: false }));
}

async function decodeTokenIds(
  { line, model, parent, turn }: SideEvidenceOptions,
  tokenIds: readonly number[],
): Promise<{ readonly exchange: UnrecordedExchange; readonly shown: boolean }> {
  const { path, body } = detokenizeQuestion(model, tokenIds);
  const raw = await exchange(line, path, body);
  const answer = raw.status === 200 ? parseJson(exchangeText(raw)) : undefined;
  const text = stringAt(answer, "prompt") ?? stringAt(answer, "content") ?? "";
  return {
    exchange: {
      raw,
      facts: { hop: "side", purpose: "detokenize", turn, attempt: 1, parent, evidenceGrade: "in_band" },
    },
    shown: text !== "",
  };
}

/** Goes through the channels in order of preference until one shows the whole text of this very reply. */
async function repeatUntilShown(
  options: SideEvidenceOptions,
  request: JsonObject,
  subject: ChatReply | null,
  channels: readonly Repetition[],
): Promise<readonly UnrecordedExchange[]> {
  const { line, parent, turn } = options;
  const made: UnrecordedExchange[] = [];
  /** What a repetition showed before it failed as the judged reply did: the beginning of the same generation. */
  let beginning: string | null = null;
  for (const { channel, stream } of channels) {
    const purpose = repetitionPurpose(channel);
    if (purpose === null) continue;
    const question =
      channel === "raw_generate"
        ? await completionQuestion(options, request, made)
        : repeated(options, request, channel, stream);
    if (question === null) continue;
    const raw = await exchange(line, question.path, question.body);
    const replay = firstChoice(exchangeReply(raw));
    const grade = repetitionGrade(channel, subject, replay, beginning);
    made.push({ raw, facts: { hop: "side", purpose, turn, attempt: 1, parent, evidenceGrade: grade } });
    if (grade !== "second_generation" && replay !== null && replay.finishReason !== null) break;
    if (grade === "same_seed_replay") beginning = shownText(channel, replay);
  }
  return made;
}

/** Renders the judged request's conversation and asks for its continuation. The rendering is kept as a probe beside it. */
async function completionQuestion(
  { line, server, model, parent, turn }: SideEvidenceOptions,
  request: JsonObject,
  made: UnrecordedExchange[],
): Promise<Question | null> {
  const conversation = chatRequestSchema.safeParse(request);
  if (server.rawCompletion === null || !conversation.success) return null;
  const ask: Ask = async ({ path, body }) => {
    const raw = await exchange(line, path, body);
    made.push({ raw, facts: { hop: "side", purpose: "probe", turn, attempt: 1, parent } });
    if (raw.end.kind === "failed") return new TransportError(raw.end.phase, raw.end.cause);
    return { status: raw.status ?? 0, headers: raw.headers, text: exchangeText(raw), reference: null };
  };
  const { messages, tools = [] } = conversation.data;
  const rendered = await server.renderPrompt({ ask, model }, { messages, tools });
  return rendered.kind === "text" ? server.rawCompletion({ ...request, model }, rendered.text) : null;
}

function repetitionPurpose(channel: RawChannel): Purpose | null {
  switch (channel) {
    case "verbose_replay":
    case "logprobs_replay":
    case "none_twin":
    case "raw_generate":
      return channel;
    case "token_ids":
    case "verbose":
      return null;
    default:
      return channel satisfies never;
  }
}

function repeated(
  { subject }: SideEvidenceOptions,
  request: JsonObject,
  channel: RawChannel,
  stream: boolean,
): Question {
  const { stream_options: _streamOptions, ...rest } = request;
  return { path: subject.path, body: { ...rest, stream, ...rawRequestKeys(channel) } };
}

/** The raw text in a repetition; "" where it shows none. */
function shownText(channel: RawChannel, replay: ChatReply | null): string {
  if (replay === null) return "";
  return (channel === "raw_generate" ? replay.content : (replay.verboseText ?? replay.logprobText)) ?? "";
}

/**
 * A repetition counts as the same generation only while everything visible agrees with it: what was seen of the judged reply
 * stands in the repeated text, and as many tokens were written. One that went another way through the server needs more than
 * the absence of contradiction: an equal number of tokens, or the beginning that another repetition showed.
 */
function repetitionGrade(
  channel: RawChannel,
  subject: ChatReply | null,
  replay: ChatReply | null,
  beginning: string | null,
): EvidenceGrade {
  const text = shownText(channel, replay);
  if (channel === "none_twin" || text === "") return "second_generation";
  const seen = [subject?.content, subject?.reasoning].map((part) => part?.trim() ?? "").filter((part) => part !== "");
  if (!seen.every((part) => text.includes(part))) return "second_generation";
  const before = subject?.usage?.completionTokens ?? null;
  const now = replay?.usage?.completionTokens ?? null;
  const counted = before !== null && now !== null;
  if (counted && before !== now) return "second_generation";
  if (channel !== "raw_generate") return "same_seed_replay";
  const begun = beginning !== null && beginning !== "" && text.startsWith(beginning);
  return counted || begun ? "same_seed_replay" : "second_generation";
}
