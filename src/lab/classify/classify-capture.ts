import type { TargetFacts } from "../../protocol/servers/server.ts";
import type { Capture } from "../capture/capture.ts";
import type { CallAxis, Classification, ReplyJudgement, YesNo } from "./classification.ts";
import { classifyProbe } from "./classify-probe.ts";
import { readAndJudge } from "./read-and-judge.ts";

/** Index of the exchange whose reply is the sample's result: the last attempt of the last turn. */
function subjectIndex(capture: Capture): number {
  return capture.exchanges.findLastIndex((exchange) => exchange.hop === "subject");
}

function judgeExchange(capture: Capture, index: number, facts: TargetFacts): ReplyJudgement | null {
  return readAndJudge(capture, index, facts)?.judgement ?? null;
}

/** A valid structured call of the wanted tool, or the marker as asked; where no call is wanted, the absence of one. */
function delivered(capture: Capture, axis: CallAxis): YesNo {
  const { wanted, judge } = capture.expectation;
  if (judge === "no_call") return axis.kind === "none" ? "yes" : "no";
  if (axis.kind === "marker") return axis.grade === "as_asked" && capture.contract === "marker" ? "yes" : "no";
  if (axis.kind !== "structured") return "no";
  const fits = axis.calls.some(
    (call) => call.validity === "valid" && (judge === "any_call" || wanted === null || call.name === wanted),
  );
  return fits ? "yes" : "no";
}

function attempted(axis: CallAxis): YesNo {
  return axis.kind === "none" || axis.kind === "refused" ? "no" : "yes";
}

/** Judges a sample from its capture. `facts` are the run's own, so an old run is judged as it was met. */
export function classifyCapture(capture: Capture, facts: TargetFacts): Classification {
  const { probe } = capture.expectation;
  if (probe !== undefined) return classifyProbe(capture, probe, facts);
  const index = subjectIndex(capture);
  const reply = index === -1 ? null : judgeExchange(capture, index, facts);
  const exchange = capture.exchanges[index];
  const base = { schemaVersion: 1 as const, id: capture.id };
  if (reply === null || exchange === undefined || !reply.measured) {
    return {
      ...base,
      measured: false,
      reason: reply === null || reply.measured ? "transport" : reply.reason,
      headline: "transport_error",
      owner: reply?.owner ?? "network",
      delivered: "no",
      attempted: "no",
      latency: { firstByteMs: null, totalMs: null },
      replies: reply === null ? [] : [reply],
    };
  }
  const undecidable = reply.headline === "undecidable";
  return {
    ...base,
    measured: true,
    reason: null,
    headline: reply.headline,
    owner: reply.owner,
    delivered: undecidable ? "undecidable" : delivered(capture, reply.axis),
    attempted: undecidable ? "undecidable" : attempted(reply.axis),
    latency: { firstByteMs: exchange.timing.firstByteMs, totalMs: exchange.timing.endMs },
    replies: [reply],
  };
}
