import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/cli/config.ts";
import { UserError } from "../../src/cli/errors.ts";

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "lab-config-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function problemsOf(text: string): readonly string[] {
  writeFileSync(join(cwd, "wrong.yaml"), text);
  try {
    readConfig("wrong.yaml", { cwd });
  } catch (error) {
    if (error instanceof UserError) return [error.message, ...error.problems];
    throw error;
  }
  return [];
}

describe("lab.yaml", () => {
  it("is optional, and empty where there is none", () => {
    expect(readConfig(undefined, { cwd })).toEqual({ targets: [], defaults: {} });
  });

  it("must be there where --config names it", () => {
    expect(() => readConfig("other.yaml", { cwd })).toThrow("--config: there is no file other.yaml");
  });

  it("is read from the working directory", () => {
    const text =
      "targets:\n  - { name: a, model: m, baseUrl: 'http://gpu:8000/v1' }\ndefaults: { trials: 7, body: { num_ctx: 8192 } }\n";
    writeFileSync(join(cwd, "lab.yaml"), text);
    expect(readConfig(undefined, { cwd })).toEqual({
      targets: [{ name: "a", model: "m", baseUrl: "http://gpu:8000/v1" }],
      defaults: { trials: 7, body: { num_ctx: 8192 } },
    });
    rmSync(join(cwd, "lab.yaml"));
  });

  it("names file, line and key of every mistake", () => {
    const problems = problemsOf(
      "targets:\n  - name: a\n    modell: m\n    baseUrl: http://gpu\ndefaults:\n  trials: many\n",
    );
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^wrong\.yaml:3:\d+: unknown key "modell" \(did you mean "model"\?\)/);
    expect(problems[1]).toMatch(/^wrong\.yaml:6:\d+: "defaults\.trials" must be a (whole )?number/);
  });

  it("refuses text that is no YAML, and two targets of one name", () => {
    expect(problemsOf("targets: [")[0]).toMatch(/^wrong\.yaml:\d+:\d+: /);
    const twice =
      "targets:\n  - { name: a, model: m, baseUrl: 'http://x' }\n  - { name: a, model: n, baseUrl: 'http://y' }\n";
    expect(problemsOf(twice)).toEqual(['wrong.yaml: two targets are named "a"; rename one']);
  });
});
