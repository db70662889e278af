import { type CallFolder, type CallShape, createCallFolder } from "./call-folder.ts";
import { readErrorObject } from "./error-body.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { createProblemList } from "./problems.ts";
import type { ChatReply, MessageEnd, ReadReply, ServerErrorBody, Usage } from "./reply.ts";
import { emptyReply } from "./reply.ts";
import type { StreamEvent } from "./stream-event.ts";

/** What one object turned out to be: part of a reply, the last part of an Ollama stream, or nothing known. */
export type ChunkKind = "chunk" | "last" | "unknown";

/** Folds the objects of one response, streamed or not, of any known server, into replies. */
export interface ReplyFolder {
  /** Takes one parsed object: a chat chunk, a chat completion, an Ollama native object or line, an error object. */
  fold(object: JsonObject, events: StreamEvent[]): ChunkKind;
  /** Records an error that came otherwise than as an object. */
  fail(error: ServerErrorBody): void;
  problem(text: string): void;
  /** Names a part of the reply that could not be read. */
  lose(problem: string): void;
  /** Closes everything open and gives all that was read. To be called once. */
  finish(done: boolean, events: StreamEvent[]): { reply: ReadReply; error: ServerErrorBody | null };
}

interface Choice {
  readonly number: number;
  content: string;
  reasoning: string;
  readonly calls: CallFolder;
  open: "text" | "reasoning" | null;
  finishReason: string | null;
  tokenIds: number[] | null;
  logprobs: JsonValue[] | null;
  verboseText: string | null;
}

/** A folder for one response. It never throws, whatever the objects hold. */
export function createReplyFolder(): ReplyFolder {
  const choices = new Map<number, Choice>();
  const problems = createProblemList();
  let usage: Usage | null = null;
  let systemFingerprint: string | null = null;
  let error: ServerErrorBody | null = null;
  let lossy = false;

  function choiceAt(number: number): Choice {
    const known = choices.get(number);
    if (known !== undefined) return known;
    const choice: Choice = {
      number,
      content: "",
      reasoning: "",
      calls: createCallFolder(number, problems),
      open: null,
      finishReason: null,
      tokenIds: null,
      logprobs: null,
      verboseText: null,
    };
    choices.set(number, choice);
    return choice;
  }

  function foldMessage(
    choice: Choice,
    message: JsonObject,
    shape: Omit<CallShape, "legacy">,
    events: StreamEvent[],
  ): void {
    const { content } = message;
    const reasoning =
      text(message["reasoning"]) ||
      text(message["reasoning_content"]) ||
      text(message["thinking"]) ||
      thinkingParts(content);
    addText(choice, "reasoning", reasoning, events);
    // A refusal in OpenAI's own field is what the model said; it has no content beside it.
    addText(choice, "text", textParts(content) || text(message["refusal"]), events);
    const entries = message["tool_calls"];
    const legacy = message["function_call"];
    if (Array.isArray(entries) && entries.length > 0) foldCalls(choice, entries, { ...shape, legacy: false }, events);
    else if (isJsonObject(legacy)) foldCalls(choice, [{ function: legacy }], { ...shape, legacy: true }, events);
  }

  function foldCalls(choice: Choice, entries: readonly JsonValue[], shape: CallShape, events: StreamEvent[]): void {
    closeText(choice, events);
    choice.calls.fold(entries, shape, events);
  }

  function addText(choice: Choice, kind: "text" | "reasoning", piece: string, events: StreamEvent[]): void {
    if (piece === "") return;
    if (choice.open !== kind) {
      closeText(choice, events);
      choice.open = kind;
      events.push({ kind: `${kind}-start`, choice: choice.number });
    }
    events.push({ kind: `${kind}-delta`, choice: choice.number, text: piece });
    if (kind === "text") choice.content += piece;
    else choice.reasoning += piece;
  }

  function foldChoice(value: JsonObject, events: StreamEvent[]): void {
    const choice = choiceAt(integer(value["index"]) ?? 0);
    const { delta, message, finish_reason: finishReason, token_ids: tokenIds, logprobs } = value;
    if (isJsonObject(delta)) foldMessage(choice, delta, { whole: false, native: false }, events);
    else if (isJsonObject(message)) foldMessage(choice, message, { whole: true, native: false }, events);
    else addText(choice, "text", text(value["text"]), events);
    if (typeof finishReason === "string" && finishReason !== "") choice.finishReason = finishReason;
    // vLLM sends null beside log-probabilities even where ids were asked for.
    if (Array.isArray(tokenIds)) choice.tokenIds = addNumbers(choice.tokenIds, tokenIds);
    if (isJsonObject(logprobs)) addLogprobs(choice, logprobs["content"]);
    if (isJsonObject(value["error"])) noteError(value);
  }

  function foldNative(object: JsonObject, message: JsonObject | null, events: StreamEvent[]): ChunkKind {
    const choice = choiceAt(0);
    const shape = { whole: true, native: true };
    const given = message ?? { content: object["response"] ?? "", thinking: object["thinking"] ?? "" };
    foldMessage(choice, given, shape, events);
    addLogprobs(choice, object["logprobs"]);
    if (object["done"] !== true) return "chunk";
    const reason = text(object["done_reason"]);
    if (reason !== "") choice.finishReason = reason;
    noteUsage(object["prompt_eval_count"], object["eval_count"], events);
    return "last";
  }

  function noteUsage(prompt: JsonValue | undefined, completion: JsonValue | undefined, events: StreamEvent[]): void {
    if (typeof prompt !== "number" && typeof completion !== "number") return;
    usage = {
      promptTokens: typeof prompt === "number" ? prompt : null,
      completionTokens: typeof completion === "number" ? completion : null,
    };
    events.push({ kind: "usage", usage });
  }

  function noteError(object: JsonObject): boolean {
    const found = readErrorObject(object);
    // The first error is the cause; what follows it is mostly its echo.
    error ??= found;
    return found !== null;
  }

  return {
    fold(object, events) {
      const { choices: list, message, usage: counts, system_fingerprint: fingerprint, __verbose: verbose } = object;
      const failed = noteError(object);
      if (typeof fingerprint === "string" && fingerprint !== "") systemFingerprint = fingerprint;
      if (isJsonObject(counts)) noteUsage(counts["prompt_tokens"], counts["completion_tokens"], events);
      if (Array.isArray(list)) {
        for (const choice of list) if (isJsonObject(choice)) foldChoice(choice, events);
        // The stream form of llama-server has the key with nothing in it.
        if (isJsonObject(verbose) && text(verbose["content"]) !== "") {
          choiceAt(integer(verbose["index"]) ?? 0).verboseText = text(verbose["content"]);
        }
        return "chunk";
      }
      if (typeof object["done"] === "boolean" && (isJsonObject(message) || typeof object["response"] === "string")) {
        return foldNative(object, isJsonObject(message) ? message : null, events);
      }
      return failed || isJsonObject(counts) ? "chunk" : "unknown";
    },
    fail(failure) {
      error ??= failure;
    },
    problem: (problem) => problems.add(problem),
    lose(problem) {
      lossy = true;
      problems.add(problem);
    },
    finish(done, events) {
      const replies = [...choices.values()]
        .sort((a, b) => a.number - b.number)
        .map((choice) => toReply(choice, events, { usage, systemFingerprint }));
      const end = messageEnd(done, replies.length > 0 || error !== null);
      if (end === "unreadable") problems.add("nothing in it could be read as a reply");
      return {
        reply: {
          replies: withError(replies, error, { usage, systemFingerprint }),
          end,
          problems: problems.list(),
          lossy,
        },
        error,
      };
    },
  };
}

