import type { ChatReply } from "./reply.ts";

/**
 * The one reply that a response holds. Some gateways deal the text and the calls of one message out to two choices: those belong
 * together, and the calls are marked `other_choice`. Choices that are alternatives stay so, and the first with calls is taken.
 * Undefined where there is no choice at all.
 */
export function asOneMessage(replies: readonly ChatReply[]): ChatReply | undefined {
  const withCalls = replies.filter((reply) => reply.calls.length > 0);
  const [caller] = withCalls;
  if (caller === undefined || replies.length === 1 || withCalls.length > 1) return caller ?? replies[0];
  const said = replies.filter((reply) => reply !== caller && (reply.content !== "" || reply.reasoning !== ""));
  if (caller.content !== "" || said.length !== 1) return caller;
  return {
    ...caller,
    content: said[0]?.content ?? "",
    reasoning: caller.reasoning === "" ? (said[0]?.reasoning ?? "") : caller.reasoning,
    calls: caller.calls.map((call) => ({ ...call, faults: [...(call.faults ?? []), "other_choice"] })),
  };
}
