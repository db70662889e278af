import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveOracle } from "../../../src/lab/scenario/oracle.ts";
import type { Oracle } from "../../../src/lab/scenario/scenario.ts";
import { trialValues } from "../../../src/lab/scenario/trial-values.ts";

const values = trialValues(1);
const isPrime = (n: number) => {
  if (n < 2) return false;
  for (let factor = 2; factor * factor <= n; factor++) if (n % factor === 0) return false;
  return true;
};

describe("resolveOracle", () => {
  // Published values: FIPS 180 and RFC 1321 test vectors, Project Euler 3, 10 and 20, powers of two.
  it.each<[Oracle, readonly string[]]>([
    [{ kind: "exact", value: "Paris" }, ["Paris"]],
    [{ kind: "sha256", of: "", length: 10 }, ["e3b0c44298", "E3B0C44298"]],
    [{ kind: "sha256", of: "abc", length: 8 }, ["ba7816bf", "BA7816BF"]],
    [{ kind: "md5", of: "abc", length: 32 }, ["900150983cd24fb0d6963f7d28e17f72", "900150983CD24FB0D6963F7D28E17F72"]],
    [{ kind: "prime_sum", from: 1, to: 10 }, ["17"]],
    [{ kind: "prime_sum", from: 1, to: 1000 }, ["76127", "76,127"]],
    [{ kind: "prime_sum", from: 1, to: 1_000_000 }, ["37550402023", "37,550,402,023"]],
    [{ kind: "power", base: 2, exponent: 64 }, ["18446744073709551616", "18,446,744,073,709,551,616"]],
    [{ kind: "factorial_digit_sum", of: 100 }, ["648"]],
    [{ kind: "largest_prime_factor", of: 600851475143 }, ["6857", "6,857"]],
    [{ kind: "none" }, []],
  ])("%o", (oracle, expected) => {
    expect(resolveOracle(oracle, values)).toEqual(expected);
  });

  it("takes the trial's values where the template has placeholders", () => {
    const low = values.number(10, 20);
    const high = values.number(50, 90);
    const oracle: Oracle = { kind: "prime_sum", from: "{{number:10-20}}", to: "{{number:50-90}}" };
    expect(resolveOracle(oracle, values)).toEqual(resolveOracle({ kind: "prime_sum", from: low, to: high }, values));
    expect(resolveOracle({ kind: "exact", value: "say {{nonce}}" }, values)).toEqual([`say ${values.nonce}`]);
    expect(resolveOracle({ kind: "sha256", of: "{{nonce}}", length: 64 }, values)).toEqual(
      resolveOracle({ kind: "sha256", of: values.nonce, length: 64 }, values),
    );
  });

  it("agrees with the definition of a prime sum and of a largest prime factor", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 400 }), (from, to) => {
        let sum = 0;
        for (let n = from; n <= to; n++) if (isPrime(n)) sum += n;
        expect(resolveOracle({ kind: "prime_sum", from, to }, values)[0]).toBe(String(sum));
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1_000_000 }), (of) => {
        const largest = Number(resolveOracle({ kind: "largest_prime_factor", of }, values)[0]);
        expect(isPrime(largest) && of % largest === 0).toBe(true);
        for (let n = largest + 1; n <= of && n < largest + 2000; n++) expect(isPrime(n) && of % n === 0).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});
