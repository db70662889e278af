import type { Tool } from "../../protocol/chat.ts";
import { utf8Length } from "../compress/text-size.ts";
import { type Pruning, pruneTools } from "../prune/prune-tools.ts";
import { proceed, type Stage } from "../stage.ts";

/** Shows the model only the tools that the conversation has a use for. */
export const prune: Stage = {
  name: "prune",
  summary: "leaves out tools that nothing in the conversation asks for, in the client's order",
  open(turn) {
    if (turn.tools.length === 0) return null;
    let pruning: Pruning | null = null;
    return {
      onRequest(request) {
        if (request.tools === undefined) return proceed(request);
        if (pruning === null) {
          pruning = pruneTools(turn.tools, turn.original, turn.config.prune);
          if (pruning.dropped.length > 0) {
            const bytes = (tools: readonly Tool[]): number => utf8Length(JSON.stringify(tools));
            turn.trace({
              stage: "prune",
              decision: "pruned",
              reason: `${pruning.kept.length} of ${turn.tools.length} tools matter to this conversation`,
              before: { tools: turn.tools.length, bytes: bytes(turn.tools.map(({ tool }) => tool)) },
              after: {
                tools: pruning.kept.length,
                bytes: bytes(pruning.kept.map(({ tool }) => tool)),
                dropped: pruning.dropped.map(({ tool, reason }) => ({ name: tool.name, reason })),
              },
            });
            for (const { tool, reason } of pruning.dropped) turn.drop("prune", reason, JSON.stringify(tool.tool));
          }
        }
        if (pruning.dropped.length === 0) return proceed(request);
        const dropped = new Set(pruning.dropped.map(({ tool }) => tool.name));
        return proceed({ ...request, tools: request.tools.filter((tool) => !dropped.has(tool.function.name)) });
      },
    };
  },
};
