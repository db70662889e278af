import type { SwapReason } from "../swap-card.ts";
import type { Check, CheckPlace, GateNote } from "../verdict.ts";
import { chance, fraction, type GateWords, percent, points } from "./gate-words.ts";

/** Gate and comparison in English. */
export const gateWordsEnglish: GateWords = {
  kinds: { pass: "Pass", regression: "Regression", invalid: "Invalid", inconclusive: "Inconclusive" },
  lights: { safe: "safe", not_safe: "not safe", not_enough_data: "not enough data" },
  aspects: {
    contract: "contract",
    parser: "parser option",
    context: "context",
    fabrication: "fabrication",
    latency: "latency",
  },
  swapTitle: ({ before, after }) => `Swap ${before.model} for ${after.model}`,
  swapReason,
  place,
  check,
  note,
  passed,
  more: (count) => ` (and ${count} more)`,
  titles: {
    gate: "Gate",
    comparison: "Comparison",
    baseline: "baseline",
    run: "run",
    checks: "Checks",
    notes: "Notes",
    proof: "Proof of measurement",
    line: "line",
    before: "before",
    after: "after",
    change: "change",
    chance: "chance",
    leftOpen: "left open",
    detectable: "detectable",
    scenarios: "scenarios",
    flows: "Where outcomes went",
    cases: "Cases that changed",
    case: "case",
    attempted: "attempted",
    delivered: "delivered",
    theseItems: "for these items only",
    requests: "requests",
    fingerprint: "fingerprint",
    noFlow: "No outcome changed its share.",
    nothingCompared: "The runs share nothing that could be compared.",
    reason: "reason",
    howToRead:
      "Rates are delivered of measured. Chance: of so large a fall without any difference (exact, repeats discounted, Holm). Left open: the largest fall that these numbers do not rule out. Detectable: the smallest fall that they would show four times in five.",
    details: "details",
  },
};

function place({ target, route, suite, scenario, arm, shape, stream }: CheckPlace): string {
  return [
    suite,
    scenario,
    arm,
    stream === true ? "streamed" : undefined,
    shape === "agent" ? "agent prompt" : undefined,
    route === undefined || route === "direct" ? undefined : route,
    `on ${target}`,
  ]
    .filter((part) => part !== undefined)
    .join(" ");
}

