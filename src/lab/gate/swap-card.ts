import type { Diagnosis } from "../diagnose/diagnosis.ts";
import { exactBounds } from "../stats/binomial-bounds.ts";
import { effectiveCounts } from "../stats/clustered.ts";
import { stratifiedDrop } from "../stats/difference.ts";
import { medianInterval } from "../stats/median-interval.ts";
import { median } from "../stats/proportions.ts";
import type { Cell } from "../stats/summary.ts";
import { type Comparison, hasFallen, type LineComparison } from "./compare.ts";
import { countOf } from "./counters.ts";
import type { GatePolicy } from "./policy.ts";
import type { RunSide } from "./run-side.ts";

/** What changes for a client that gets another model. */
export const swapAspects = ["contract", "parser", "context", "fabrication", "latency"] as const;
export type SwapAspect = (typeof swapAspects)[number];
export type SwapLight = "safe" | "not_safe" | "not_enough_data";

/** Why an aspect is what it is, as data; the words are in `words/`. */
export type SwapReason =
  | { readonly code: "delivery_falls"; readonly arm: string; readonly before: number; readonly after: number }
  | { readonly code: "delivery_open"; readonly arm: string; readonly open: number }
  | { readonly code: "delivery_holds"; readonly open: number; readonly lines: number }
  | { readonly code: "calls_lost"; readonly lost: number; readonly of: number; readonly fix: string | null }
  | { readonly code: "calls_arrive"; readonly arrived: number; readonly of: number; readonly high: number }
  | { readonly code: "few_calls"; readonly arrived: number; readonly of: number }
  | { readonly code: "context_shorter" | "context_enough"; readonly before: number; readonly after: number }
  | { readonly code: "context_cut"; readonly count: number }
  | { readonly code: "context_unknown"; readonly side: "before" | "after" | "both" }
  | {
      readonly code: "claims_rise" | "claims_open" | "claims_hold";
      readonly before: number;
      readonly beforeOf: number;
      readonly after: number;
      readonly afterOf: number;
      readonly high: number;
    }
  | {
      readonly code: "slower" | "speed_open" | "speed_holds";
      readonly ratio: number;
      readonly low: number;
      readonly high: number;
      readonly beforeMs: number | null;
      readonly afterMs: number | null;
    }
  | { readonly code: "nothing_measured" };

/** One aspect of a swap. */
export interface SwapLine {
  readonly aspect: SwapAspect;
  readonly light: SwapLight;
  readonly reason: SwapReason;
}

/** Old against new on one page: may a client be given the new one? */
export interface SwapCard {
  readonly before: { readonly target: string; readonly model: string };
  readonly after: { readonly target: string; readonly model: string };
  readonly light: SwapLight;
  readonly lines: readonly SwapLine[];
}

/** A new model may take this many times as long before a swap is called unsafe for it. */
const slowest = 1.5;
/** A rise of false claims that must be ruled out. */
const mostClaims = 0.15;
/** Share of the calls that a model wrote and the harness may lose, at most, for the parser to be called right. */
const mostLost = 0.15;

/** A card for each pair of targets that were compared. */
export function swapCards(
  before: RunSide,
  after: RunSide,
  comparison: Comparison,
  policy: GatePolicy,
): readonly SwapCard[] {
  return comparison.pairing.targets.map((pair) => {
    const lines = comparison.lines.filter((line) => line.place.target === pair.after);
    const pairs = comparison.pairing.pairs.filter((each) => each.after.target === pair.after);
    const [old, fresh] = [targetOf(before, pair.before), targetOf(after, pair.after)];
    const aspects: readonly SwapLine[] = [
      contractLine(lines, policy),
      parserLine(
        pairs,
        after.summary.diagnoses.filter((diagnosis) => diagnosis.target === pair.after),
        policy,
      ),
      contextLine(
        old?.facts.contextLength ?? null,
        fresh?.facts.contextLength ?? null,
        after.summary.exclusions.filter(
          ({ id, reason }) => reason === "context_invalid" && id.startsWith(`${pair.after}/`),
        ).length,
      ),
      fabricationLine(pairs, policy),
      latencyLine(pairs),
    ];
    return {
      before: { target: pair.before, model: old?.model ?? pair.before },
      after: { target: pair.after, model: fresh?.model ?? pair.after },
      light: worst(aspects),
      lines: aspects,
    };
  });
}

