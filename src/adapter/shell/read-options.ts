import type { AllowedCommand, AllowedOption } from "./allowed-commands.ts";
import type { ShellWord } from "./read-command.ts";

/** An option as it stands in a command; `value` is null when it has none. */
export interface GivenOption {
  readonly option: AllowedOption;
  readonly value: string | null;
}

export type OptionsReading =
  | {
      readonly kind: "read";
      readonly options: readonly GivenOption[];
      readonly operands: readonly ShellWord[];
      /** Index of the `--` among the words; null without one. */
      readonly divider: number | null;
    }
  /** The word that is not on the list, or whose value is not allowed. */
  | { readonly kind: "unlisted"; readonly word: string };

/** Sorts the words behind a command's name into options and operands, by the spellings and values that its entry allows. */
export function readOptions(command: AllowedCommand, words: readonly ShellWord[]): OptionsReading {
  const byName = new Map(command.options.flatMap((option) => option.names.map((name) => [name, option] as const)));
  const options: GivenOption[] = [];
  const operands: ShellWord[] = [];
  let divider: number | null = null;
  let index = 0;

  /** Takes an option's value from behind it or from the next word; false when it may not stand. */
  const take = (option: AllowedOption, attached: string | null): boolean => {
    const { value } = option;
    if (value === undefined) {
      if (attached !== null) return false;
      options.push({ option, value: null });
      return true;
    }
    if (value.kind === "attached") {
      if (attached !== null && !value.pattern.test(attached)) return false;
      options.push({ option, value: attached });
      return true;
    }
    let text = attached;
    if (text === null) {
      index += 1;
      const next = words[index];
      // A value that looks like an option is read differently by different programs.
      if (next === undefined || next.home || next.text.startsWith("-")) return false;
      text = next.text;
    }
    if (value.kind === "count" ? !isCount(text, value.most) : !value.pattern.test(text)) return false;
    options.push({ option, value: text });
    return true;
  };

  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) break;
    const { text } = word;
    if (divider !== null || word.home || !text.startsWith("-")) {
      operands.push(word);
    } else if (text === "--") {
      divider = index;
    } else if (text.startsWith("--")) {
      const equals = text.indexOf("=");
      const option = byName.get(equals < 0 ? text : text.slice(0, equals));
      if (option === undefined || !take(option, equals < 0 ? null : text.slice(equals + 1)))
        return { kind: "unlisted", word: text };
    } else if (command.bareCount !== undefined && /^-\d+$/.test(text)) {
      // Old spelling, understood in the first place only.
      if (index !== 0 || !isCount(text.slice(1), command.bareCount)) return { kind: "unlisted", word: text };
    } else {
      if (text === "-") return { kind: "unlisted", word: text };
      for (let at = 1; at < text.length; at += 1) {
        const option = byName.get(`-${text[at]}`);
        if (option === undefined) return { kind: "unlisted", word: text };
        const rest = text.slice(at + 1);
        const takesRest = option.value !== undefined && rest !== "";
        if (!take(option, takesRest ? rest : null)) return { kind: "unlisted", word: text };
        if (option.value !== undefined) break;
      }
    }
  }
  return { kind: "read", options, operands, divider };
}

function isCount(text: string, most: number): boolean {
  return /^\d{1,7}$/.test(text) && Number(text) <= most;
}
