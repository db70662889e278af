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
