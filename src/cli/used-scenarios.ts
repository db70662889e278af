import { checkProbes } from "../lab/check-probes.ts";
import { checkScenarios } from "../lab/check-scenarios.ts";
import type { LoadedScenarios } from "../lab/scenario/load.ts";
import { findSuite } from "../lab/scenario/load.ts";
import { planSamples } from "../lab/scenario/plan.ts";
import { probeItems } from "../lab/scenario/probe-plan.ts";
import type { Scenario } from "../lab/scenario/scenario.ts";
import { ScenarioProblems } from "../lab/scenario/scenario-problems.ts";
import { UserError } from "./errors.ts";
import type { RunSettings } from "./run-settings.ts";

/** What of the loaded scenarios a run will ask. */
export interface ScenarioChoice {
  readonly suites: readonly string[];
  readonly onlyScenarios: readonly string[] | undefined;
  readonly languages: RunSettings["languages"];
  /** True where folders of the user's own were read: the shipped scenarios are checked when they are made. */
  readonly own: boolean;
}

/**
 * Refuses a run that would ask nothing, and one whose scenarios could not fail: their own examples go through the judgement
 * that replies will go through. @throws UserError, ScenarioProblems
 */
export function checkUsedScenarios(loaded: LoadedScenarios, choice: ScenarioChoice): void {
  const { languages } = choice;
  const probes = loaded.probes.filter(({ id }) => choice.suites.includes(id));
  const items = probes.flatMap((suite) =>
    probeItems({ suite, onlyScenarios: choice.onlyScenarios, languages: choice.languages }),
  );
  const suites = choice.suites.filter((id) => !probes.some((suite) => suite.id === id));
  const scenarios = usedScenarios(loaded, { ...choice, suites });
  if (scenarios.length + items.length === 0) {
    throw new UserError(
      `--suite ${choice.suites.join(",")}: holds no scenario in the language ${languages.join(", ")}; choose another --language or --suite`,
    );
  }
  const problems = choice.own
    ? [...checkScenarios({ scenarios }), ...checkProbes({ probes, agentShapes: loaded.agentShapes })]
    : [];
  if (problems.length > 0) throw new ScenarioProblems(problems);
}

function usedScenarios(loaded: LoadedScenarios, choice: ScenarioChoice): readonly Scenario[] {
  const used = new Set(
    choice.suites.flatMap((id) =>
      planSamples({
        target: "",
        routes: ["direct"],
        suite: findSuite(loaded, id),
        scenarios: loaded.scenarios,
        onlyScenarios: choice.onlyScenarios,
        agentShapes: [],
        trials: 1,
        shapes: ["small"],
        languages: choice.languages,
        seed: "",
      }).map((sample) => sample.scenario),
    ),
  );
  return loaded.scenarios.filter((scenario) => used.has(scenario.id));
}
