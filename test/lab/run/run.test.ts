import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listen } from "../../../src/http/listen.ts";
import { upstream } from "../../../src/http/upstream.ts";
import { openRun } from "../../../src/lab/capture/open-run.ts";
import { measuredVerdict } from "../../../src/lab/gate/measured.ts";
import { rejudge } from "../../../src/lab/rejudge.ts";
import type { Cell, Summary } from "../../../src/lab/stats/summary.ts";
import { openSide } from "../../../src/lab/stored-side.ts";
import { type Handler, jsonResponse, TransportError } from "../../../src/protocol/handler.ts";
import { simulate } from "../../simulator/support.ts";
import { directRoute, runInto, scratch, target } from "./harness.ts";

/** A model with made-up habits: so many calls and so many plain answers in each deck of five. */
function profile(format: string, server: Record<string, unknown>, calls: number): unknown {
  const deck = (tool: string, answer: string) => [
    { n: calls, call: { tool, arguments: { task: "something to compute" } } },
    { n: 5 - calls, text: answer },
  ];
  return {
    server,
    models: {
      odd: {
        format,
        rules: [
          {
            when: { user: "素数", tools: true },
            draw: "deck",
            cards: deck("run_python", "たしか76127じゃなかったかな"),
          },
          {
            when: { user: "SHA-256", tools: true },
            draw: "deck",
            cards: deck("run_python", "ハッシュはちょっと分からないや"),
          },
          {
            when: { user: "素数", tools: false },
            draw: "deck",
            cards: [
              { n: 4, before: "いくよ。", marker: "PYTHON: 足し算" },
              { n: 1, text: "76127だよ！" },
            ],
          },
          { when: { user: "SHA-256", tools: false }, draw: "deck", cards: [{ marker: "PYTHON: ハッシュ" }] },
        ],
        forced: { tool: "run_python", arguments: { task: "forced" } },
      },
    },
  };
}

function cell(summary: Summary, factors: Partial<Cell>): Cell {
  const found = summary.cells.filter((each) =>
    Object.entries(factors).every(([key, value]) => each[key as keyof Cell] === value),
  );
  expect(found).toHaveLength(1);
  return found[0] as Cell;
}

const matrix = { suite: "contract-matrix", contract: "native" } as const;

