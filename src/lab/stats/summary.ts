import type { LostRequest } from "../capture/lost-request.ts";
import type { FindingKind, Headline, ProbeFaultCode } from "../classify/classification.ts";
import type { Diagnosis } from "../diagnose/diagnosis.ts";
import type { Contract, Language, ScenarioClass, Shape } from "../scenario/scenario.ts";
import type { AdapterSummary } from "./adapter-summary.ts";
import type { Rate } from "./rate.ts";

export type { Rate } from "./rate.ts";

/** One cell of one suite: samples that share all factors but the trial. */
export interface Cell {
  readonly target: string;
  readonly route: string;
  readonly suite: string;
  readonly scenario: string;
  readonly arm: string;
  readonly contract: Contract;
  readonly class: ScenarioClass;
  readonly shape: Shape;
  readonly language: Language;
  readonly stream: boolean;
  readonly planned: number;
  readonly measured: number;
  readonly attempted: number;
  readonly delivered: number;
  /** Samples with two readings: they widen the bounds of both rates. */
  readonly undecidable: number;
  readonly counts: Readonly<Partial<Record<Headline, number>>>;
  /** Measured samples that show a finding, by kind: what no headline hides. Absent in summaries of the first version. */
  readonly findings?: Readonly<Partial<Record<FindingKind, number>>> | undefined;
  /** Of conversations: samples that show a fault, by its code. Absent for single replies. */
  readonly faults?: Readonly<Partial<Record<ProbeFaultCode, number>>> | undefined;
  /** Of conversations: medians of the numbers seen. Absent for single replies. */
  readonly facts?: Readonly<Record<string, number>> | undefined;
  /** False for cells that enter no rate: the arm `none`, the irrelevant prompt, arms a server cannot test. */
  readonly rated: boolean;
  /** Why the arm cannot be tested on this server; null where it can. */
  readonly notTestable: string | null;
  readonly deliveredRate: Rate;
  readonly attemptedRate: Rate;
  /** Median milliseconds of a whole reply; null where nothing was measured. */
  readonly medianMs: number | null;
}

/** A sample that was planned and not measured, with the reason. */
export interface Exclusion {
  readonly id: string;
  readonly reason: string;
  readonly detail: string;
}

/** summary.json: everything reports and gates read. */
export interface Summary {
  readonly schemaVersion: 1;
  readonly run: string;
  readonly planned: number;
  readonly measured: number;
  readonly cells: readonly Cell[];
  readonly diagnoses: readonly Diagnosis[];
  readonly exclusions: readonly Exclusion[];
  /** Routes side by side, and what each stage of the adapter did, for each target. Absent where there was no adapter. */
  readonly adapters?: readonly AdapterSummary[] | undefined;
  /** Requests whose answers were lost when a process died; a resumed run has sent their samples again. Absent where there are none. */
  readonly lost?: readonly LostRequest[] | undefined;
}
