import type { ChatMessage } from "../../protocol/chat.ts";
import { readToolOutput, withOutput } from "../relay/tool-output.ts";
import { asShellTool } from "../shell/shell-tool.ts";
import { proceed, type Stage } from "../stage.ts";
import { setWarningsApart } from "../warnings/known-warnings.ts";

/** Takes known harmless warnings off the head of shell outputs, so that a small model does not take them for the result. */
export const warnings: Stage = {
  name: "warnings",
  summary: "known harmless shell warnings are set apart from tool results and kept in the trace",
  open(turn) {
    if (!turn.original.messages.some((message) => message.role === "tool")) return null;
    return {
      onRequest(request) {
        const shellCalls = new Set<string>();
        for (const message of request.messages)
          for (const call of message.tool_calls ?? []) {
            const tool = turn.callable().find((candidate) => candidate.function.name === call.function.name);
            if (tool !== undefined && asShellTool(tool) !== null) shellCalls.add(call.id);
          }
        const names = new Set<string>();
        let count = 0;
        const messages = request.messages.map((message) => {
          if (message.role !== "tool" || !shellCalls.has(message.tool_call_id ?? "")) return message;
          return mapText(message, (text) => {
            const result = readToolOutput(text);
            if (result.kind !== "finished") return text;
            const { output, apart } = setWarningsApart(result.output);
            for (const warning of apart) {
              names.add(warning.name);
              count += 1;
              turn.drop("warnings", `known harmless warning: ${warning.name}`, warning.text);
            }
            return apart.length === 0 ? text : withOutput(text, output);
          });
        });
        if (count === 0) return proceed(request);
        turn.trace({
          stage: "warnings",
          decision: "set_apart",
          reason: `${count} known harmless ${count === 1 ? "line" : "lines"}`,
          after: [...names],
        });
        return proceed({ ...request, messages });
      },
    };
  },
};

/** The message with its one text changed; a message of several parts is left as it is. */
function mapText(message: ChatMessage, change: (text: string) => string): ChatMessage {
  const { content } = message;
  if (typeof content === "string") {
    const text = change(content);
    return text === content ? message : { ...message, content: text };
  }
  const [part, ...others] = content ?? [];
  if (part === undefined || others.length > 0 || typeof part["text"] !== "string") return message;
  const text = change(part["text"]);
  return text === part["text"] ? message : { ...message, content: [{ ...part, text }] };
}
