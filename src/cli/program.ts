import { createRequire } from "node:module";
import type { Argv, Options as YargsOptions } from "yargs";
import { StoreError } from "../lab/capture/store-error.ts";
import { visibleText } from "../lab/report/terminal-text.ts";
import { nearest, suggestion } from "../lab/scenario/nearest.ts";
import { ScenarioProblems } from "../lab/scenario/scenario-problems.ts";
import type { Command } from "./commands/command.ts";
import { exitCodes, oneLine, UserError } from "./errors.ts";
import { type DisplayLanguage, displayLanguage, type Text } from "./messages.ts";
import { type OptionSpec, optionGroups } from "./options.ts";
import type { World } from "./world.ts";

// As an ES module yargs breaks lines inside words and takes every character for one column wide.
const require = createRequire(import.meta.url);
const yargs: (argv: readonly string[]) => Argv = require("yargs/yargs");

/** Reads the command line, runs the command it names and says what went wrong. Resolves with the exit code; never rejects. */
export async function program(commands: readonly Command[], world: World): Promise<number> {
  try {
    return await dispatch(commands, world);
  } catch (error) {
    if (error instanceof UserError) return say([error.message, ...error.problems], error.exitCode, world);
    if (error instanceof StoreError) return say([oneLine(error)], exitCodes.misuse, world);
    if (error instanceof ScenarioProblems) return say(error.problems, exitCodes.misuse, world);
    return reportInternal(error, world);
  }
}

function say(lines: readonly string[], exitCode: number, world: World): number {
  // Lines may quote files, servers and models: nothing that a terminal would obey gets through.
  for (const line of lines) world.stderr.write(`lab: ${visibleText(line)}\n`);
  return exitCode;
}

/** Says that the program itself failed, and how to see more. */
export function reportInternal(error: unknown, world: Pick<World, "env" | "stderr">): number {
  const details = world.env["LAB_DEBUG"] === "1";
  const hint = details ? "" : " (LAB_DEBUG=1 shows where; please report it)";
  world.stderr.write(`lab: internal error: ${visibleText(oneLine(error))}${hint}\n`);
  if (details && error instanceof Error) world.stderr.write(`${error.stack ?? ""}\n`);
  return exitCodes.internal;
}

async function dispatch(commands: readonly Command[], world: World): Promise<number> {
  const argv = world.argv[0] === "help" ? [...world.argv.slice(1), "--help"] : world.argv;
  const language = displayLanguage(rawValue(argv, "lang"), world.env);
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "version")) {
    world.stdout.write(`${world.labVersion}\n`);
    return exitCodes.ok;
  }
  const named = checkWords(commands, argv);
  const parsed = parse(commands, named, argv, language, world);
  if (parsed.help !== null) {
    const asked = argv.length > 0;
    (asked ? world.stdout : world.stderr).write(`${parsed.help}\n`);
    return asked ? exitCodes.ok : exitCodes.misuse;
  }
  if (named === null) throw new UserError("name a command; lab --help lists them");
  return named.start(parsed.values, world);
}

/** Finds unknown commands and flags before the parser does, in order to offer the name that was meant. */
function checkWords(commands: readonly Command[], argv: readonly string[]): Command | null {
  const [first] = argv;
  if (first === undefined || first === "--help") return null;
  const named = commands.find((command) => command.name === first);
  if (named === undefined) {
    const names = commands.map((command) => command.name);
    if (first.startsWith("-"))
      throw new UserError(`the command comes first, before ${first}; there is ${names.join(", ")}`);
    throw new UserError(`there is no command "${first}"${suggestion(first, names)}`);
  }
  const known = [...Object.keys(named.options), "help"];
  for (const word of argv.slice(1)) {
    if (word === "--") break;
    if (!word.startsWith("-") || /^-(\d|\.\d|$)/.test(word)) continue;
    const name = word.replace(/^--?/, "").replace(/=.*$/s, "");
    if (!word.startsWith("--") || !known.includes(name)) {
      const near = nearest(name, known);
      const hint = near === undefined ? `; lab ${named.name} --help lists them` : ` (did you mean --${near}?)`;
      throw new UserError(`lab ${named.name} has no option ${word.replace(/=.*$/s, "")}${hint}`);
    }
  }
  return named;
}

function parse(
  commands: readonly Command[],
  named: Command | null,
  argv: readonly string[],
  language: DisplayLanguage,
  world: World,
): { readonly values: Readonly<Record<string, unknown>>; readonly help: string | null } {
  const parser = yargs([])
    .scriptName("lab")
    .locale(language)
    // Every value is read and checked by options.ts, so that "string" would be untrue of numbers.
    .updateStrings(language === "ja" ? { string: "値", array: "複数の値" } : { string: "value", array: "values" })
    .exitProcess(false)
    .version(false)
    .help()
    .strict()
    .wrap(Math.max(60, Math.min(110, world.stdout.columns)))
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    });
  // yargs writes the help of a command that it was given by name, asked for or not, and none for the one that runs by default.
  const alone = named !== null && !argv.some((word) => /^(?:--)?help/.test(word));
  if (alone) addCommand(parser, named, language, "$0");
  else for (const command of commands) addCommand(parser, command, language, command.name);
  let outcome: { readonly values: Readonly<Record<string, unknown>>; readonly help: string | null } | null = null;
  // With a callback yargs hands its texts over instead of printing them, and never ends the process.
  const words = argv.length === 0 ? ["--help"] : argv.slice(alone ? 1 : 0);
  parser.parse(words, {}, (error: Error | undefined | null, values, output) => {
    if (error) throw new UserError(`${oneLine(error).replace(/[.:。:]+$/, "")}; lab ${argv[0] ?? ""} --help says more`);
    outcome = { values, help: output === "" ? null : output };
  });
  return outcome ?? { values: {}, help: null };
}

/** `word`: what it is called by; "$0" for the command that runs by default. */
function addCommand(parser: Argv, command: Command, language: DisplayLanguage, word: string): void {
  const usage = [
    word,
    ...command.positionals.map(({ name, optional }) => (optional === true ? `[${name}]` : `<${name}>`)),
  ].join(" ");
  parser.command(
    usage,
    command.describe[language],
    (builder) => {
      for (const { name, describe, choices } of command.positionals) {
        builder.positional(name, {
          type: "string",
          describe: choices === undefined ? describe[language] : `${describe[language]} (${choices.join(", ")})`,
        });
      }
      for (const [name, spec] of Object.entries(command.options)) {
        builder.option(name, yargsOption(spec, language));
        builder.group(name, optionGroups[spec.group][language]);
      }
      return builder;
    },
    () => {},
  );
}

function yargsOption(spec: OptionSpec, language: DisplayLanguage): YargsOptions {
  const choices = "choices" in spec ? ` (${spec.choices.join(", ")})` : "";
  return {
    describe: `${spec.describe[language]}${choices}`,
    ...(spec.fallback === undefined ? {} : { defaultDescription: inLanguage(spec.fallback, language) }),
    ...(spec.kind === "flag"
      ? { type: "boolean" as const }
      : { type: "string" as const, requiresArg: true, ...(spec.kind === "list" ? { array: true as const } : {}) }),
  };
}

function inLanguage(text: string | Text, language: DisplayLanguage): string {
  return typeof text === "string" ? text : text[language];
}

function rawValue(argv: readonly string[], name: string): string | undefined {
  const joined = argv.find((word) => word.startsWith(`--${name}=`));
  if (joined !== undefined) return joined.slice(name.length + 3);
  const at = argv.indexOf(`--${name}`);
  return at === -1 ? undefined : argv[at + 1];
}
