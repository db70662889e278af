import type { Handler } from "../protocol/handler.ts";
import type { JsonValue } from "../protocol/json.ts";
import type { ServerKind } from "../protocol/servers/server.ts";
import type { StageCost, TraceEntry } from "../protocol/trace.ts";
import type { LostRequest } from "./capture/lost-request.ts";
import type { RunStore } from "./capture/store.ts";
import type { Classification } from "./classify/classification.ts";
import type { JudgedSample } from "./diagnose/judged-sample.ts";
import type { LoadedScenarios } from "./scenario/load.ts";
import type { RequestOverrides } from "./scenario/request.ts";
import type { UserRequest } from "./scenario/request-file.ts";
import type { Language, Shape } from "./scenario/scenario.ts";
import type { RawExchange } from "./transport/exchange.ts";

/** The way a request travels to its target. `open` gives each sample a handler of its own, so that what is recorded behind it is the sample's. */
export interface Route {
  readonly id: string;
  /** `direct`, or what stands between: `adapter`. */
  readonly treatment: string;
  /** How what stands between is set up: runs whose routes differ here measured different things. */
  readonly settings?: Readonly<Record<string, JsonValue>> | undefined;
  open(sampleId: string): {
    readonly handler: Handler;
    /** Exchanges behind this handler (upstream of an adapter), in order. */
    exchanges(): readonly RawExchange[];
    trace(): readonly TraceEntry[];
    /** What each stage of an adapter cost; empty where there is none. */
    costs?(): readonly StageCost[];
  };
}

/** A model on a server, with the routes to it. */
export interface RunTarget {
  readonly name: string;
  readonly model: string;
  /** Shown in reports; credentials already removed. */
  readonly baseUrl: string;
  /** Handler of the bare server: the target stage and side channels use it. Paths start at the server's root. */
  readonly handler: Handler;
  /** Path prefix of the OpenAI API on this server, "/v1" as a rule. */
  readonly apiPrefix: string;
  /** Kind given by the user; null = identify it. */
  readonly kind: ServerKind | null;
  readonly routes: readonly Route[];
  /** Headers for every request (authorization and the user's own). */
  readonly headers: Readonly<Record<string, string>>;
  /** Makes the target answer (starts its server, makes its model); its turn begins with it. What it rejects with says why the target was not met. */
  readonly prepare?: (() => Promise<void>) | undefined;
}

/** What is there of a run that goes on. */
export interface RunProgress {
  /** Every captured sample, judged. */
  readonly judged: readonly JudgedSample[];
  readonly lost: readonly LostRequest[];
}

export type RunEvent =
  | { readonly kind: "target-started"; readonly target: string; readonly index: number; readonly of: number }
  | { readonly kind: "target-identified"; readonly target: string; readonly sentence: string }
  | { readonly kind: "target-failed"; readonly target: string; readonly reason: string }
  | { readonly kind: "planned"; readonly samples: number }
  | { readonly kind: "suite-started"; readonly target: string; readonly suite: string; readonly samples: number }
  | {
      readonly kind: "sample-done";
      readonly target: string;
      readonly suite: string;
      readonly classification: Classification;
    }
  | { readonly kind: "note"; readonly text: string };

export interface RunOptions {
  readonly targets: readonly RunTarget[];
  /** Suite ids in running order. */
  readonly suites: readonly string[];
  readonly scenarios: LoadedScenarios;
  /** Restricts every suite to these scenarios; undefined = the suite's own choice. */
  readonly onlyScenarios?: readonly string[] | undefined;
  /** The user's own request, measured as suite `request` after the others. */
  readonly request?: UserRequest | undefined;
  readonly trials: number;
  readonly shapes: readonly Shape[];
  readonly languages: readonly Language[];
  readonly seed: string;
  readonly concurrency: number;
  readonly overrides: RequestOverrides;
  readonly raw: "auto" | "off";
  readonly store: RunStore;
  readonly clock: { now(): number; date(): Date };
  readonly signal: AbortSignal;
  readonly labVersion: string;
  /** Milliseconds to wait for a server that is loading or stopped answering; none by default. */
  readonly patienceMs?: number | undefined;
  /** One shortest generation for each target whose server is asked for nothing else first, so that no sample waits for a model to load. */
  readonly warmUp?: boolean | undefined;
  /** What an earlier, stopped process has of this very run; undefined for a new one. */
  readonly progress?: RunProgress | undefined;
  onEvent(event: RunEvent): void;
}
