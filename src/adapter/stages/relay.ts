import { type ChatRequest, messageText } from "../../protocol/chat.ts";
import { textAnswer } from "../events.ts";
import { readCommandRequest } from "../intent/command-request.ts";
import { selectOutput } from "../relay/select-output.ts";
import { readToolOutput } from "../relay/tool-output.ts";
import { proceed, type RequestStep, type Stage } from "../stage.ts";
import type { Turn } from "../turn.ts";
import { requestIntent } from "./intent.ts";
import { routedMark } from "./router.ts";

const routedId = new RegExp(`_${routedMark}(?:_\\d+)?$`);

/**
 * Answers a turn that wants a command's output, or one part of it, and nothing else, straight from the client's tool result. What
 * was asked is read again from the history; only calls that the router made (their id says so) are answered.
 */
export const relay: Stage = {
  name: "relay",
  summary: "turns that want only a command's output are answered from the tool result, without the model",
  open(turn) {
    return { onRequest: (request) => answer(turn, request) ?? proceed(request) };
  },
};

function answer(turn: Turn, request: ChatRequest): RequestStep | null {
  const intent = turn.get(requestIntent);
  if (intent?.kind !== "tool_continuation") return null;
  const [said, ...others] = intent.turn.said;
  if (said === undefined || others.length > 0 || intent.turn.more) return null;
  // Exactly one routed call and its result have followed the user's words.
  const followed = request.messages.slice(intent.turn.followedFrom);
  const [called, result, ...further] = followed.filter((message) => message.role !== "developer");
  const [call, ...calls] = called?.tool_calls ?? [];
  if (call === undefined || calls.length > 0 || result?.role !== "tool" || further.length > 0) return null;
  if (!routedId.test(call.id) || result.tool_call_id !== call.id) return null;
  const wanted = readCommandRequest(said);
  if (wanted === null || wanted.selector === null) return null;
  const leave = (reason: string): null => {
    turn.trace({ stage: "relay", decision: "left_to_model", reason, before: wanted.selector?.kind });
    return null;
  };
  if (request["response_format"] !== undefined) return leave("the answer has to fit a schema");
  const selection = selectOutput(wanted.selector, readToolOutput(messageText(result)), intent.language);
  switch (selection.kind) {
    case "left":
      return leave(selection.reason);
    case "absent":
    case "selected": {
      const text = selection.kind === "selected" ? selection.text : selection.sentence;
      turn.trace({
        stage: "relay",
        decision: selection.kind === "selected" ? "relayed" : "said_why_not",
        reason: `the user wants only: ${wanted.selector.kind}`,
        after: text.length > 400 ? `${text.slice(0, 400)}…` : text,
      });
      return { kind: "answer", events: textAnswer(text) };
    }
    default:
      return selection satisfies never;
  }
}
