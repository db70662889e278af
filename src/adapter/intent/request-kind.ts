import { type ChatRequest, messageText } from "../../protocol/chat.ts";
import type { ClientHints } from "../turn.ts";
import type { CurrentTurn } from "./current-turn.ts";

/**
 * What a request is for. Only `user_turn` (somebody just said something) and `tool_continuation` (the same turn goes on after a tool's
 * result) come from a person; all others are the client's own errands.
 */
export type RequestKind =
  | "user_turn"
  | "tool_continuation"
  | "title"
  | "compaction"
  | "memory"
  | "review"
  | "sub_agent"
  | "warm_up"
  | "length_continuation"
  | "unknown";

export interface RequestReading {
  readonly kind: RequestKind;
  /** What it was recognised by. */
  readonly reason: string;
}

/** Reads what a request is for: from the client's metadata where it has some, else from headers, shape and words. */
export function readRequestKind(request: ChatRequest, client: ClientHints, turn: CurrentTurn): RequestReading {
  return (
    fromMetadata(client) ??
    fromHeaders(client) ??
    fromShape(request, turn) ??
    fromWords(request, turn) ??
    fromHistory(request, turn)
  );
}

function reading(kind: RequestKind, reason: string): RequestReading {
  return { kind, reason };
}

function fromMetadata(client: ClientHints): RequestReading | null {
  const metadata = client.turnMetadata;
  if (metadata === null) return null;
  const word = (key: string): string | null => (typeof metadata[key] === "string" ? metadata[key] : null);
  const requestKind = word("request_kind");
  if (requestKind === "compaction") return reading("compaction", "request_kind=compaction");
  if (requestKind === "prewarm") return reading("warm_up", "request_kind=prewarm");
  const source = word("thread_source");
  if (source === "thread_title") return reading("title", "thread_source=thread_title");
  const subagent = word("subagent_kind");
  if (subagent === "review") return reading("review", "subagent_kind=review");
  if (subagent === "compact" || subagent === "memory_consolidation")
    return reading("memory", `subagent_kind=${subagent}`);
  if (subagent !== null || source === "subagent") return reading("sub_agent", `thread_source=${source ?? subagent}`);
  if (requestKind !== null && requestKind !== "turn") return reading("unknown", `request_kind=${requestKind}`);
  if (source !== null && source !== "user") return reading("unknown", `thread_source=${source}`);
  return null;
}

function fromHeaders(client: ClientHints): RequestReading | null {
  const subagent = client.headers["x-openai-subagent"];
  if (subagent !== undefined)
    return reading(
      /review/.test(subagent) ? "review" : /compact/.test(subagent) ? "compaction" : "sub_agent",
      `x-openai-subagent=${subagent}`,
    );
  if (client.headers["x-codex-parent-thread-id"] !== undefined || client.headers["x-parent-session-id"] !== undefined)
    return reading("sub_agent", "a parent thread in the headers");
  return null;
}

function fromShape(request: ChatRequest, turn: CurrentTurn): RequestReading | null {
  const words = turn.said.join("\n").trim();
  if (
    request.max_tokens === 1 ||
    (words === "" && request.messages.every((message) => messageText(message).trim() === ""))
  )
    return reading("warm_up", "nothing is asked");
  const format = request["response_format"];
  const schema = typeof format === "object" && format !== null ? JSON.stringify(format) : "";
  if (/"title":\{/.test(schema) && (request.tools?.length ?? 0) === 0)
    return reading("title", "a title is to be written");
  return null;
}

/** Orders that clients write in the user's place. They begin the message, and no person writes like this. */
const orders: readonly (readonly [RequestKind, RegExp])[] = [
  [
    "title",
    /^\s*(?:Generate|Write|Create|Suggest) (?:a|an|the)?\s*(?:short |brief |concise )*(?:title|name|topic)\b[^\n]{0,60}\b(?:conversation|thread|chat|session|message|prompt|task)/i,
  ],
  ["title", /^[\s\S]{40,1500}\n\s*User prompt:\s*\n[\s\S]*$/],
  [
    "compaction",
    /CONTEXT CHECKPOINT COMPACTION|^\s*(?:Provide a detailed (?:prompt|summary) for continuing|Summarize the conversation above|Please summarize (?:our|the|this) conversation)|<state_snapshot>|^\s*First, reason in your scratchpad/i,
  ],
  [
    "memory",
    /(?:\/memory\/MEMORY\.md|\.qwen\/projects\/[^\s`]*\/memory|\bMEMORY\.md`)|^\s*(?:Update|Maintain|Consolidate) (?:the |your )?(?:managed )?memor(?:y|ies)\b/i,
  ],
  [
    "sub_agent",
    /^\s*(?:Analyze \*?only\*? the content and structure of your immediately preceding response|You are a sub-?agent)/i,
  ],
  [
    "length_continuation",
    /^\s*(?:Please continue\.?|Continue from (?:exactly )?where you (?:left off|stopped)|Your (?:previous )?response was (?:cut off|truncated)|Continue exactly where you|Output token limit hit)/i,
  ],
];

function fromWords(request: ChatRequest, turn: CurrentTurn): RequestReading | null {
  const withTools = (request.tools?.length ?? 0) > 0;
  // Titles and summaries are asked for without tools; with them, a person may well speak of titles.
  for (const text of turn.said)
    for (const [kind, pattern] of orders)
      if (pattern.test(text) && !(withTools && (kind === "title" || kind === "compaction")))
        return reading(kind, `the words of a ${kind.replace("_", " ")} order`);
  const system = request.messages.find((message) => message.role === "system");
  if (
    system !== undefined &&
    (request.tools?.length ?? 0) === 0 &&
    /\b(?:title generator|thread title)\b/i.test(messageText(system).slice(0, 400))
  )
    return reading("title", "the instructions of a title writer");
  return null;
}

function fromHistory(request: ChatRequest, turn: CurrentTurn): RequestReading {
  const last = request.messages.findLast((message) => message.role !== "system" && message.role !== "developer");
  if (last === undefined || turn.said.length === 0) return reading("unknown", "no words of a user");
  if (last.role === "user" && turn.followedFrom >= request.messages.length)
    return reading("user_turn", "the user spoke last");
  if (last.role === "tool") return reading("tool_continuation", "a tool's result came last");
  if (last.role === "assistant") return reading("length_continuation", "the assistant's own words came last");
  return reading("unknown", `the last message is of ${last.role}`);
}
