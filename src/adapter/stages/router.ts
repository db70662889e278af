import { callAnswer } from "../events.ts";
import { readCommandRequest } from "../intent/command-request.ts";
import { hasForeignShell, readWorkplace } from "../intent/workplace.ts";
import { suffixFor } from "../relay/select-output.ts";
import { checkCommand } from "../shell/check-command.ts";
import { buildShellCall, findShellTool } from "../shell/shell-tool.ts";
import { proceed, type RequestStep, type Stage } from "../stage.ts";
import type { Turn } from "../turn.ts";
import { requestIntent } from "./intent.ts";

/** At the end of the id of a call that the router made; the relay knows it again by this. */
export const routedMark = "routed";

/** Shell tools whose results carry the exit code in every case. */
const framedTools = new Set(["exec_command", "shell_command", "shell", "container.exec", "run_shell_command"]);

/**
 * Makes the client's own shell call out of a user turn that is nothing but an explicit read-only command. Whatever is not on the
 * lists of `shell/` is left to the model.
 */
export const router: Stage = {
  name: "router",
  summary: "an explicit read-only command as a whole turn becomes the client's shell call, without the model",
  open(turn) {
    return {
      onRequest(request): RequestStep {
        return route(turn) ?? proceed(request);
      },
    };
  },
};

function route(turn: Turn): RequestStep | null {
  const intent = turn.get(requestIntent);
  if (intent === undefined || intent.kind !== "user_turn" || intent.turn.more) return null;
  const [said, ...others] = intent.turn.said;
  if (said === undefined || others.length > 0) return null;
  const wanted = readCommandRequest(said);
  if (wanted === null) return null;
  const leave = (reason: string): null => {
    turn.trace({ stage: "router", decision: "left_to_model", reason, before: wanted.command });
    return null;
  };
  if (intent.negative.kind !== "none") return leave("the turn forbids something");
  const choice = turn.original.tool_choice;
  const shell = findShellTool(turn.tools.filter((tool) => tool.kind === "function").map((tool) => tool.tool));
  if (shell === null) return leave("the client offers no shell tool");
  if (choice === "none" || (typeof choice === "object" && choice.function.name !== shell.name))
    return leave("tool_choice names something else");
  if (hasForeignShell(turn.original.messages, turn.client)) return leave("the client's shell is not a POSIX one");
  const check = checkCommand(wanted.command, readWorkplace(turn.original.messages));
  if (check.kind === "refused") return leave(`${check.risk}: ${check.detail}`);
  const call = buildShellCall(shell, check.words, suffixFor(wanted.selector, framedTools.has(shell.name)));
  if (call.kind === "not_built") return leave(`the tool requires ${call.requires}`);
  turn.trace({
    stage: "router",
    decision: "routed",
    reason: "the whole turn is an allowed read-only command",
    before: wanted.command,
    after: call.command,
  });
  const id = turn.newCallId(routedMark);
  return {
    kind: "answer",
    events: callAnswer([{ id, name: shell.name, argumentsText: call.argumentsText, origin: "adapter" }]),
  };
}
