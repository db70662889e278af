import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadScenarios } from "../../../src/lab/scenario/load.ts";
import { ScenarioProblems } from "../../../src/lab/scenario/scenario-problems.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "scenarios-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

async function problemsOf(folders: readonly string[]): Promise<readonly string[]> {
  try {
    loadScenarios(folders);
  } catch (error) {
    if (error instanceof ScenarioProblems) return error.problems.map((line) => line.replaceAll(folder, "DIR"));
    throw error;
  }
  return [];
}

/** A scenario file; a change replaces the line that starts with its key, or removes it where it is null. */
function scenario(changes: Readonly<Record<string, string | null>> = {}): string {
  const lines = [
    "id: mine",
    "language: en",
    "class: unmemorizable",
    "system: Be brief.",
    'user: "Hash {{nonce}}"',
    'marker: { name: PYTHON, rule: "use {{PYTHON: <what>}}" }',
    "tools: [{ type: function, function: { name: run_python, parameters: { type: object } } }]",
    "wanted: run_python",
    'oracle: { kind: sha256, of: "{{nonce}}", length: 8 }',
    "examples: { good: { call: { tool: run_python, arguments: {} } }, bad: { text: x }, nearMiss: { text: y } }",
  ];
  return lines
    .flatMap((line) => {
      const change = changes[line.slice(0, line.indexOf(":"))];
      return change === undefined ? [line] : change === null ? [] : [change];
    })
    .join("\n");
}

describe("a folder of one's own", () => {
  it("adds its scenarios to the shipped ones, at any depth, and fills in defaults", async () => {
    const shipped = loadScenarios([]);
    await put("deep/er/mine.yml", scenario());
    const loaded = loadScenarios([folder]);
    expect(loaded.scenarios).toHaveLength(shipped.scenarios.length + 1);
    expect(loaded.scenarios.find((each) => each.id === "mine")).toMatchObject({ maxTokens: 512, temperature: 0.7 });
    expect(loaded.suites).toEqual(shipped.suites);
  });

  it("replaces a shipped scenario, suite and agent shape of the same name", async () => {
    const shipped = loadScenarios([]);
    await put("mine.yaml", scenario({ id: "id: sha256-nonce-en" }));
    await put("suites/parser-mismatch.yaml", suite());
    await put("agent/en.yaml", "language: en\nsystem: short\ntools: []\nhistory: []\n");
    const loaded = loadScenarios([folder]);
    expect(loaded.scenarios).toHaveLength(shipped.scenarios.length);
    expect(loaded.scenarios.find((each) => each.id === "sha256-nonce-en")?.system).toBe("Be brief.");
    expect(loaded.suites.map((each) => each.id)).toEqual(shipped.suites.map((each) => each.id));
    expect(loaded.suites.find((each) => each.id === "parser-mismatch")?.arms).toHaveLength(1);
    expect(loaded.agentShapes.map((each) => each.system)).toContain("short");
    expect(loaded.agentShapes).toHaveLength(shipped.agentShapes.length);
  });

  it("may hold simulator profiles, which are not scenarios", async () => {
    await put("mine.yaml", scenario());
    await put("profiles/server.yaml", "server: {}\n");
    expect(await problemsOf([folder])).toEqual([]);
  });
});

const suite = (changes: Readonly<Record<string, string>> = {}) =>
  Object.entries({
    id: "parser-mismatch",
    arms: "[{ id: auto, contract: native, choice: auto }]",
    stream: "[false]",
    scenarios: "{ ids: [seed-memorizable] }",
    ...changes,
  })
    .map(([key, value]) => `${key}: ${value}`)
    .join("\n");

it("of the shipped scenarios those are read that are asked for, and those that a suite names where it will be used", () => {
  const read = (suites?: readonly string[]) =>
    loadScenarios([], { only: ["seed-memorizable"], suites, agentShapes: false, probes: [] }).scenarios.map(
      ({ id }) => id,
    );
  expect(read(["contract-matrix"])).toEqual(["seed-memorizable"]);
  expect(read(["contract-matrix", "parser-mismatch"])).toEqual(
    expect.arrayContaining(["greeting-ja", "seed-unmemorizable"]),
  );
  expect(read()).toEqual(read(["parser-mismatch"]));
});

