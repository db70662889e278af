import { suggestion } from "../lab/scenario/nearest.ts";
import { UserError } from "./errors.ts";
import type { Text } from "./messages.ts";

interface OptionBase {
  readonly describe: Text;
  /** Heading it is listed under. */
  readonly group: OptionGroup;
  /** What holds where neither the command line nor lab.yaml says anything; for the help text. */
  readonly fallback?: string | Text;
}

/** An option of a command. Its value is undefined (or an empty list, or false) where it was not given. */
export type OptionSpec = OptionBase &
  (
    | { readonly kind: "text" }
    | { readonly kind: "number"; readonly whole: boolean; readonly min: number; readonly max?: number }
    | { readonly kind: "choice"; readonly choices: readonly string[] }
    /** Several of a closed set, comma-separated. */
    | { readonly kind: "choices"; readonly choices: readonly string[] }
    /** Repeatable; several values may follow one name. */
    | { readonly kind: "list" }
    | { readonly kind: "flag" }
  );

export type Options = Readonly<Record<string, OptionSpec>>;
export type OptionGroup = "target" | "plan" | "request" | "connection" | "output";

/** Headings of the help text. */
export const optionGroups: Readonly<Record<OptionGroup, Text>> = {
  target: { en: "What to measure:", ja: "測定対象:" },
  plan: { en: "What to ask:", ja: "測定内容:" },
  request: { en: "Every request:", ja: "リクエスト:" },
  connection: { en: "Connection:", ja: "接続:" },
  output: { en: "Output:", ja: "出力:" },
};

/** The type of the value that an option's description promises. */
export type ValueOf<Spec> = Spec extends { readonly kind: "number" }
  ? number | undefined
  : Spec extends { readonly kind: "choice"; readonly choices: readonly (infer Choice)[] }
    ? Choice | undefined
    : Spec extends { readonly kind: "choices"; readonly choices: readonly (infer Choice)[] }
      ? readonly Choice[]
      : Spec extends { readonly kind: "list" }
        ? readonly string[]
        : Spec extends { readonly kind: "flag" }
          ? boolean
          : string | undefined;
export type ValuesOf<Set extends Options> = { readonly [Name in keyof Set]: ValueOf<Set[Name]> };

/** Checks what the parser read for every option of a command. @throws UserError naming the option and what it wants. */
export function readOptions<Set extends Options>(set: Set, given: Readonly<Record<string, unknown>>): ValuesOf<Set> {
  const entries = Object.entries(set).map(([name, spec]) => [name, readOption(name, spec, given[name])]);
  return Object.fromEntries(entries) as ValuesOf<Set>;
}

function readOption(name: string, spec: OptionSpec, given: unknown): unknown {
  switch (spec.kind) {
    case "flag":
      return given === true;
    case "list":
      return texts(given);
    case "choices": {
      const names = texts(given)
        .flatMap((text) => text.split(","))
        .map((text) => text.trim());
      for (const value of names) checkChoice(name, spec.choices, value);
      return [...new Set(names)];
    }
    default:
  }
  if (given === undefined) return undefined;
  if (Array.isArray(given)) throw new UserError(`--${name} is given more than once; give it once`);
  const text = String(given);
  switch (spec.kind) {
    case "text":
      if (text === "") throw new UserError(`--${name} is given without a value`);
      return text;
    case "choice":
      checkChoice(name, spec.choices, text);
      return text;
    case "number":
      return readNumber(name, spec, text);
    default:
      return spec satisfies never;
  }
}

function texts(given: unknown): readonly string[] {
  if (given === undefined) return [];
  return (Array.isArray(given) ? given : [given]).map(String).filter((text) => text !== "");
}

function checkChoice(name: string, choices: readonly string[], given: string): void {
  if (!choices.includes(given)) {
    throw new UserError(`--${name}: there is no "${given}"${suggestion(given, choices)}`);
  }
}

function readNumber(
  name: string,
  spec: { readonly whole: boolean; readonly min: number; readonly max?: number },
  text: string,
): number {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  const fits = spec.whole ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (!fits || value < spec.min || (spec.max !== undefined && value > spec.max)) {
    const range = spec.max === undefined ? `from ${spec.min}` : `from ${spec.min} to ${spec.max}`;
    throw new UserError(`--${name} wants a ${spec.whole ? "whole number" : "number"} ${range}, not "${text}"`);
  }
  return value;
}
