import type { Handler } from "../../protocol/handler.ts";
import type { RenderInput } from "../../protocol/servers/probe.ts";
import type { ServerKind } from "../../protocol/servers/server.ts";
import type { RawExchange } from "../transport/exchange.ts";
import type { CheckRequests } from "./check-request.ts";

/** How a target is met, and looked at again. */
export interface MeetOptions {
  readonly name: string;
  readonly model: string;
  readonly baseUrl: string;
  /** Handler of the bare server; paths start at its root. */
  readonly handler: Handler;
  /** Path prefix of the OpenAI API, "/v1" as a rule. */
  readonly apiPrefix: string;
  /** The kind as the user gave it; null = find out. */
  readonly kind: ServerKind | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: "auto" | "off";
  readonly clock: { now(): number; date(): Date };
  readonly signal?: AbortSignal | undefined;
  /** Keeps an exchange and returns its line number in probes.jsonl. */
  readonly record: (raw: RawExchange) => number;
  /** The conversations whose rendering is to be checked: one for each set of tools that will be sent. */
  readonly renderInputs: readonly RenderInput[];
  /** What the checks that generate are asked with; neutral by default. */
  readonly checks?: CheckRequests | undefined;
  /** Request keys that every sample will carry by the user's wish. */
  readonly extras?: Readonly<Record<string, unknown>> | undefined;
  /** Ends waits for a server that is loading; requests under way are finished. */
  readonly interruption?: AbortSignal | undefined;
  /** Milliseconds to wait for a server that says it is loading; none by default. */
  readonly patienceMs?: number | undefined;
  /** Told what takes long, one line each. */
  readonly note?: ((text: string) => void) | undefined;
  /** Has the model loaded by one shortest generation where nothing else generates, so that no sample waits for that. */
  readonly warmUp?: boolean | undefined;
  /**
   * `full` (default) agrees on raw channels, for which it generates. `brief` never generates and takes the kind's own raw
   * channels as given.
   */
  readonly effort?: "full" | "brief" | undefined;
}
