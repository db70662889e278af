import { describe, expect, it } from "vitest";
import type { Calibration, CheckedSample } from "../../src/lab/calibration/calibration.ts";
import { accuracyRows, missLines } from "../../src/lab/report/calibration/view.ts";
import { calibrationWords } from "../../src/lab/report/calibration/words.ts";
import { primeSumScripts } from "../../src/testbed/scripts/prime-sum.ts";
import { calibrateLab } from "./lab.ts";
import { vllmInstalled } from "./provisioned.ts";

const words = calibrationWords("en");
const calibrations: Calibration[] = [];

/** Started beside each other: each leaves most of a second core idle. vLLM takes both, and has its turn alone. */
const together = ["llama-server", "ollama"];
const servers = [...together, ...(vllmInstalled === null ? [] : ["vllm"])];

/** Every script in every set-up, in every arm, streamed and whole. */
async function calibrateWhole(server: string): Promise<void> {
  const started = performance.now();
  const { code, err, calibration } = await calibrateLab(["--spawn", server]);
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(
    `\nlab calibrate --spawn ${server}: ${calibration.setUps.length} set-ups, ${seconds.toFixed(0)} s\n`,
  );
  expect(code, err).toBe(0);
  expect(calibration.scripts.map(({ script }) => script)).toEqual(primeSumScripts.map(({ script }) => script));
  for (const { setUp, unmet, checked, cells, side } of calibration.setUps) {
    expect(unmet, setUp.id).toBeNull();
    // Two arms of one suite, four of the other streamed and whole; the second arm repeats one of them.
    expect(checked, setUp.id).toHaveLength(calibration.scripts.length * 10);
    expect(cells, setUp.id).toHaveLength(calibration.scripts.length * 10);
    if (setUp.format !== null) expect(side.length, setUp.id).toBeGreaterThanOrEqual(2);
  }
  calibrations.push(calibration);
}

describe("lab calibrate measures every set-up whole, every sample beside its truth", () => {
  it("of llama-server and Ollama", async () => {
    const started = performance.now();
    await Promise.all(together.map(calibrateWhole));
    const seconds = (performance.now() - started) / 1000;
    process.stdout.write(`The whole calibration of llama-server and Ollama: ${seconds.toFixed(0)} s\n`);
  }, 900_000);

  it.runIf(vllmInstalled !== null)("of vLLM", () => calibrateWhole("vllm"), 3_600_000);
});

const all = (): readonly (CheckedSample & { readonly server: string })[] =>
  calibrations.flatMap(({ setUps }) =>
    setUps.flatMap(({ setUp, checked }) => checked.map((sample) => ({ ...sample, server: setUp.server }))),
  );

describe("all samples together", () => {
  it.each(servers)("show every kind of reply on a real %s", (server) => {
    const own = all().filter((sample) => sample.server === server);
    const axes = new Set(own.flatMap(({ truth }) => truth.axes));
    expect([...axes]).toEqual(
      expect.arrayContaining([
        "structured",
        "leaked",
        "refused",
        "marker",
        "truncated",
        "none",
        ...(server === "vllm" ? ["swallowed"] : ["server_error"]),
      ]),
    );
    expect(own.some(({ truth }) => truth.findings?.includes("provenance_claim"))).toBe(true);
    if (server === "ollama") expect(axes).toContain("swallowed");
  });

  it("are judged right: axis in 99 of 100, owner in 97 of 100", () => {
    const rows = calibrations.flatMap((calibration) => accuracyRows(calibration, words));
    const misses = calibrations.flatMap((calibration) => missLines(calibration, words));
    process.stdout.write(
      `\n${rows.map(({ label, samples, distinct, axis, owner }) => `${label.padEnd(40)} ${samples} samples, ${distinct} distinct, axis ${axis}, owner ${owner}`).join("\n")}\n${misses.join("\n")}\n\n`,
    );
    const samples = all();
    const share = (right: (sample: CheckedSample) => boolean): number => samples.filter(right).length / samples.length;
    expect(
      rows.filter(({ label }) => label === words.all).reduce((sum, { distinct }) => sum + distinct, 0),
    ).toBeGreaterThanOrEqual(1_500);
    expect(
      share(({ axisRight }) => axisRight),
      misses.join("\n"),
    ).toBeGreaterThanOrEqual(0.99);
    expect(
      share(({ ownerRight }) => ownerRight),
      misses.join("\n"),
    ).toBeGreaterThanOrEqual(0.97);
  });
});
