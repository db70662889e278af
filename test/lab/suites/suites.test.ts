import { describe, expect, it } from "vitest";
import { exactBounds } from "../../../src/lab/stats/binomial-bounds.ts";
import { loaded, named, planted, repetitions, suiteRun } from "./harness.ts";
import { plantedFaults } from "./planted-faults.ts";

const suites = loaded.probes.map(({ id }) => id);

/** Each repetition has nonces, seeds and draws of its own, and one language, as a small run has. */
function oneRun(suite: string, index: number) {
  const one = index % 2 === 0 ? (["ja"] as const) : (["en"] as const);
  return { seed: `repetition-${index}`, languages: suite === "language" ? (["ja", "en"] as const) : one };
}

describe(`${repetitions} independent repetitions`, () => {
  it.each(suites)("%s says nothing against a sound profile", { timeout: 600_000 }, async (suite) => {
    const found: string[] = [];
    for (let index = 0; index < repetitions; index++) {
      const { diagnoses, planned, measured } = await suiteRun(
        planted({}, `clean-${index}`),
        [suite],
        oneRun(suite, index),
      );
      expect(measured).toBe(planned);
      found.push(...named(diagnoses.filter(({ code }) => code !== "no_fault")));
    }
    expect(found).toEqual([]);
    const bound = (100 * exactBounds(0, repetitions, 0.95).high).toFixed(1);
    process.stdout.write(`${suite}: 0 false findings in ${repetitions} repetitions, at most ${bound} %\n`);
  });

  it.each(plantedFaults)(
    "$suite finds $what",
    { timeout: 600_000 },
    async ({ suite, planted: fault, expected, trials = 1, also = [] }) => {
      let hits = 0;
      const others = new Set<string>();
      for (let index = 0; index < repetitions; index++) {
        const { diagnoses } = await suiteRun(planted(fault, `planted-${index}`), [suite], {
          ...oneRun(suite, index),
          trials,
        });
        const wanted = `${expected.code} ${expected.owner}${expected.fix === "" ? "" : ` ${expected.fix}`}`;
        const all = named(diagnoses);
        if (all.includes(wanted)) hits += 1;
        for (const other of all) if (other !== wanted && !also.includes(other)) others.add(other);
      }
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
