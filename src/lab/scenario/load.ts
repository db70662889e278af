import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { suggestion } from "./nearest.ts";
import { type ProbeSuite, probeSuiteSchema } from "./probe-suite.ts";
import {
  type AgentShape,
  agentShapeSchema,
  type Scenario,
  type Suite,
  scenarioSchema,
  suiteSchema,
} from "./scenario.ts";
import { ScenarioProblems } from "./scenario-problems.ts";
import { readYaml } from "./yaml-source.ts";

/** All that plans are made from. */
export interface LoadedScenarios {
  readonly scenarios: readonly Scenario[];
  readonly suites: readonly Suite[];
  readonly agentShapes: readonly AgentShape[];
  /** Suites whose samples are conversations; run only when they are asked for by name. */
  readonly probes: readonly ProbeSuite[];
}

/** The `scenarios/` folder of this package; the path is the same from `src/` and from `dist/`. */
export const shippedScenarios = fileURLToPath(new URL("../../../scenarios", import.meta.url));

/** Subfolders with a meaning of their own; every other YAML file is a scenario. `profiles` belongs to the simulator. */
const reserved = { suites: "suites", agent: "agent", probes: "probes", profiles: "profiles" } as const;

interface SourceFile {
  /** As shown in problems. */
  readonly label: string;
  readonly path: string;
}
interface Folder {
  readonly scenarios: readonly SourceFile[];
  readonly suites: readonly SourceFile[];
  readonly agent: readonly SourceFile[];
  readonly probes: readonly SourceFile[];
}

/** What a plan needs; the rest of the shipped files then stays unread. Files of the user's own folders are always read whole. */
export interface LoadOptions {
  /** Ids of scenarios that will be used beside those that suites name; undefined = all. */
  readonly only?: readonly string[] | undefined;
  /** Ids of the suites that will be used; undefined = all. */
  readonly suites?: readonly string[] | undefined;
  /** Whether the agent shapes will be used. */
  readonly agentShapes?: boolean | undefined;
  /** Ids of the suites of conversations that will be used; undefined = all. Agent shapes are read for them. */
  readonly probes?: readonly string[] | undefined;
}

/**
 * Reads the shipped scenarios and then `folders`; an id in a later folder replaces the earlier one, new ids are added. A
 * folder holds scenarios (`*.yaml`, at any depth) and, if it likes, `suites/` and `agent/`. Throws {@link ScenarioProblems}
 * with all problems of all files.
 */
export function loadScenarios(
  folders: readonly string[],
  { only, suites: wantedSuites, agentShapes: withAgentShapes = true, probes: wantedProbes }: LoadOptions = {},
): LoadedScenarios {
  const problems: string[] = [];
  const shipped = listFolder(shippedScenarios, "scenarios", problems);
  const own = folders.map((folder) => listFolder(folder, folder.replace(/[\\/]+$/, ""), problems));

  const ownScenarios = merge(
    own.map((folder) => folder.scenarios),
    scenarioSchema,
    (scenario) => scenario.id,
    problems,
  );
  const probes = merge(
    [
      { ...shipped, probes: shipped.probes.filter((file) => wantedProbes?.includes(idOfFile(file)) ?? true) },
      ...own,
    ].map((folder) => folder.probes),
    probeSuiteSchema,
    (suite) => suite.id,
    problems,
  );
  const known = [...new Set([...shipped.scenarios.map(idOfFile), ...ownScenarios.map((scenario) => scenario.id)])];
  // Where scenarios could not be read, their ids would be missed by suites as well: one mistake, one complaint.
  const suites = merge(
    [shipped, ...own].map((folder) => folder.suites),
    suiteSchemaKnowing(problems.length > 0 ? null : known),
    (suite) => suite.id,
    problems,
  );
  const items = probes.flatMap((suite) => suite.items.map((item) => item.id));
  for (const id of only ?? []) {
    if (items.includes(id)) continue;
    if (!known.includes(id))
      problems.push(`--scenario: there is no ${JSON.stringify(id)}${suggestion(id, [...items, ...known])}`);
  }
  const usedSuites = suites.filter(({ id }) => wantedSuites?.includes(id) ?? true);
  const needed = only === undefined ? null : new Set([...only, ...usedSuites.flatMap(namedScenarios)]);
  const shippedNeeded = shipped.scenarios.filter((file) => needed === null || needed.has(idOfFile(file)));
  const shippedOnes = merge([shippedNeeded], scenarioSchema, (scenario) => scenario.id, problems);
  const replaced = new Map([...shippedOnes, ...ownScenarios].map((scenario) => [scenario.id, scenario]));
  const scenarios = [...replaced.values()];
  const agentShapes =
    withAgentShapes || probes.length > 0
      ? merge(
          [shipped, ...own].map((folder) => folder.agent),
          agentShapeSchema,
          (shape) => shape.language,
          problems,
        )
      : [];
  if (problems.length > 0) throw new ScenarioProblems(problems);
  return { scenarios, suites, agentShapes, probes };
}

