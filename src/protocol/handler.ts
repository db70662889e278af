import { plainResponse } from "./plain-response.ts";

/**
 * A server is a function. A real server behind a socket, the adapter, the simulator and a replayed recording all have
 * this one type; whether bytes travel over a socket or in-process is wiring.
 *
 * Contract: a Handler rejects only with {@link TransportError}. What a `Response` cannot hold (status 999, a body with
 * status 204) becomes one too. The body stream of the returned response may also fail, again only with a TransportError.
 * Bodies are never decompressed, redirected or retried behind the caller's back.
 */
export type Handler = (request: Request) => Promise<Response>;

/** Where in its life an exchange failed. */
export const transportPhases = ["dns", "connect", "tls", "first_byte", "idle", "total", "aborted", "protocol"] as const;
export type TransportPhase = (typeof transportPhases)[number];

const marker = Symbol.for("harness-lab.TransportError");

/** The only error a Handler may reject with; `phase` says where the exchange failed, `cause` keeps the original error. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly [marker] = true;
  readonly phase: TransportPhase;

  constructor(phase: TransportPhase, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.phase = phase;
  }

  /** Survives duplicate copies of this package in one process, where `instanceof` would not. */
  static is(value: unknown): value is TransportError {
    return typeof value === "object" && value !== null && (value as { [marker]?: unknown })[marker] === true;
  }
}

/** A JSON response; `body` is serialised as is, names of `headers` are in lower case. */
export function jsonResponse(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return plainResponse({
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}