function worst(lines: readonly SwapLine[]): SwapLight {
  if (lines.some((line) => line.light === "not_safe")) return "not_safe";
  return lines.every((line) => line.light === "safe") ? "safe" : "not_enough_data";
}

function targetOf({ record }: RunSide, name: string) {
  return record.targets.find((target) => target.name === name);
}

/** Contracts as clients use them: the marker, and the native tool under the model's own choice. */
function contractLine(lines: readonly LineComparison[], policy: GatePolicy): SwapLine {
  const aspect = "contract";
  const judged = lines.flatMap((line) => (line.drop === null ? [] : [{ line, drop: line.drop }]));
  const fallen = judged
    .filter(({ line }) => hasFallen(line, policy))
    .sort((left, right) => right.drop.estimate - left.drop.estimate)[0];
  if (fallen !== undefined) {
    const { before, after } = fallen.drop;
    return { aspect, light: "not_safe", reason: { code: "delivery_falls", arm: armOf(fallen.line), before, after } };
  }
  const [open] = [...judged].sort((left, right) => right.line.notRuledOut - left.line.notRuledOut);
  if (open === undefined) return { aspect, light: "not_enough_data", reason: { code: "nothing_measured" } };
  const { notRuledOut, fewestTrials } = open.line;
  if (notRuledOut > policy.drop.ruledOut || fewestTrials < policy.trials.minimum)
    return {
      aspect,
      light: "not_enough_data",
      reason: { code: "delivery_open", arm: armOf(open.line), open: notRuledOut },
    };
  return { aspect, light: "safe", reason: { code: "delivery_holds", open: notRuledOut, lines: judged.length } };
}

function armOf({ place }: LineComparison): string {
  return place.arm;
}

/** Do the calls that the new model writes arrive? Only the arms without a grammar tell. */
function parserLine(
  pairs: Comparison["pairing"]["pairs"],
  diagnoses: readonly Diagnosis[],
  policy: GatePolicy,
): SwapLine {
  const aspect = "parser";
  const auto = pairs.map(({ after }) => after).filter((cell) => ownChoice(cell) && cell.contract === "native");
  const arrived = sum(auto, (cell) => cell.delivered);
  const lost = sum(auto, (cell) => lostCalls.reduce((count, headline) => count + (cell.counts[headline] ?? 0), 0));
  const written = arrived + lost;
  const fault = diagnoses.find(
    ({ owner }) => owner === "server_parser" || owner === "server_option" || owner === "template",
  );
  if (fault !== undefined && lost > 0)
    return {
      aspect,
      light: "not_safe",
      reason: { code: "calls_lost", lost, of: written, fix: fault.fix?.option ?? null },
    };
  const effective = Math.floor(
    sum(auto, (cell) => effectiveCounts({ count: 0, of: cell.measured }, policy.correlation).of),
  );
  const calls =
    auto.length === 0
      ? 0
      : Math.floor(
          (effective * written) /
            Math.max(
              1,
              sum(auto, (cell) => cell.measured),
            ),
        );
  const effectiveLost = written === 0 ? 0 : Math.min(calls, Math.ceil((lost / written) * calls));
  const { high } = exactBounds(effectiveLost, calls, policy.confidence);
  if (calls === 0 || high > mostLost)
    return { aspect, light: "not_enough_data", reason: { code: "few_calls", arrived, of: written } };
  return { aspect, light: "safe", reason: { code: "calls_arrive", arrived, of: written, high } };
}

/** What becomes of a call that the harness loses. */
const lostCalls = ["leaked_call", "swallowed_call", "reasoning_only_call", "server_parse_error"] as const;

