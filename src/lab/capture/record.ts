import { hash } from "node:crypto";
import type { EvidenceGrade } from "../../protocol/servers/server.ts";
import type { RawExchange } from "../transport/exchange.ts";
import type { Exchange, Hop, Purpose } from "./capture.ts";
import { createRedactor, type Redactor } from "./redact.ts";

/** What the sender knows of an exchange and its bytes do not say. */
export interface ExchangeFacts {
  readonly hop: Hop;
  readonly purpose: Purpose;
  readonly turn: number;
  readonly attempt: number;
  /** Index, among the sample's exchanges, of the one whose reply this one explains. */
  readonly parent?: number | undefined;
  readonly evidenceGrade?: EvidenceGrade | undefined;
}

/** An exchange that was made and waits to be recorded. */
export interface UnrecordedExchange {
  readonly raw: RawExchange;
  readonly facts: ExchangeFacts;
}

/** SHA-256 of a text, in hexadecimal. */
export function textHash(text: string): string {
  return hash("sha256", text, "hex");
}

/**
 * Makes an exchange fit to be stored: secrets removed, all else byte-exact. `keepRequest` receives the cleaned request
 * body and returns the hash under which it is kept.
 */
export function recordExchange(
  raw: RawExchange,
  facts: ExchangeFacts,
  keepRequest: (body: string) => string = textHash,
): Exchange {
  const redactor = createRedactor(raw.sentHeaders);
  return {
    hop: facts.hop,
    purpose: facts.purpose,
    turn: facts.turn,
    attempt: facts.attempt,
    ...(facts.parent === undefined ? {} : { parent: facts.parent }),
    ...(facts.evidenceGrade === undefined ? {} : { evidenceGrade: facts.evidenceGrade }),
    method: raw.method,
    path: redactor.text(raw.path),
    request: raw.requestBody === null ? null : keepRequest(redactor.text(raw.requestBody)),
    sentHeaders: redactor.headers(raw.sentHeaders),
    startedAt: raw.startedAt,
    status: raw.status,
    headers: redactor.headers(raw.headers),
    body: storedBody(raw.body, redactor),
    chunks: raw.chunks,
    timing: raw.timing,
    end: raw.end.kind === "failed" ? { ...raw.end, cause: redactor.text(raw.end.cause) } : raw.end,
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function storedBody(body: Uint8Array, redactor: Redactor): Exchange["body"] {
  try {
    return { utf8: redactor.text(utf8.decode(body)) };
  } catch {
    // Latin-1 maps bytes to characters one to one, so keys are found and every other byte survives.
    const clean = redactor.text(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1"));
    return { base64: Buffer.from(clean, "latin1").toString("base64") };
  }
}
