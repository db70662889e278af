import { bodyText } from "../../../src/lab/capture/body.ts";
import type { Capture, Exchange } from "../../../src/lab/capture/capture.ts";
import type { RunRecord } from "../../../src/lab/capture/run-record.ts";
import type { RawExchange } from "../../../src/lab/transport/exchange.ts";
import { readReply } from "../../../src/protocol/read-reply.ts";
import type { ReadReply } from "../../../src/protocol/reply.ts";

export function rawExchange(body: string | Uint8Array, more: Partial<RawExchange> = {}): RawExchange {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return {
    method: "POST",
    path: "/v1/chat/completions",
    sentHeaders: { "content-type": "application/json" },
    requestBody: '{"model":"m"}',
    startedAt: "2026-11-30T10:00:00.000Z",
    status: 200,
    headers: { "content-type": "application/json" },
    body: bytes,
    chunks: [[2, bytes.length]],
    timing: { headMs: 1, firstByteMs: 2, endMs: 3 },
    end: { kind: "complete" },
    ...more,
  };
}

/** A stored reply as the stages read it. */
export function readStored({ body, headers, status }: Exchange): ReadReply {
  const contentType = headers["content-type"] ?? null;
  return readReply({ body: bodyText(body), contentType, status, streamed: false });
}

export function storedExchange(body: string, more: Partial<Exchange> = {}): Exchange {
  return {
    hop: "subject",
    purpose: "sample",
    turn: 0,
    attempt: 1,
    method: "POST",
    path: "/v1/chat/completions",
    request: "00",
    sentHeaders: {},
    startedAt: "2026-11-30T10:00:00.000Z",
    status: 200,
    headers: {},
    body: { utf8: body },
    chunks: [[2, new TextEncoder().encode(body).length]],
    timing: { headMs: 1, firstByteMs: 2, endMs: 3 },
    end: { kind: "complete" },
    ...more,
  };
}

export function storedCapture(id: string, exchanges: readonly Exchange[]): Capture {
  return {
    schemaVersion: 1,
    id,
    target: "t",
    kind: "openai",
    route: "direct",
    suite: "contract-matrix",
    scenario: "s",
    shape: "small",
    language: "ja",
    class: "memorizable",
    contract: "native",
    arm: "native",
    stream: false,
    trial: 1,
    seed: 7,
    expectation: {
      tools: [
        {
          type: "function",
          function: { name: "run_python", parameters: { type: "object", properties: { task: { type: "string" } } } },
        },
      ],
      contract: "native",
      wanted: "run_python",
      markerRule: null,
      memorizable: true,
      oracle: ["76127"],
      nonce: null,
      judge: "call",
    },
    request: { choice: "auto", namedTool: null, maxTokens: 512, sources: [{ role: "user", text: "素数の和" }] },
    exchanges,
    startedAt: "2026-11-30T10:00:00.000Z",
  };
}

export function runRecord(run: string, createdAt = "2026-11-30T10:00:00.000Z"): RunRecord {
  return {
    schemaVersion: 1,
    run,
    createdAt,
    finishedAt: null,
    lab: { version: "0.1.0", node: "v20" },
    seed: "s",
    plan: {
      suites: ["contract-matrix"],
      scenarios: [],
      trials: 3,
      shapes: ["small"],
      languages: ["ja"],
      concurrency: 4,
      raw: "auto",
      request: {},
      samples: 12,
      cells: [],
    },
    routes: [{ id: "direct", treatment: "none" }],
    targets: [],
    unmet: [],
  };
}
