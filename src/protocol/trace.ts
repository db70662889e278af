import type { JsonValue } from "./json.ts";

/** What one adapter stage did to one request or response; data shared by the adapter, which writes it, and the lab, which stores it. */
export interface TraceEntry {
  readonly stage: string;
  readonly decision: string;
  readonly reason: string;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}
