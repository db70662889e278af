/**
 * Chance that so few or fewer of `of` succeed when both groups share one rate (Fisher's exact test, one side). 1 where a group
 * is empty.
 */
export function chanceOfFewer(count: number, of: number, otherCount: number, otherOf: number): number {
  if (of === 0 || otherOf === 0) return 1;
  const total = of + otherOf;
  const successes = count + otherCount;
  let sum = 0;
  for (let each = Math.max(0, successes - otherOf); each <= count; each++) {
    sum += Math.exp(logChoose(of, each) + logChoose(otherOf, successes - each) - logChoose(total, successes));
  }
  return Math.min(1, sum);
}

function logChoose(of: number, count: number): number {
  let sum = 0;
  for (let each = 1; each <= count; each++) sum += Math.log(of - count + each) - Math.log(each);
  return sum;
}
