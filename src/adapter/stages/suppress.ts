import { type AdapterCall, textAnswer } from "../events.ts";
import { readCommandRequest } from "../intent/command-request.ts";
import { changingTools } from "../intent/forbidden-call.ts";
import { type CallVerdict, withholdCalls } from "../intent/withhold.ts";
import { readWorkplace } from "../intent/workplace.ts";
import { checkShellCall } from "../shell/check-call.ts";
import { allowedNames, checkCommand } from "../shell/check-command.ts";
import type { Workplace } from "../shell/check-path.ts";
import { isKnownCommand } from "../shell/command-classes.ts";
import { type CommandRisk, commandRisks } from "../shell/command-risk.ts";
import { proceed, type Stage } from "../stage.ts";
import type { Turn } from "../turn.ts";
import { callForm, requestIntent } from "./intent.ts";

/**
 * In the profile `read-only`, answers a user turn that is a command beyond the lists with the reason, and withholds such commands,
 * and tools that change files, when the model calls for them. In the profile `agent` the model and the client's approval decide.
 */
export const suppress: Stage = {
  name: "suppress",
  summary: "profile read-only: commands that do more than read are answered with the reason and withheld",
  open(turn) {
    if (turn.config.profile !== "read-only") return null;
    const place = readWorkplace(turn.original.messages);
    return {
      onRequest(request) {
        const refusal = refuseTurn(turn, place);
        return refusal === null ? proceed(request) : { kind: "answer", events: textAnswer(refusal) };
      },
      onResponse: () => withholdCalls((call) => judge(turn, place, call)),
    };
  },
};

function refuseTurn(turn: Turn, place: Workplace): string | null {
  const intent = turn.get(requestIntent);
  if (intent === undefined || intent.kind !== "user_turn" || intent.turn.more) return null;
  const [said, ...others] = intent.turn.said;
  if (said === undefined || others.length > 0) return null;
  const wanted = readCommandRequest(said);
  if (wanted === null) return null;
  const check = checkCommand(wanted.command, place);
  if (check.kind === "allowed") return null;
  // "Run the tests" names no command: the model may find out what is meant, and its calls are looked at.
  const [name = ""] = wanted.command.split(/\s/);
  if (wanted.form !== "delimited" && !isKnownCommand(name) && !allowedNames.includes(name)) return null;
  turn.trace({
    stage: "suppress",
    decision: "answered",
    reason: `${check.risk}: ${check.detail}`,
    before: wanted.command,
  });
  return sentence(wanted.command, check.risk, intent.language);
}

function judge(turn: Turn, place: Workplace, call: AdapterCall): CallVerdict {
  const form = callForm(turn, call);
  const language = turn.get(requestIntent)?.language ?? "en";
  const withhold = (risk: CommandRisk, what: string, detail: string): CallVerdict => {
    turn.trace({
      stage: "suppress",
      decision: "call_withheld",
      reason: `${risk}: ${detail}`,
      before: { name: call.name, arguments: call.argumentsText },
    });
    return { kind: "withhold", sentence: sentence(what, risk, language) };
  };
  if (form.shell !== null) {
    const check = checkShellCall(form.shell, call.argumentsText, place);
    if (check.kind === "refused") return withhold(check.risk, check.command, check.detail);
    return { kind: "pass", call: { ...call, argumentsText: check.argumentsText } };
  }
  if (changingTools.test(call.name)) return withhold("file_mutation", call.name, "a tool that changes files");
  if (call.name === "write_stdin" && !/"chars"\s*:\s*""|^\s*\{(?!.*"chars")/s.test(call.argumentsText))
    return withhold("program_launch", call.name, "input for a running program");
  return { kind: "pass", call };
}

function sentence(command: string, risk: CommandRisk, language: "en" | "ja"): string {
  const short = command.length > 120 ? `${command.slice(0, 117)}...` : command;
  const words = commandRisks[risk];
  return language === "ja"
    ? `読み取り専用プロファイルのため、\`${short}\` は実行しません。${words.japanese}`
    : `Not run, because the profile is read-only: \`${short}\`. ${words.english}`;
}
