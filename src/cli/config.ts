import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { z } from "zod";
import { readYaml } from "../lab/scenario/yaml-source.ts";
import { serverKinds } from "../protocol/servers/server.ts";
import { UserError } from "./errors.ts";
import { displayLanguages } from "./messages.ts";
import type { World } from "./world.ts";

const headers = z.record(z.string().min(1), z.string());
const seconds = z.number().min(0).max(86_400);

const configTargetSchema = z.strictObject({
  name: z.string().min(1),
  model: z.string().min(1),
  baseUrl: z.string().min(1),
  serverKind: z.enum(serverKinds).optional(),
  apiKeyEnv: z.string().min(1).optional(),
  headers: headers.optional(),
});

/** lab.yaml: targets by name, and defaults that the command line overrides. Times are seconds. */
export const configSchema = z.strictObject({
  targets: z.array(configTargetSchema).default([]),
  defaults: z
    .strictObject({
      baseUrl: z.string().min(1).optional(),
      serverKind: z.enum(serverKinds).optional(),
      apiKeyEnv: z.string().min(1).optional(),
      headers: headers.optional(),
      body: z.record(z.string(), z.json()).optional(),
      suites: z.array(z.string()).min(1).optional(),
      scenarios: z.array(z.string()).min(1).optional(),
      trials: z.number().int().min(1).max(100_000).optional(),
      shape: z.enum(["small", "agent", "both"]).optional(),
      language: z.enum(["ja", "en", "both"]).optional(),
      raw: z.enum(["auto", "off"]).optional(),
      seed: z.string().min(1).optional(),
      temperature: z.number().min(0).max(2).optional(),
      maxTokens: z.number().int().min(1).optional(),
      thinking: z.enum(["on", "off"]).optional(),
      concurrency: z.number().int().min(1).max(1000).optional(),
      timeouts: z
        .strictObject({
          connect: seconds.optional(),
          firstByte: seconds.optional(),
          idle: seconds.optional(),
          total: seconds.optional(),
        })
        .optional(),
      out: z.string().min(1).optional(),
      lang: z.enum(displayLanguages).optional(),
    })
    .default({}),
});
export type LabConfig = z.infer<typeof configSchema>;

const emptyConfig: LabConfig = { targets: [], defaults: {} };

/** Reads `--config FILE`, else lab.yaml of the working directory, else gives an empty one. @throws UserError with every problem */
export function readConfig(given: string | undefined, world: Pick<World, "cwd">): LabConfig {
  const file = resolve(world.cwd, given ?? "lab.yaml");
  if (!existsSync(file)) {
    if (given === undefined) return emptyConfig;
    throw new UserError(`--config: there is no file ${given}`);
  }
  const shown = shownPath(file, world.cwd);
  const read = readYaml(utf8Text(readFileSync(file), shown), shown, configSchema);
  if (!read.ok) throw problemsError(read.problems, shown);
  const names = read.value.targets.map((target) => target.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UserError(`${shown}: two targets are named "${twice}"; rename one`);
  return read.value;
}

/** The text of a file. @throws UserError where it is no UTF-8 */
export function utf8Text(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UserError(`${file} is not UTF-8 text`, { cause: error });
  }
}

/** A UserError of one or more problems that each name their place already. */
export function problemsError(problems: readonly string[], file: string): UserError {
  const [first, ...others] = problems;
  return new UserError(first ?? `${file} cannot be read`, { problems: others });
}

/** A path as people want to read it: relative inside the working directory, absolute elsewhere. */
export function shownPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
}
