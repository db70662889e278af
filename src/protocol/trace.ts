import type { JsonValue } from "./json.ts";

/** What one adapter stage did to one request or response; data shared by the adapter, which writes it, and the lab, which stores it. */
export interface TraceEntry {
  readonly stage: string;
  readonly decision: string;
  readonly reason: string;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

/** What one adapter stage cost in one request, both its hooks together. */
export interface StageCost {
  readonly stage: string;
  readonly ms: number;
  /** UTF-8 bytes by which it lengthened what goes to the model; negative where it shortened it. Absent where nobody weighed. */
  readonly bytes?: number | undefined;
}
