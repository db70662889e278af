import { resolve } from "node:path";
import { oneLineOption, visibleText } from "../../lab/report/terminal-text.ts";
import { loadScenarios, shippedProbeIds } from "../../lab/scenario/load.ts";
import { readUserRequest, requestSuiteId } from "../../lab/scenario/request-file.ts";
import type { Summary } from "../../lab/stats/summary.ts";
import { readConfig, shownPath } from "../config.ts";
import { UserError } from "../errors.ts";
import { findTargets, targetChoice } from "../find-targets.ts";
import { measure } from "../measure.ts";
import { messagesIn } from "../messages.ts";
import { expandChoice, withMinimum } from "../model-choice.ts";
import { resumeRun } from "../resume-run.ts";
import { chosenScenarios, chosenSuites, commaSeparated, type RunSettings, runSettings } from "../run-settings.ts";
import { scenarioFolders } from "../scenario-folders.ts";
import { shellCommand, withoutSecrets } from "../shell-command.ts";
import { checkUsedScenarios } from "../used-scenarios.ts";
import type { World } from "../world.ts";
import type { Execute } from "./command.ts";
import type { runOptions } from "./run-options.ts";

/** `lab run`: measures the targets that were named. Everything that can be checked is checked before the first request. */
export const runTargets: Execute<typeof runOptions> = async (values, world) => {
  const config = readConfig(values.config, world);
  if (values.resume !== undefined) return resumeRun(values.resume, values, config, world);
  const settings = runSettings(values, config, world);
  const speaksOfAdapter =
    values["through-adapter"] || values["adapter-config"] !== undefined || values.ablate.length > 0;
  // Loaded where it is wanted: most runs go direct, and the adapter is a program of its own.
  const adapter = speaksOfAdapter ? (await import("../adapter-routes.ts")).throughAdapter(values, world) : undefined;
  const folders = scenarioFolders(values.scenarios, config, world);
  const { asked, choice } = expandChoice(
    values.suite.length > 0 ? values.suite : (config.defaults.suites ?? []),
    values["min-context"] ?? null,
  );
  const loadedScenarios = loadScenarios(folders, {
    only: values.scenario.length > 0 ? commaSeparated(values.scenario) : undefined,
    suites: asked.length > 0 ? asked : undefined,
    agentShapes: settings.shapes.includes("agent"),
    probes: asked,
  });
  const scenarios = choice?.minContext == null ? loadedScenarios : withMinimum(loadedScenarios, choice.minContext);
  const onlyScenarios = chosenScenarios(values.scenario, scenarios, settings.languages);
  const request =
    values.request === undefined
      ? undefined
      : await readUserRequest(shownPath(resolve(world.cwd, values.request), world.cwd));
  // A user's own request is measured alone, unless suites are asked for beside it.
  const named = request !== undefined && values.suite.length === 0 ? [requestSuiteId] : asked;
  if (named.includes(requestSuiteId) && request === undefined)
    throw new UserError("--suite request measures a request of your own; name its file with --request");
  const others = named.filter((suite) => suite !== requestSuiteId);
  const suites = named.length > 0 && others.length === 0 ? [] : chosenSuites(others, scenarios, shippedProbeIds());
  if (suites.length > 0) {
    const { languages } = settings;
    checkUsedScenarios(scenarios, { suites, onlyScenarios, languages, own: folders.length > 0 });
  }
  const targets = await findTargets(targetChoice(values), config, settings, world);
  const next = (summary: Summary, run: string) => nextLine(summary, run, settings, world);
  return measure({ targets, suites, scenarios, onlyScenarios, request, choice, adapter, next }, settings, world);
};

/** After a diagnosis with a remedy: apply it and measure again. Else: look closer. */
function nextLine(summary: Summary, run: string, settings: RunSettings, world: World): string {
  const messages = messagesIn(settings.language);
  const again = shellCommand(["lab", ...withoutSecrets(world.argv)]);
  const mendable = summary.diagnoses.find((diagnosis) => diagnosis.fix !== null);
  if (mendable?.fix) {
    const { kind, option } = mendable.fix;
    return messages.nextFix(kind === "flag" ? oneLineOption(option) : null, visibleText(mendable.target), again);
  }
  if (summary.measured < summary.planned) return messages.nextAgain(again);
  const where = settings.out === null ? [] : ["--results", settings.out];
  return messages.nextReport(shellCommand(["lab", "report", run, "--format", "console,json", ...where]));
}
