import { type AllowedCommand, type AllowedOption, allowedCommands } from "./allowed-commands.ts";
import { checkPath, staysInside, type Workplace } from "./check-path.ts";
import { commandRisksOf } from "./command-classes.ts";
import { type CommandRisk, gravestRisk } from "./command-risk.ts";
import { readCommand, type ShellWord } from "./read-command.ts";
import { type GivenOption, readOptions } from "./read-options.ts";

/** A command that may be called without asking the model. `words` are what it is called with, additions included. */
export interface AllowedCall {
  readonly kind: "allowed";
  readonly words: readonly ShellWord[];
}

export interface RefusedCall {
  readonly kind: "refused";
  readonly risk: CommandRisk;
  /** The part of the command that decided. */
  readonly detail: string;
}

export type CommandCheck = AllowedCall | RefusedCall;

const byName = new Map(allowedCommands.map((command) => [command.name, command]));

/** The names of all commands that can be allowed. */
export const allowedNames: readonly string[] = allowedCommands.map((command) => command.name);

/**
 * Whether a command only reads, by the lists in `allowed-commands.ts` and `credential-paths.ts`; denied where they are silent.
 * The words of an allowed one are to be written out by `renderCommand`, never the text itself.
 */
export function checkCommand(text: string, place: Workplace): CommandCheck {
  const reading = readCommand(text);
  if (reading.kind === "not_simple") {
    // A pipe into a shell is more than a pipe: what stands in it tells more than its form.
    const risk = gravestRisk([reading.risk, ...commandRisksOf(text)]) ?? reading.risk;
    return { kind: "refused", risk, detail: reading.detail };
  }
  const command = byName.get(reading.words[0]?.text ?? "");
  const refusal = command === undefined ? unlisted(text, reading.words) : checkListed(command, reading.words, place);
  if (refusal === null && command !== undefined)
    return { kind: "allowed", words: withAdditions(command, reading.words) };
  return refusal ?? { kind: "refused", risk: "unlisted_command", detail: text };
}

function unlisted(text: string, words: readonly ShellWord[]): RefusedCall {
  const name = words[0]?.text ?? "";
  return { kind: "refused", risk: gravestRisk(commandRisksOf(text)) ?? "unlisted_command", detail: name };
}

function withAdditions(command: AllowedCommand, words: readonly ShellWord[]): readonly ShellWord[] {
  const [name, ...rest] = words;
  if (name === undefined) return words;
  const given = new Set(rest.map((word) => word.text));
  const added = command.added.some((text) => !given.has(text)) ? command.added : [];
  return [name, ...added.map((text) => ({ text, home: false })), ...rest];
}

function checkListed(command: AllowedCommand, words: readonly ShellWord[], place: Workplace): RefusedCall | null {
  const reading = readOptions(command, words.slice(1));
  if (reading.kind === "unlisted") {
    const text = words.map((word) => word.text).join(" ");
    return refused(
      optionRisk(command, reading.word) ?? gravestRisk(commandRisksOf(text)) ?? "unlisted_option",
      reading.word,
    );
  }
  const inside = reading.options.some(({ option }) => option.restricts === "inside");
  return checkOperands(command, reading.options, reading.operands, inside, place);
}

/** Options whose refusal deserves its own sentence. */
function optionRisk(command: AllowedCommand, word: string): CommandRisk | null {
  if (/^(?:-[a-zA-Z]*[fF]|--follow|--retry|-n.*|--lines.*)$/.test(word) && /^(?:tail|journalctl)$/.test(command.name))
    return "unbounded_log";
  if (/^(?:--hidden|--no-ignore|--unrestricted|-u+)/.test(word) && command.name === "rg") return "hidden_files";
  if (/^--(?:pre|hostname-bin)\b/.test(word) && command.name === "rg") return "program_launch";
  return null;
}

function checkOperands(
  command: AllowedCommand,
  options: readonly GivenOption[],
  operands: readonly ShellWord[],
  inside: boolean,
  place: Workplace,
): RefusedCall | null {
  const rule = command.operands;
  switch (rule.kind) {
    case "none":
      return operands[0] === undefined ? null : refused("unlisted_option", operands[0].text);
    case "date_format": {
      const wrong = operands.find((operand) => !/^\+[^\n]{0,100}$/u.test(operand.text)) ?? operands[1];
      return wrong === undefined ? null : refused("unlisted_option", wrong.text);
    }
    case "paths": {
      if (operands.length < rule.least) return refused("unlisted_option", "it would wait for input");
      return (
        firstRefusal(operands, (operand) => {
          const risk = checkPath(operand, place);
          if (risk !== null) return risk;
          if (inside && !staysInside(operand, place)) return "outside_workspace";
          return rule.wholeLogs === "refused" && isLog(operand.text) ? "unbounded_log" : null;
        }) ?? null
      );
    }
    case "search": {
      const needsPattern = !options.some(({ option }) =>
        option.names.some((name) => rule.patternOptions.includes(name)),
      );
      if (needsPattern && operands.length === 0) return refused("unlisted_option", "no pattern");
      const paths = needsPattern ? operands.slice(1) : operands;
      if (needsPattern && (operands[0]?.home === true || operands[0]?.text.startsWith("-") === true))
        return refused("unlisted_option", operands[0].text);
      return firstRefusal(paths, (path) =>
        staysInside(path, place) ? checkPath(path, place) : (checkPath(path, place) ?? "outside_workspace"),
      );
    }
    case "journal_fields": {
      const wrong = operands.find(
        (operand) => operand.home || !/^_?[A-Z][A-Z0-9_]{0,60}=[\w@.:/ -]{1,200}$/.test(operand.text),
      );
      if (wrong !== undefined) return refused("unlisted_option", wrong.text);
      return isBounded(options) ? null : refused("unbounded_log", "no -n and no closed time window with a unit");
    }
    case "units": {
      const [subcommand, ...units] = operands;
      if (subcommand === undefined || !rule.subcommands.includes(subcommand.text)) {
        const name = subcommand?.text ?? "";
        return refused(
          subcommand === undefined
            ? "unlisted_option"
            : (gravestRisk(commandRisksOf(`systemctl ${name}`)) ?? "unlisted_option"),
          name,
        );
      }
      const wrong = units.find((unit) => unit.home || !/^[A-Za-z0-9@:_.*?][A-Za-z0-9@:_.*?-]{0,200}$/.test(unit.text));
      return wrong === undefined ? null : refused("unlisted_option", wrong.text);
    }
    default:
      return rule satisfies never;
  }
}

function firstRefusal(words: readonly ShellWord[], judge: (word: ShellWord) => CommandRisk | null): RefusedCall | null {
  for (const word of words) {
    const risk = word.text === "-" ? "unlisted_option" : judge(word);
    if (risk !== null) return refused(risk, word.text);
  }
  return null;
}

function refused(risk: CommandRisk, detail: string): RefusedCall {
  return { kind: "refused", risk, detail };
}

function isLog(path: string): boolean {
  return /(?:^|\/)var\/log\/|\.log(?:\.\d+)?$|(?:^|\/)(?:syslog|messages|dmesg)$/i.test(path);
}

/** A journal is bounded by a number of lines, or by both ends of a time window and a unit. */
function isBounded(options: readonly GivenOption[]): boolean {
  const has = (name: string): boolean => options.some(({ option }) => hasName(option, name));
  return has("--lines") || (has("--since") && has("--until") && has("--unit"));
}

function hasName(option: AllowedOption, name: string): boolean {
  return option.names.includes(name);
}
