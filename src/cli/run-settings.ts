import type { LoadedScenarios } from "../lab/scenario/load.ts";
import { suggestion } from "../lab/scenario/nearest.ts";
import { overrideProblems, type RequestOverrides } from "../lab/scenario/request.ts";
import { type Language, type Shape, shapes } from "../lab/scenario/scenario.ts";
import { parseJson } from "../protocol/json.ts";
import type { runOptions } from "./commands/run-options.ts";
import type { LabConfig } from "./config.ts";
import { UserError } from "./errors.ts";
import { type DisplayLanguage, displayLanguage } from "./messages.ts";
import type { ValuesOf } from "./options.ts";
import type { World } from "./world.ts";

/** Limits of one exchange, in milliseconds. */
export interface Timeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** How a run is done, whatever it is done to: the command line, then lab.yaml, then the defaults. */
export interface RunSettings {
  readonly trials: number;
  readonly shapes: readonly Shape[];
  readonly languages: readonly Language[];
  readonly seed: string;
  readonly concurrency: number;
  readonly overrides: RequestOverrides;
  readonly raw: "auto" | "off";
  readonly timeouts: Timeouts;
  /** Folder for run folders; null = ./results, with rendered reports in ./reports. */
  readonly out: string | null;
  readonly language: DisplayLanguage;
  readonly quiet: boolean;
  readonly json: boolean;
}

/** Merges what was given with lab.yaml and the defaults. @throws UserError */
export function runSettings(
  values: ValuesOf<typeof runOptions>,
  config: LabConfig,
  world: Pick<World, "env" | "randomHex">,
): RunSettings {
  const { defaults } = config;
  const body = { ...defaults.body, ...readBody(values.body) };
  const [problem, ...problems] = overrideProblems(body);
  if (problem !== undefined) throw new UserError(problem, { problems });
  return {
    trials: values.trials ?? defaults.trials ?? 5,
    shapes: oneOrBoth(values.shape ?? defaults.shape ?? "small", shapes),
    languages: oneOrBoth(values.language ?? defaults.language ?? "both", usualLanguages),
    seed: values.seed ?? defaults.seed ?? world.randomHex(),
    concurrency: values.concurrency ?? defaults.concurrency ?? 4,
    overrides: {
      temperature: values.temperature ?? defaults.temperature,
      maxTokens: values["max-tokens"] ?? defaults.maxTokens,
      thinking: values.thinking ?? defaults.thinking,
      body,
    },
    raw: values.raw ?? defaults.raw ?? "auto",
    timeouts: {
      connectMs: milliseconds(values["timeout-connect"] ?? defaults.timeouts?.connect, defaultTimeouts.connectMs),
      firstByteMs: milliseconds(
        values["timeout-first-byte"] ?? defaults.timeouts?.firstByte,
        defaultTimeouts.firstByteMs,
      ),
      idleMs: milliseconds(values["timeout-idle"] ?? defaults.timeouts?.idle, defaultTimeouts.idleMs),
      totalMs: milliseconds(values["timeout-total"] ?? defaults.timeouts?.total, defaultTimeouts.totalMs),
    },
    out: values.out ?? defaults.out ?? null,
    language: displayLanguage(values.lang ?? defaults.lang, world.env),
    quiet: values.quiet,
    json: values.json,
  };
}

/** Limits that hold where nothing else is said: a model may think for long before its first byte, but not go silent later. */
export const defaultTimeouts: Timeouts = { connectMs: 5_000, firstByteMs: 120_000, idleMs: 60_000, totalMs: 600_000 };

/**
 * Suites of a run by id: those asked for, else those of single replies. `further`: names of suites that were not loaded.
 * @throws UserError offering the nearest name
 */
export function chosenSuites(
  asked: readonly string[],
  loaded: LoadedScenarios,
  further: readonly string[] = [],
): readonly string[] {
  const usual = loaded.suites.map((suite) => suite.id);
  const names = commaSeparated(asked);
  const known = [...usual, ...loaded.probes.map((suite) => suite.id)];
  for (const name of names) checkName("--suite", name, [...known, ...further, "choice", "request"]);
  return names.length === 0 ? usual : [...new Set(names)];
}

/** Scenarios that every suite is restricted to, or undefined. @throws UserError offering the nearest name */
export function chosenScenarios(
  asked: readonly string[],
  loaded: LoadedScenarios,
  spoken: readonly Language[],
): readonly string[] | undefined {
  const all = [...loaded.scenarios, ...loaded.probes.flatMap(({ items }) => items)];
  const known = all.map((scenario) => scenario.id);
  const names = commaSeparated(asked);
  for (const name of names) checkName("--scenario", name, known);
  if (names.length === 0) return undefined;
  const chosen = all.filter((scenario) => names.includes(scenario.id));
  if (!chosen.some((scenario) => spoken.includes(scenario.language))) {
    throw new UserError(
      `--scenario: none of ${names.join(", ")} is in the language ${spoken.join(", ")}; leave --language out`,
    );
  }
  return [...new Set(names)];
}

/** What an option names that may be given several times, and with commas: `--suite a,b --suite c`. */
export function commaSeparated(given: readonly string[]): readonly string[] {
  return given
    .flatMap((text) => text.split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

function checkName(option: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw new UserError(`${option}: there is no ${JSON.stringify(name)}${suggestion(name, known)}`);
}

/** `--body key=json`, several. @throws UserError */
export function readBody(given: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    given.map((text) => {
      const [, key, value] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(text) ?? [];
      if (key === undefined || value === undefined) {
        throw new UserError(`--body: ${JSON.stringify(text)} is not key=JSON, e.g. --body num_ctx=8192`);
      }
      const parsed = parseJson(value);
      if (parsed === undefined) {
        throw new UserError(
          `--body ${key}: ${value.trim()} is not JSON; a text needs quotes: --body '${key}=${JSON.stringify(value)}'`,
        );
      }
      return [key, parsed];
    }),
  );
}

/** What "both" means. A suite that compares languages has its own. */
const usualLanguages = ["ja", "en"] as const;

function oneOrBoth<Value extends string>(given: Value | "both", all: readonly Value[]): readonly Value[] {
  return given === "both" ? all : [given];
}

function milliseconds(seconds: number | undefined, fallback: number): number {
  return seconds === undefined ? fallback : Math.ceil(seconds * 1000);
}