describe("a run", () => {
  it.each([
    ["qwen3_coder", "hermes", 4, "--tool-call-parser qwen3_coder"],
    ["qwen3_coder", "hermes", 2, "--tool-call-parser qwen3_coder"],
    ["hermes", "qwen3_coder", 3, "--tool-call-parser hermes"],
  ])(
    "finds %s calls lost by the %s parser, with %i in each deck of five, and names the option",
    async (format, parser, calls, option) => {
      await using root = await scratch();
      const handler = simulate(
        profile(format, { kind: "vllm", version: "0.32.0", parser, contextLength: 8192 }, calls),
      );
      const { result } = await runInto(root.path, [target("t", "odd", handler)], { trials: 5 });
      const { summary } = result;
      for (const scenario of ["seed-memorizable", "seed-unmemorizable"]) {
        expect(cell(summary, { ...matrix, scenario })).toMatchObject({
          planned: 5,
          measured: 5,
          attempted: calls,
          delivered: 0,
        });
        expect(cell(summary, { suite: "parser-mismatch", scenario, arm: "required", stream: true })).toMatchObject({
          delivered: 5,
        });
      }
      expect(
        cell(summary, { suite: "contract-matrix", contract: "marker", scenario: "seed-memorizable" }),
      ).toMatchObject({ delivered: 4, attempted: 4 });
      const streamed = cell(summary, {
        suite: "parser-mismatch",
        scenario: "seed-memorizable",
        arm: "auto",
        stream: true,
      });
      expect(streamed.counts).toEqual({ swallowed_call: calls, direct_answer: 5 - calls });
      expect(summary.diagnoses[0]).toMatchObject({ owner: "server_parser", fix: { option } });
      expect(summary.diagnoses[0]?.samples).toHaveLength(calls * 6);
    },
  );

  it("draws nothing from a deck for its own checks, whatever the rules match", async () => {
    await using root = await scratch();
    const cards = (calls: number) => [
      { n: calls, call: { tool: "run_python", arguments: { task: "t" } } },
      { n: 6 - calls, text: "やめておくね" },
    ];
    const handler = simulate({
      server: { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 8192, chunk: "random" },
      models: {
        open: {
          format: "hermes",
          rules: [
            { when: { tools: true }, draw: "deck", cards: cards(4) },
            {
              when: { tools: false },
              draw: "deck",
              cards: [
                { n: 5, marker: "PYTHON: x" },
                { n: 1, text: "しらない" },
              ],
            },
          ],
        },
      },
    });
    const { result } = await runInto(root.path, [target("t", "open", handler)], { trials: 3 });
    const total = (factors: Partial<Cell>) =>
      result.summary.cells
        .filter((each) => Object.entries(factors).every(([key, value]) => each[key as keyof Cell] === value))
        .reduce((sum, each) => sum + each.delivered, 0);
    // Six draws of a deck of six: both scenarios of an arm together empty it once.
    expect(total({ suite: "contract-matrix", contract: "native" })).toBe(4);
    expect(total({ suite: "contract-matrix", contract: "marker" })).toBe(5);
    expect(total({ suite: "parser-mismatch", arm: "auto", stream: false })).toBe(4);
    expect(total({ suite: "parser-mismatch", arm: "auto", stream: true })).toBe(4);
  });

  it("finds nothing lost when the parser is the model's own", async () => {
    await using root = await scratch();
    const handler = simulate(
      profile("hermes", { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 8192 }, 3),
    );
    const { result } = await runInto(root.path, [target("t", "odd", handler)], { trials: 5 });
    expect(cell(result.summary, { ...matrix, scenario: "seed-memorizable" })).toMatchObject({
      attempted: 3,
      delivered: 3,
    });
    expect(result.summary.diagnoses.map(({ owner }) => owner)).not.toContain("server_parser");
  });

  it("plans, sends and captures every sample once, and says so in every file", async () => {
    await using root = await scratch();
    const handler = simulate(
      profile("qwen3_coder", { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 8192 }, 3),
    );
    const { result, stored } = await runInto(root.path, [target("t", "odd", handler)]);
    expect(result).toMatchObject({ planned: 66, measured: 66, interrupted: false });
    const ids: string[] = [];
    for await (const capture of stored.captures()) ids.push(capture.id);
    expect(new Set(ids).size).toBe(66);
    const intents: string[] = [];
    for await (const intent of stored.intents()) intents.push(intent.id);
    expect(intents.sort()).toEqual([...ids].sort());
    expect(stored.record.plan.samples).toBe(66);
    expect(measuredVerdict(result.summary).kind).toBe("pass");
  });

  it("judges a stored run again byte for byte, without the server", async () => {
    await using root = await scratch();
    const handler = simulate(
      profile("qwen3_coder", { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 8192 }, 3),
    );
    const { stored, folder } = await runInto(root.path, [target("t", "odd", handler)]);
    const read = (name: string) => readFile(join(folder, name), "utf8");
    const before = [await read("classifications.jsonl"), await read("summary.json")];
    expect(await rejudge(stored)).toEqual({ samples: 66, changed: 0 });
    expect([await read("classifications.jsonl"), await read("summary.json")]).toEqual(before);
    expect(await rejudge(await openRun(folder))).toEqual({ samples: 66, changed: 0 });
  });

  it("gives the same over sockets", async () => {
    await using root = await scratch();
    const listener = await listen(
      simulate(profile("qwen3_coder", { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 8192 }, 3)),
    );
    const client = upstream(listener.url);
    const { result } = await runInto(root.path, [target("t", "odd", client)], { trials: 5 });
    await client.close();
    await listener.close();
    expect(result.summary.diagnoses[0]).toMatchObject({
      owner: "server_parser",
      fix: { option: "--tool-call-parser qwen3_coder" },
    });
  });

  it("sends an arm that the server ignores once and rates it nowhere", async () => {
    await using root = await scratch();
    const server = { kind: "ollama", version: "0.34.2", parser: null, template: "hermes", contextLength: 8192 };
    const handler = simulate(profile("hermes", server, 3));
    const { result, stored } = await runInto(root.path, [target("t", "odd", handler)], { trials: 5 });
    expect(stored.record.targets[0]?.notTestable.map(({ arm }) => arm).sort()).toEqual(["named", "none", "required"]);
    for (const each of result.summary.cells.filter(({ arm }) => arm === "required" || arm === "named")) {
      expect(each).toMatchObject({ planned: 1, rated: false });
      expect(each.notTestable).not.toBeNull();
    }
    expect(cell(result.summary, { ...matrix, scenario: "seed-memorizable" })).toMatchObject({
      planned: 5,
      delivered: 3,
    });
  });

  it("goes on to the next target when one cannot be met, and counts its samples as not measured", async () => {
    await using root = await scratch();
    const dead: Handler = async () => {
      throw new TransportError("connect", "nothing listens on 127.0.0.1:9 (connection refused)");
    };
    const alive = simulate(
      profile("hermes", { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 8192 }, 3),
    );
    const { result, events } = await runInto(root.path, [target("dead", "m", dead), target("alive", "odd", alive)]);
    expect(result).toMatchObject({ planned: 132, measured: 66 });
    expect(result.summary.exclusions).toHaveLength(66);
    expect(result.summary.exclusions[0]).toMatchObject({
      reason: "target_not_met",
      detail: expect.stringContaining("connection refused"),
    });
    expect(events.find((event) => event.kind === "target-failed")).toMatchObject({ target: "dead" });
    expect(measuredVerdict(result.summary)).toMatchObject({
      kind: "invalid",
      sentence: expect.stringContaining("66 of 132"),
    });
  });

  it("stops starting samples once interrupted, finishes those in flight, and leaves a readable run", async () => {
    await using root = await scratch();
    const stop = new AbortController();
    const inner = simulate(
      profile("hermes", { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 8192 }, 3),
    );
    let done = 0;
    const { result, stored } = await runInto(root.path, [target("t", "odd", inner)], {
      signal: stop.signal,
      onEvent: (event) => {
        if (event.kind === "sample-done" && ++done === 7) stop.abort();
      },
    });
    expect(result.interrupted).toBe(true);
    expect(result.measured).toBeGreaterThanOrEqual(7);
    expect(result.measured).toBeLessThan(20);
    let captured = 0;
    for await (const _capture of stored.captures()) captured += 1;
    expect(captured).toBe(result.measured);
    expect(result.summary.exclusions).toHaveLength(66 - captured);
  });
});