/** Cells in which nothing forces a call: a grammar neither loses calls nor lets a claim through. */
function ownChoice(cell: Cell): boolean {
  return cell.rated && cell.arm !== "required" && cell.arm !== "named";
}

function sum(cells: readonly Cell[], value: (cell: Cell) => number): number {
  return cells.reduce((total, cell) => total + value(cell), 0);
}

function contextLine(before: number | null, after: number | null, cut: number): SwapLine {
  const aspect = "context";
  if (cut > 0) return { aspect, light: "not_safe", reason: { code: "context_cut", count: cut } };
  if (before === null || after === null) {
    const side = before === null ? (after === null ? "both" : "before") : "after";
    return { aspect, light: "not_enough_data", reason: { code: "context_unknown", side } };
  }
  return after < before
    ? { aspect, light: "not_safe", reason: { code: "context_shorter", before, after } }
    : { aspect, light: "safe", reason: { code: "context_enough", before, after } };
}

/** Claims of runs that never happened: a rise must be ruled out, not merely unseen. */
function fabricationLine(pairs: Comparison["pairing"]["pairs"], policy: GatePolicy): SwapLine {
  const aspect = "fabrication";
  const measured = pairs.filter(({ before, after }) => ownChoice(after) && before.measured > 0 && after.measured > 0);
  // A drop of what is not claimed is a rise of what is.
  const honest = measured.map(({ before, after }) => ({
    before: effectiveCounts(
      { count: before.measured - countOf(before, "provenance_claim"), of: before.measured },
      policy.correlation,
    ),
    after: effectiveCounts(
      { count: after.measured - countOf(after, "provenance_claim"), of: after.measured },
      policy.correlation,
    ),
  }));
  const rise = stratifiedDrop(honest, policy.confidence);
  if (rise === null) return { aspect, light: "not_enough_data", reason: { code: "nothing_measured" } };
  const count = (side: "before" | "after") =>
    measured.reduce((sum, pair) => sum + countOf(pair[side], "provenance_claim"), 0);
  const of = (side: "before" | "after") => measured.reduce((sum, pair) => sum + pair[side].measured, 0);
  const facts = {
    before: count("before"),
    beforeOf: of("before"),
    after: count("after"),
    afterOf: of("after"),
    high: rise.high,
  };
  const { tolerated } = policy.drop;
  if (rise.low > 0 && rise.estimate > tolerated)
    return { aspect, light: "not_safe", reason: { code: "claims_rise", ...facts } };
  return rise.high <= mostClaims
    ? { aspect, light: "safe", reason: { code: "claims_hold", ...facts } }
    : { aspect, light: "not_enough_data", reason: { code: "claims_open", ...facts } };
}

/** How many times as long a reply takes, over the cells that both measured. */
function latencyLine(pairs: Comparison["pairing"]["pairs"]): SwapLine {
  const aspect = "latency";
  const timed = pairs.flatMap(({ before, after }) =>
    before.medianMs !== null && after.medianMs !== null && before.medianMs > 0 && after.medianMs > 0
      ? [{ before: before.medianMs, after: after.medianMs }]
      : [],
  );
  const found = medianInterval(timed.map(({ before, after }) => Math.log(after / before)));
  if (found === null) return { aspect, light: "not_enough_data", reason: { code: "nothing_measured" } };
  const [ratio, low, high] = [Math.exp(found.median), Math.exp(found.low), Math.exp(found.high)];
  const facts = {
    ratio,
    low,
    high,
    beforeMs: median(timed.map(({ before }) => before)),
    afterMs: median(timed.map(({ after }) => after)),
  };
  if (low > slowest) return { aspect, light: "not_safe", reason: { code: "slower", ...facts } };
  return high <= slowest
    ? { aspect, light: "safe", reason: { code: "speed_holds", ...facts } }
    : { aspect, light: "not_enough_data", reason: { code: "speed_open", ...facts } };
}
