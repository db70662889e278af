/** Holm's step-down adjustment (Holm 1979), in the order given: rejecting all at or below α keeps the chance of any false alarm at or below α. */
export function holm(probabilities: readonly number[]): readonly number[] {
  const ranked = [...probabilities.entries()].sort(([, left], [, right]) => left - right);
  const adjusted = new Array<number>(probabilities.length).fill(1);
  let highest = 0;
  for (const [rank, [index, probability]] of ranked.entries()) {
    highest = Math.max(highest, Math.min(1, probability * (ranked.length - rank)));
    adjusted[index] = highest;
  }
  return adjusted;
}
