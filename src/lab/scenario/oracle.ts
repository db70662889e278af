import { createHash } from "node:crypto";
import type { Oracle } from "./scenario.ts";
import { fillTemplate, type TrialValues } from "./template.ts";

/**
 * Computes the right value of a trial and returns the ways to write it (hex digits in both cases, integers with and without
 * thousands separators). Empty where no value can be right.
 */
export function resolveOracle(oracle: Oracle, values: TrialValues): readonly string[] {
  const text = (template: string) => fillTemplate(template, values);
  const integer = (template: number | string) => Number(typeof template === "number" ? template : text(template));
  switch (oracle.kind) {
    case "exact":
      return [text(oracle.value)];
    case "sha256":
    case "md5": {
      const hex = createHash(oracle.kind).update(text(oracle.of), "utf8").digest("hex").slice(0, oracle.length);
      return distinct([hex, hex.toUpperCase()]);
    }
    case "prime_sum":
      return writtenInteger(primeSum(integer(oracle.from), integer(oracle.to)));
    case "power":
      return writtenInteger(BigInt(integer(oracle.base)) ** BigInt(integer(oracle.exponent)));
    case "factorial_digit_sum":
      return writtenInteger(factorialDigitSum(integer(oracle.of)));
    case "largest_prime_factor":
      return writtenInteger(largestPrimeFactor(integer(oracle.of)));
    case "none":
      return [];
    default:
      return oracle satisfies never;
  }
}

/** Sum of the primes p with from <= p <= to, by a sieve over the odd numbers. */
function primeSum(from: number, to: number): number {
  const composite = new Uint8Array((to >> 1) + 1);
  let sum = from <= 2 && to >= 2 ? 2 : 0;
  for (let candidate = 3; candidate <= to; candidate += 2) {
    if (composite[candidate >> 1] === 1) continue;
    if (candidate >= from) sum += candidate;
    for (let multiple = candidate * candidate; multiple <= to; multiple += 2 * candidate) composite[multiple >> 1] = 1;
  }
  return sum;
}

function factorialDigitSum(of: number): number {
  return [...String(product(1, of))].reduce((sum, digit) => sum + Number(digit), 0);
}

/** low * … * high, split in halves: factors of like size multiply much faster than one by one. 1 for an empty range. */
function product(low: number, high: number): bigint {
  if (low > high) return 1n;
  if (low === high) return BigInt(low);
  const middle = Math.floor((low + high) / 2);
  return product(low, middle) * product(middle + 1, high);
}

function largestPrimeFactor(of: number): number {
  let rest = of;
  let largest = 1;
  for (let factor = 2; factor * factor <= rest; factor += factor === 2 ? 1 : 2) {
    while (rest % factor === 0) {
      largest = factor;
      rest /= factor;
    }
  }
  return Math.max(rest, largest);
}

function writtenInteger(value: number | bigint): readonly string[] {
  const plain = String(value);
  return distinct([plain, plain.replace(/\B(?=(\d{3})+$)/g, ",")]);
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
