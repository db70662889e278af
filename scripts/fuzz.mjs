// npm run fuzz -- [--minutes N] [--seed S]: the formats' properties on ever new input, until the time is over or one fails. A
// failing one is printed with the seed and the input that fails, and ends the run with 1.
import { parseArgs } from "node:util";
import fc from "fast-check";
import { toolCallFormats } from "../src/protocol/formats/index.ts";
import { isNeverCutShort, readsBack, scansInAnyChunks } from "../test/protocol/formats/format-properties.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string" } },
});
const minutes = Number(values.minutes);
const firstSeed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
if (!(minutes > 0) || !Number.isInteger(firstSeed)) {
  console.error("fuzz: --minutes wants a number above 0, --seed a whole number");
  process.exit(2);
}

const properties = [
  ["any chunking", () => scansInAnyChunks(), 200],
  ...toolCallFormats.flatMap((format) => [
    [`${format.name} reads back`, () => readsBack(format), 20],
    [`${format.name} is never cut short`, () => isNeverCutShort(format), 20],
  ]),
];

console.log(`seed ${firstSeed}, ${minutes} minutes, ${toolCallFormats.length} formats`);
const end = Date.now() + minutes * 60_000;
let inputs = 0;
for (let seed = firstSeed; Date.now() < end; seed = (seed + 1) % 2 ** 31) {
  for (const [name, make, numRuns] of properties) {
    const outcome = fc.check(make(), { seed, numRuns });
    inputs += outcome.numRuns;
    if (outcome.failed) {
      console.error(`${name} fails after ${inputs} inputs; again: npm run fuzz -- --seed ${seed}`);
      console.error(JSON.stringify(outcome.counterexample));
      console.error(outcome.errorInstance?.message ?? outcome.errorInstance);
      process.exit(1);
    }
  }
}
console.log(`${inputs} inputs, no finding`);
