import { beforeAll, describe, expect, it } from "vitest";
import { findSuite, type LoadedScenarios, loadScenarios } from "../../../src/lab/scenario/load.ts";
import { type PlannedSample, type PlanOptions, planSamples } from "../../../src/lab/scenario/plan.ts";
import { ScenarioProblems } from "../../../src/lab/scenario/scenario-problems.ts";

let shipped: LoadedScenarios;
beforeAll(() => {
  shipped = loadScenarios([]);
});

function plan(suite: string, options: Partial<PlanOptions> = {}): readonly PlannedSample[] {
  return planSamples({
    target: "t",
    routes: ["direct"],
    suite: findSuite(shipped, suite),
    scenarios: shipped.scenarios,
    agentShapes: shipped.agentShapes,
    trials: 3,
    shapes: ["small"],
    languages: ["ja", "en"],
    seed: "run",
    ...options,
  });
}
const published = ["seed-memorizable", "seed-unmemorizable"];
const cellOf = (sample: PlannedSample) => sample.id.slice(0, sample.id.lastIndexOf("/"));

describe("what a suite sends", () => {
  it("is 12 samples of the published questions for contract-matrix", () => {
    expect(plan("contract-matrix", { onlyScenarios: published })).toHaveLength(12);
  });

  it.each([undefined, published])(
    "is 48 samples and 6 of the greeting under required for parser-mismatch (--scenario %o)",
    (only) => {
      const samples = plan("parser-mismatch", { onlyScenarios: only });
      const greetings = samples.filter((sample) => sample.class === "irrelevant");
      expect(samples.length - greetings.length).toBe(48);
      expect(greetings).toHaveLength(6);
      expect(new Set(greetings.map((sample) => `${sample.scenario} ${sample.arm}`))).toEqual(
        new Set(["greeting-ja required"]),
      );
      expect(new Set(samples.map((sample) => sample.language))).toEqual(new Set(["ja"]));
    },
  );

  it("is every scenario of the four classes, in both languages, in both arms, for contract-matrix", () => {
    const samples = plan("contract-matrix", { trials: 1 });
    const wanted = shipped.scenarios.filter((scenario) => scenario.class !== "irrelevant");
    expect(samples.map((sample) => `${sample.scenario} ${sample.arm}`).sort()).toEqual(
      wanted.flatMap((scenario) => [`${scenario.id} marker`, `${scenario.id} native`]).sort(),
    );
  });

  it("keeps to the languages asked for, standing in for the published questions in English", () => {
    expect(new Set(plan("contract-matrix", { languages: ["en"] }).map((sample) => sample.language))).toEqual(
      new Set(["en"]),
    );
    const english = plan("parser-mismatch", { languages: ["en"] });
    expect(english).toHaveLength(54);
    expect(new Set(english.map((sample) => sample.scenario))).toEqual(
      new Set(["prime-sum-known-en", "sha256-nonce-en", "greeting-en"]),
    );
    expect(plan("parser-mismatch", { languages: ["en"], onlyScenarios: published })).toEqual([]);
  });

  it("sends an extra scenario to its arms only, also when it is asked for by name", () => {
    const samples = plan("parser-mismatch", { onlyScenarios: ["greeting-ja", "seed-memorizable"] });
    const greetings = samples.filter((sample) => sample.scenario === "greeting-ja");
    expect(new Set(greetings.map((sample) => sample.arm))).toEqual(new Set(["required"]));
    expect(new Set(samples.map((sample) => sample.id)).size).toBe(samples.length);
  });

  it("has no named arm for a scenario that wants no tool", () => {
    const suite = { ...findSuite(shipped, "parser-mismatch"), also: [] };
    const samples = plan("parser-mismatch", { suite, onlyScenarios: ["greeting-ja"], trials: 1 });
    expect(samples.map((sample) => sample.arm).sort()).toEqual([
      "auto",
      "auto",
      "none",
      "none",
      "required",
      "required",
    ]);
  });

  it("names what does not exist", () => {
    const problemsOf = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        return error instanceof ScenarioProblems ? error.problems : error;
      }
      return "no error";
    };
    expect(problemsOf(() => plan("contract-matrix", { onlyScenarios: ["seed-memorisable"] }))).toEqual([
      'unknown scenario "seed-memorisable" (did you mean "seed-memorizable"?)',
    ]);
    expect(problemsOf(() => findSuite(shipped, "contract-matrx"))).toEqual([
      'unknown suite "contract-matrx" (did you mean "contract-matrix"?)',
    ]);
    expect(problemsOf(() => plan("contract-matrix", { shapes: ["agent"], agentShapes: [] }))).toEqual([
      expect.stringContaining("no agent shape for the language"),
    ]);
  });
});

