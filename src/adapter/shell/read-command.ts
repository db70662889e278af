import { type DoubleQuotedChild, parse, type Word, type WordPart } from "unbash";
import type { CommandRisk } from "./command-risk.ts";

/** One word of a command as the program receives it. With `home`, the text starts with a `~` that the shell replaces. */
export interface ShellWord {
  readonly text: string;
  readonly home: boolean;
}

export type CommandReading =
  | { readonly kind: "simple"; readonly words: readonly ShellWord[] }
  | { readonly kind: "not_simple"; readonly risk: CommandRisk; readonly detail: string };

/** Longest command that is looked at, in UTF-16 units, and most words; nobody types longer ones into a chat. */
const longestCommand = 1000;
const mostWords = 64;

/**
 * Characters that are not what they look like: controls, line ends of other scripts, joiners, marks of writing direction, blanks
 * that no shell splits at, fillers, halves of a pair.
 */
const unreadable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;
/** Dashes and quotes that a word processor puts in place of the plain ones: what was meant can only be guessed. */
const typographic = /(?:^|\s)[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]|[\u2018-\u201f\u2032-\u2037\u300c-\u300f]/u;

/**
 * Reads a text as one simple command of literal words. Everything else a shell knows (pipes, redirects, expansions, patterns,
 * assignments, comments, several commands) is `not_simple`, named by its most telling risk. Never throws.
 */
export function readCommand(source: string): CommandReading {
  // Blanks of other scripts are part of a word to a shell, so only its own are taken off.
  const text = source.replace(/^[ \t\n]+|[ \t\n]+$/g, "");
  if (text === "") return notSimple("unreadable", "no command");
  if (text.length > longestCommand) return notSimple("unreadable", "longer than 1,000 characters");
  if (unreadable.test(text)) return notSimple("unreadable", "a line break or an invisible character");
  if (typographic.test(text)) return notSimple("unreadable", "a typographic dash or quotation mark");
  const script = parse(text);
  if (script.errors !== undefined && script.errors.length > 0)
    return notSimple("unreadable", script.errors[0]?.message ?? "not shell syntax");
  const [statement, ...others] = script.commands;
  if (statement === undefined) return notSimple("unreadable", "no command");
  if (others.length > 0) return notSimple("several_commands", "more than one command");
  if (statement.background === true) return notSimple("several_commands", "runs in the background");
  const { command } = statement;
  if (command.type === "Pipeline" && command.commands.length > 1) return notSimple("pipe", "a pipe");
  if (command.type !== "Command") return notSimple("several_commands", "not one plain command");
  for (const part of [...command.prefix, ...command.suffix]) {
    if (part.type === "HereDoc" || part.type === "HereString") return notSimple("here_document", part.type);
    if (part.type === "Redirect") return notSimple("redirect", part.operator);
    if (part.type === "Assignment") return notSimple("assignment", part.name);
  }
  const words: ShellWord[] = [];
  let end = 0;
  for (const word of [command.name, ...command.suffix]) {
    if (word === undefined || word.type !== "Word") return notSimple("unreadable", "no command name");
    // The parser is tolerant. What it passed over (a comment, a lone bracket, a closing semicolon) was meant by somebody.
    if (words.length === 0 ? word.pos !== 0 : !/^ +$/.test(text.slice(end, word.pos)))
      return notSimple("unreadable", "text between the words");
    end = word.end;
    const reading = readWord(word);
    if (reading.kind === "not_literal") return notSimple(reading.risk, word.text);
    words.push(reading.word);
  }
  if (end !== text.length) return notSimple("unreadable", "text behind the command");
  if (words.length > mostWords) return notSimple("unreadable", "more than 64 words");
  // A quoted or escaped name dodges aliases on purpose; a written-out one is what people type.
  if (command.name?.text !== words[0]?.text) return notSimple("unreadable", "a quoted command name");
  return { kind: "simple", words };
}

function notSimple(risk: CommandRisk, detail: string): CommandReading {
  return { kind: "not_simple", risk, detail };
}

type WordReading =
  | { readonly kind: "literal"; readonly word: ShellWord }
  | { readonly kind: "not_literal"; readonly risk: CommandRisk };

function readWord(word: Word): WordReading {
  const parts: readonly WordPart[] = word.parts ?? [
    { type: "Literal", pos: word.pos, end: word.end, text: word.text, value: word.value },
  ];
  let text = "";
  let home = false;
  for (const [index, part] of parts.entries()) {
    switch (part.type) {
      case "Literal": {
        const bare = readBare(part.text, part.value);
        if (bare !== null) return { kind: "not_literal", risk: bare };
        if (part.text.includes("~")) {
          const atHome = index === 0 && /^~(?:\/[^~]*)?$/.test(part.text) && (part.text !== "~" || parts.length === 1);
          if (!atHome) return { kind: "not_literal", risk: "expansion" };
          home = true;
        }
        text += part.value;
        break;
      }
      case "SingleQuoted":
        text += part.value;
        break;
      case "DoubleQuoted": {
        const inner = readQuoted(part.parts);
        if (inner === null) return { kind: "not_literal", risk: "substitution" };
        text += inner;
        break;
      }
      case "Glob":
      case "ExtendedGlob":
      case "BraceExpansion":
        return { kind: "not_literal", risk: "expansion" };
      case "AnsiCQuoted":
      case "LocaleString":
        return { kind: "not_literal", risk: "unreadable" };
      case "SimpleExpansion":
      case "ParameterExpansion":
      case "CommandExpansion":
      case "ArithmeticExpansion":
      case "ProcessSubstitution":
        return { kind: "not_literal", risk: "substitution" };
      default:
        part satisfies never;
        return { kind: "not_literal", risk: "unreadable" };
    }
  }
  return { kind: "literal", word: { text, home } };
}

/** Unquoted text may hold nothing that any shell in use would act on, whatever the parser made of it; null when it is plain. */
function readBare(text: string, value: string): CommandRisk | null {
  if (/[`$]/.test(text)) return "substitution";
  if (/[<>]/.test(text)) return "redirect";
  if (/[|]/.test(text)) return "pipe";
  if (/[*?[\]{}]/.test(text)) return "expansion";
  if (/[;&()!#^\\"']/.test(text) || text !== value) return "unreadable";
  return null;
}

function readQuoted(parts: readonly DoubleQuotedChild[]): string | null {
  let text = "";
  for (const part of parts) {
    if (part.type !== "Literal") return null;
    text += part.value;
  }
  return text;
}
