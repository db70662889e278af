import type { ToolChoiceWord } from "../../protocol/chat.ts";
import type { JsonValue } from "../../protocol/json.ts";
import type { Fingerprint } from "../../protocol/servers/fingerprint.ts";
import type { RawChannel, TargetFacts } from "../../protocol/servers/server.ts";
import type { Judgement } from "../scenario/probe.ts";
import type { Expectation, SampleFactors } from "../scenario/scenario.ts";
import type { schemaVersion } from "./capture.ts";

/** An arm that this server cannot test: sent once for the record, shown as "not testable here", in no rate. */
export interface NotTestable {
  readonly arm: string;
  readonly reason: string;
}

/** What the target stage concluded, with the exchange that shows it. */
export interface TargetEvidence {
  readonly statement: string;
  /** Line of probes.jsonl, from 0. */
  readonly probe: number | null;
  /** What it is about; absent in older runs. */
  readonly about?: "server" | "set_up" | "prompt" | "raw" | undefined;
}

/** A target as it was when the run met it. */
export interface TargetRecord {
  readonly name: string;
  readonly model: string;
  /** Without credentials. */
  readonly baseUrl: string;
  readonly facts: TargetFacts;
  readonly fingerprint: Fingerprint;
  /** Raw channels that were agreed on, by transport mode. */
  readonly raw: {
    readonly inBand: { readonly body: readonly RawChannel[]; readonly stream: readonly RawChannel[] };
    readonly side: { readonly body: readonly RawChannel[]; readonly stream: readonly RawChannel[] };
  };
  readonly notTestable: readonly NotTestable[];
  /** What the target stage saw and concluded, a sentence each, with the exchange that shows it (line of probes.jsonl). */
  readonly evidence: readonly TargetEvidence[];
}

/** A cell of the plan: samples `id/1` to `id/trials`. Kept in full, so that an old run is counted without today's files. */
export interface PlannedCell extends SampleFactors {
  readonly id: string;
  readonly target: string;
  readonly route: string;
  readonly choice: ToolChoiceWord;
  readonly judge: Expectation["judge"];
  /** Set where the samples are conversations. */
  readonly probe?: Judgement | undefined;
  readonly trials: number;
}

/** A way that requests travelled. */
export interface RouteRecord {
  readonly id: string;
  readonly treatment: string;
  /** How what stands between is set up; absent where nothing does. */
  readonly settings?: Readonly<Record<string, JsonValue>> | undefined;
}

/** run.json: what was planned and against whom. */
export interface RunRecord {
  readonly schemaVersion: typeof schemaVersion;
  readonly run: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly lab: { readonly version: string; readonly node: string };
  readonly seed: string;
  readonly plan: {
    readonly suites: readonly string[];
    readonly scenarios: readonly string[];
    readonly trials: number;
    readonly shapes: readonly string[];
    readonly languages: readonly string[];
    readonly concurrency: number;
    readonly raw: "auto" | "off";
    /** Requested body overrides (`--body`, `--temperature` …), secrets removed. */
    readonly request: Readonly<Record<string, unknown>>;
    /** Planned samples of all targets together. */
    readonly samples: number;
    readonly cells: readonly PlannedCell[];
    /** SHA-256 of everything that the plan asks: a plan made again is the same plan where this is the same. */
    readonly digest?: string | undefined;
    /** Set where the run is to choose a model: tokens that its context must hold. */
    readonly choice?: { readonly minContext: number | null } | undefined;
  };
  readonly routes: readonly RouteRecord[];
  readonly targets: readonly TargetRecord[];
  /** Targets that could not be met, with the one line that says why; their samples are not measured. */
  readonly unmet: readonly { readonly target: string; readonly line: string }[];
  /** Targets that were left before their plan was done; absent where there are none. */
  readonly stopped?: readonly StoppedTarget[] | undefined;
}

/** A target that was left before its plan was done, with the one line that says why; what was not sent then is not measured. */
export interface StoppedTarget {
  readonly target: string;
  readonly line: string;
  /** Samples that may have been answered by another server or model than the one that the run met: they count for nothing. */
  readonly excluded: readonly string[];
}
