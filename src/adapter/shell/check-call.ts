import { isJsonObject, type JsonValue, parseJson } from "../../protocol/json.ts";
import { checkCommand, type RefusedCall } from "./check-command.ts";
import { checkPath, type Workplace } from "./check-path.ts";
import { renderCommand } from "./render-command.ts";
import { commandOfCall, type ShellTool } from "./shell-tool.ts";

export type ShellCallCheck =
  /** The call with its command written anew from the checked words. */
  { readonly kind: "allowed"; readonly argumentsText: string } | (RefusedCall & { readonly command: string });

/** Arguments beside the command that change nothing about what it may do. */
const harmlessKeys =
  /^(?:description|explanation|justification|reason|summary|timeout\w*|yield_time_ms|max_output_tokens|login|tty|prefix_rule|id|title)$/;

/** Whether a model's call of a shell tool only reads: its command by the lists, and every other argument by name and value. */
export function checkShellCall(shell: ShellTool, argumentsText: string, place: Workplace): ShellCallCheck {
  const command = commandOfCall(shell, argumentsText);
  const given = parseJson(argumentsText);
  if (command === null || !isJsonObject(given))
    return { kind: "refused", risk: "unreadable", detail: "the call's arguments", command: shell.name };
  let directory = place.directory;
  for (const [key, value] of Object.entries(given)) {
    if (key === shell.commandKey || harmlessKeys.test(key) || value === null) continue;
    if (/^(?:work_?dir|cwd|directory|working_directory)$/i.test(key) && typeof value === "string") {
      const risk = checkPath({ text: value, home: /^~(?:\/|$)/.test(value) }, place);
      if (risk !== null) return { kind: "refused", risk, detail: `${key} ${value}`, command };
      directory = value.startsWith("/") ? value : directory === null ? null : `${directory}/${value}`;
      continue;
    }
    if (key === "shell" && typeof value === "string" && /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/.test(value)) continue;
    if (/^(?:is_background|background|run_in_background)$/.test(key) && value === false) continue;
    if (key === "sandbox_permissions" && value === "use_default") continue;
    const risk = key === "sandbox_permissions" ? "privilege" : "unlisted_option";
    return { kind: "refused", risk, detail: `${key} ${JSON.stringify(value)}`, command };
  }
  const check = checkCommand(command, { directory });
  if (check.kind === "refused") return { ...check, command };
  const text = renderCommand(check.words);
  const form: JsonValue =
    shell.form === "text"
      ? text
      : check.words.some((word) => word.home)
        ? ["bash", "-lc", text]
        : check.words.map((word) => word.text);
  return { kind: "allowed", argumentsText: JSON.stringify({ ...given, [shell.commandKey]: form }) };
}
