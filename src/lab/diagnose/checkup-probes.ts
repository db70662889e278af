import { callKey } from "../../protocol/hand-on.ts";
import type { CallAxis, ProbeFaultCode } from "../classify/classification.ts";
import type { CheckedSample } from "./checked-sample.ts";
import { type CheckupInput, calls, cutByLimit } from "./checkup-calls.ts";
import type { Statement } from "./checkup-statement.ts";
import { findingOf, measuredReply } from "./judged-sample.ts";
import { captureLines, makeStatement } from "./make-statement.ts";

/** What the cheapest probes of the suites say that look beyond the single call: one or two replies each, so most is a note. */
export function probeStatements(input: CheckupInput): readonly Statement[] {
  return [parity(input), negativeIntent(input), history(input), relay(input), language(input)];
}

/** Replies to one question that were measured and not cut by the check-up's own limit. */
function wholeReplies({ samples }: CheckupInput, scenario: string): readonly CheckedSample[] {
  return samples.filter(
    ({ sample, seen }) => sample.scenario === scenario && measuredReply(sample) !== null && !cutByLimit(sample, seen),
  );
}

/** The same request whole and streamed: of one text, the same calls must come. */
function parity(input: CheckupInput): Statement {
  const pairs = calls(input, false).flatMap((whole) => {
    const streamed = calls(input, true).find(({ seed }) => seed === whole.seed);
    const says = streamed === undefined ? null : comparePair(whole, streamed);
    return streamed === undefined || says === null ? [] : [{ whole, streamed, says }];
  });
  const found = (...kinds: readonly PairSays[]) => pairs.filter(({ says }) => kinds.includes(says));
  const shown = found("differs_shown");
  // What the model wrote is not shown: then twice the same difference is the least that is no chance.
  const inferred = found("differs_inferred");
  const differing = shown.length > 0 ? shown : inferred.length === pairs.length && inferred.length > 1 ? inferred : [];
  const evidence = (of: typeof pairs) => captureLines(of.flatMap(({ whole, streamed }) => [whole, streamed]));
  const [first] = differing;
  if (first !== undefined)
    return makeStatement("parity", "fault", "parity_differs", {
      details: { whole: axisOf(first.whole), streamed: axisOf(first.streamed), of: differing.length },
      evidence: evidence(differing),
      certainty: shown.length > 0 ? "shown" : "inferred",
    });
  const alike = found("alike");
  return alike.length > 0 && alike.length === pairs.length
    ? makeStatement("parity", "good", "parity_alike", { details: { of: alike.length }, evidence: evidence(alike) })
    : makeStatement("parity", "unknown", "parity_unknown", { evidence: evidence(pairs) });
}

type PairSays = "alike" | "differs_shown" | "differs_inferred";

/** Two ways of serving one request; null where two different texts may stand behind them, or one was cut. */
function comparePair(whole: CheckedSample, streamed: CheckedSample): PairSays | null {
  const axes = [whole, streamed].map(({ sample, seen }) =>
    cutByLimit(sample, seen) ? undefined : measuredReply(sample)?.axis,
  );
  const [one, other] = axes;
  if (one === undefined || other === undefined) return null;
  const [text, streamedText] = [whole.seen.rawText, streamed.seen.rawText];
  const isKnown = text !== null && streamedText !== null;
  // A stream is read up to its first whole call only.
  if (isKnown && !text.trimStart().startsWith(streamedText.trim())) return null;
  if (alike(one, other)) return "alike";
  if (isKnown) return "differs_shown";
  return one.kind === "none" || other.kind === "none" || one.kind === other.kind ? null : "differs_inferred";
}

function alike(whole: CallAxis, streamed: CallAxis): boolean {
  if (whole.kind !== "structured" || streamed.kind !== "structured") return whole.kind === streamed.kind;
  const keys = whole.calls.map(callKey);
  return streamed.calls.every((call, index) => callKey(call) === keys[index]);
}

function axisOf({ sample }: CheckedSample): string {
  return measuredReply(sample)?.axis.kind ?? "";
}

/** Kinds of reply in which the model wrote a call, served or not. */
const attempts: readonly string[] = ["structured", "leaked", "swallowed", "reasoning_only"];

function triesToCall(checked: CheckedSample): boolean {
  return attempts.includes(axisOf(checked)) && findingOf(checked.sample, "quoted_call") === null;
}

