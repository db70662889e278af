import { readErrorBody } from "./error-body.ts";
import { isJsonObject, type JsonObject, parseJson } from "./json.ts";
import { excerpt } from "./problems.ts";
import { emptyReply, type ReadReply, type ServerErrorBody } from "./reply.ts";
import { createReplyFolder } from "./reply-folder.ts";
import { createStreamReader, type Framing } from "./stream.ts";

/** One HTTP response as text. `status` and `contentType` are null where no response head came. */
export interface ResponseText {
  readonly body: string;
  readonly contentType: string | null;
  readonly status: number | null;
  /** True where a stream was asked for. It decides nothing by itself: servers answer errors as plain JSON then, too. */
  readonly streamed: boolean;
}

/**
 * Reads everything that one response body holds. What the body is decides, not what was asked for: a chat completion, an Ollama
 * object, server-sent events, NDJSON, an error in any server's shape. Anything else is `unreadable`, with a problem that says
 * what came instead. Never throws.
 */
export function readReply(input: ResponseText): ReadReply {
  const body = input.body.startsWith("\uFEFF") ? input.body.slice(1) : input.body;
  const start = body.trimStart().slice(0, 200);
  if (start === "") return unreadable(input, input.streamed ? "the stream is empty" : "the body is empty");
  if (start.startsWith("<")) return unreadable(input, `HTML or XML instead of JSON: ${excerpt(title(body) ?? start)}`);
  if (start.startsWith("{") || start.startsWith("[")) return readJson(body, input);
  if (/^(data|event|id|retry)?:/.test(start) || isType(input.contentType, "text/event-stream"))
    return readStream(body, "sse");
  if (input.status !== null && input.status >= 400)
    return failed({ message: body.trim().slice(0, 500), type: null, code: null });
  return unreadable(input, `neither JSON nor a stream: ${excerpt(body.trim())}`);
}

function readJson(body: string, input: ResponseText): ReadReply {
  const value = parseJson(body);
  if (value === undefined) return readLines(body, input);
  if (isJsonObject(value)) {
    const reply = readObject(value);
    if (reply !== null) return reply;
  }
  const error = readErrorBody(body);
  if (error !== null) return failed(error);
  if (input.status !== null && input.status >= 400)
    return failed({ message: body.trim().slice(0, 500), type: null, code: null });
  return unreadable(input, `JSON, but no chat reply: ${excerpt(body.trim())}`);
}

/** A body is a stream of one object: the same folder reads it. Null where it holds no reply. */
function readObject(object: JsonObject): ReadReply | null {
  const folder = createReplyFolder();
  const kind = folder.fold(object, []);
  const { reply } = folder.finish(kind === "last" || typeof object["done"] !== "boolean", []);
  return kind === "unknown" || reply.end === "unreadable" ? null : reply;
}

/** Text that begins like JSON and is not: lines of JSON, or JSON that was cut. */
function readLines(body: string, input: ResponseText): ReadReply {
  const first = body.trimStart().split("\n", 1)[0] ?? "";
  if (isType(input.contentType, "application/x-ndjson") || parseJson(first) !== undefined)
    return readStream(body, "ndjson");
  return unreadable(input, `broken or cut JSON: ${excerpt(body.trim())}`);
}

function readStream(body: string, framing: Framing): ReadReply {
  const reader = createStreamReader(framing);
  const events = reader.push(body);
  events.push(...reader.end());
  const terminal = events.at(-1);
  if (terminal === undefined || (terminal.kind !== "done" && terminal.kind !== "error")) {
    return { replies: [], end: "unreadable", problems: ["the stream gave no end"], lossy: true };
  }
  if (!reader.overrun()) return terminal.reply;
  return { ...terminal.reply, problems: [...terminal.reply.problems, "the stream goes on after its end"] };
}

function failed(error: ServerErrorBody): ReadReply {
  return { replies: [{ ...emptyReply, error }], end: "complete", problems: [], lossy: false };
}

function unreadable(input: ResponseText, problem: string): ReadReply {
  const status = input.status === null ? "" : ` (HTTP ${input.status})`;
  return { replies: [], end: "unreadable", problems: [`${problem}${status}`], lossy: true };
}

function title(body: string): string | undefined {
  return /<title[^>]{0,200}>([^<]{1,200})/i.exec(body.slice(0, 20_000))?.[1]?.trim();
}

function isType(contentType: string | null, type: string): boolean {
  return contentType?.toLowerCase().startsWith(type) ?? false;
}