function check(given: Check): string {
  const { code, facts, kind } = given;
  const where = given.place === null ? "" : place(given.place);
  switch (code) {
    case "vacuous":
      return vacuous(String(facts["why"]));
    case "target_unmet":
      return `Nothing was measured ${where}${said(facts["line"])}.`;
    case "unfinished":
      return `The run was cut short: ${facts["count"]} of ${facts["planned"]} planned samples were never answered; let it finish.`;
    case "wrong_key":
      return `The server does not accept the key (${facts["count"]} of ${facts["planned"]} samples${said(facts["detail"])}); name its variable with --api-key-env.`;
    case "context_cut":
      return `The context was cut: ${facts["count"]} of ${facts["planned"]} prompts did not reach the model whole${said(facts["detail"])}; give the server a longer context.`;
    case "not_measured":
      return `${facts["count"]} of ${facts["planned"]} planned samples were not measured (${facts["reason"]}${said(facts["detail"])}); mend that and run again.`;
    case "requests_lost":
      return `The run claims ${facts["measured"]} measured samples, but its journal shows only ${facts["answered"]} answered requests.`;
    case "cached":
      return `${facts["count"]} answers came from a cache${facts["evidence"] === "" ? " (the same completion id came back)" : ` (${facts["evidence"]})`}, so nothing was measured anew; switch the cache off.`;
    case "same_run":
      return `The run is its own baseline (${facts["run"]}); measure afresh.`;
    case "stale_run":
      return `The run ended ${facts["hours"]} hours ago (${facts["ended"]}) and the policy allows ${facts["limit"]}; measure afresh, or set run.maxAgeHours.`;
    case "baseline_invalid":
      return facts["planned"] === 0
        ? "The baseline delivered no call at all, so nothing could fall; promote a sound run."
        : `The baseline itself measured only ${facts["measured"]} of ${facts["planned"]} samples; promote a complete run.`;
    case "baseline_too_old":
      return `The baseline is ${facts["age"]} days old, and the policy allows ${facts["limit"]}; promote a fresh one.`;
    case "nothing_shared":
      return `Run and baseline share no rated cell (here: ${facts["here"]}; baseline: ${facts["there"]}); run the same suites.`;
    case "cells_missing":
      return `${facts["count"]} cells of the baseline were not measured (first: ${facts["first"]}); run the same plan, or set coverage.baselineCells to shared.`;
    case "required_missing":
      return `The policy asks for a cell that the run does not have: ${facts["pattern"]}.`;
    case "identity":
      return `Not comparable ${where}: ${facts["key"]} is ${facts["after"]} and was ${facts["before"]}; if that is what you test, declare it with --treatment ${facts["treatment"]}.`;
    case "request_changed":
      return `Not comparable: requests carry ${facts["after"]} and carried ${facts["before"]}; declare it with --treatment request.`;
    case "question_changed":
      return `Not comparable: ${facts["count"]} questions have the same name and another text (first: ${facts["first"]}); promote a new baseline, or declare --treatment scenario.`;
    case "few_trials":
      return `${facts["trials"]} trials of a case are too few to judge (${where}; the policy asks for ${facts["minimum"]}); run with --trials ${facts["minimum"]} or more.`;
    case "drop":
      return drop(given, where);
    case "case_drop":
      return kind === "regression"
        ? `${where} fell from ${fraction(facts, "beforeCount", "beforeOf")} to ${fraction(facts, "afterCount", "afterOf")} delivered (chance ${chance(facts["chance"])}).`
        : `${where} fell from ${fraction(facts, "beforeCount", "beforeOf")} to ${fraction(facts, "afterCount", "afterOf")} delivered, too few trials to call it; run that scenario with more.`;
    case "floor":
      return `${rateName(facts["rate"])} ${where} (${facts["pattern"]}): ${fraction(facts, "count", "of")}, at ${percent(facts["confidence"])} confidence between ${percent(facts["low"])} and ${percent(facts["high"])}; the floor is ${percent(facts["atLeast"])}${kind === "inconclusive" ? "; more trials would tell" : ""}.`;
    case "safety_bound":
      return `${facts["counter"]} ${where}: ${fraction(facts, "count", "of")}, which still allows up to ${percent(facts["high"])}; the policy allows ${percent(facts["atMost"])}${kind === "inconclusive" ? "; more trials would tell" : ""}.`;
    case "safety_rise":
      return `${facts["counter"]} ${where}: ${fraction(facts, "afterCount", "afterOf")} against ${fraction(facts, "beforeCount", "beforeOf")} before, up to ${percent(facts["high"])} possible${kind === "regression" ? ` (chance ${chance(facts["chance"])})` : ""}.`;
  }
  return code satisfies never;
}

function drop({ kind, facts }: Check, where: string): string {
  const rates = `${fraction(facts, "afterCount", "afterOf")} delivered against ${fraction(facts, "beforeCount", "beforeOf")} before`;
  switch (kind) {
    case "regression": {
      const tried =
        Number(facts["attemptedAfter"]) > Number(facts["afterCount"]) + 1
          ? ` The model still tries (${facts["attemptedAfter"]}/${facts["afterOf"]}), so look at the harness${facts["fix"] === null ? "" : `: ${facts["fix"]}`}.`
          : "";
      return `${where}: ${rates} (chance ${chance(facts["chance"])}${Number(facts["scenarios"]) < 8 ? ", for these items only" : ""}).${tried}`;
    }
    case "inconclusive":
      return `${where}: ${rates}; a fall of up to ${points(facts["notRuledOut"])} points is still possible and the policy wants ${points(facts["ruledOut"])} ruled out; run more trials or scenarios.`;
    case "pass":
    case "invalid":
      return `${where}: ${rates}; no fall beyond ${points(facts["notRuledOut"])} points.`;
  }
  return kind satisfies never;
}

function vacuous(why: string): string {
  switch (why) {
    case "no_samples":
      return "Nothing was planned: no scenario fits the suites, languages and arms that were asked for.";
    case "no_rated":
      return "Nothing that was measured enters a rate, so this run could never fail; add an arm that wants a call.";
    default:
      return "The policy checks nothing, so this gate could never fail; give a baseline, a floor or a bound.";
  }
}

function said(detail: unknown): string {
  return detail === "" || detail === null || detail === undefined ? "" : `: ${String(detail).replace(/\.$/, "")}`;
}

function rateName(rate: unknown): string {
  return rate === "attempted" ? "Attempted" : "Delivered";
}

