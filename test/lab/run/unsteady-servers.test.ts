import { describe, expect, it } from "vitest";
import { openRun } from "../../../src/lab/capture/open-run.ts";
import { rejudge } from "../../../src/lab/rejudge.ts";
import type { Handler } from "../../../src/protocol/handler.ts";
import { jsonResponse, TransportError } from "../../../src/protocol/handler.ts";
import { simulate } from "../../simulator/support.ts";
import { type Finished, runInto, scratch, target } from "./harness.ts";

const once = { suites: ["contract-matrix"], trials: 20, concurrency: 2 };

/** A server whose inside can be exchanged, as a restart does; `chats` counts sample requests. */
function restartable(first: Handler) {
  const server = {
    inside: first,
    chats: 0,
    onChat: (_count: number): void => {},
    handler: (async (request) => {
      if (new URL(request.url).pathname === "/v1/chat/completions") {
        const { max_tokens } = (await request.clone().json()) as { max_tokens?: number };
        if (max_tokens === 512) {
          server.chats += 1;
          server.onChat(server.chats);
        }
      }
      return server.inside(request);
    }) as Handler,
  };
  return server;
}

const gone: Handler = async () => {
  throw new TransportError("connect", "nothing listens there (connection refused)");
};
const silent: Handler = async () => {
  throw new TransportError("first_byte", "no answer within 100 ms");
};
const loading: Handler = async () =>
  jsonResponse({ error: { message: "Loading model", type: "unavailable_error", code: 503 } }, 503);

const words = { text: "やめておくね" };
function llamaServer(model: string, contextLength = 8192): Handler {
  return simulate({
    server: { kind: "llama-server", version: "b1-7e4c0a9", template: "hermes", contextLength },
    models: { [model]: { format: "hermes", default: words } },
  });
}
function plain(model: string): Handler {
  return simulate({ server: { kind: "openai" }, models: { [model]: { format: "hermes", default: words } } });
}
function vllm(): Handler {
  return simulate({
    server: { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 8192 },
    models: { m: { format: "hermes", default: words } },
  });
}

function notes({ events }: Finished): readonly string[] {
  return events.flatMap((event) => (event.kind === "note" ? [event.text] : []));
}

async function stillAgrees({ stored, folder, result }: Finished): Promise<void> {
  await rejudge(stored);
  expect(await (await openRun(folder)).summary()).toEqual(result.summary);
}

