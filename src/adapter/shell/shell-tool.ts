import type { Tool } from "../../protocol/chat.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../protocol/json.ts";
import type { ShellWord } from "./read-command.ts";
import { renderCommand } from "./render-command.ts";

/** A client's tool that runs shell commands: where its command goes, and whether as text or as a list of arguments. */
export interface ShellTool {
  readonly tool: Tool;
  readonly name: string;
  readonly commandKey: string;
  readonly form: "text" | "arguments";
}

/** Names of shell tools, in the order of preference where a client offers several. */
const shellToolNames = [
  "exec_command",
  "shell_command",
  "shell",
  "container.exec",
  "local_shell",
  "bash",
  "Bash",
  "run_shell_command",
  "execute_command",
  "run_terminal_cmd",
  "run_in_terminal",
  "run_command",
  "terminal",
];
const commandKeys = ["cmd", "command", "script", "command_line"];

/** The shell tool that the client offers; null where there is none, or none whose schema says where the command goes. */
export function findShellTool(tools: readonly Tool[]): ShellTool | null {
  for (const name of shellToolNames) {
    const tool = tools.find((candidate) => candidate.function.name === name);
    const found = tool === undefined ? null : asShellTool(tool);
    if (found !== null) return found;
  }
  return null;
}

/** Reads a tool as a shell tool, by its name and schema; null where it is none. */
export function asShellTool(tool: Tool): ShellTool | null {
  const { name } = tool.function;
  if (!shellToolNames.includes(name)) return null;
  const properties = propertiesOf(tool);
  for (const commandKey of commandKeys) {
    const schema = properties[commandKey];
    if (!isJsonObject(schema)) continue;
    if (schema["type"] === "string") return { tool, name, commandKey, form: "text" };
    if (schema["type"] === "array") return { tool, name, commandKey, form: "arguments" };
  }
  return null;
}

/** Text put behind a checked command, from a fixed set; it needs a shell to read it. */
export type CommandSuffix = "" | " 2>/dev/null" | " 2>&1 >/dev/null" | " 2>&1" | ` 2>&1; echo "[exit code: $?]"`;

export type ShellCallReading =
  | { readonly kind: "built"; readonly argumentsText: string; readonly command: string }
  /** The schema requires something that nobody said a value for. */
  | { readonly kind: "not_built"; readonly requires: string };

/**
 * The arguments of a call of `shell` with a checked command. Required fields get their default, the harmless choice, or a
 * plain description; optional ones are left out.
 */
export function buildShellCall(shell: ShellTool, words: readonly ShellWord[], suffix: CommandSuffix): ShellCallReading {
  const command = `${renderCommand(words)}${suffix}`;
  const needsShell = suffix !== "" || words.some((word) => word.home);
  const form: JsonValue =
    shell.form === "text" ? command : needsShell ? ["bash", "-lc", command] : words.map((word) => word.text);
  const given: Record<string, JsonValue> = { [shell.commandKey]: form };
  const properties = propertiesOf(shell.tool);
  const required = shell.tool.function.parameters?.["required"];
  for (const key of Array.isArray(required) ? required : []) {
    if (typeof key !== "string" || key in given) continue;
    const schema = properties[key];
    const value = isJsonObject(schema) ? requiredValue(key, schema, command) : undefined;
    if (value === undefined) return { kind: "not_built", requires: key };
    given[key] = value;
  }
  return { kind: "built", argumentsText: JSON.stringify(given), command };
}

/** Choices that change nothing about how a command runs. */
const harmlessChoices = ["use_default", "default", "none", "never", "low", "read-only", "read_only", "auto", "bash"];

function requiredValue(key: string, schema: JsonObject, command: string): JsonValue | undefined {
  if (schema["default"] !== undefined) return schema["default"];
  const choices = schema["enum"];
  if (Array.isArray(choices))
    return choices.find((choice) => typeof choice === "string" && harmlessChoices.includes(choice));
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  if (type === "boolean") return /^(?:is_?(?:safe|read_?only)|read_?only)$/i.test(key);
  if (/^(?:description|explanation|justification|reason|summary|title|goal|thought)$/i.test(key) && type === "string")
    return `Run ${command.length > 60 ? `${command.slice(0, 57)}...` : command}`;
  if (/^(?:work_?dir|cwd|directory|working_directory)$/i.test(key) && type === "string") return ".";
  if (/time_?out/i.test(key) && (type === "number" || type === "integer"))
    return within(schema, /sec/i.test(key) ? 60 : 60_000);
  if (/tokens|chars|bytes|lines/i.test(key) && (type === "number" || type === "integer")) return within(schema, 10_000);
  if (/ms$|yield/i.test(key) && (type === "number" || type === "integer")) return within(schema, 10_000);
  return undefined;
}

function within(schema: JsonObject, wanted: number): number {
  const least = schema["minimum"];
  const most = schema["maximum"];
  const capped = typeof most === "number" ? Math.min(most, wanted) : wanted;
  return typeof least === "number" ? Math.max(least, capped) : capped;
}

/** The command inside a call's arguments, as text for a shell; null where the call is no readable one of this tool. */
export function commandOfCall(shell: ShellTool, argumentsText: string): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(argumentsText);
  } catch {
    return null;
  }
  if (!isJsonObject(parsed)) return null;
  const command = parsed[shell.commandKey];
  if (typeof command === "string") return command;
  if (!Array.isArray(command)) return null;
  const words = command.map((word) => (typeof word === "string" ? word : JSON.stringify(word)));
  const [program = "", option = "", script] = words;
  // ["bash", "-lc", "ls -la"]: the third is what runs.
  if (/(?:^|\/)(?:ba|z|da|k)?sh$/.test(program) && /^-\w*c$/.test(option) && script !== undefined && words.length === 3)
    return script;
  return renderCommand(words.map((text) => ({ text, home: false })));
}

function propertiesOf(tool: Tool): JsonObject {
  const properties = tool.function.parameters?.["properties"];
  return isJsonObject(properties) ? properties : {};
}