describe("the order of samples", () => {
  const routes = ["direct", "adapter"];

  it("is one complete block a trial: every cell once, routes and shapes among them", () => {
    const samples = plan("parser-mismatch", { routes, shapes: ["small", "agent"], trials: 4 });
    const cells = new Set(samples.map(cellOf));
    expect(cells.size).toBe(2 * 2 * (2 * 4 * 2 + 2));
    for (let trial = 1; trial <= 4; trial++) {
      const block = samples.slice((trial - 1) * cells.size, trial * cells.size);
      expect(new Set(block.map((sample) => sample.trial))).toEqual(new Set([trial]));
      expect(new Set(block.map(cellOf))).toEqual(cells);
    }
  });

  it("is another in every block and with every run seed, and the same with the same seed", () => {
    const samples = plan("parser-mismatch");
    const size = samples.length / 3;
    const orderOf = (list: readonly PlannedSample[]) => list.map(cellOf).join();
    expect(orderOf(samples.slice(0, size))).not.toBe(orderOf(samples.slice(size, 2 * size)));
    expect(orderOf(plan("parser-mismatch", { seed: "other" }))).not.toBe(orderOf(samples));
    expect(plan("parser-mismatch")).toEqual(samples);
  });

  it("puts no cell first more often than chance does", () => {
    const samples = plan("contract-matrix", { onlyScenarios: published, trials: 400 });
    const firsts = new Map<string, number>();
    for (const sample of samples.filter((_, index) => index % 4 === 0)) {
      firsts.set(cellOf(sample), (firsts.get(cellOf(sample)) ?? 0) + 1);
    }
    // 400 blocks of 4 cells: mean 100, standard deviation 8.7; five of them either way. The seed is fixed.
    for (const count of firsts.values()) expect(Math.abs(count - 100)).toBeLessThan(44);
    expect(firsts.size).toBe(4);
  });
});

