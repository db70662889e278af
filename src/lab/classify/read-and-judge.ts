import { readReply } from "../../protocol/read-reply.ts";
import type { ReadReply } from "../../protocol/reply.ts";
import { serverRecord } from "../../protocol/servers/index.ts";
import type { TargetFacts } from "../../protocol/servers/server.ts";
import { bodyText } from "../capture/body.ts";
import type { Capture } from "../capture/capture.ts";
import { rawText } from "../capture/raw-text.ts";
import type { ReplyJudgement } from "./classification.ts";
import { classifyReply } from "./classify-reply.ts";
import type { ReplyInput } from "./reply-input.ts";

/** Reads one exchange of a capture and judges it as the reply to `request`, by default the sample's own. */
export function readAndJudge(
  capture: Capture,
  index: number,
  facts: TargetFacts,
  asked: {
    readonly request: ReplyInput["request"];
    readonly expectation: Capture["expectation"];
  } = { request: { ...capture.request, stream: capture.stream }, expectation: capture.expectation },
): { readonly judgement: ReplyJudgement; readonly reply: ReadReply; readonly body: string } | null {
  const exchange = capture.exchanges[index];
  if (exchange === undefined) return null;
  const body = bodyText(exchange.body);
  const contentType = exchange.headers["content-type"] ?? null;
  const reply = readReply({
    body,
    contentType,
    status: exchange.status,
    // An adapter may ask its server another way than it was asked.
    streamed: exchange.hop === "upstream" ? /event-stream|ndjson/i.test(contentType ?? "") : asked.request.stream,
  });
  const raw = rawText(capture.exchanges, index, reply);
  const judgement = classifyReply({
    exchange: index,
    status: exchange.status,
    end: exchange.end,
    body,
    reply,
    request: asked.request,
    expectation: asked.expectation,
    raw:
      raw === null
        ? null
        : {
            text: raw.text,
            grade: raw.grade,
            exchange: raw.exchange,
            habit: capture.exchanges[raw.exchange]?.purpose === "none_twin",
          },
    server: serverRecord(facts.kind),
    toolParser: facts.toolParser.state,
    toolsInPrompt: facts.toolsInPrompt,
  });
  return { judgement, reply, body };
}
