import { join } from "node:path";
import { openRun, type StoredRun } from "../../../src/lab/capture/open-run.ts";
import type { RunRecord } from "../../../src/lab/capture/run-record.ts";
import { createRunStore } from "../../../src/lab/capture/store.ts";
import type { Checkup, Statement, Topic } from "../../../src/lab/diagnose/checkup-statement.ts";
import { type DoctorOptions, type DoctorResult, examine } from "../../../src/lab/doctor.ts";
import type { Handler } from "../../../src/protocol/handler.ts";

/** What a check-up asked of a server, counted where the server is. */
export interface Asked {
  readonly paths: string[];
  /** Token limits of the requests that generate, in order. */
  readonly limits: number[];
}

/** Stands before a server and counts what arrives. */
export function counting(inner: Handler): { readonly handler: Handler; readonly asked: Asked } {
  const asked: Asked = { paths: [], limits: [] };
  return {
    asked,
    handler: async (request) => {
      const { pathname } = new URL(request.url);
      asked.paths.push(`${request.method} ${pathname}`);
      if (request.method === "POST") {
        const body = (await request.clone().json()) as Record<string, unknown>;
        const options = (body["options"] ?? {}) as Record<string, unknown>;
        const generates =
          /completions|\/api\/chat|\/api\/generate/.test(pathname) && body["_debug_render_only"] !== true;
        const limit = body["max_tokens"] ?? options["num_predict"];
        if (generates) asked.limits.push(typeof limit === "number" ? limit : Number.POSITIVE_INFINITY);
      }
      return inner(request);
    },
  };
}

export interface Examined {
  readonly result: DoctorResult;
  readonly checkup: Checkup;
  readonly stored: StoredRun;
  readonly folder: string;
  readonly asked: Asked;
  statement(topic: Topic): Statement;
}

/** Examines a server and leaves the run in a folder of its own below `root`. */
export async function examined(
  root: string,
  inner: Handler,
  model = "m",
  more: Partial<DoctorOptions> = {},
): Promise<Examined> {
  const folder = join(root, `doctor-${Math.random().toString(36).slice(2)}`);
  const { handler, asked } = counting(inner);
  const record: RunRecord = {
    schemaVersion: 1,
    run: "doctor",
    createdAt: "2026-01-01T00:00:00.000Z",
    finishedAt: null,
    lab: { version: "test", node: process.version },
    seed: "seed",
    plan: {
      suites: ["doctor"],
      scenarios: [],
      trials: 1,
      shapes: ["small"],
      languages: ["en"],
      concurrency: 1,
      raw: "auto",
      request: {},
      samples: 0,
      cells: [],
    },
    routes: [{ id: "direct", treatment: "direct" }],
    targets: [],
    unmet: [],
  };
  const store = await createRunStore(folder, record);
  const result = await examine({
    target: { name: "t", model, baseUrl: "http://t.invalid/v1", handler, apiPrefix: "/v1", kind: null, headers: {} },
    seed: "seed",
    overrides: { body: {} },
    store,
    clock: { now: () => performance.now(), date: () => new Date() },
    signal: new AbortController().signal,
    note: () => {},
    ...more,
  });
  const none: Checkup = { verdict: "unmeasured", statements: [], cure: { kind: "measure", why: "" } };
  const checkup = result.kind === "examined" ? result.checkup : none;
  return {
    result,
    checkup,
    stored: await openRun(folder),
    folder,
    asked,
    statement: (topic) => {
      const found = checkup.statements.find((each) => each.topic === topic);
      if (found === undefined) throw new Error(`nothing is said of ${topic}`);
      return found;
    },
  };
}