function toReply(
  choice: Choice,
  events: StreamEvent[],
  shared: Pick<ChatReply, "usage" | "systemFingerprint">,
): ChatReply {
  closeText(choice, events);
  return {
    choice: choice.number,
    content: choice.content,
    reasoning: choice.reasoning,
    calls: choice.calls.end(events),
    finishReason: choice.finishReason,
    usage: shared.usage,
    tokenIds: choice.tokenIds,
    logprobText: choice.logprobs === null ? null : joinTokens(choice.logprobs),
    verboseText: choice.verboseText,
    systemFingerprint: shared.systemFingerprint,
    error: null,
  };
}

function closeText(choice: Choice, events: StreamEvent[]): void {
  if (choice.open !== null) events.push({ kind: `${choice.open}-end`, choice: choice.number });
  choice.open = null;
}

function messageEnd(done: boolean, readable: boolean): MessageEnd {
  if (!readable) return "unreadable";
  return done ? "complete" : "no_done";
}

/** An error belongs to the choices that it stopped: those without a finish reason, or all where each has one. */
function withError(
  replies: readonly ChatReply[],
  error: ServerErrorBody | null,
  shared: Pick<ChatReply, "usage" | "systemFingerprint">,
): readonly ChatReply[] {
  if (error === null) return replies;
  if (replies.length === 0) return [{ ...emptyReply, ...shared, error }];
  const allFinished = replies.every((reply) => reply.finishReason !== null);
  return replies.map((reply) => (allFinished || reply.finishReason === null ? { ...reply, error } : reply));
}

function addNumbers(known: number[] | null, values: readonly JsonValue[]): number[] {
  const numbers = known ?? [];
  for (const value of values) if (typeof value === "number") numbers.push(value);
  return numbers;
}

function addLogprobs(choice: Choice, entries: JsonValue | undefined): void {
  if (!Array.isArray(entries)) return;
  choice.logprobs ??= [];
  for (const entry of entries) choice.logprobs.push(entry);
}

/** Joins tokens to text; where a character is split over tokens the exact text is in their bytes. */
function joinTokens(entries: readonly JsonValue[]): string {
  const tokens = entries.map((entry) => (isJsonObject(entry) ? text(entry["token"]) : ""));
  const joined = tokens.join("");
  if (!joined.includes("\uFFFD")) return joined;
  const encoder = new TextEncoder();
  const bytes = entries.flatMap((entry, index) => {
    const given = isJsonObject(entry) ? entry["bytes"] : null;
    return Array.isArray(given) ? addNumbers(null, given) : [...encoder.encode(tokens[index])];
  });
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

/** Content as text: a string as it is, the text parts of a list joined, "" for anything else. */
function textParts(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part: JsonValue) => partText(part, "text")).join("") : "";
}

/** Reasoning that comes as parts of the content list (Mistral's own service). */
function thinkingParts(content: JsonValue | undefined): string {
  if (!Array.isArray(content)) return "";
  return content.map((part: JsonValue) => (isJsonObject(part) ? textParts(part["thinking"]) : "")).join("");
}

function partText(part: JsonValue, key: string): string {
  return isJsonObject(part) ? text(part[key]) : text(part);
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function integer(value: JsonValue | undefined): number | null {
  return typeof value === "number" && Number.isInteger(value) ? value : null;
}
