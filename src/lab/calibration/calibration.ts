import type { ConformanceOutcome, KnownSetUp, SampleTruth } from "../../protocol/known-truth.ts";

/** How a scripted reply was asked for: a word of tool_choice, or without tools. */
export const askedWords = ["auto", "required", "named", "none", "no_tools"] as const;
export type AskedWord = (typeof askedWords)[number];

/** What the server made of one script, asked in one way. */
export interface ConformanceCell {
  readonly script: string;
  readonly asked: AskedWord;
  readonly stream: boolean;
  readonly outcome: ConformanceOutcome;
  /** Text came beside calls. */
  readonly beside: boolean;
}

/** A question that is asked beside the suites. */
export const sideQuestions = ["parallel_tool_calls", "max_tokens"] as const;
export type SideQuestion = (typeof sideQuestions)[number];

/** `parallel_tool_calls:false` with a script of two calls, and max_tokens that ends inside a call. */
export interface SideAnswer {
  readonly question: SideQuestion;
  readonly script: string;
  readonly stream: boolean;
  readonly outcome: ConformanceOutcome;
  readonly calls: number;
  readonly finish: string | null;
}

/** A sample beside its truth. */
export interface CheckedSample {
  readonly id: string;
  readonly script: string;
  readonly suite: string;
  readonly arm: string;
  readonly stream: boolean;
  readonly truth: SampleTruth;
  readonly judged: { readonly axis: string; readonly owner: string; readonly findings: readonly string[] };
  readonly axisRight: boolean;
  readonly ownerRight: boolean;
  /** Null where the words are a grammar's and not the script's. */
  readonly findingsRight: boolean | null;
}

/** What a scripted text holds, for the rows of a matrix: a whole call and nothing else, or what it is instead. */
export interface ScriptForm {
  readonly script: string;
  /** Format of the call that the script is; null where it is anything but one whole call. */
  readonly format: string | null;
  readonly holds: "call" | "undeclared_call" | "broken_call" | "marker" | "text" | "other";
}

/** One server with one set-up, measured with scripts. */
export interface SetUpCalibration {
  readonly setUp: KnownSetUp;
  readonly target: string;
  /** As the server says it; null where it does not, or was not met. */
  readonly version: string | null;
  /** What starts it so. */
  readonly start: string;
  readonly cells: readonly ConformanceCell[];
  readonly side: readonly SideAnswer[];
  readonly checked: readonly CheckedSample[];
  /** Why it could not be measured; null where it was. */
  readonly unmet: string | null;
}

/** A whole calibration: `calibration.json` of its run. */
export interface Calibration {
  readonly schemaVersion: 1;
  readonly run: string;
  readonly scripts: readonly ScriptForm[];
  readonly setUps: readonly SetUpCalibration[];
}