describe("a server in the middle of a run", () => {
  it("that is away for a moment is waited for; only what was in flight is not measured", async () => {
    await using root = await scratch();
    const server = restartable(plain("m"));
    const inside = server.inside;
    server.onChat = (count) => {
      if (count !== 10) return;
      server.inside = gone;
      setTimeout(() => {
        server.inside = inside;
      }, 400);
    };
    const run = await runInto(root.path, [target("t", "m", server.handler)], { ...once, patienceMs: 10_000 });
    expect(run.result.planned).toBe(80);
    expect(run.result.measured).toBeGreaterThanOrEqual(78);
    expect(run.result.measured).toBeLessThan(80);
    expect(notes(run)).toEqual([expect.stringMatching(/^t: the server does not answer any more; waiting up to 10 s$/)]);
    for (const { reason } of run.result.summary.exclusions) expect(reason).toBe("transport");
    expect(run.stored.record.stopped).toBeUndefined();
  });

  it("that died is left after a wait; the rest is not sent, and one line says why", async () => {
    await using root = await scratch();
    const server = restartable(plain("m"));
    server.onChat = (count) => {
      if (count === 10) server.inside = gone;
    };
    const run = await runInto(root.path, [target("t", "m", server.handler)], { ...once, patienceMs: 300 });
    expect(server.chats).toBeLessThan(15);
    const line = expect.stringMatching(
      /^http:\/\/t\.invalid\/v1: the server stopped answering in the middle of the run \(.*connection refused.*\)$/,
    );
    expect(run.stored.record.stopped).toEqual([{ target: "t", line, excluded: [] }]);
    const reasons = new Set(run.result.summary.exclusions.map(({ reason }) => reason));
    expect(reasons).toEqual(new Set(["transport", "not_sent"]));
    expect(run.result.summary.exclusions.filter(({ reason }) => reason === "not_sent")[0]).toMatchObject({
      detail: line,
    });
    expect(run.result.measured).toBeGreaterThanOrEqual(8);
    await stillAgrees(run);
  });

  it("that falls silent is left before every sample has waited for it", async () => {
    await using root = await scratch();
    const server = restartable(plain("m"));
    server.onChat = (count) => {
      if (count === 10) server.inside = silent;
    };
    const run = await runInto(root.path, [target("t", "m", server.handler)], { ...once, patienceMs: 200 });
    expect(server.chats).toBeLessThan(20);
    expect(run.stored.record.stopped?.[0]?.line).toContain("stopped answering in the middle of the run");
  });

  it("that loads again is waited for and goes on", async () => {
    await using root = await scratch();
    const server = restartable(llamaServer("m"));
    const inside = server.inside;
    server.onChat = (count) => {
      if (count !== 10) return;
      server.inside = loading;
      setTimeout(() => {
        server.inside = inside;
      }, 1500);
    };
    const run = await runInto(root.path, [target("t", "m", server.handler)], {
      ...once,
      patienceMs: 20_000,
      raw: "off",
    });
    expect(run.result.measured).toBeGreaterThanOrEqual(78);
    expect(run.stored.record.stopped).toBeUndefined();
  });

  it("that comes back with another set-up is left, and what it answered since then counts for nothing", async () => {
    await using root = await scratch();
    const server = restartable(llamaServer("m"));
    server.onChat = (count) => {
      if (count !== 10) return;
      server.inside = gone;
      setTimeout(() => {
        server.inside = llamaServer("other", 4096);
      }, 300);
    };
    const run = await runInto(root.path, [target("t", "m", server.handler)], {
      ...once,
      patienceMs: 10_000,
      raw: "off",
    });
    const line = expect.stringMatching(
      /^http:\/\/t\.invalid\/v1: the server is no longer the one that the run met \(.*differ.*\); nothing is measured on it from here on$/,
    );
    expect(run.stored.record.stopped).toMatchObject([{ target: "t", line }]);
    // What was answered before the break is the old server's and stays.
    expect(run.result.measured).toBeGreaterThanOrEqual(8);
    expect(run.result.measured).toBeLessThanOrEqual(10);
    const count = (wanted: string) => run.result.summary.exclusions.filter(({ reason }) => reason === wanted).length;
    expect(count("transport") + count("target_changed") + count("not_sent")).toBe(80 - run.result.measured);
    // At most what was in flight beside the sample that broke.
    expect(count("target_changed")).toBeLessThanOrEqual(1);
    expect(server.chats).toBeLessThan(15);
    await stillAgrees(run);
  });

  it("that becomes another without a pause is found out by its last look", async () => {
    await using root = await scratch();
    const server = restartable(llamaServer("m"));
    server.onChat = (count) => {
      if (count === 40) server.inside = llamaServer("m", 4096);
    };
    const run = await runInto(root.path, [target("t", "m", server.handler)], { ...once, raw: "off" });
    expect(run.result).toMatchObject({ planned: 80, measured: 0 });
    expect(run.stored.record.stopped?.[0]?.excluded).toHaveLength(80);
    await stillAgrees(run);
  });

  it("that no longer has the model is left", async () => {
    await using root = await scratch();
    const server = restartable(vllm());
    const rest = simulate({
      server: { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 8192 },
      models: { other: { format: "hermes", default: words } },
    });
    server.onChat = (count) => {
      if (count === 40) server.inside = rest;
    };
    const run = await runInto(root.path, [target("t", "m", server.handler)], { ...once, raw: "off" });
    expect(run.stored.record.stopped?.[0]?.line).toMatch(/vLLM has no model "m"/);
  });

  it("whose replies carry another fingerprint: exactly those count for nothing", async () => {
    await using root = await scratch();
    const server = restartable(vllm());
    const handler: Handler = async (request) => {
      const response = await server.handler(request);
      if (new URL(request.url).pathname !== "/v1/chat/completions") return response;
      const text = await response.text();
      const other = server.chats > 30;
      return new Response(other ? text.replace(/("system_fingerprint":")[^"]*/g, "$1vllm-0.32.0-deadbeef") : text, {
        status: response.status,
        headers: response.headers,
      });
    };
    const run = await runInto(root.path, [target("t", "m", handler)], { ...once, concurrency: 1 });
    const [stop] = run.stored.record.stopped ?? [];
    expect(stop?.line).toMatch(/it answers as vllm-0\.32\.0-deadbeef, not as vllm-0\.32\.0-/);
    expect(stop?.excluded).toHaveLength(1);
    expect(run.result.measured).toBe(30);
    await stillAgrees(run);
  });

  it("that stays the same is looked at once more in the end, and nothing is left out", async () => {
    await using root = await scratch();
    const asked: string[] = [];
    const inner = vllm();
    const run = await runInto(root.path, [
      target("t", "m", (request) => {
        asked.push(new URL(request.url).pathname);
        return inner(request);
      }),
    ]);
    expect(asked.slice(asked.lastIndexOf("/v1/chat/completions"))).toContain("/version");
    expect(run.result.measured).toBe(run.result.planned);
    expect(run.stored.record.stopped).toBeUndefined();
  });
});

