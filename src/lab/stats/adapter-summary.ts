import { isRated, type JudgedSample } from "../diagnose/judged-sample.ts";
import { countPairs, mcnemarExact, type PairCounts, pairRoutes } from "../diagnose/route-pairs.ts";
import { median, scoreBounds, wilsonWithUndecided } from "./proportions.ts";
import type { Rate } from "./rate.ts";

/** One route beside another, over the questions that both were measured on. */
export interface RouteComparison extends PairCounts {
  /** This route delivered more often by so much; bounds at 95 %. Null without a pair. */
  readonly gain: { readonly estimate: number; readonly low: number; readonly high: number } | null;
  /** McNemar's exact test, two-sided: takes repeats of one question for independent. */
  readonly chance: number;
}

/** One route to a target. */
export interface RouteSummary {
  readonly route: string;
  /** The stage that this route leaves out; null where it leaves out none. */
  readonly without: string | null;
  readonly delivered: Rate;
  readonly attempted: Rate;
  /** Against the direct route; null for that route itself. */
  readonly beside: RouteComparison | null;
  /** Samples with a call that the model did not attempt, or that must not be made: the costliest error of an adapter. */
  readonly unsafe: Rate;
  /** Median milliseconds that the adapter added to an exchange; null for the direct route. */
  readonly addedMs: number | null;
  /** Requests to the model server for a sample, on average. */
  readonly requests: number | null;
}

/** What one stage did on the whole adapter route, and what it cost. */
export interface StageSummary {
  readonly stage: string;
  /** Samples in whose trace it stands. */
  readonly acted: number;
  /** Of those that enter rates: delivered with it, and on the direct route the same questions. */
  readonly delivered: Rate;
  readonly deliveredDirect: Rate;
  /** The whole adapter beside the one without this stage; null where it was not ablated. */
  readonly ablation: RouteComparison | null;
  readonly medianMs: number;
  /** The slowest of a hundred. */
  readonly slowestMs: number;
  /** Mean bytes by which it lengthened the request to the model; null where nobody weighed. */
  readonly meanBytes: number | null;
  /** Its decisions by name, most frequent first. */
  readonly decisions: readonly { readonly decision: string; readonly count: number }[];
}

/** A target measured direct and through the adapter. */
export interface AdapterSummary {
  readonly target: string;
  readonly routes: readonly RouteSummary[];
  readonly stages: readonly StageSummary[];
}

/** What is known of a route. */
export interface RouteFacts {
  readonly id: string;
  readonly treatment: string;
}

/** Id of the route with all stages. */
export const adapterRouteId = "adapter";
/** Ids of routes without one stage begin so. */
export const ablationPrefix = "adapter-without-";

/** Sums up a target's routes side by side and its adapter's stages; null where it was measured without an adapter. */
export function summariseAdapter(
  target: string,
  routes: readonly RouteFacts[],
  samples: readonly JudgedSample[],
  isTested: (sample: JudgedSample) => boolean,
): AdapterSummary | null {
  if (!routes.some(({ treatment }) => treatment !== "direct")) return null;
  const of = (route: string): readonly JudgedSample[] =>
    samples.filter((sample) => sample.route === route && isTested(sample));
  const direct = of("direct");
  const whole = of(adapterRouteId);
  return {
    target,
    routes: routes.map(({ id, treatment }) => routeSummary(id, treatment === "direct", of(id), direct)),
    stages: stageNames(whole).map((stage) => stageSummary(stage, whole, direct, of(`${ablationPrefix}${stage}`))),
  };
}

function routeSummary(
  route: string,
  isDirect: boolean,
  samples: readonly JudgedSample[],
  direct: readonly JudgedSample[],
): RouteSummary {
  const measured = samples.filter(({ classification }) => classification.measured);
  const rated = measured.filter(isRated);
  const requests = measured.flatMap(({ classification }) => classification.behind?.requests ?? []);
  return {
    route,
    without: route.startsWith(ablationPrefix) ? route.slice(ablationPrefix.length) : null,
    delivered: rateOf(rated, "delivered"),
    attempted: rateOf(rated, "attempted"),
    beside: isDirect ? null : compareRoutes(samples, direct),
    unsafe: wilsonWithUndecided(measured.filter(isUnsafe).length, 0, measured.length),
    addedMs: isDirect ? null : median(measured.flatMap(({ adapter }) => adapter?.addedMs ?? [])),
    requests: isDirect || requests.length === 0 ? null : mean(requests),
  };
}