describe("ids, seeds and nonces", () => {
  it("are readable ids, unique, with a part for every factor", () => {
    const samples = plan("contract-matrix", { routes: ["direct", "adapter"], shapes: ["small", "agent"] });
    const ids = samples.map((sample) => sample.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain("t/direct/contract-matrix/seed-memorizable/native/body/small/1");
    expect(ids).toContain("t/adapter/contract-matrix/picture-en/marker/body/agent/3");
  });

  it("do not change when more is planned, so that a run can be resumed or extended", () => {
    const few = plan("contract-matrix", { onlyScenarios: ["sha256-nonce-ja"], trials: 2 });
    const many = new Map(
      plan("contract-matrix", { trials: 4, shapes: ["small", "agent"] }).map((each) => [each.id, each]),
    );
    for (const sample of few) expect(many.get(sample.id)).toEqual(sample);
  });

  it("are the same on every route, so that only the way differs", () => {
    const samples = plan("contract-matrix", { routes: ["direct", "adapter"], trials: 10 });
    const on = (route: string) =>
      samples
        .filter((sample) => sample.route === route)
        .map(({ id, seed, nonce, messages }) => ({ id: id.replace(`/${route}/`, "/"), seed, nonce, messages }))
        .sort((left, right) => (left.id < right.id ? -1 : 1));
    expect(on("adapter").length).toBeGreaterThan(100);
    expect(on("adapter")).toEqual(on("direct"));
  });

  it("are never the same in two samples of a route: seeds from 1 to 2^31 - 1, nonces made-up words", () => {
    const samples = plan("contract-matrix", { trials: 10 });
    const seeds = samples.map((sample) => sample.seed);
    expect(new Set(seeds).size).toBe(seeds.length);
    for (const seed of seeds) {
      expect(Number.isInteger(seed) && seed >= 1 && seed <= 0x7fffffff).toBe(true);
    }
    const nonces = samples.flatMap((sample) => (sample.nonce === null ? [] : [sample.nonce]));
    expect(nonces).toHaveLength(4 * 2 * 10);
    expect(new Set(nonces).size).toBe(nonces.length);
    for (const nonce of nonces) expect(nonce).toMatch(/^([bdghkmnprstyz][aeiou]){5}\d{4}$/);
  });

  it("make questions that no other trial asks, where the class is unmemorizable", () => {
    const samples = plan("contract-matrix", { trials: 5 }).filter(
      (sample) => sample.class === "unmemorizable" && sample.scenario !== "seed-unmemorizable",
    );
    const questions = samples.map((sample) => sample.messages.at(-1)?.content);
    expect(new Set(questions).size).toBe(questions.length);
    for (const question of questions) expect(question).not.toMatch(/\{\{/);
  });
});

describe("what a sample sends and expects", () => {
  const sampleOf = (suite: string, scenario: string, arm: string, options: Partial<PlanOptions> = {}) => {
    const found = plan(suite, { onlyScenarios: [scenario], trials: 1, ...options }).find(
      (sample) => sample.arm === arm && sample.scenario === scenario,
    );
    if (found === undefined) throw new Error(`no sample of ${scenario} in ${arm}`);
    return found;
  };

  it("marker arm: persona and rule, no tools, the marker expected", () => {
    const sample = sampleOf("contract-matrix", "picture-ja", "marker");
    expect(sample.tools).toBeNull();
    expect(sample.toolChoice).toBeNull();
    expect(String(sample.messages[0]?.content)).toContain("{{IMAGE: <");
    expect(sample.expectation).toMatchObject({
      contract: "marker",
      tools: [],
      markerRule: { name: "IMAGE" },
      judge: "call",
      oracle: [],
    });
  });

  it.each([
    ["auto", "auto"],
    ["required", "required"],
    ["none", "none"],
    ["named", { type: "function", function: { name: "run_python" } }],
  ])("native arm %s: persona alone, the tools, this choice", (arm, choice) => {
    const sample = sampleOf("parser-mismatch", "seed-memorizable", arm);
    expect(sample.toolChoice).toEqual(choice);
    expect(sample.messages.map((message) => message.role)).toEqual(["system", "user"]);
    expect(String(sample.messages[0]?.content)).not.toContain("{{");
    expect(sample.expectation).toMatchObject({
      contract: "native",
      tools: sample.tools,
      wanted: "run_python",
      markerRule: null,
      memorizable: true,
      oracle: ["76127", "76,127"],
      nonce: null,
      judge: "call",
    });
  });

  it("the greeting expects no call", () => {
    const sample = sampleOf("parser-mismatch", "greeting-ja", "required");
    expect(sample.expectation).toMatchObject({ wanted: null, judge: "no_call", oracle: [] });
  });

  it("agent shape: persona, then the agent's prompt, then the rule; history between; the tool among the agent's", () => {
    const marker = sampleOf("contract-matrix", "seed-memorizable", "marker", { shapes: ["agent"] });
    const native = sampleOf("contract-matrix", "seed-memorizable", "native", { shapes: ["agent"] });
    const shape = shipped.agentShapes.find((each) => each.language === "ja");
    const small = sampleOf("contract-matrix", "seed-memorizable", "native");
    const rule = shipped.scenarios.find((scenario) => scenario.id === "seed-memorizable")?.marker.rule;
    const system = `${String(small.messages[0]?.content)}\n\n${shape?.system}`;
    expect(native.messages).toEqual([
      { role: "system", content: system },
      ...(shape?.history ?? []),
      small.messages[1],
    ]);
    expect(marker.messages[0]).toEqual({ role: "system", content: `${system}${rule}` });
    expect(marker.tools).toBeNull();
    const names = native.tools?.map((tool) => tool.function.name) ?? [];
    expect(names).toHaveLength((shape?.tools.length ?? 0) + 1);
    expect(names.indexOf("run_python")).toBeGreaterThan(5);
    expect(names.indexOf("run_python")).toBeLessThan(names.length - 5);
  });

  it("has an oracle in both shapes wherever a value can be right, and none that the question gives away", () => {
    for (const sample of plan("contract-matrix", { shapes: ["small", "agent"], trials: 2 })) {
      if (sample.class === "impossible") continue;
      // One number in 27 of this size is prime: then the only right answer is the number asked about.
      if (!sample.scenario.startsWith("prime-factor-nonce"))
        expect(sample.expectation.oracle, sample.id).not.toEqual([]);
      for (const text of sample.expectation.oracle) {
        for (const message of sample.messages) expect(String(message.content), sample.id).not.toContain(text);
      }
    }
  });
});
