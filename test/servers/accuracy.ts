import type { Compared } from "./measure.ts";

/** The table of a whole run: one line a set-up, with every miss and its reason below. */
export function accuracyTable(samples: readonly Compared[]): string {
  const groups = new Map<string, Compared[]>();
  for (const sample of samples) {
    const key = `${sample.server} ${sample.setUp}`;
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  const rows = [...groups, ["all", samples] as const].map(([name, group]) => {
    const compared = group.filter((sample) => sample.findingsRight !== null);
    return [
      name.padEnd(34),
      String(group.length).padStart(6),
      String(distinct(group)).padStart(9),
      share(group, (sample) => sample.axisRight).padStart(9),
      share(group, (sample) => sample.ownerRight).padStart(9),
      share(compared, (sample) => sample.findingsRight === true).padStart(9),
    ].join("");
  });
  const head = `${"set-up".padEnd(34)}samples distinct     axis    owner findings`;
  return [head, ...rows, ...misses(samples)].join("\n");
}

/** Samples that differ in server, set-up, script or arm; streamed and whole count as one. */
export function distinct(samples: readonly Compared[]): number {
  return new Set(samples.map(({ server, setUp, script, suite, arm }) => `${server} ${setUp} ${script} ${suite} ${arm}`))
    .size;
}

function share(samples: readonly Compared[], right: (sample: Compared) => boolean): string {
  return samples.length === 0 ? "-" : `${((100 * samples.filter(right).length) / samples.length).toFixed(1)} %`;
}

/** One line a miss: where, what was judged, what is true, and why. */
export function misses(samples: readonly Compared[]): readonly string[] {
  return samples.flatMap((sample) => {
    const { truth, judged } = sample;
    const wrong = [
      ...(sample.axisRight ? [] : [`axis ${judged.axis}, is ${truth.axes.join(" or ")}`]),
      ...(sample.ownerRight ? [] : [`owner ${judged.owner}, is ${truth.owners.join(" or ")}`]),
      ...(sample.findingsRight === false
        ? [`findings [${judged.findings.join(", ")}], are [${truth.findings?.join(", ")}]`]
        : []),
    ];
    if (wrong.length === 0) return [];
    const place = `${sample.server} ${sample.setUp} ${sample.script} ${sample.arm}${sample.stream ? " streamed" : ""}`;
    return [`  ${place}: ${wrong.join("; ")} (${truth.because})`];
  });
}
