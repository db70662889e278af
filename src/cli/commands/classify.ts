import { resolve } from "node:path";
import { findRun } from "../../lab/capture/find-run.ts";
import { openRun } from "../../lab/capture/open-run.ts";
import { rejudge } from "../../lab/rejudge.ts";
import { readConfig } from "../config.ts";
import { exitCodes } from "../errors.ts";
import { displayLanguage, messagesIn } from "../messages.ts";
import { renderRun } from "../render-run.ts";
import type { Execute } from "./command.ts";
import type { classifyOptions } from "./option-sets.ts";

/** `lab classify`: judges every stored sample again with today's rules; no server is asked. */
export const classify: Execute<typeof classifyOptions> = async (values, world, positionals) => {
  const config = readConfig(values.config, world);
  const results = resolve(world.cwd, values.results ?? config.defaults.out ?? "results");
  const folder = await findRun(results, positionals["run"] ?? "latest");
  const language = displayLanguage(values.lang ?? config.defaults.lang, world.env);
  const stored = await openRun(folder);
  const { samples, changed } = await rejudge(stored);
  for (const note of stored.notes) world.stderr.write(`lab: ${note}\n`);
  await renderRun(
    { folder, formats: [], reportFolder: folder, show: values.json ? "json" : "console", language },
    world,
  );
  if (!values.quiet) world.stderr.write(`${messagesIn(language).rejudged(samples, changed)}\n`);
  return exitCodes.ok;
};
