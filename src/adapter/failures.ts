import { readErrorBody } from "../protocol/error-body.ts";
import type { TransportError } from "../protocol/handler.ts";
import { excerpt } from "../protocol/problems.ts";
import { serverRecords } from "../protocol/servers/index.ts";
import { classifyServerError, type ServerErrorMeaning } from "../protocol/servers/server-error.ts";
import type { Failure } from "./events.ts";

/** Marks a refusal of tools by the upstream, so that `prompt` can try without them. */
export const toolsRefused = "tools_refused";
/** Marks a refusal of this tool_choice, so that `finish` can fall back. */
export const choiceRefused = "tool_choice_refused";
/** Marks an upstream that failed on the model's own words: asking once more may give others. */
export const outputUnreadable = "model_output_unreadable";

/** The client's own mistake: 400 with one clear line. */
export function badRequest(message: string, code: string | null = null): Failure {
  return { status: 400, type: "invalid_request_error", code, message };
}

/** What a connection that failed means to the client. Trying again may help, so it is 503 and never a 500. */
export function transportFailure(error: TransportError): Failure {
  const message = `the model server cannot be reached or does not answer: ${error.message}`;
  return { status: 503, type: "upstream_unreachable", code: "server_is_overloaded", message };
}

/** What an error answer of the upstream means to the client: by its words first, by its status second. */
export function upstreamFailure(status: number, text: string, headers: Headers): Failure {
  const body = text.trimStart();
  const read = readErrorBody(text);
  if (read === null && (status === 404 || status === 405 || status === 501)) return noChatRoute(status);
  const message = read?.message ?? (body.startsWith("<") ? "an HTML page" : body.slice(0, 500).trim());
  return failureOf(status, message, retryAfter(headers));
}

/** An error object inside a stream or a 200 body. */
export function streamedFailure(message: string, code: string | number | null): Failure {
  const status = typeof code === "number" ? code : Number(code);
  return failureOf(Number.isInteger(status) && status >= 400 && status < 600 ? status : null, message, undefined);
}

/** A 200 that is no chat reply. */
export function unreadableReply(contentType: string | null, text: string): Failure {
  const what = text.trimStart().startsWith("<")
    ? "an HTML page"
    : text.trim() === ""
      ? "an empty body"
      : `${contentType ?? "no content type"}, ${excerpt(text.trim())}`;
  return badUpstream(`the model server answered with something that is no chat reply: ${what}; check --upstream`);
}

/** A reply that stopped before its end. */
export function brokenReply(why: string): Failure {
  return {
    status: 503,
    type: "upstream_error",
    code: "upstream_cut",
    message: `the model server's reply broke off: ${why}`,
  };
}

function noChatRoute(status: number): Failure {
  return badUpstream(
    `the model server has no POST /v1/chat/completions (HTTP ${status}); --upstream wants the URL of an OpenAI-compatible server without /v1 at its end, and an Ollama that speaks only /api/chat has to be updated`,
  );
}

function badUpstream(message: string): Failure {
  return { status: 400, type: "upstream_error", code: "upstream_unusable", message };
}

function failureOf(status: number | null, words: string, wait: number | undefined): Failure {
  const message = words === "" ? `the model server answered HTTP ${status ?? "200"} without a word` : words;
  const meaning = meaningOf(status, message);
  const base = { message: `model server: ${message}`, ...(wait === undefined ? {} : { retryAfter: wait }) };
  // A server without a parser names the choice `auto` in its refusal: that is about tools, not about the choice.
  if (meaning.kind !== "refused" && meaning.kind !== "context" && /tool_choice|tool choice/i.test(message))
    return { status: 400, type: "invalid_request_error", code: choiceRefused, ...base };
  switch (meaning.kind) {
    case "refused":
      return { status: 400, type: "invalid_request_error", code: toolsRefused, ...base };
    case "context":
      return { status: 400, type: "invalid_request_error", code: "context_length_exceeded", ...base };
    case "unavailable":
      if (status === 429) return { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded", ...base };
      return { status: 503, type: "server_error", code: "server_is_overloaded", ...base };
    case "wrong_key":
      // 401 makes some clients try six times; 400 shows the words at once.
      return { status: 400, type: "invalid_request_error", code: "upstream_wants_key", ...base };
    case "model_missing":
      return { status: 404, type: "invalid_request_error", code: "model_not_found", ...base };
    case "server_error":
      return { status: 400, type: "upstream_error", code: outputUnreadable, ...base };
    case "bad_request":
      return { status: 400, type: "invalid_request_error", code: null, ...base };
    case "other":
      // Not a 500: clients repeat those for half a minute and hide the words.
      return { status: 400, type: "upstream_error", code: "upstream_failed", ...base };
    default:
      return meaning satisfies never;
  }
}

/** The kind of server is not asked for here: the words of each kind are its own, so the first kind that knows them is right. */
function meaningOf(status: number | null, message: string): ServerErrorMeaning {
  const facts = { status, message, inStream: status === null };
  const meanings = serverRecords.map((record) => classifyServerError(record, facts));
  const telling = meanings.find(({ kind }) => kind !== "other" && kind !== "bad_request" && kind !== "unavailable");
  return telling ?? meanings.find(({ kind }) => kind !== "other") ?? { kind: "other" };
}

function retryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