describe("what is wrong with files is told with file, line and key", () => {
  it.each<[string, Readonly<Record<string, string | null>>, string]>([
    ["a misspelt key", { user: "usr: hi" }, 'DIR/x.yaml:5:1: unknown key "usr" (did you mean "user"?)'],
    ["a missing key", { oracle: null }, 'DIR/x.yaml:1:1: missing key "oracle"'],
    [
      "an id with capitals",
      { id: "id: Mine" },
      'DIR/x.yaml:1:5: "id": use lower-case letters, digits, hyphens and underscores',
    ],
    [
      "a tool that is not declared",
      { wanted: "wanted: run_pyton" },
      'DIR/x.yaml:8:9: "wanted" names a tool that "tools" does not declare: run_pyton (declared: run_python)',
    ],
    [
      "a greeting that wants a tool",
      { class: "class: irrelevant", oracle: "oracle: { kind: none }" },
      'DIR/x.yaml:8:9: "wanted" must be null where the class is irrelevant, and only there',
    ],
    [
      "a placeholder that does not exist",
      { user: 'user: "Hash {{nonce}} {{nonse}}"' },
      'DIR/x.yaml:5:7: "user" has an unknown placeholder {{nonse}} (known: {{nonce}}, {{number:LOW-HIGH}}, {{code:NAME}})',
    ],
    [
      "an oracle about something that is not asked",
      { user: 'user: "Hash abc"' },
      'DIR/x.yaml:9:29: "oracle.of" uses {{nonce}}, which the question does not contain',
    ],
    [
      "a memorizable question that changes",
      { class: "class: memorizable" },
      'DIR/x.yaml:5:7: "user" asks for {{nonce}}, so its answer cannot be memorizable',
    ],
    [
      "an oracle too large to compute",
      { oracle: 'oracle: { kind: prime_sum, from: 1, to: "{{number:1-99999999}}" }' },
      'DIR/x.yaml:9:41: "oracle.to" must be a whole number up to 1000000 or a placeholder {{number:LOW-HIGH}} within it',
    ],
    ["broken YAML", { user: 'user: "open' }, "DIR/x.yaml:"],
  ])("%s", async (_what, changes, expected) => {
    await put("x.yaml", scenario(changes));
    const problems = await problemsOf([folder]);
    expect(problems[0]?.startsWith(expected) ? expected : problems[0]).toBe(expected);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      "an unknown scenario",
      { scenarios: "{ ids: [seed-memorisable] }" },
      'DIR/suites/s.yaml:4:20: "scenarios.ids[0]" names an unknown scenario "seed-memorisable" (did you mean "seed-memorizable"?)',
    ],
    [
      "a native arm without a choice",
      { arms: "[{ id: auto, contract: native }]" },
      'DIR/suites/s.yaml:2:8: "arms[0]" needs a choice, being native: auto, required, named or none',
    ],
    [
      "an arm given twice",
      { arms: "[{ id: a, contract: marker }, { id: a, contract: marker }]" },
      'DIR/suites/s.yaml:2:43: "arms[1].id" names the arm a a second time',
    ],
    [
      "an extra scenario in an arm that is not there",
      { also: "[{ scenario: greeting-en, arms: [requird] }]" },
      'DIR/suites/s.yaml:5:39: "also[0].arms" names an arm that the suite does not have: requird (auto)',
    ],
  ])("in a suite: %s", async (_what, changes, expected) => {
    await put("mine.yaml", scenario());
    await put("suites/s.yaml", suite(changes));
    expect(await problemsOf([folder])).toEqual([expected]);
  });

  it("an id that stands twice in one folder, with both files", async () => {
    await put("a.yaml", scenario());
    await put("b.yaml", scenario());
    expect(await problemsOf([folder])).toEqual([
      'DIR/b.yaml: "mine" is already defined in DIR/a.yaml; give one of them another name',
    ]);
  });

  it("all files at once", async () => {
    await put("a.yaml", scenario({ user: "usr: hi" }));
    await put("b.yaml", scenario({ class: "class: memorisable" }));
    await put("c.yaml", new Uint8Array([0x69, 0x64, 0x3a, 0x20, 0xff]));
    const problems = await problemsOf([folder]);
    expect(problems).toHaveLength(3);
    expect(problems.join("\n")).toMatch(
      /a\.yaml:5:1.*\n.*b\.yaml:3:8.*did you mean "memorizable".*\n.*c\.yaml: is not UTF-8 text/,
    );
  });

  it("what is named like a file of text and is none, without waiting for it", async () => {
    await mkdir(join(folder, "folder.yaml"));
    execFileSync("mkfifo", [join(folder, "pipe.yaml")]);
    await symlink(join(folder, "gone"), join(folder, "link.yaml"));
    expect(await problemsOf([folder])).toEqual([
      "DIR/folder.yaml: is no regular file",
      expect.stringMatching(/^DIR\/link\.yaml: cannot be read \(Error: ENOENT/),
      "DIR/pipe.yaml: is no regular file",
    ]);
  });

  it("folders that are not there, are files or hold nothing", async () => {
    await put("file.txt", "x");
    expect(await problemsOf([join(folder, "gone")])).toEqual(["DIR/gone: no such folder"]);
    expect(await problemsOf([join(folder, "file.txt")])).toEqual([
      "DIR/file.txt: is a file; give the folder that holds the scenario files",
    ]);
    expect(await problemsOf([folder])).toEqual(["DIR: holds no scenario file (*.yaml)"]);
  });
});
