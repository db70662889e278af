import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { fakeWorld } from "./fake-world.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-used-"));
  mkdirSync(join(folder, "own/suites"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function scenario(id: string, examples: Readonly<Record<"good" | "bad" | "nearMiss", string>>): void {
  const lines = [
    `id: ${id}`,
    "language: en",
    "class: memorizable",
    "system: You are a clerk.",
    "user: What is 17 times 23?",
    "marker: { name: CALC, rule: 'Write {{CALC: job}}.' }",
    "tools: [{ type: function, function: { name: add, parameters: { type: object } } }]",
    "wanted: add",
    "oracle: { kind: exact, value: '391' }",
    "examples:",
    ...Object.entries(examples).map(([name, example]) => `  ${name}: ${example}`),
  ];
  writeFileSync(join(folder, "own", `${id}.yaml`), lines.join("\n"));
}
const call = "{ call: { tool: add, arguments: {} } }";
const fine = { good: call, bad: "{ text: It is 391. }", nearMiss: "{ text: I could use add for that. }" };

/** Nothing listens there: a run that begins ends with 3, one that is refused with 2. */
async function lab(...argv: readonly string[]) {
  const where = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--scenarios", join(folder, "own")];
  const world = fakeWorld({
    argv: ["run", ...where, "--trials", "1", "--quiet", "--out", mkdtempSync(join(folder, "results-")), ...argv],
    cwd: process.cwd(),
  });
  const code = await program(commands, world);
  return { code, err: world.err() };
}

describe("scenarios of the user's own", () => {
  it("run where their judgement tells their examples apart", async () => {
    scenario("sum", fine);
    expect((await lab("--scenario", "sum")).code).toBe(3);
  });

  it.each<[string, Partial<typeof fine>, string]>([
    [
      "a bad example that counts",
      { bad: call },
      "examples.bad should not count as delivered, but is judged structured_call",
    ],
    ["a near miss that counts", { nearMiss: call }, "examples.nearMiss should not count as delivered"],
    [
      "a good example that does not count",
      { good: "{ text: I would rather not. }" },
      "examples.good should count as delivered",
    ],
  ])("are refused before the first request with %s", async (_name, change, line) => {
    scenario("sum", { ...fine, ...change });
    const { code, err } = await lab("--scenario", "sum");
    expect(code).toBe(2);
    expect(err).toMatch(/^lab: scenario sum: .*; change the example or the scenario\n$/);
    expect(err).toContain(line);
  });

  it("are told one line each", async () => {
    scenario("first", { ...fine, bad: call });
    scenario("second", { ...fine, bad: call });
    const { code, err } = await lab("--suite", "contract-matrix", "--language", "en");
    expect(code).toBe(2);
    expect(err.match(/^lab: scenario (first|second): /gm)).toHaveLength(2);
  });

  it("do not stop a run that does not ask them", async () => {
    scenario("sum", { ...fine, bad: call });
    expect((await lab("--scenario", "seed-memorizable")).code).toBe(3);
    expect((await lab("--language", "ja", "--suite", "contract-matrix")).code).toBe(3);
  });
});

describe("a run that would ask nothing", () => {
  it("is refused with the suite and the language", async () => {
    scenario("sum", fine);
    const suite = [
      "id: sums",
      "arms: [{ id: auto, contract: native, choice: auto }]",
      "stream: [false]",
      "scenarios: { ids: [sum] }",
    ];
    writeFileSync(join(folder, "own/suites/sums.yaml"), suite.join("\n"));
    expect(await lab("--suite", "sums", "--language", "ja")).toEqual({
      code: 2,
      err: "lab: --suite sums: holds no scenario in the language ja; choose another --language or --suite\n",
    });
  });

  it("is told from one whose scenarios are named with commas", async () => {
    scenario("sum", fine);
    expect((await lab("--scenario", "sum,seed-memorizable")).code).toBe(3);
  });
});
