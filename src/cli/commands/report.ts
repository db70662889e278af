import { basename, resolve } from "node:path";
import { findRun } from "../../lab/capture/find-run.ts";
import { type ReportName, reportNames } from "../../lab/report/index.ts";
import { suggestion } from "../../lab/scenario/nearest.ts";
import { readConfig, shownPath } from "../config.ts";
import { exitCodes, UserError } from "../errors.ts";
import { displayLanguage, messagesIn } from "../messages.ts";
import { renderRun } from "../render-run.ts";
import type { Execute } from "./command.ts";
import type { reportOptions } from "./option-sets.ts";

/** `lab report`: the console report goes to standard output, every other format to a file whose path is named. */
export const report: Execute<typeof reportOptions> = async (values, world, positionals) => {
  const config = readConfig(values.config, world);
  const names = formats(values.format);
  const results = resolve(world.cwd, values.results ?? config.defaults.out ?? "results");
  const folder = await findRun(results, positionals["run"] ?? "latest");
  const language = displayLanguage(values.lang ?? config.defaults.lang, world.env);
  const reportFolder = resolve(world.cwd, values.out ?? `reports/${basename(folder)}`);
  const show = values.json ? "json" : names.includes("console") ? "console" : "nothing";
  const files = names.filter((name) => name !== "console");
  const paths = await renderRun({ folder, formats: files, reportFolder, show, language }, world);
  // Where nothing else is on standard output, the paths are what was asked for.
  const output = show === "nothing" ? world.stdout : world.stderr;
  for (const path of paths) output.write(`${messagesIn(language).report(shownPath(path, world.cwd))}\n`);
  return exitCodes.ok;
};

function formats(given: readonly string[]): readonly ReportName[] {
  const names = given
    .flatMap((text) => text.split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "");
  if (names.length === 0) return ["console"];
  return [...new Set(names)].map((name) => {
    const known = reportNames.find((each) => each === name);
    if (known === undefined)
      throw new UserError(`--format: there is no ${JSON.stringify(name)}${suggestion(name, reportNames)}`);
    return known;
  });
}
