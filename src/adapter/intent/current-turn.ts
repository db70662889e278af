import { type ChatMessage, messageText } from "../../protocol/chat.ts";
import type { JsonObject } from "../../protocol/json.ts";

/** What the user said last, and what has happened since. */
export interface CurrentTurn {
  /** The user's own messages of this turn, without what the client put in; usually one. */
  readonly said: readonly string[];
  /** Index of the first message behind the user's; the length of the history where nothing followed. */
  readonly followedFrom: number;
  /** Whether the turn holds more than text: an image, a file, piped data. Its words are then only part of it. */
  readonly more: boolean;
}

/** Blocks that clients put into user messages beside or in place of what the user said. */
const injectedBlock =
  /^\s*<(environment_context|user_instructions|INSTRUCTIONS|permissions instructions|skills_instructions|turn_aborted|system-reminder|user_shell_command|subagent_notification|context|apps_instructions|plugins_instructions|multi_agent_mode|multi_agent_role|collaboration_mode|personality_spec|model_switch|goal_context|hook_prompt|recommended_plugins|image)\b[\s\S]*>\s*$/;
const agentsFile = /^\s*# AGENTS\.md instructions for /;
/** How Codex marks an interrupted turn, and the summary that stands for a compacted history behind the user's old messages. */
const turnBoundary =
  /^\s*(?:<turn_aborted>|Another language model started to solve this problem and produced a summary)/;
/** Data that the user piped in behind the words. */
const piped = /\n\s*<stdin>\n[\s\S]*<\/stdin>\s*$/;

/**
 * The user's current turn: the last run of user messages that holds words of the user's own. Instructions that a client sends in the
 * middle (role `developer` or `system`) do not end a run.
 */
export function currentTurn(messages: readonly ChatMessage[]): CurrentTurn {
  let end = messages.length;
  while (end > 0) {
    const run: string[] = [];
    let more = false;
    let start = end;
    while (start > 0) {
      const message = messages[start - 1];
      if (message === undefined || !/^(?:user|developer|system)$/.test(message.role)) break;
      if (message.role === "user") {
        // What was said before an interruption or a summary belongs to earlier turns. A summary that comes last stands in the
        // middle of a turn, for what has been done in it: that turn is none that begins.
        if (run.length > 0 && turnBoundary.test(messageText(message))) break;
        const read = ownWords(message);
        if (read.more) more = true;
        if (read.text !== null) run.unshift(read.text);
      }
      start -= 1;
    }
    if (run.length > 0 || more) return { said: run, followedFrom: end, more };
    end = Math.min(start, end - 1);
  }
  return { said: [], followedFrom: 0, more: false };
}

interface OwnWords {
  /** Null where the message was the client's alone. */
  readonly text: string | null;
  readonly more: boolean;
}

function ownWords(message: ChatMessage): OwnWords {
  const { content } = message;
  const parts: readonly JsonObject[] = Array.isArray(content)
    ? (content as readonly JsonObject[])
    : [{ type: "text", text: messageText(message) }];
  const kept: string[] = [];
  let more = false;
  for (const part of parts) {
    const text = part["text"];
    if (typeof text !== "string") {
      more = true;
      continue;
    }
    if (text.trim() === "" || injectedBlock.test(text) || agentsFile.test(text)) continue;
    const withoutPipe = text.replace(piped, "");
    if (withoutPipe !== text) more = true;
    kept.push(withoutPipe);
  }
  return { text: kept.length === 0 ? null : kept.join("\n"), more };
}
