import { basename, join, resolve } from "node:path";
import { findRun } from "../../lab/capture/find-run.ts";
import { runFiles, writeDocument } from "../../lab/capture/store.ts";
import { decide } from "../../lab/gate/decide.ts";
import { targetNames } from "../../lab/gate/pair-cells.ts";
import type { GatePolicy } from "../../lab/gate/policy.ts";
import { type GateVerdict, gateExitCode } from "../../lab/gate/verdict.ts";
import { gateConsole } from "../../lab/report/gate/console.ts";
import { gateMarkdown } from "../../lab/report/gate/markdown.ts";
import { fitted } from "../../lab/report/gate/markdown-text.ts";
import { reportNames } from "../../lab/report/index.ts";
import { gateJunit } from "../../lab/report/junit.ts";
import { markdownLimit } from "../../lab/report/markdown.ts";
import { openSide } from "../../lab/stored-side.ts";
import { readConfig, shownPath } from "../config.ts";
import { UserError } from "../errors.ts";
import { findBaseline, readFormats, readPairs, readPolicy } from "../gate-files.ts";
import { displayLanguage, messagesIn } from "../messages.ts";
import { renderRun } from "../render-run.ts";
import type { World } from "../world.ts";
import type { Execute } from "./command.ts";
import { writeText } from "./compare.ts";
import type { gateOptions } from "./gate-options.ts";

/**
 * `lab gate`: holds a run against a baseline and a policy, keeps the verdict with the run, and ends with its code. Sends
 * nothing: what is not in the run was not measured.
 */
export const gate: Execute<typeof gateOptions> = async (values, world, positionals) => {
  const config = readConfig(values.config, world);
  const formats = readFormats(
    values.format,
    reportNames.filter((name) => name !== "console"),
  );
  const policy: GatePolicy = {
    ...readPolicy(values.policy, world),
    ...(values["on-inconclusive"] === undefined ? {} : { onInconclusive: values["on-inconclusive"] }),
  };
  if (
    values.baseline === undefined &&
    policy.floors.length === 0 &&
    policy.safety.every((rule) => rule.atMost === undefined)
  )
    throw new UserError("--baseline is missing: name a promoted baseline or a run (or give floors with --policy)");
  const results = resolve(world.cwd, values.results ?? config.defaults.out ?? "results");
  const language = displayLanguage(values.lang ?? config.defaults.lang, world.env);
  const folder = await findRun(results, positionals["run"] ?? "latest");
  const found = values.baseline === undefined ? null : await findBaseline(results, values.baseline);
  const run = await openSide(folder);
  const baseline = found === null ? null : { name: found.name, side: await openSide(found.folder) };
  const pairs = baseline === null ? [] : readPairs(values.pair, targetNames(baseline.side), targetNames(run));
  const verdict = decide({
    run,
    baseline,
    options: { policy, treatment: values.treatment, targets: pairs },
    now: world.clock.date().toISOString(),
    policyName: values.policy === undefined ? null : basename(values.policy),
  });
  await writeDocument(folder, runFiles.verdict, verdict);

  const reportFolder = resolve(world.cwd, values.out ?? join("reports", basename(folder)));
  const paths = run.finished
    ? await renderRun({ folder, formats, reportFolder, show: "nothing", language }, world)
    : await verdictFiles(verdict, formats, reportFolder, language);
  for (const path of paths) world.stderr.write(`${messagesIn(language).report(shownPath(path, world.cwd))}\n`);
  if (values.json) world.stdout.write(`${JSON.stringify(verdict)}\n`);
  else show(verdict, language, world);
  return gateExitCode(verdict);
};

function show(verdict: GateVerdict, language: "en" | "ja", world: World): void {
  const { terminal, columns } = world.stdout;
  const colour = terminal !== null && !world.env["NO_COLOR"];
  world.stdout.write(gateConsole(verdict, { lang: language, colour, width: columns }));
}

/** A run that was never summed up has no report; its verdict has. */
async function verdictFiles(
  verdict: GateVerdict,
  formats: readonly string[],
  folder: string,
  language: "en" | "ja",
): Promise<readonly string[]> {
  const paths: string[] = [];
  if (formats.includes("junit")) paths.push(await writeText(folder, "junit.xml", gateJunit(verdict, language)));
  if (formats.includes("md"))
    paths.push(await writeText(folder, "summary.md", fitted(gateMarkdown(verdict, language), markdownLimit, "…")));
  return paths;
}