function stageSummary(
  stage: string,
  samples: readonly JudgedSample[],
  direct: readonly JudgedSample[],
  without: readonly JudgedSample[],
): StageSummary {
  const measured = samples.filter(({ classification }) => classification.measured);
  const acting = measured.filter(({ adapter }) => adapter?.decisions.some((each) => each.stage === stage) === true);
  const pairs = pairRoutes(acting, direct);
  const costs = measured.flatMap(({ adapter }) => adapter?.costs.filter((cost) => cost.stage === stage) ?? []);
  const times = costs.map(({ ms }) => ms).sort((left, right) => left - right);
  const weighed = costs.flatMap(({ bytes }) => bytes ?? []);
  const counts = new Map<string, number>();
  for (const { adapter } of acting) {
    const own = adapter?.decisions.filter((each) => each.stage === stage) ?? [];
    for (const { decision } of own) counts.set(decision, (counts.get(decision) ?? 0) + 1);
  }
  return {
    stage,
    acted: acting.length,
    delivered: rateOf(acting.filter(isRated), "delivered"),
    deliveredDirect: rateOf(
      pairs.map((pair) => pair.other),
      "delivered",
    ),
    ablation: without.length === 0 ? null : compareRoutes(samples, without),
    medianMs: median(times) ?? 0,
    slowestMs: times[Math.min(times.length - 1, Math.floor(times.length * 0.99))] ?? 0,
    meanBytes: weighed.length === 0 ? null : mean(weighed),
    decisions: [...counts]
      .map(([decision, count]) => ({ decision, count }))
      .sort((left, right) => right.count - left.count),
  };
}

/** Stages that did something or took time, in the order in which the traces know them. */
function stageNames(samples: readonly JudgedSample[]): readonly string[] {
  return [...new Set(samples.flatMap(({ adapter }) => adapter?.costs.map(({ stage }) => stage) ?? []))];
}

function compareRoutes(samples: readonly JudgedSample[], others: readonly JudgedSample[]): RouteComparison {
  const counts = countPairs(pairRoutes(samples, others));
  return { ...counts, gain: pairedGain(counts), chance: mcnemarExact(counts.onlyThis, counts.onlyOther) };
}

/**
 * The difference of two paired rates with Newcombe's interval for pairs (1998, method 10): Wilson's limits of both rates, joined
 * with the correlation of the pairs.
 */
export function pairedGain({ pairs, both, onlyThis, onlyOther, neither }: PairCounts): RouteComparison["gain"] {
  if (pairs === 0) return null;
  const [own, other] = [both + onlyThis, both + onlyOther];
  const [rate, otherRate] = [own / pairs, other / pairs];
  const bounds = scoreBounds(own, pairs, z95);
  const otherBounds = scoreBounds(other, pairs, z95);
  const spread = own * (pairs - own) * other * (pairs - other);
  const cross = both * neither - onlyThis * onlyOther;
  const corrected = cross > pairs / 2 ? cross - pairs / 2 : Math.min(cross, 0);
  const correlation = spread === 0 ? 0 : corrected / Math.sqrt(spread);
  const join = (one: number, two: number): number =>
    Math.sqrt(Math.max(0, one * one - 2 * correlation * one * two + two * two));
  const estimate = rate - otherRate;
  return {
    estimate,
    low: Math.max(-1, estimate - join(rate - bounds.low, otherBounds.high - otherRate)),
    high: Math.min(1, estimate + join(bounds.high - rate, otherRate - otherBounds.low)),
  };
}

const z95 = 1.959963984540054;

/** A call was handed on that the model did not attempt, or that nobody may make. */
function isUnsafe(sample: JudgedSample): boolean {
  const { classification, choice, judge } = sample;
  if (classification.probe?.faults.some(({ code }) => code === "called_against_word") === true) return true;
  const reply = classification.replies.at(-1);
  if (reply?.measured !== true || reply.axis.kind !== "structured") return false;
  if (choice === "none") return true;
  // Where a call was asked for by `required` or a name, that one comes shows what the server enforces.
  if (judge === "no_call") return choice === "auto";
  if (reply.findings.some(({ kind }) => kind === "quoted_call")) return true;
  const { behind } = classification;
  return behind !== undefined && behind.requests > 0 && behind.attempted === "no";
}

function rateOf(samples: readonly JudgedSample[], key: "delivered" | "attempted"): Rate {
  const count = (value: string): number => samples.filter(({ classification }) => classification[key] === value).length;
  return wilsonWithUndecided(count("yes"), count("undecidable"), samples.length);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
