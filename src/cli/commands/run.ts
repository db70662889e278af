import { resolve } from "node:path";
import { visibleText } from "../../lab/report/terminal-text.ts";
import { loadScenarios } from "../../lab/scenario/load.ts";
import { suggestion } from "../../lab/scenario/nearest.ts";
import { readUserRequest } from "../../lab/scenario/request-file.ts";
import type { Summary } from "../../lab/stats/summary.ts";
import { type LabConfig, readConfig, shownPath } from "../config.ts";
import { UserError } from "../errors.ts";
import { type FoundServer, findLocalServers, listedModels } from "../listed-models.ts";
import { measure, openServer } from "../measure.ts";
import { messagesIn } from "../messages.ts";
import type { ValuesOf } from "../options.ts";
import { chosenScenarios, chosenSuites, type RunSettings, runSettings } from "../run-settings.ts";
import { scenarioFolders } from "../scenario-folders.ts";
import { shellCommand, withoutSecrets } from "../shell-command.ts";
import { planTargets, type TargetSpec } from "../target-specs.ts";
import type { World } from "../world.ts";
import type { Execute } from "./command.ts";
import type { runOptions } from "./option-sets.ts";

type Values = ValuesOf<typeof runOptions>;

/** `lab run`: measures the targets that were named. Everything that can be checked is checked before the first request. */
export const runTargets: Execute<typeof runOptions> = async (values, world) => {
  const config = readConfig(values.config, world);
  const settings = runSettings(values, config, world);
  const scenarios = await loadScenarios(scenarioFolders(values.scenarios, config, world), {
    only: values.scenario.length > 0 ? values.scenario : undefined,
    agentShapes: settings.shapes.includes("agent"),
  });
  const onlyScenarios = chosenScenarios(values.scenario, scenarios, settings.languages);
  const request =
    values.request === undefined
      ? undefined
      : await readUserRequest(shownPath(resolve(world.cwd, values.request), world.cwd));
  const asked = values.suite.length > 0 ? values.suite : (config.defaults.suites ?? []);
  // A user's own request is measured alone, unless suites are asked for beside it.
  const suites = request !== undefined && values.suite.length === 0 ? [] : chosenSuites(asked, scenarios);
  const targets = await targetsOf(values, config, settings, world);
  const next = (summary: Summary, run: string) => nextLine(summary, run, settings, world);
  return measure({ targets, suites, scenarios, onlyScenarios, request, next }, settings, world);
};

async function targetsOf(
  values: Values,
  config: LabConfig,
  settings: RunSettings,
  world: World,
): Promise<readonly TargetSpec[]> {
  const choice = {
    baseUrl: values["base-url"],
    models: values.model,
    targets: values.target,
    serverKind: values["server-kind"],
    apiKeyEnv: values["api-key-env"],
    headers: values.header,
  };
  const plan = planTargets(choice, config, world.env);
  switch (plan.kind) {
    case "targets":
      return plan.targets;
    case "ask-models": {
      const handler = openServer(plan.server, settings, world);
      const models = await listedModels(handler, plan.server, world.signal).finally(() => handler.close());
      const model = onlyModel(models, plan.server.server.shown);
      if (!settings.quiet) world.stderr.write(`${messagesIn(settings.language).onlyModel(visibleText(model))}\n`);
      return [{ name: model, model, ...plan.server }];
    }
    case "nothing-named":
      throw new UserError(nothingNamed(values.model, await findLocalServers(world.signal)));
    default:
      return plan satisfies never;
  }
}

function onlyModel(models: readonly string[], server: string): string {
  const [only, ...others] = models;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw new UserError(`${server} lists no model; name one with --model`, { exitCode: 3 });
  const shown = models.slice(0, 8).join(", ");
  const more = models.length > 8 ? `, … (${models.length} in all)` : "";
  throw new UserError(`${server} has several models; name one or more with --model: ${shown}${more}`, { exitCode: 3 });
}

/** One line that names the command to type: a server of this machine where one answers, else how to name one. */
function nothingNamed(models: readonly string[], found: readonly FoundServer[]): string {
  const [wanted] = models;
  const holder = found.find((server) => wanted !== undefined && server.models.includes(wanted)) ?? found[0];
  if (holder === undefined) {
    const example = shellCommand(["lab", "run", "--base-url", "http://HOST:PORT/v1", "--model", wanted ?? "NAME"]);
    return `no server is named and none answers on this machine; write ${example}, or try lab demo`;
  }
  const model = wanted !== undefined && holder.models.includes(wanted) ? wanted : (holder.models[0] ?? "NAME");
  const command = shellCommand(["lab", "run", "--base-url", holder.baseUrl, "--model", model]);
  const unknown =
    wanted !== undefined && model !== wanted ? ` (it has no ${wanted}${suggestion(wanted, holder.models)})` : "";
  return `no server is named; one answers on this machine${unknown}: ${command}`;
}

/** After a diagnosis with a remedy: apply it and measure again. Else: look closer. */
function nextLine(summary: Summary, run: string, settings: RunSettings, world: World): string {
  const messages = messagesIn(settings.language);
  const again = shellCommand(["lab", ...withoutSecrets(world.argv)]);
  const mendable = summary.diagnoses.find((diagnosis) => diagnosis.fix !== null);
  if (mendable?.fix) return messages.nextFix(mendable.fix.option, mendable.target, again);
  if (summary.measured < summary.planned) return messages.nextAgain(again);
  const where = settings.out === null ? [] : ["--results", settings.out];
  return messages.nextReport(shellCommand(["lab", "report", run, "--format", "console,json", ...where]));
}
