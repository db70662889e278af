import type { Text } from "../messages.ts";
import { type Options, readOptions, type ValuesOf } from "../options.ts";
import type { World } from "../world.ts";

/** A word that stands on the command line without a name. */
export interface Positional {
  readonly name: string;
  readonly describe: Text;
  readonly choices?: readonly string[];
  /** The command knows what to do without it. */
  readonly optional?: boolean;
}

/** A command as the program knows it: enough for the help text, with the work behind `start`. */
export interface Command {
  readonly name: string;
  readonly describe: Text;
  readonly positionals: readonly Positional[];
  readonly options: Options;
  /** Runs the command with what the parser read. Resolves with the exit code. @throws UserError */
  start(given: Readonly<Record<string, unknown>>, world: World): Promise<number>;
}

/** What a command's own module exports for `load`. */
export type Execute<Set extends Options> = (
  values: ValuesOf<Set>,
  world: World,
  positionals: Readonly<Record<string, string>>,
) => Promise<number>;

/**
 * Describes a command. `load` imports its module only when it runs: `lab --help` must not wait for zod, undici or YAML.
 */
export function command<Set extends Options>(spec: {
  readonly name: string;
  readonly describe: Text;
  readonly positionals?: readonly Positional[];
  readonly options: Set;
  load(): Promise<Execute<Set>>;
}): Command {
  const positionals = spec.positionals ?? [];
  return {
    name: spec.name,
    describe: spec.describe,
    positionals,
    options: spec.options,
    start: async (given, world) => {
      const values = readOptions(spec.options, given);
      const words = Object.fromEntries(positionals.map(({ name }) => [name, String(given[name] ?? "")]));
      const execute = await spec.load();
      return execute(values, world, words);
    },
  };
}
