import { resolve } from "node:path";
import { findRun } from "../../lab/capture/find-run.ts";
import { openRun } from "../../lab/capture/open-run.ts";
import { rejudge } from "../../lab/rejudge.ts";
import { readConfig } from "../config.ts";
import { exitCodes, UserError } from "../errors.ts";
import { judgeCases } from "../judge-cases.ts";
import { displayLanguage, messagesIn } from "../messages.ts";
import { renderRun } from "../render-run.ts";
import type { Execute } from "./command.ts";
import type { classifyOptions } from "./option-sets.ts";

/** `lab classify`: judges every stored sample, or every case of a folder, with today's rules; no server is asked. */
export const classify: Execute<typeof classifyOptions> = async (values, world, positionals) => {
  const config = readConfig(values.config, world);
  const language = displayLanguage(values.lang ?? config.defaults.lang, world.env);
  const messages = messagesIn(language);
  const run = positionals["run"] ?? "";
  if (values.cases !== undefined) {
    if (run !== "") throw new UserError(`lab classify takes a run or --cases, not both (${run})`);
    return judgeCases(
      {
        folder: resolve(world.cwd, values.cases),
        withRaw: !values["without-raw"],
        json: values.json,
        quiet: values.quiet,
        minAccuracy: values["min-accuracy"] ?? null,
        repairs: values.repairs,
        language,
        messages,
      },
      world,
    );
  }
  if (run === "")
    throw new UserError("name a run (latest, the beginning of its id, or a path), or a folder with --cases");
  for (const name of ["without-raw", "min-accuracy", "repairs"] as const) {
    if (values[name] !== undefined && values[name] !== false)
      throw new UserError(`--${name} goes with --cases; a run is judged as it was recorded`);
  }
  const results = resolve(world.cwd, values.results ?? config.defaults.out ?? "results");
  const folder = await findRun(results, run);
  const stored = await openRun(folder);
  const { samples, changed } = await rejudge(stored);
  for (const note of stored.notes) world.stderr.write(`lab: ${note}\n`);
  await renderRun(
    { folder, formats: [], reportFolder: folder, show: values.json ? "json" : "console", language },
    world,
  );
  if (!values.quiet) world.stderr.write(`${messages.rejudged(samples, changed)}\n`);
  return exitCodes.ok;
};