/** The suite with this id. Throws {@link ScenarioProblems} with one line that names the nearest suite. */
export function findSuite(loaded: LoadedScenarios, id: string): Suite {
  const suite = loaded.suites.find((each) => each.id === id);
  if (suite !== undefined) return suite;
  const known = [...loaded.suites, ...loaded.probes].map((each) => each.id);
  throw new ScenarioProblems([`unknown suite ${JSON.stringify(id)}${suggestion(id, known)}`]);
}

/** Ids of the suites of conversations that this package ships, by the names of their files. */
export function shippedProbeIds(): readonly string[] {
  return readdirSync(join(shippedScenarios, reserved.probes))
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => name.replace(/\.ya?ml$/, ""))
    .sort();
}

/** Shipped scenario files are named by their id; a test holds that. */
function idOfFile(file: SourceFile): string {
  return basename(file.label).replace(/\.ya?ml$/, "");
}

/** Ids that a suite names itself. */
function namedScenarios(suite: Suite): readonly string[] {
  const ids = "ids" in suite.scenarios ? suite.scenarios.ids : [];
  return [...ids, ...suite.fallback, ...suite.also.map((extra) => extra.scenario)];
}

function listFolder(folder: string, label: string, problems: string[]): Folder {
  const files: Record<keyof Folder, SourceFile[]> = { scenarios: [], suites: [], agent: [], probes: [] };
  try {
    const paths = yamlFiles(folder);
    if (paths.length === 0) problems.push(`${label}: holds no scenario file (*.yaml)`);
    for (const path of paths) {
      const [top = ""] = path.split(sep);
      if (top === reserved.profiles) continue;
      files[kindOf(top)].push({ label: `${label}/${path.split(sep).join("/")}`, path: join(folder, path) });
    }
  } catch (error) {
    problems.push(`${label}: ${folderProblem(error)}`);
  }
  return files;
}

function kindOf(top: string): keyof Folder {
  return top === reserved.suites || top === reserved.agent || top === reserved.probes ? top : "scenarios";
}

/** Relative paths of the YAML files under a folder, sorted so that the order does not depend on the file system. */
function yamlFiles(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /\.ya?ml$/.test(name) && !/(^|[\\/])\./.test(name)).sort();
}

function folderProblem(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "no such folder";
  if (code === "ENOTDIR") return "is a file; give the folder that holds the scenario files";
  return `cannot be read (${String(error)})`;
}

/** The text of a file; null where it has none, which is then among the problems. */
function textOf({ label, path }: SourceFile, problems: string[]): string | null {
  try {
    // A folder may have such a name, and a pipe would be waited for.
    if (statSync(path).isFile()) return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
    problems.push(`${label}: is no regular file`);
  } catch (error) {
    problems.push(
      error instanceof TypeError ? `${label}: is not UTF-8 text` : `${label}: cannot be read (${String(error)})`,
    );
  }
  return null;
}

/** Reads the files of one kind, folder after folder: within a folder a key may stand once, across folders the last one wins. */
function merge<T>(
  folders: readonly (readonly SourceFile[])[],
  schema: z.ZodType<T>,
  keyOf: (value: T) => string,
  problems: string[],
): readonly T[] {
  const merged = new Map<string, T>();
  for (const files of folders) {
    const seen = new Map<string, string>();
    for (const file of files) {
      const text = textOf(file, problems);
      if (text === null) continue;
      const result = readYaml(text, file.label, schema);
      if (!result.ok) {
        problems.push(...result.problems);
        continue;
      }
      const key = keyOf(result.value);
      const first = seen.get(key);
      if (first !== undefined) {
        problems.push(
          `${file.label}: ${JSON.stringify(key)} is already defined in ${first}; give one of them another name`,
        );
        continue;
      }
      seen.set(key, file.label);
      merged.set(key, result.value);
    }
  }
  return [...merged.values()];
}

/** The suite schema that also knows which scenarios there are, so that a wrong id is reported with its line. */
function suiteSchemaKnowing(ids: readonly string[] | null): z.ZodType<Suite> {
  if (ids === null) return suiteSchema;
  return suiteSchema.superRefine((suite, context) => {
    const check = (id: string, path: (string | number)[]) => {
      if (ids.includes(id)) return;
      const message = `names an unknown scenario ${JSON.stringify(id)}${suggestion(id, ids)}`;
      context.addIssue({ code: "custom", path, message });
    };
    if ("ids" in suite.scenarios)
      suite.scenarios.ids.forEach((id, index) => void check(id, ["scenarios", "ids", index]));
    suite.fallback.forEach((id, index) => void check(id, ["fallback", index]));
    suite.also.forEach((extra, index) => void check(extra.scenario, ["also", index, "scenario"]));
  });
}
