import type { ChatMessage } from "../../protocol/chat.ts";
import { isJsonObject, parseJson } from "../../protocol/json.ts";
import type { Probe, TurnReply } from "./probe.ts";

/** What the next request of a conversation has that the one before it had not. */
export interface Continuation {
  /** Messages that stand behind those sent before. */
  readonly append: readonly ChatMessage[];
  /** Changes of the request itself; an absent key leaves it as it was. */
  readonly choice?: "auto" | "required";
  readonly stream?: boolean;
  /** The user's text, in place of the last one. */
  readonly user?: string;
}

/** The tool by which a conversation of the suite final-answer ends. */
export const finalAnswerTool = "final_answer";

/**
 * How a conversation goes on after its latest reply; null where it is over. Pure, so that judging can retrace what was sent:
 * `contextLength` is what the server shows, in tokens.
 */
export function nextTurn(
  probe: Probe,
  replies: readonly TurnReply[],
  contextLength: number | null,
): Continuation | null {
  const last = replies.at(-1);
  if (last === undefined || replies.length >= probe.mostTurns) return null;
  switch (probe.judgement) {
    case "parity":
      return replies.length === 1 && last.error === null ? { append: [], stream: true } : null;
    case "context":
      return longPrompt(probe, replies, contextLength);
    case "final_answer":
      if (last.error !== null) return replies.length === 1 ? { append: [], choice: "auto" } : null;
      return afterFinalAnswer(probe, replies) ? null : withResults(probe, last);
    case "round_trip":
    case "need":
    case "history":
    case "system_prompt":
    case "capability":
    case "relay":
    case "language":
      return last.error === null ? withResults(probe, last) : null;
    default:
      return probe.judgement satisfies never;
  }
}

/** True once the words behind the final answer have been said. */
function afterFinalAnswer(probe: Probe, replies: readonly TurnReply[]): boolean {
  return probe.followUp === null
    ? replies.at(-1)?.calls.some(isFinalAnswer) === true
    : replies.slice(0, -1).some(({ calls }) => calls.some(isFinalAnswer));
}

function isFinalAnswer({ name }: { readonly name: string }): boolean {
  return name === finalAnswerTool;
}

/** The calls of a reply and their results; null where there is nothing to answer, or a call that cannot be sent back. */
function withResults(probe: Probe, reply: TurnReply): Continuation | null {
  if (reply.calls.length === 0 || probe.results.length === 0) return null;
  // Broken arguments would poison the history: that is a suite of its own.
  if (reply.calls.some(({ argumentsText }) => !isJsonObject(parseJson(argumentsText)))) return null;
  const calls = reply.calls.map((call, index) => ({ ...call, id: call.id ?? `call${index}`.padEnd(9, "0") }));
  return {
    append: [
      {
        role: "assistant",
        content: reply.content,
        tool_calls: calls.map(({ id, name, argumentsText }) => ({
          id,
          type: "function",
          function: { name, arguments: argumentsText },
        })),
      },
      ...calls.map((call): ChatMessage => ({ role: "tool", tool_call_id: call.id, content: resultText(probe, call) })),
      // A conversation that goes on after its final answer: every call has its result by then, or strict servers refuse it.
      ...(probe.judgement === "final_answer" && probe.followUp !== null && calls.some(isFinalAnswer)
        ? [{ role: "user", content: probe.followUp }]
        : []),
    ],
  };
}

function resultText({ results }: Probe, call: { readonly name: string; readonly argumentsText: string }): string {
  const found = results.find(
    ({ tool, when }) => tool === call.name && (when === null || call.argumentsText.toLowerCase().includes(when)),
  );
  if (found !== undefined) return found.text;
  return call.name === finalAnswerTool ? "delivered" : '{"error": "not found"}';
}

/** Characters that the first, short request of a size sample consists of, so that the next knows how many make a token. */
export const shortFiller = 1200;

const word = "stone river cloud maple winter harbor lantern meadow copper violet ";

/** Text without meaning, so many characters long. */
export function filler(length: number): string {
  return word.repeat(Math.ceil(Math.max(0, length) / word.length)).slice(0, Math.max(0, length));
}

/** Characters of the user's text in the short request. */
export function shortCharacters({ followUp }: Pick<Probe, "followUp">): number {
  return (followUp ?? fillerMark).length - fillerMark.length + shortFiller;
}

/** Tokens that the long request of a size sample should have. */
export function wantedTokens({ size }: Probe, contextLength: number | null): number {
  if (size === null) return 0;
  const share = size.share === null || contextLength === null ? size.most : size.share * contextLength;
  return Math.round(Math.min(share, size.most));
}

/** The place in a text where filler goes; everything before it stands at the front of the prompt. */
export const fillerMark = "{{filler}}";

function longPrompt(probe: Probe, replies: readonly TurnReply[], contextLength: number | null): Continuation | null {
  const [first] = replies;
  if (replies.length !== 1 || first === undefined || first.error !== null || first.promptTokens === null) return null;
  const [before = "", after = ""] = (probe.followUp ?? "").split(fillerMark);
  const characters = shortCharacters(probe);
  // What the template adds is a constant that both requests share; the ratio of the short one is a little too high for that.
  const length =
    Math.round((wantedTokens(probe, contextLength) * characters) / first.promptTokens) - before.length - after.length;
  return { append: [], user: `${before}${filler(length)}${after}` };
}
