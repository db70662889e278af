import { seededRandom } from "./seeded-random.ts";

/** Above this many scenarios sign patterns are drawn instead of counted. */
const countedInFull = 16;
const draws = 2_000;

/**
 * Would other questions show the drop too? Under no difference the two runs could change places in each scenario as a whole,
 * however its repeats hang together: the chance of a sum of drops at least as large as the one seen. Counted in full up to
 * 16 scenarios, drawn with a fixed seed beyond.
 */
export function scenarioSigns(drops: readonly number[]): number {
  const changed = drops.filter((drop) => drop !== 0);
  const seen = changed.reduce((sum, drop) => sum + drop, 0);
  if (changed.length === 0) return 1;
  // Sums of the same numbers in another order differ in their last digits.
  const reaches = (sum: number) => sum >= seen - 1e-9;
  if (changed.length <= countedInFull) {
    let hits = 0;
    const patterns = 2 ** changed.length;
    for (let pattern = 0; pattern < patterns; pattern++) {
      const sum = changed.reduce((total, drop, index) => total + ((pattern >> index) & 1 ? -drop : drop), 0);
      if (reaches(sum)) hits += 1;
    }
    return hits / patterns;
  }
  const random = seededRandom(0x5eed);
  let hits = 1;
  for (let draw = 0; draw < draws; draw++) {
    if (reaches(changed.reduce((total, drop) => total + (random() < 0.5 ? -drop : drop), 0))) hits += 1;
  }
  return hits / (draws + 1);
}
