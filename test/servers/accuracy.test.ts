import { describe, expect, it } from "vitest";
import type { Calibration, CheckedSample } from "../../src/lab/calibration/calibration.ts";
import { accuracyRows, missLines } from "../../src/lab/report/calibration/view.ts";
import { calibrationWords } from "../../src/lab/report/calibration/words.ts";
import { calibrateLab } from "./lab.ts";
import { isLong, vllmInstalled } from "./provisioned.ts";

/** The short form: one script of each kind. */
const shortScripts = [
  "direct",
  "direct-ja",
  "fabricated-ja",
  "empty",
  "hermes",
  "text-hermes",
  "two-hermes",
  "ahead-hermes",
  "cut-hermes",
  "quoted-hermes",
  "xml",
  "two-xml",
  "long-xml",
  "llama3",
  "mistral",
  "marker",
  "marker-first",
];
const chosen = isLong ? [] : shortScripts.flatMap((script) => ["--script", script]);
const words = calibrationWords("en");
const calibrations: Calibration[] = [];

const servers = ["llama-server", "ollama", ...(vllmInstalled === null ? [] : ["vllm"])];

describe.each(servers)("lab calibrate --spawn %s", (server) => {
  it("measures every set-up whole, every sample beside its truth", async () => {
    const { code, err, calibration } = await calibrateLab(["--spawn", server, ...chosen]);
    expect(code, err).toBe(0);
    for (const { setUp, unmet, checked, cells, side } of calibration.setUps) {
      expect(unmet, setUp.id).toBeNull();
      // Two arms of one suite, four of the other streamed and whole; the second arm repeats one of them.
      expect(checked, setUp.id).toHaveLength(calibration.scripts.length * 10);
      expect(cells, setUp.id).toHaveLength(calibration.scripts.length * 10);
      if (setUp.format !== null) expect(side.length, setUp.id).toBeGreaterThanOrEqual(2);
    }
    calibrations.push(calibration);
  });
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
    ).toBeGreaterThanOrEqual(isLong ? 1_500 : 600);
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
