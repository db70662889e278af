import { writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { findRun } from "../../lab/capture/find-run.ts";
import { makeFolder } from "../../lab/capture/make-folder.ts";
import { storeError } from "../../lab/capture/store-error.ts";
import { compareForView } from "../../lab/gate/comparison-view.ts";
import { targetNames } from "../../lab/gate/pair-cells.ts";
import type { ComparisonView } from "../../lab/gate/verdict.ts";
import { comparisonPage } from "../../lab/report/gate/comparison-page.ts";
import { comparisonConsole } from "../../lab/report/gate/console.ts";
import { comparisonMarkdown } from "../../lab/report/gate/markdown.ts";
import { fitted } from "../../lab/report/gate/markdown-text.ts";
import { markdownLimit } from "../../lab/report/markdown.ts";
import { messagesFor } from "../../lab/report/messages/catalogue.ts";
import { openSide } from "../../lab/stored-side.ts";
import { readConfig, shownPath } from "../config.ts";
import { exitCodes, UserError } from "../errors.ts";
import { findBaseline, readFormats, readPairs, readPolicy } from "../gate-files.ts";
import { type DisplayLanguage, displayLanguage, messagesIn } from "../messages.ts";
import { shellCommand } from "../shell-command.ts";
import type { Execute } from "./command.ts";
import type { compareOptions } from "./gate-options.ts";

/** `lab compare`: two runs side by side. Exit code 3 where they may not be compared, else 0, whatever the difference. */
export const compare: Execute<typeof compareOptions> = async (values, world, positionals) => {
  const config = readConfig(values.config, world);
  const formats = readFormats(values.format, ["html", "md"] as const);
  const policy = readPolicy(values.policy, world);
  const results = resolve(world.cwd, values.results ?? config.defaults.out ?? "results");
  const language = displayLanguage(values.lang ?? config.defaults.lang, world.env);
  const first = await findBaseline(results, positionals["before"] ?? "").catch(() =>
    findRun(results, positionals["before"] ?? "").then((folder) => ({ folder, name: basename(folder) })),
  );
  const second = await findRun(results, positionals["after"] ?? "latest");
  const [before, after] = [await openSide(first.folder), await openSide(second)];
  for (const side of [before, after]) {
    if (side.finished) continue;
    const classify = shellCommand(["lab", "classify", side.record.run]);
    throw new UserError(`${side.record.run} was never finished; let it finish, or count what it has with ${classify}`, {
      exitCode: 3,
    });
  }
  const view = compareForView(
    { name: first.name, side: before },
    { name: basename(second), side: after },
    { policy, treatment: values.treatment, targets: readPairs(values.pair, targetNames(before), targetNames(after)) },
  );
  const folder = resolve(world.cwd, values.out ?? join("reports", basename(second)));
  for (const format of formats) {
    const path = await writeText(folder, `comparison.${format}`, rendered(view, format, language));
    world.stderr.write(`${messagesIn(language).written(shownPath(path, world.cwd))}\n`);
  }
  if (values.json) world.stdout.write(`${JSON.stringify({ comparable: view.problems.length === 0, ...view })}\n`);
  else {
    const { terminal, columns } = world.stdout;
    const colour = terminal !== null && !world.env["NO_COLOR"];
    world.stdout.write(comparisonConsole(view, { lang: language, colour, width: columns }));
  }
  return view.problems.length === 0 ? exitCodes.ok : exitCodes.notMeasured;
};

function rendered(view: ComparisonView, format: "html" | "md", language: DisplayLanguage): string {
  if (format === "html") return comparisonPage(view, language);
  return fitted(comparisonMarkdown(view, language), markdownLimit, `… ${messagesFor(language).words.leftOutMarkdown}`);
}

/** Writes a text file and resolves with its path. @throws StoreError */
export async function writeText(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  try {
    await makeFolder(folder);
    await writeFile(path, text);
  } catch (error) {
    throw storeError(path, error);
  }
  return path;
}
