import { describe, expect, it } from "vitest";
import { runOptions } from "../../src/cli/commands/run-options.ts";
import { configSchema, type LabConfig } from "../../src/cli/config.ts";
import { readOptions } from "../../src/cli/options.ts";
import { chosenScenarios, chosenSuites, readBody, runSettings } from "../../src/cli/run-settings.ts";
import { loadScenarios } from "../../src/lab/scenario/load.ts";

const noConfig: LabConfig = { targets: [], defaults: {} };
const world = { env: {}, randomHex: () => "00c0ffee" };

function settings(given: Readonly<Record<string, unknown>>, config = noConfig) {
  return runSettings(readOptions(runOptions, given), config, world);
}

describe("settings of a run", () => {
  it("have defaults", () => {
    expect(settings({})).toEqual({
      trials: 5,
      shapes: ["small"],
      languages: ["ja", "en"],
      seed: "00c0ffee",
      concurrency: 4,
      overrides: { temperature: undefined, maxTokens: undefined, thinking: undefined, body: {} },
      raw: "auto",
      timeouts: { connectMs: 5_000, firstByteMs: 120_000, idleMs: 60_000, totalMs: 600_000 },
      out: null,
      language: "en",
      quiet: false,
      json: false,
    });
  });

  it("come from lab.yaml, and the command line wins key by key", () => {
    const config = configSchema.parse({
      defaults: {
        trials: 9,
        shape: "both",
        language: "ja",
        concurrency: 2,
        temperature: 0.1,
        thinking: "off",
        body: { num_ctx: 4096, keep: 1 },
        timeouts: { idle: 7, total: 0 },
        lang: "ja",
      },
    });
    expect(
      settings({ trials: "3", temperature: "0", body: ["num_ctx=8192"], "timeout-idle": "0.5" }, config),
    ).toMatchObject({
      trials: 3,
      shapes: ["small", "agent"],
      languages: ["ja"],
      concurrency: 2,
      overrides: { temperature: 0, thinking: "off", body: { num_ctx: 8192, keep: 1 } },
      timeouts: { connectMs: 5_000, firstByteMs: 120_000, idleMs: 500, totalMs: 0 },
      language: "ja",
    });
  });

  it("refuse to fix what the plan varies", () => {
    expect(() => settings({ body: ["stream=true"] })).toThrow("--body stream: the run sets this key itself");
  });
});

describe("--body", () => {
  it("holds JSON values by key", () => {
    expect(readBody(["num_ctx=8192", 'chat_template_kwargs={"enable_thinking":false}', 'stop="a=b"'])).toEqual({
      num_ctx: 8192,
      chat_template_kwargs: { enable_thinking: false },
      stop: "a=b",
    });
  });

  it.each([
    ["num_ctx", '--body: "num_ctx" is not key=JSON, e.g. --body num_ctx=8192'],
    ["stop=END", `--body stop: END is not JSON; a text needs quotes: --body 'stop="END"'`],
    ["x={", "--body x: { is not JSON"],
  ])("refuses %s with a line that shows how", (text, message) => {
    expect(() => readBody([text])).toThrow(message);
  });
});

describe("names of suites and scenarios", () => {
  const loaded = loadScenarios([]);
  it("are all suites where none is named", () => {
    expect(chosenSuites([], loaded)).toEqual(loaded.suites.map((suite) => suite.id));
    expect(chosenScenarios([], loaded, ["ja", "en"])).toBeUndefined();
  });

  it("may be listed with commas, each counted once", () => {
    expect(chosenSuites(["parser-mismatch,contract-matrix", "parser-mismatch"], loaded)).toEqual([
      "parser-mismatch",
      "contract-matrix",
    ]);
  });

  it("that leave nothing in the language asked for are refused", () => {
    expect(chosenScenarios(["seed-memorizable"], loaded, ["ja", "en"])).toEqual(["seed-memorizable"]);
    expect(() => chosenScenarios(["seed-memorizable"], loaded, ["en"])).toThrow(
      "--scenario: none of seed-memorizable is in the language en; leave --language out",
    );
  });

  it("offer the nearest for a wrong one", () => {
    expect(() => chosenSuites(["parser-mismach"], loaded)).toThrow(
      '--suite: there is no "parser-mismach" (did you mean "parser-mismatch"?)',
    );
    expect(() => chosenScenarios(["seed-memorisable"], loaded, ["ja"])).toThrow(
      '--scenario: there is no "seed-memorisable" (did you mean "seed-memorizable"?)',
    );
  });
});
