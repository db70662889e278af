import type { Capture } from "../capture/capture.ts";
import type {
  AxisKind,
  Classification,
  FindingKind,
  Headline,
  NotMeasured,
  Owner,
  YesNo,
} from "../classify/classification.ts";
import { isRated } from "../diagnose/judged-sample.ts";
import type { SampleFactors } from "../scenario/scenario.ts";

/** One sample without its texts: small enough that a whole run of them is held in memory. */
export interface SampleRow extends SampleFactors {
  readonly id: string;
  readonly target: string;
  readonly route: string;
  readonly trial: number;
  /** False where no call was wanted or allowed: what is seen there is a habit, neither success nor fault. */
  readonly rated: boolean;
  readonly measured: boolean;
  readonly reason: NotMeasured | null;
  /** Null where the sample was captured and not judged yet. */
  readonly headline: Headline | null;
  readonly owner: Owner | null;
  readonly delivered: YesNo | null;
  readonly attempted: YesNo | null;
  /** Axis of the sample's last measured reply. */
  readonly axis: AxisKind | null;
  readonly findings: readonly FindingKind[];
  readonly firstByteMs: number | null;
  readonly totalMs: number | null;
}

/** The row of one capture and its judgement. */
export function sampleRow(capture: Capture, judged: Classification | undefined): SampleRow {
  const measured = judged?.replies.filter((reply) => reply.measured) ?? [];
  return {
    id: capture.id,
    target: capture.target,
    route: capture.route,
    suite: capture.suite,
    scenario: capture.scenario,
    shape: capture.shape,
    language: capture.language,
    class: capture.class,
    contract: capture.contract,
    arm: capture.arm,
    stream: capture.stream,
    trial: capture.trial,
    rated: isRated({
      choice: capture.request.choice,
      judge: capture.expectation.judge,
      class: capture.class,
      probe: capture.expectation.probe?.judgement,
    }),
    measured: judged?.measured ?? false,
    reason: judged?.reason ?? null,
    headline: judged?.headline ?? null,
    owner: judged?.owner ?? null,
    delivered: judged?.delivered ?? null,
    attempted: judged?.attempted ?? null,
    axis: measured.at(-1)?.axis.kind ?? null,
    findings: [...new Set(measured.flatMap((reply) => reply.findings.map((finding) => finding.kind)))],
    firstByteMs: judged?.latency.firstByteMs ?? null,
    totalMs: judged?.latency.totalMs ?? null,
  };
}
