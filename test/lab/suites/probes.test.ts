import { expect, it } from "vitest";
import { checkProbes } from "../../../src/lab/check-probes.ts";
import { loaded } from "./harness.ts";

it("every shipped item tells its good, bad and nearly right replies apart", () => {
  expect(checkProbes(loaded)).toEqual([]);
});
