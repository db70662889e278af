import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { makeFolder } from "../../lab/capture/make-folder.ts";
import { storeError } from "../../lab/capture/store-error.ts";
import { checkProbes } from "../../lab/check-probes.ts";
import { checkScenarios } from "../../lab/check-scenarios.ts";
import { policyJsonSchema } from "../../lab/gate/policy.ts";
import { cell, tableLines } from "../../lab/report/console/table.ts";
import { wrap } from "../../lab/report/console/terminal-layout.ts";
import { scenarioJsonSchemas } from "../../lab/scenario/json-schemas.ts";
import { type LoadedScenarios, loadScenarios } from "../../lab/scenario/load.ts";
import { suggestion } from "../../lab/scenario/nearest.ts";
import type { Suite } from "../../lab/scenario/scenario.ts";
import { ScenarioProblems } from "../../lab/scenario/scenario-problems.ts";
import { profileJsonSchema } from "../../simulator/profile-schema.ts";
import { configSchema, readConfig, shownPath } from "../config.ts";
import { exitCodes, UserError } from "../errors.ts";
import { displayLanguage, messagesIn } from "../messages.ts";
import { profileProblems } from "../profiles.ts";
import { scenarioFolders } from "../scenario-folders.ts";
import type { World } from "../world.ts";
import type { Execute } from "./command.ts";
import type { scenariosOptions } from "./option-sets.ts";

/** `lab scenarios list|check|schema`. */
export const scenarios: Execute<typeof scenariosOptions> = async (values, world, positionals) => {
  const config = readConfig(values.config, world);
  const folders = scenarioFolders(values.scenarios, config, world);
  const messages = messagesIn(displayLanguage(values.lang ?? config.defaults.lang, world.env));
  const action = positionals["action"] ?? "";
  switch (action) {
    case "list":
      list(loadScenarios(folders), values.json, world);
      return exitCodes.ok;
    case "check": {
      const loaded = loadScenarios(folders);
      const problems = [...checkScenarios(loaded), ...checkProbes(loaded), ...(await profileProblems(folders, world))];
      if (problems.length > 0) throw new ScenarioProblems(problems);
      const items = loaded.probes.reduce((sum, suite) => sum + suite.items.length, 0);
      const counts = {
        scenarios: loaded.scenarios.length + items,
        suites: loaded.suites.length + loaded.probes.length,
      };
      world.stdout.write(
        values.json ? `${JSON.stringify(counts)}\n` : `${messages.scenariosOk(counts.scenarios, counts.suites)}\n`,
      );
      return exitCodes.ok;
    }
    case "schema":
      await writeSchemas(values.out, messages.written, world);
      return exitCodes.ok;
    default: {
      const actions = ["list", "check", "schema"];
      throw new UserError(`lab scenarios: there is no "${action}"${suggestion(action, actions)}`);
    }
  }
};

function list(loaded: LoadedScenarios, json: boolean, world: World): void {
  const suitesOf = (id: string, scenarioClass: string) =>
    loaded.suites.filter((suite) => isOf(suite, id, scenarioClass)).map((suite) => suite.id);
  const single = loaded.scenarios.map(({ id, language, class: scenarioClass, pair, wanted }) => ({
    id,
    language,
    class: scenarioClass,
    pair: pair ?? null,
    wanted,
    suites: suitesOf(id, scenarioClass),
  }));
  const rows = [
    ...single,
    ...loaded.probes.flatMap(({ id: suite, items }) =>
      items.map(({ id, language, class: scenarioClass, call }) => ({
        id,
        language,
        class: scenarioClass,
        pair: null,
        wanted: call,
        suites: [suite],
      })),
    ),
  ];
  const suites = [...loaded.suites, ...loaded.probes].map(({ id, arms, stream }) => ({
    id,
    arms: arms.map((arm) => arm.id),
    stream,
  }));
  if (json) {
    world.stdout.write(`${JSON.stringify({ scenarios: rows, suites })}\n`);
    return;
  }
  const lines = [
    ...tableLines(
      [
        ["scenario", "lang", "class", "tool", "suites"].map((text) => cell(text)),
        ...rows.map((row) => [
          ...[row.id, row.language, row.class, row.wanted ?? ""].map((text) => cell(text)),
          wrap(row.suites.join(", "), suitesColumns).map((text) => ({ text })),
        ]),
      ],
      0,
    ),
    "",
    ...tableLines(
      [
        [cell("suite"), cell("transport"), cell("arms")],
        ...suites.map(({ id, arms, stream }) => [
          cell(id),
          cell(stream.map((streamed) => (streamed ? "stream" : "body")).join(", ")),
          wrap(arms.join(", "), armsColumns).map((text) => ({ text })),
        ]),
      ],
      0,
    ),
  ];
  world.stdout.write(`${lines.join("\n")}\n`);
}

/** What 80 columns leave to the suites of a scenario, and to the arms of a suite. */
const suitesColumns = 18;
const armsColumns = 48;

function isOf(suite: Suite, id: string, scenarioClass: string): boolean {
  const own =
    "ids" in suite.scenarios
      ? suite.scenarios.ids.includes(id)
      : suite.scenarios.classes.some((each) => each === scenarioClass);
  return own || suite.also.some((extra) => extra.scenario === id);
}

async function writeSchemas(out: string | undefined, written: (path: string) => string, world: World): Promise<void> {
  const schemas: Readonly<Record<string, object>> = {
    ...scenarioJsonSchemas(),
    profile: profileJsonSchema(),
    "gate-policy": policyJsonSchema(),
    "lab-yaml": { title: "harness-lab lab.yaml", ...z.toJSONSchema(configSchema, { io: "input" }) },
  };
  if (out === undefined) {
    world.stdout.write(`${JSON.stringify(schemas, null, 2)}\n`);
    return;
  }
  const folder = resolve(world.cwd, out);
  for (const [name, schema] of Object.entries(schemas)) {
    const file = join(folder, `${name}.schema.json`);
    try {
      await makeFolder(folder);
      await writeFile(file, `${JSON.stringify(schema, null, 2)}\n`);
    } catch (error) {
      throw storeError(file, error);
    }
    world.stderr.write(`${written(shownPath(file, world.cwd))}\n`);
  }
}