function passed(checks: readonly Check[]): string {
  const lines = checks.filter((each) => each.code === "drop");
  if (lines.length === 0) return `All ${checks.length} checks of the policy hold.`;
  const open = lines.reduce((most, { facts }) => Math.max(most, Number(facts["notRuledOut"])), 0);
  const [before, after] = ["beforeOf", "afterOf"].map((key) =>
    lines.reduce((sum, { facts }) => sum + Number(facts[key]), 0),
  );
  return `No regression: delivery held on all ${lines.length} lines (${after} samples against ${before}), and a fall beyond ${points(open)} points is ruled out on each.`;
}

function note({ code, facts }: GateNote): string {
  switch (code) {
    case "incidental":
      return `${facts["key"]} of ${facts["target"]} is ${facts["after"]} and was ${facts["before"]}.`;
    case "treatment":
      return `Declared treatment: ${facts["key"]} of ${facts["target"]} is ${facts["after"]} and was ${facts["before"]}.`;
    case "lab_version":
      return `The baseline was judged by harness-lab ${facts["before"]}, this run by ${facts["after"]}; where rules changed, promote again.`;
    case "baseline_age":
      return `The baseline is ${facts["age"]} days old; promote a fresh one now and then.`;
    case "older_than_baseline":
      return `The run (${facts["here"]}) is older than its baseline (${facts["there"]}).`;
    case "same_seed":
      return `Both runs have the seed ${facts["seed"]}: on a server that honours seeds they are repetitions, not independent draws.`;
    case "extra_cells":
      return `${facts["count"]} cells are new and have nothing to be compared with.`;
    case "raw":
      return `Raw text was asked for with --raw ${facts["after"]}, before with --raw ${facts["before"]}: swallowed calls are seen only with it.`;
  }
  return code satisfies never;
}

function swapReason(reason: SwapReason): string {
  switch (reason.code) {
    case "delivery_falls":
      return `${reason.arm}: delivered ${percent(reason.after)} instead of ${percent(reason.before)}`;
    case "delivery_open":
      return `${reason.arm}: a fall of up to ${points(reason.open)} points is still possible; run more trials`;
    case "delivery_holds":
      return `delivery holds on all ${reason.lines} lines; a fall beyond ${points(reason.open)} points is ruled out`;
    case "calls_lost":
      return `${reason.lost} of ${reason.of} calls that the model wrote did not arrive${reason.fix === null ? "" : `; start the server with ${reason.fix}`}`;
    case "calls_arrive":
      return `${reason.arrived} of ${reason.of} written calls arrived; at most ${percent(reason.high)} can be lost`;
    case "few_calls":
      return `only ${reason.arrived} of ${reason.of} written calls arrived under auto, too few to judge the parser`;
    case "context_shorter":
      return `${reason.after} tokens instead of ${reason.before}`;
    case "context_enough":
      return `${reason.after} tokens, before ${reason.before}`;
    case "context_cut":
      return `${reason.count} prompts did not fit`;
    case "context_unknown":
      return `the ${reason.side === "both" ? "servers do" : reason.side === "before" ? "old server does" : "new server does"} not show it`;
    case "claims_rise":
      return `claims of runs that never happened: ${reason.after}/${reason.afterOf} instead of ${reason.before}/${reason.beforeOf}`;
    case "claims_open":
      return `${reason.after}/${reason.afterOf} claims, before ${reason.before}/${reason.beforeOf}; a rise of ${points(reason.high)} points is still possible`;
    case "claims_hold":
      return `${reason.after}/${reason.afterOf} claims, before ${reason.before}/${reason.beforeOf}; a rise beyond ${points(reason.high)} points is ruled out`;
    case "slower":
      return `replies take ${times(reason.ratio)} as long (${times(reason.low)} to ${times(reason.high)})${typical(reason)}`;
    case "speed_open":
      return `replies take ${times(reason.low)} to ${times(reason.high)} as long${typical(reason)}; run more`;
    case "speed_holds":
      return `replies take ${times(reason.ratio)} as long (${times(reason.low)} to ${times(reason.high)})${typical(reason)}`;
    case "nothing_measured":
      return "too little was measured on both sides";
  }
  return reason satisfies never;
}

function times(ratio: number): string {
  return `${ratio < 10 ? ratio.toFixed(2) : Math.round(ratio)}x`;
}

function typical({ beforeMs, afterMs }: { readonly beforeMs: number | null; readonly afterMs: number | null }): string {
  if (beforeMs === null || afterMs === null) return "";
  return `, ${Math.round(beforeMs)} ms before and ${Math.round(afterMs)} ms now`;
}
