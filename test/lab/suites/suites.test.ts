import { describe, expect, it } from "vitest";
import { exactBounds } from "../../../src/lab/stats/binomial-bounds.ts";
import { loaded, named, planted, repeatedDiagnoses, repetitions, suiteRun } from "./harness.ts";
import { plantedFaults } from "./planted-faults.ts";

const suites = loaded.probes.map(({ id }) => id);

describe(`${repetitions} independent repetitions`, () => {
  it.each(suites)("%s says nothing against a sound profile", { timeout: 600_000 }, async (suite) => {
    const each = await repeatedDiagnoses(planted(), suite);
    expect(each).toHaveLength(repetitions);
    expect(each.flatMap((diagnoses) => named(diagnoses)).filter((name) => name !== "no_fault none")).toEqual([]);
    const bound = (100 * exactBounds(0, repetitions, 0.95).high).toFixed(1);
    process.stdout.write(`${suite}: 0 false findings in ${repetitions} repetitions, at most ${bound} %\n`);
  });

  it.each(plantedFaults)(
    "$suite finds $what",
    { timeout: 600_000 },
    async ({ suite, planted: fault, expected, trials = 1, also = [] }) => {
      const each = (await repeatedDiagnoses(planted(fault), suite, { trials })).map(named);
      const wanted = `${expected.code} ${expected.owner}${expected.fix === "" ? "" : ` ${expected.fix}`}`;
      const others = new Set(each.flat().filter((name) => name !== wanted && !also.includes(name)));
      const hits = each.filter((names) => names.includes(wanted)).length;
      expect({ hits, others: [...others] }).toEqual({ hits: repetitions, others: [] });
    },
  );
});

/** Servers on which a sound model is sound, each kind with its own routes, limits and way to say no. */
const soundServers = {
  vLLM: { server: { contextLength: 32_768 } },
  "Ollama with a Go template": {
    server: { kind: "ollama", version: "0.34.2", template: "hermes", parser: null, contextLength: 65_536 },
  },
  "Ollama, native": {
    server: { kind: "ollama", version: "0.34.2", template: "native", parser: null, contextLength: 32_768 },
  },
  "llama-server": {
    server: { kind: "llama-server", version: "b10434", template: "hermes", parser: null, contextLength: 32_768 },
  },
  "an endpoint that shows nothing": { server: { kind: "openai", contextLength: 65_536 } },
} as const;

describe.each(Object.entries(soundServers))("a sound model on %s", (_name, fault) => {
  it.each(["small", "agent"] as const)("passes every suite with the %s shape", { timeout: 120_000 }, async (shape) => {
    // A prompt of an agent is some 20,000 tokens here.
    const roomy = shape === "small" ? fault : { server: { ...fault.server, contextLength: 65_536 } };
    const { diagnoses, planned, measured } = await suiteRun(planted(roomy), suites, { shapes: [shape], trials: 2 });
    expect({ found: named(diagnoses), measured }).toEqual({ found: ["no_fault none"], measured: planned });
  });
});
