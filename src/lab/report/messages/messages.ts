import type { EvidenceGrade, ParserState } from "../../../protocol/servers/server.ts";
import type {
  AxisKind,
  CallProblem,
  FindingKind,
  Headline,
  NotMeasured,
  Owner,
  ProbeFaultCode,
  Span,
  Validity,
  YesNo,
} from "../../classify/classification.ts";
import type { DiagnosisCode } from "../../diagnose/diagnosis.ts";
import type { Contract, ScenarioClass, Shape } from "../../scenario/scenario.ts";
import type { DiagnosisFacts, DiagnosisParts } from "./diagnosis-facts.ts";

/** Languages a report can be written in. */
export const reportLanguages = ["en", "ja"] as const;
export type Lang = (typeof reportLanguages)[number];

/** What became of the calls in one arm, as the parser-mismatch table counts it: by axis, so that no finding hides it. */
export const outcomes = [
  "delivered",
  "served",
  "undelivered",
  "leaked",
  "swallowed",
  "reasoning_only",
  "truncated",
  "failed",
  "refused",
  "no_call",
] as const;
export type Outcome = (typeof outcomes)[number];

/** Everything a report says that is not data: names of closed sets, column titles and sentences, in one language. */
export interface Messages {
  readonly lang: Lang;
  readonly headlines: Readonly<Record<Headline, string>>;
  readonly axes: Readonly<Record<AxisKind, string>>;
  readonly owners: Readonly<Record<Owner, string>>;
  readonly findings: Readonly<Record<FindingKind, string>>;
  /** What conversations show, as a table counts it. */
  readonly faults: Readonly<Record<ProbeFaultCode, string>>;
  readonly notMeasured: Readonly<Record<NotMeasured, string>>;
  readonly problems: Readonly<Record<CallProblem, string>>;
  readonly validity: Readonly<Record<Validity, string>>;
  readonly outcomes: Readonly<Record<Outcome, string>>;
  readonly classes: Readonly<Record<ScenarioClass, string>>;
  readonly contracts: Readonly<Record<Contract, string>>;
  readonly shapes: Readonly<Record<Shape, string>>;
  readonly fields: Readonly<Record<Span["field"] | "body", string>>;
  readonly grades: Readonly<Record<EvidenceGrade, string>>;
  readonly yesNo: Readonly<Record<YesNo, string>>;
  readonly certainty: Readonly<Record<"shown" | "inferred", string>>;
  readonly diagnosisTitles: Readonly<Record<DiagnosisCode, string>>;
  /** Says which part is at fault, how many replies show it and what mends it. */
  diagnosisParts(facts: DiagnosisFacts): DiagnosisParts;
  /** What stands between two sentences. */
  readonly sentenceGlue: string;
  parserState(state: ParserState): string;
  /** The sentence of a target that has no diagnosis. */
  noDiagnosis(measured: number, planned: number): string;
  readonly words: Words;
}

/** Short texts without a closed set of their own. */
export interface Words {
  readonly reportTitle: string;
  readonly run: string;
  readonly samplesMeasured: (measured: number, planned: number) => string;
  readonly delivered: string;
  readonly attempted: string;
  readonly attemptedOnly: string;
  readonly attemptedOf: (count: number, of: number) => string;
  readonly undecidable: (count: number) => string;
  readonly measured: string;
  readonly planned: string;
  /** How many of something there are, as a table says it. */
  readonly counted: (count: number, name: string) => string;
  readonly notTestable: string;
  readonly notMeasured: string;
  readonly notSent: string;
  readonly targetNotMet: string;
  readonly targetChanged: string;
  readonly lost: string;
  readonly unmet: string;
  readonly howToRead: string;
  readonly notRated: string;
  readonly notAsked: string;
  readonly notJudged: string;
  readonly interval: string;
  readonly class: string;
  readonly contract: string;
  readonly arm: string;
  readonly mode: string;
  readonly streamed: string;
  readonly whole: string;
  readonly wholeLong: string;
  readonly streamedLong: string;
  readonly irrelevant: string;
  readonly other: string;
  readonly target: string;
  readonly suite: string;
  readonly scenario: string;
  readonly shape: string;
  readonly route: string;
  readonly headline: string;
  readonly owner: string;
  readonly all: string;
  readonly fix: string;
  readonly evidence: string;
  readonly samples: string;
  readonly more: (count: number) => string;
  readonly moreDiagnoses: (count: number) => string;
  readonly diagnoses: string;
  readonly noDiagnosisShort: string;
  readonly verdict: string;
  readonly matrixLead: string;
  /** Title and foot of the matrix where it stands alone, as a picture. */
  readonly matrixTitle: string;
  readonly matrixFoot: string;
  readonly armsTitle: string;
  readonly armsLead: string;
  readonly conversationsTitle: string;
  readonly conversationsLead: string;
  readonly passed: string;
  readonly seen: string;
  readonly promptTokens: string;
  readonly blocked: string;
  /** Nothing was seen; `percent`: how often it may still happen, at 95 %. */
  readonly noneSeen: (percent: number) => string;
  readonly exclusions: string;
  readonly exclusionsLead: (count: number, planned: number) => string;
  readonly replies: string;
  readonly cellsTitle: string;
  readonly aboutRun: string;
  /** A server of no kind that has a name. */
  readonly otherServer: string;
  readonly server: string;
  readonly model: string;
  readonly parser: string;
  readonly reasoningParser: string;
  readonly contextLength: string;
  readonly seed: string;
  readonly search: string;
  readonly searchHint: string;
  readonly shownOf: string;
  readonly nothingFound: string;
  readonly clear: string;
  readonly copy: string;
  readonly copied: string;
  readonly theme: string;
  readonly markedCall: string;
  readonly request: string;
  readonly servedCalls: string;
  readonly lostCalls: string;
  readonly findingsTitle: string;
  readonly exchanges: string;
  readonly firstByte: string;
  readonly total: string;
  readonly median: string;
  readonly emptyText: string;
  readonly leftOut: string;
  readonly leftOutMarkdown: string;
  readonly showAll: string;
  readonly adapterTrace: string;
  readonly back: string;
  readonly needsScript: string;
  readonly selectSample: string;
}