/** Answers everything as a plain OpenAI server does, but for the first answers to chat requests. */
function faulty(first: readonly (() => Response | Promise<Response>)[]): Handler {
  const queue = [...first];
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/v1/models")
      return jsonResponse({ object: "list", data: [{ id: "m", object: "model", owned_by: "x" }] });
    if (pathname !== "/v1/chat/completions") return jsonResponse({ error: { message: "not found" } }, 404);
    const next = queue.shift();
    if (next !== undefined) return next();
    return jsonResponse({
      choices: [{ index: 0, message: { role: "assistant", content: "はい" }, finish_reason: "stop" }],
    });
  };
}

describe("what is not measured", () => {
  const once = { suites: ["contract-matrix"], trials: 1, concurrency: 1, raw: "off" as const };
  const reset = () => {
    throw new TransportError("first_byte", "the connection was reset before the first byte (ECONNRESET)");
  };

  it.each([
    ["a connection reset before the first byte", reset],
    ["429 with Retry-After", () => jsonResponse({ error: { message: "slow down" } }, 429, { "retry-after": "0" })],
    [
      "503 while loading",
      () =>
        jsonResponse({ error: { message: "Loading model", type: "unavailable_error", code: 503 } }, 503, {
          "retry-after": "0",
        }),
    ],
  ])("is asked once more after %s, and both attempts are recorded", async (_what, failure) => {
    await using root = await scratch();
    const { result, stored } = await runInto(root.path, [target("t", "m", faulty([failure]))], once);
    expect(result).toMatchObject({ planned: 4, measured: 4 });
    const attempts: number[][] = [];
    for await (const capture of stored.captures()) attempts.push(capture.exchanges.map(({ attempt }) => attempt));
    expect(attempts.filter((list) => list.length === 2)).toEqual([[1, 2]]);
    const { proof } = await openSide(stored.folder);
    expect(proof?.requests).toEqual({ sent: 5, askedAgain: 1, answered: 5, lost: 0 });
  });

  it.each([
    ["401", () => jsonResponse({ error: { message: "Unauthorized" } }, 401), "wrong_key"],
    [
      "404 of the model",
      () => jsonResponse({ error: { message: "The model `m` does not exist." } }, 404),
      "model_missing",
    ],
    ["429 without Retry-After", () => jsonResponse({ error: { message: "too many" } }, 429), "server_unavailable"],
    [
      "an HTML page",
      () => new Response("<!doctype html><h1>Bad gateway</h1>", { headers: { "content-type": "text/html" } }),
      "unreadable",
    ],
    ["nothing", () => new Response("", { headers: { "content-type": "application/json" } }), "unreadable"],
  ])("is never held against the model, nor asked again: %s", async (_what, failure, reason) => {
    await using root = await scratch();
    const { result, stored } = await runInto(root.path, [target("t", "m", faulty([failure]))], once);
    expect(result).toMatchObject({ planned: 4, measured: 3 });
    expect(result.summary.exclusions).toMatchObject([{ reason }]);
    let exchanges = 0;
    for await (const capture of stored.captures()) exchanges += capture.exchanges.length;
    expect(exchanges).toBe(4);
  });

  it("records what an adapter sent behind the measured request as its own hop", async () => {
    await using root = await scratch();
    const handler = faulty([]);
    const behind = { ...directRoute(handler), id: "adapter", treatment: "adapter" };
    const seen: string[] = [];
    const route = {
      ...behind,
      open: (sample: string) => {
        seen.push(sample);
        return { handler, exchanges: () => [], trace: () => [{ stage: "scan", decision: "kept", reason: "no call" }] };
      },
    };
    const { stored } = await runInto(
      root.path,
      [target("t", "m", handler, { routes: [directRoute(handler), route] })],
      once,
    );
    let traced = 0;
    for await (const capture of stored.captures()) traced += capture.adapterTrace === undefined ? 0 : 1;
    expect(traced).toBe(4);
    expect(new Set(seen).size).toBe(4);
  });
});

