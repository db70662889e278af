import { type ChatMessage, messageText } from "../../protocol/chat.ts";
import type { Workplace } from "../shell/check-path.ts";
import type { ClientHints } from "../turn.ts";

const directory = /<cwd>\s*(\/[^<\n]+?)\s*<\/cwd>|\bworking (?:in the )?directory:\s*`?(\/[^\s<`]+)/i;
const windows = /<shell>\s*(?:powershell|pwsh|cmd)|\bplatform:\s*(?:win32|windows)|\bMy operating system is:\s*win/i;
/** How far into a message the client's description of the machine is looked for. */
const lookInto = 60_000;

/** Where the client says its commands run; the latest word counts. */
export function readWorkplace(messages: readonly ChatMessage[]): Workplace {
  for (const message of [...messages].reverse()) {
    if (message.role === "assistant" || message.role === "tool") continue;
    const found = directory.exec(messageText(message).slice(0, lookInto));
    if (found !== null) return { directory: found[1] ?? found[2] ?? null };
  }
  return { directory: null };
}

/** Whether the client's shell is none that our quoting is made for (cmd, PowerShell). */
export function hasForeignShell(messages: readonly ChatMessage[], client: ClientHints): boolean {
  if (/\b(?:win32|windows)\b/i.test(client.headers["user-agent"] ?? "")) return true;
  return messages.some(
    (message) =>
      message.role !== "assistant" && message.role !== "tool" && windows.test(messageText(message).slice(0, lookInto)),
  );
}
