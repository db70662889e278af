import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type AdapterConfig, adapterConfigSchema } from "../adapter/adapter-config.ts";
import { promptFormats } from "../adapter/prompt/index.ts";
import { stageNames } from "../adapter/stages/index.ts";
import { suggestion } from "../lab/scenario/nearest.ts";
import { readYaml } from "../lab/scenario/yaml-source.ts";
import type { adapterOptions } from "./commands/adapter-options.ts";
import { problemsError, shownPath, utf8Text } from "./config.ts";
import { UserError } from "./errors.ts";
import type { ValuesOf } from "./options.ts";
import { commaSeparated } from "./run-settings.ts";
import type { World } from "./world.ts";

/** The adapter's configuration: its file, then what the command line says. @throws UserError with file, line and key */
export function readAdapterConfig(
  values: Pick<
    ValuesOf<typeof adapterOptions>,
    "config" | "profile" | "prompt" | "disable" | "web" | "searxng" | "model"
  >,
  world: Pick<World, "cwd">,
): AdapterConfig {
  const file = readAdapterFile(values.config, "--config", world);
  const disable = [...file.disable, ...commaSeparated(values.disable)];
  for (const name of disable)
    if (!stageNames.includes(name))
      throw new UserError(`--disable: there is no stage ${JSON.stringify(name)}${suggestion(name, stageNames)}`);
  const profile = values.profile ?? file.profile;
  for (const name of ["intent", "suppress"])
    if (profile === "read-only" && disable.includes(name))
      throw new UserError(
        `--profile read-only rests on the stage ${name}; take it out of --disable, or use --profile agent`,
      );
  const format = values.prompt ?? file.prompt.format;
  const formats = ["auto", "native", ...promptFormats];
  if (!formats.includes(format))
    throw new UserError(`--prompt: there is no format ${JSON.stringify(format)}${suggestion(format, formats)}`);
  if (values.searxng !== undefined && !/^https?:\/\/\S+$/.test(values.searxng))
    throw new UserError(`--searxng: ${JSON.stringify(values.searxng)} is no http or https URL`);
  return {
    ...file,
    disable,
    profile,
    prompt: { ...file.prompt, format },
    web: { ...file.web, enabled: file.web.enabled || values.web, searxng: values.searxng ?? file.web.searxng },
    ...(values.model === undefined ? {} : { model: values.model }),
  };
}

/** Reads the adapter's configuration file; the defaults where none is given. @throws UserError with file, line and key */
export function readAdapterFile(given: string | undefined, option: string, world: Pick<World, "cwd">): AdapterConfig {
  if (given === undefined) return adapterConfigSchema.parse({});
  const file = resolve(world.cwd, given);
  if (!existsSync(file)) throw new UserError(`${option}: there is no file ${given}`);
  const shown = shownPath(file, world.cwd);
  const read = readYaml(utf8Text(readFileSync(file), shown), shown, adapterConfigSchema);
  if (!read.ok) throw problemsError(read.problems, shown);
  return read.value;
}
