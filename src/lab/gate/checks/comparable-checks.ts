import { canonicalJson, type JsonValue } from "../../../protocol/json.ts";
import type { Pairing } from "../pair-cells.ts";
import type { GatePolicy } from "../policy.ts";
import type { RunSide } from "../run-side.ts";
import { allowedBy, identityDifferences, incidentalDifferences, shown, type Treatment } from "../treatment.ts";
import type { Check, CheckCode, GateNote } from "../verdict.ts";

const dayMs = 86_400_000;

/** Whole days from one run to the other, by their own records. */
export function ageInDays(before: RunSide, after: RunSide): number {
  return Math.floor((Date.parse(after.record.createdAt) - Date.parse(before.record.createdAt)) / dayMs);
}

/** May the two runs be set side by side? A difference that nobody declared makes the comparison invalid, never a regression. */
export function comparableChecks(
  before: RunSide,
  after: RunSide,
  pairing: Pairing,
  declared: readonly Treatment[],
): readonly Check[] {
  const checks: Check[] = [];
  const invalid = (code: CheckCode, facts: Check["facts"], target?: string) =>
    checks.push({ code, kind: "invalid", place: target === undefined ? null : { target }, facts });
  const allowed = allowedBy(declared);

  if (!pairing.pairs.some((pair) => pair.before.rated && pair.after.rated)) {
    invalid("nothing_shared", { here: placesOf(after), there: placesOf(before) });
    return checks;
  }
  for (const pair of pairing.targets) {
    const [left, right] = [recordOf(before, pair.before), recordOf(after, pair.after)];
    if (left === undefined || right === undefined) continue;
    for (const { key, before: was, after: is, treatment, declared: known } of identityDifferences(
      left,
      right,
      declared,
    )) {
      if (!known) invalid("identity", { key, before: was, after: is, treatment }, pair.after);
    }
  }
  const [asked, askedBefore] = [after, before].map(({ record }) => canonicalJson(record.plan.request as JsonValue));
  if (asked !== askedBefore && !allowed.has("request"))
    invalid("request_changed", { before: askedBefore ?? "", after: asked ?? "" });
  for (const { id, was, is } of changedRoutes(before, after)) {
    if (!allowed.has("adapter"))
      invalid("identity", { key: `settings of the route ${id}`, before: was, after: is, treatment: "adapter" });
  }
  const changed = changedQuestions(before, after);
  if (changed.length > 0 && !allowed.has("scenario"))
    invalid("question_changed", { count: changed.length, first: changed[0] ?? "" });
  return checks;
}

/** What a gate asks of a baseline beyond that it may be compared: another, sound, recent run that covers as much. */
export function baselineChecks(
  before: RunSide,
  after: RunSide,
  pairing: Pairing,
  policy: GatePolicy,
): readonly Check[] {
  const checks: Check[] = [];
  const invalid = (code: CheckCode, facts: Check["facts"]) =>
    checks.push({ code, kind: "invalid", place: null, facts });
  const age = ageInDays(before, after);
  const { summary } = before;
  if (before.record.run === after.record.run) invalid("same_run", { run: after.record.run });
  if (summary.planned === 0 || summary.measured < summary.planned)
    invalid("baseline_invalid", { measured: summary.measured, planned: summary.planned });
  else if (!summary.cells.some((cell) => cell.rated && cell.delivered > 0))
    invalid("baseline_invalid", { measured: 0, planned: 0 });
  const { refuseAfterDays } = policy.baseline;
  if (refuseAfterDays !== null && age > refuseAfterDays) invalid("baseline_too_old", { age, limit: refuseAfterDays });
  if (policy.coverage.baselineCells === "all" && pairing.missing.length > 0 && pairing.pairs.length > 0) {
    const [first] = pairing.missing;
    const name = first === undefined ? "" : [first.target, first.suite, first.scenario, first.arm].join(" / ");
    invalid("cells_missing", { count: pairing.missing.length, first: name });
  }
  return checks;
}

/** Differences worth naming that decide nothing. */
export function comparisonNotes(
  before: RunSide,
  after: RunSide,
  pairing: Pairing,
  declared: readonly Treatment[],
  policy: GatePolicy,
): readonly GateNote[] {
  const notes: GateNote[] = [];
  for (const pair of pairing.targets) {
    const [left, right] = [recordOf(before, pair.before), recordOf(after, pair.after)];
    if (left === undefined || right === undefined) continue;
    for (const { key, before: was, after: is } of incidentalDifferences(left, right))
      notes.push({ code: "incidental", facts: { target: pair.after, key, before: was, after: is } });
    for (const { key, before: was, after: is, declared: known } of identityDifferences(left, right, declared)) {
      if (known) notes.push({ code: "treatment", facts: { target: pair.after, key, before: was, after: is } });
    }
  }
  const [here, there] = [after.record, before.record];
  // Clocks of two machines differ: no reason to refuse, but one to look.
  if (Date.parse(here.createdAt) < Date.parse(there.createdAt))
    notes.push({ code: "older_than_baseline", facts: { here: here.createdAt, there: there.createdAt } });
  if (here.lab.version !== there.lab.version)
    notes.push({ code: "lab_version", facts: { before: there.lab.version, after: here.lab.version } });
  if (here.seed === there.seed && here.run !== there.run) notes.push({ code: "same_seed", facts: { seed: here.seed } });
  if (here.plan.raw !== there.plan.raw)
    notes.push({ code: "raw", facts: { before: there.plan.raw, after: here.plan.raw } });
  const { warnAfterDays } = policy.baseline;
  const age = ageInDays(before, after);
  if (warnAfterDays !== null && age > warnAfterDays) notes.push({ code: "baseline_age", facts: { age } });
  if (pairing.extra.length > 0) notes.push({ code: "extra_cells", facts: { count: pairing.extra.length } });
  return notes;
}

function recordOf({ record }: RunSide, name: string) {
  return record.targets.find((target) => target.name === name);
}

function placesOf({ summary }: RunSide): string {
  const suites = [...new Set(summary.cells.map((cell) => cell.suite))];
  return suites.length === 0 ? "-" : suites.join(", ");
}

/** Routes that both runs have and that were set up otherwise: the first setting that differs, on both sides. */
function changedRoutes(before: RunSide, after: RunSide) {
  return after.record.routes.flatMap(({ id, settings = {} }) => {
    const { settings: earlier = {} } = before.record.routes.find((route) => route.id === id) ?? { settings };
    const names = [...new Set([...Object.keys(earlier), ...Object.keys(settings)])];
    const text = (value: JsonValue | undefined): string => (value === undefined ? "-" : canonicalJson(value));
    const name = names.find((each) => text(earlier[each]) !== text(settings[each]));
    return name === undefined
      ? []
      : [{ id, was: `${name} ${shown(earlier[name])}`, is: `${name} ${shown(settings[name])}` }];
  });
}

/** Questions that both runs asked under one name and in different words. */
function changedQuestions(before: RunSide, after: RunSide): readonly string[] {
  const [left, right] = [before.proof?.questions ?? {}, after.proof?.questions ?? {}];
  return Object.keys(left).filter((key) => right[key] !== undefined && right[key] !== left[key]);
}
