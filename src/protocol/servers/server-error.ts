import { readErrorBody } from "../error-body.ts";
import type { ErrorPattern, RefusalSubject, ServerRecord } from "./server.ts";

/** An error as it reached the client: HTTP status (or the code inside a stream's error object) and message. */
export interface ServerErrorFacts {
  readonly status: number | null;
  readonly message: string;
  /** True for an error object inside a stream whose HTTP status was 200. */
  readonly inStream: boolean;
}

/**
 * What an error means for measuring. `refused`: this set-up refuses tools, which is a result. `server_error`: the server
 * failed on what the model wrote, which is a result too. All others say nothing about the model.
 */
export type ServerErrorMeaning =
  | { readonly kind: "refused"; readonly about: RefusalSubject }
  | { readonly kind: "server_error" }
  | { readonly kind: "context" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "wrong_key" }
  | { readonly kind: "model_missing" }
  | { readonly kind: "bad_request" }
  | { readonly kind: "other" };

/** Reads an error by the server's own words first and by its status second: servers dress model failures as client errors and the reverse. */
export function classifyServerError(record: ServerRecord, error: ServerErrorFacts): ServerErrorMeaning {
  // A gateway hands on its backend's whole error body as the message; the words that matter are inside.
  const message = (readErrorBody(error.message)?.message ?? error.message).trim();
  const { status } = error;
  const fits = (pattern: ErrorPattern): boolean =>
    pattern.message.test(message) && (error.inStream || status === null || pattern.statuses.includes(status));
  const says = (pattern: RegExp): boolean => pattern.test(message);

  const refusal = record.refusals.find(fits);
  if (refusal !== undefined) return { kind: "refused", about: refusal.about };
  if (record.contextErrors.some(fits)) return { kind: "context" };
  if (record.requestErrors.some(says)) return { kind: "bad_request" };
  if (record.parseFailures.some(fits)) return { kind: "server_error" };
  if (record.unavailableErrors.some(says)) return { kind: "unavailable" };
  if (record.missingModel.test(message) && (status === null || (status >= 400 && status < 500)))
    return { kind: "model_missing" };
  if (status === 401 || status === 403) return { kind: "wrong_key" };
  if (status === 429 || status === 502 || status === 503 || status === 504) return { kind: "unavailable" };
  if (status === 400 || status === 413 || status === 422) return { kind: "bad_request" };
  return { kind: "other" };
}