describe("looking at what the model wrote", () => {
  const caller = () =>
    simulate({
      server: { kind: "vllm", version: "0.32.0", parser: "hermes" },
      models: {
        odd: {
          format: "hermes",
          default: { call: { tool: "run_python", arguments: { task: "something to compute" } } },
        },
      },
    });

  it.each([
    { arguments: "as they were", swap: (text: string) => text, looks: 0 },
    {
      arguments: "lost on the way",
      swap: (text: string) => text.replace(/"arguments":"(?:[^"\\]|\\.)*"/g, '"arguments":"{}"'),
      looks: 1,
    },
  ])("happens behind a whole call only where it lacks what its tool requires: $arguments", async ({ swap, looks }) => {
    await using root = await scratch();
    const server = caller();
    const handler: Handler = async (request) => {
      const response = await server(request);
      const { status, headers } = response;
      return new Response(swap(await response.text()), { status, headers });
    };
    const { stored } = await runInto(root.path, [target("t", "odd", handler)], {
      suites: ["contract-matrix"],
      onlyScenarios: ["seed-memorizable"],
      trials: 1,
      concurrency: 1,
    });
    const sides: number[] = [];
    for await (const { contract, exchanges } of stored.captures())
      if (contract === "native") sides.push(exchanges.filter(({ hop }) => hop === "side").length);
    expect(sides).toEqual([looks]);
  });
});
