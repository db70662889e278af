import type { TargetFacts } from "../../protocol/servers/server.ts";
import type { Capture } from "../capture/capture.ts";
import type { BehindAdapter, CallAxis, Classification, ReplyJudgement, YesNo } from "./classification.ts";
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

/** What the server answered behind an adapter; null where there is no adapter. */
function behindAdapter(capture: Capture, subject: number, facts: TargetFacts): BehindAdapter | null {
  if (capture.route === "direct") return null;
  const asked = capture.exchanges.flatMap(({ hop, parent }, index) =>
    hop === "upstream" && parent === subject ? [index] : [],
  );
  const unknown = { requests: asked.length, headline: null, delivered: null, attempted: null };
  const last = asked.at(-1);
  // What a conversation is about, no single reply of the server shows.
  if (last === undefined || capture.expectation.probe !== undefined) return unknown;
  const reply = judgeExchange(capture, last, facts);
  if (reply === null || !reply.measured) return unknown;
  const undecidable = reply.headline === "undecidable";
  return {
    requests: asked.length,
    headline: reply.headline,
    delivered: undecidable ? "undecidable" : delivered(capture, reply.axis),
    attempted: undecidable ? "undecidable" : attempted(reply.axis),
  };
}

/** The server had it right and the client got it wrong; or the client got a call that the model had not attempted. */
function isAdaptersFault(behind: BehindAdapter | null, axis: CallAxis, reached: YesNo): boolean {
  if (behind === null) return false;
  if (behind.delivered === "yes" && reached === "no") return true;
  // A call without any request to the model is the user's own command.
  return behind.requests > 0 && behind.attempted === "no" && axis.kind === "structured";
}

/** An error that the adapter made itself: it never asked, or had a sound answer in hand. */
function isOwnFailure(status: number | null, behind: BehindAdapter | null): boolean {
  return behind !== null && status !== null && (behind.requests === 0 || behind.headline !== null);
}

/** Judges a sample from its capture. `facts` are the run's own, so an old run is judged as it was met. */
export function classifyCapture(capture: Capture, facts: TargetFacts): Classification {
  const { probe } = capture.expectation;
  const index = subjectIndex(capture);
  const behind = behindAdapter(capture, index, facts);
  const shown = behind === null ? {} : { behind };
  if (probe !== undefined) return { ...classifyProbe(capture, probe, facts), ...shown };
  const reply = index === -1 ? null : judgeExchange(capture, index, facts);
  const exchange = capture.exchanges[index];
  if (reply !== null && !reply.measured && isOwnFailure(exchange?.status ?? null, behind)) {
    return {
      schemaVersion: 1,
      id: capture.id,
      measured: true,
      reason: null,
      headline: reply.headline,
      owner: "adapter",
      delivered: "no",
      attempted: behind?.attempted ?? "no",
      latency: { firstByteMs: exchange?.timing.firstByteMs ?? null, totalMs: exchange?.timing.endMs ?? null },
      replies: [reply],
      ...shown,
    };
  }
  if (reply === null || exchange === undefined || !reply.measured) {
    return {
      schemaVersion: 1,
      id: capture.id,
      measured: false,
      reason: reply === null || reply.measured ? "transport" : reply.reason,
      headline: "transport_error",
      owner: reply?.owner ?? "network",
      delivered: "no",
      attempted: "no",
      latency: { firstByteMs: null, totalMs: null },
      replies: reply === null ? [] : [reply],
      ...shown,
    };
  }
  const undecidable = reply.headline === "undecidable";
  const reached = undecidable ? "undecidable" : delivered(capture, reply.axis);
  return {
    schemaVersion: 1,
    id: capture.id,
    measured: true,
    reason: null,
    headline: reply.headline,
    owner: isAdaptersFault(behind, reply.axis, reached) ? "adapter" : reply.owner,
    delivered: reached,
    attempted: undecidable ? "undecidable" : attempted(reply.axis),
    latency: { firstByteMs: exchange.timing.firstByteMs, totalMs: exchange.timing.endMs },
    replies: [reply],
    ...shown,
  };
}