describe("a server that loads a model", () => {
  it("is waited for before the run begins, with one note", async () => {
    await using root = await scratch();
    const server = restartable(loading);
    setTimeout(() => {
      server.inside = llamaServer("m");
    }, 600);
    const run = await runInto(root.path, [target("t", "m", server.handler)], {
      ...once,
      trials: 1,
      patienceMs: 20_000,
    });
    expect(run.result).toMatchObject({ planned: 4, measured: 4 });
    expect(notes(run)).toEqual(["t: the server is loading; waiting up to 20 s"]);
  });

  it("is given up when the patience is spent", async () => {
    await using root = await scratch();
    const run = await runInto(root.path, [target("t", "m", loading)], { ...once, trials: 1, patienceMs: 300 });
    expect(run.result.measured).toBe(0);
    expect(run.stored.record.unmet).toEqual([
      {
        target: "t",
        line: expect.stringMatching(/cannot answer now \(HTTP 503: Loading model\); try again when it is ready$/),
      },
    ]);
  });

  it("only when it is asked for it answers the warm-up late, and no sample", async () => {
    await using root = await scratch();
    const inner = plain("m");
    const first: { limit: number; messages: string }[] = [];
    const handler: Handler = async (request) => {
      if (new URL(request.url).pathname === "/v1/chat/completions") {
        const { max_tokens, messages } = (await request.clone().json()) as { max_tokens: number; messages: unknown };
        first.push({ limit: max_tokens, messages: JSON.stringify(messages) });
      }
      return inner(request);
    };
    const run = await runInto(root.path, [target("t", "m", handler)], { ...once, trials: 1, warmUp: true });
    expect(first).toHaveLength(5);
    expect(first.map(({ limit }) => limit)).toEqual([1, 512, 512, 512, 512]);
    expect(run.result.measured).toBe(4);
  });

  it("for the warm-up says 503 until it is there", async () => {
    await using root = await scratch();
    const inner = plain("m");
    let refusals = 2;
    const handler: Handler = async (request) =>
      new URL(request.url).pathname === "/v1/chat/completions" && refusals-- > 0 ? loading(request) : inner(request);
    const run = await runInto(root.path, [target("t", "m", handler)], {
      ...once,
      trials: 1,
      warmUp: true,
      patienceMs: 20_000,
    });
    expect(run.result.measured).toBe(4);
    expect(notes(run)).toEqual(["t: m is loading; waiting up to 20 s"]);
  });
});

describe("several models on one server", () => {
  it("are measured one after the other, never mixed, and one that fails does not stop the others", async () => {
    await using root = await scratch();
    const inner = simulate({
      server: { kind: "ollama", version: "0.34.2", template: "hermes", contextLength: 8192 },
      models: {
        a: { format: "hermes", default: words },
        b: { format: "hermes", default: words },
      },
    });
    const order: string[] = [];
    const handler: Handler = async (request) => {
      if (new URL(request.url).pathname === "/v1/chat/completions") {
        const { model } = (await request.clone().json()) as { model: string };
        if (order.at(-1) !== model) order.push(model);
      }
      return inner(request);
    };
    const run = await runInto(
      root.path,
      ["a", "missing", "b"].map((name) => target(name, name, handler)),
      { ...once, trials: 2 },
    );
    expect(order).toEqual(["a", "b"]);
    expect(run.result).toMatchObject({ planned: 24, measured: 16 });
    expect(run.stored.record.unmet).toMatchObject([
      { target: "missing", line: expect.stringContaining('no model "missing"') },
    ]);
  });
});

describe("a name that the server does not list", () => {
  it.each([
    [
      "llama-server, which takes any name",
      llamaServer("m"),
      /^t: llama-server takes any name .* it lists m, .* answers as "mine"/,
    ],
    ["an endpoint that may have more than it lists", plain("m"), /^t: The list of models does not name "mine"/],
  ])("is measured on %s, and one line says so", async (_what, handler, line) => {
    await using root = await scratch();
    const run = await runInto(root.path, [target("t", "mine", handler)], { ...once, trials: 1 });
    expect(notes(run)).toEqual([expect.stringMatching(line)]);
    const [met] = run.stored.record.targets;
    expect(met?.evidence.map(({ statement }) => `t: ${statement}`)).toContain(notes(run)[0]);
  });
});
