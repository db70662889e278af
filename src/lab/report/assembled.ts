import { parseJson } from "../../protocol/json.ts";
import { readReply } from "../../protocol/read-reply.ts";
import type { ChatReply } from "../../protocol/reply.ts";
import { bodyText } from "../capture/body.ts";
import type { Capture } from "../capture/capture.ts";
import { rawText } from "../capture/raw-text.ts";
import type { Span } from "../classify/classification.ts";

/** One text of a reply. `body` is the response as received, shown where nothing could be read from it. `source` says how a raw text was had. */
export interface AssembledText {
  readonly field: Span["field"] | "body";
  readonly choice: number;
  readonly text: string;
  readonly source: string | null;
}

/** All that one exchange brought back, assembled from its body or stream. */
export interface AssembledExchange {
  readonly texts: readonly AssembledText[];
  readonly calls: readonly { readonly name: string; readonly argumentsText: string }[];
  readonly finishReasons: readonly string[];
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly problems: readonly string[];
}

/** Reads one exchange of a capture for people: the same texts that spans of a classification point into. */
export function assembleExchange(capture: Capture, index: number): AssembledExchange {
  const exchange = capture.exchanges[index];
  if (exchange === undefined) return nothing;
  const body = bodyText(exchange.body);
  const read = readReply({
    body,
    contentType: exchange.headers["content-type"] ?? null,
    status: exchange.status,
    streamed: capture.stream,
  });
  const raw = rawText(capture.exchanges, index, read);
  const [first] = read.replies;
  return {
    texts: [
      ...read.replies.flatMap(textsOf),
      ...(raw === null ? [] : [{ field: "raw" as const, choice: 0, text: raw.text, source: raw.grade }]),
      ...(read.replies.length === 0 && body !== ""
        ? [{ field: "body" as const, choice: 0, text: body, source: null }]
        : []),
    ],
    calls: read.replies.flatMap((reply) => reply.calls.map(({ name, argumentsText }) => ({ name, argumentsText }))),
    finishReasons: read.replies.flatMap((reply) => (reply.finishReason === null ? [] : [reply.finishReason])),
    promptTokens: first?.usage?.promptTokens ?? null,
    completionTokens: first?.usage?.completionTokens ?? null,
    problems: read.problems,
  };
}

function textsOf(reply: ChatReply): AssembledText[] {
  const text = (field: AssembledText["field"], value: string): AssembledText => ({
    field,
    choice: reply.choice,
    text: value,
    source: null,
  });
  const cut = reply.calls.find((call) => parseJson(call.argumentsText) === undefined);
  return [
    ...(reply.error === null ? [] : [text("error", reply.error.message)]),
    ...(reply.reasoning === "" ? [] : [text("reasoning", reply.reasoning)]),
    // An empty content beside calls or an error is normal; alone it is what the user saw, and worth showing.
    ...(reply.content === "" && (reply.calls.length > 0 || reply.error !== null)
      ? []
      : [text("content", reply.content)]),
    ...(cut === undefined || cut.argumentsText === "" ? [] : [text("arguments", cut.argumentsText)]),
  ];
}

const nothing: AssembledExchange = {
  texts: [],
  calls: [],
  finishReasons: [],
  promptTokens: null,
  completionTokens: null,
  problems: [],
};