/** Is a call left out that was forbidden, or for which there is no need? */
function negativeIntent(input: CheckupInput): Statement {
  const forbidden = wholeReplies(input, "doctor-code-word");
  const greeted = wholeReplies(input, "doctor-language");
  const [against, unasked] = [forbidden.filter(triesToCall), greeted.filter(triesToCall)];
  if (against.length > 0)
    return makeStatement("negative_intent", "caution", "intent_broken", {
      details: { called: against.length, of: forbidden.length },
      evidence: captureLines(against),
    });
  if (unasked.length > 0)
    return makeStatement("negative_intent", "caution", "called_unasked", {
      details: { called: unasked.length, of: greeted.length },
      evidence: captureLines(unasked),
    });
  // Where calls do not come through when they are asked for, that none comes shows nothing.
  const asked = calls(input, false);
  const callsCome = asked.length > 0 && asked.every(({ sample }) => sample.classification.delivered === "yes");
  return forbidden.length > 0 && callsCome
    ? makeStatement("negative_intent", "good", "intent_kept", { evidence: captureLines(forbidden) })
    : makeStatement("negative_intent", "unknown", "intent_unknown", { evidence: captureLines(forbidden) });
}

function shows({ sample }: CheckedSample, code: ProbeFaultCode): boolean {
  return sample.classification.probe?.faults.some((fault) => fault.code === code) === true;
}

/** Is a conversation taken in which something went wrong before, and does the model still call in it? */
function history(input: CheckupInput): Statement {
  const asked = input.samples.filter(
    ({ sample, seen }) =>
      sample.scenario === "doctor-history" && sample.classification.measured && !cutByLimit(sample, seen),
  );
  const refused = asked.filter((each) => shows(each, "history_refused"));
  if (refused.length > 0) {
    const variants = [...new Set(refused.map(({ sample }) => sample.arm))];
    const remedies = input.diagnoses.flatMap(({ code, details, fix }) =>
      code === "history_refused" && fix !== null && variants.includes(String(details["variant"])) ? fix.option : [],
    );
    return makeStatement("history", "caution", "history_refused", {
      details: { variants: variants.join(","), message: refused[0]?.seen.error ?? "" },
      evidence: captureLines(refused),
      remedy: remedies.length === 0 ? null : remedies.join("; "),
    });
  }
  const clean = [...calls(input, false), ...calls(input, true)];
  const callsElsewhere = clean.length > 1 && clean.every(({ sample }) => sample.classification.delivered === "yes");
  const poisoned = asked.filter((each) => shows(each, "history_poisons"));
  const [variant] = poisoned.map(({ sample }) => sample.arm);
  const here = asked.filter(({ sample }) => sample.arm === variant);
  // Once may be chance, and where calls fail anyway no history is to blame.
  if (variant !== undefined && callsElsewhere && here.length > 1 && here.every((each) => poisoned.includes(each)))
    return makeStatement("history", "caution", "history_poisons", {
      details: { variant, of: here.length },
      evidence: captureLines(here),
      certainty: "inferred",
    });
  const sound = asked.filter(({ sample }) => sample.classification.delivered === "yes");
  return sound.length > 0 && poisoned.length === 0
    ? makeStatement("history", "good", "history_taken", { evidence: captureLines(sound) })
    : makeStatement("history", "unknown", "history_unknown", { evidence: captureLines(asked) });
}

/** Is a result handed on without the noise that stands beside it? */
function relay(input: CheckupInput): Statement {
  const asked = wholeReplies(input, "doctor-result");
  const evidence = captureLines(asked);
  if (asked.some((each) => shows(each, "warning_relayed")))
    return makeStatement("relay", "caution", "relay_noisy", { evidence });
  return asked.some(({ sample }) => sample.classification.delivered === "yes")
    ? makeStatement("relay", "good", "relay_clean", { evidence })
    : makeStatement("relay", "unknown", "relay_unknown", { evidence });
}

/** Is a question in Japanese answered in Japanese, beside an English system prompt and tool? */
function language(input: CheckupInput): Statement {
  const answered = wholeReplies(input, "doctor-language").filter(({ seen }) => seen.language !== null);
  const left = answered.filter(({ seen }) => seen.language !== "ja");
  const [first] = left;
  if (first !== undefined)
    return makeStatement("language", "caution", "language_left", {
      details: { language: first.seen.language ?? "", left: left.length, of: answered.length },
      evidence: captureLines(left),
    });
  return answered.length > 0
    ? makeStatement("language", "good", "language_kept", { evidence: captureLines(answered) })
    : makeStatement("language", "unknown", "language_unknown");
}
