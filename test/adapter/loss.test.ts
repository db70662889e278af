import { afterEach, describe, expect, it } from "vitest";
import { type Listener, listen } from "../../src/http/listen.ts";
import { upstream } from "../../src/http/upstream.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { chatBody, chatStream, post, testAdapter, wireEvents } from "./support.ts";

const chat = { model: "m", stream: true, messages: [{ role: "user", content: "Hi." }] };
const fronts = [
  { path: "/v1/chat/completions", body: chat },
  { path: "/v1/responses", body: { model: "m", stream: true, input: "Hi." } },
];
const listeners: Listener[] = [];

async function serve(handler: Handler): Promise<Listener> {
  const listener = await listen(handler);
  listeners.push(listener);
  return listener;
}

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

/** An upstream that says words for ever and notes, in order, what happens to it. */
function endless(log: string[], size = 20): { handler: Handler; sent(): number; gone: Promise<void> } {
  let sent = 0;
  let leave: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const chunk = new TextEncoder().encode(
    `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content: "x".repeat(size) }, finish_reason: null }] })}\n\n`,
  );
  const handler: Handler = async (request) => {
    log.push("asked");
    request.signal.addEventListener("abort", () => {
      log.push("aborted");
      leave();
    });
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await new Promise((resolve) => setImmediate(resolve));
          sent += chunk.byteLength;
          controller.enqueue(chunk);
        },
        cancel() {
          log.push("cancelled");
          leave();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { handler, sent: () => sent, gone };
}

describe.each(fronts)("$path", ({ path, body }) => {
  it("aborts the upstream when its client leaves in the middle, also over sockets", async () => {
    const log: string[] = [];
    const model = endless(log);
    const behind = await serve(model.handler);
    const { handler, traces } = testAdapter(upstream(behind.url));
    const front = await serve(handler);
    const leave = new AbortController();
    const response = await fetch(`${front.url}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      signal: leave.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    log.push("left");
    leave.abort();
    await model.gone;
    expect(log.slice(0, 3)).toEqual(["asked", "left", log[2]]);
    expect(["aborted", "cancelled"]).toContain(log[2]);
    await expect.poll(() => traces[0]?.outcome).toBe("left");
  });

  it("aborts the upstream when its client leaves before the first word", async () => {
    const log: string[] = [];
    let reached: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const { handler, traces } = testAdapter((request) => {
      log.push("asked");
      reached();
      return new Promise((_resolve, reject) => {
        request.signal.addEventListener("abort", () => {
          log.push("aborted");
          reject(request.signal.reason);
        });
      });
    });
    const leave = new AbortController();
    const pending = post(handler, path, body, { signal: leave.signal });
    await asked;
    leave.abort();
    await pending;
    expect(log).toEqual(["asked", "aborted"]);
    expect(traces[0]?.outcome).toBe("left");
  });

  it("reads no more of the upstream than a slow reader takes", async () => {
    const model = endless([], 1000);
    const { handler } = testAdapter(model.handler);
    const response = await post(handler, path, body);
    const reader = response.body?.getReader();
    await reader?.read();
    for (let tick = 0; tick < 400; tick++) await new Promise((resolve) => setImmediate(resolve));
    const before = model.sent();
    for (let tick = 0; tick < 400; tick++) await new Promise((resolve) => setImmediate(resolve));
    expect(model.sent()).toBe(before);
    expect(before).toBeLessThan(300_000);
    await reader?.cancel();
    await model.gone;
  });

  it("serves a thousand streams at once, each its own", async () => {
    const { handler, traces } = testAdapter(async (request) => {
      const { messages } = (await request.json()) as { messages: readonly { content: string }[] };
      await new Promise((resolve) => setImmediate(resolve));
      return chatStream({ text: `echo ${messages[0]?.content}` }, { size: 500 })();
    });
    const texts = await Promise.all(
      Array.from({ length: 1000 }, async (_, at) => {
        const own =
          "input" in body ? { ...body, input: `n${at}` } : { ...body, messages: [{ role: "user", content: `n${at}` }] };
        return (await post(handler, path, own)).text();
      }),
    );
    for (const [at, text] of texts.entries()) {
      const said = wireEvents(text)
        .map(({ data }) => /"(?:content|delta)":"([^"]*)"/.exec(JSON.stringify(data))?.[1] ?? "")
        .join("");
      expect(said).toContain(`echo n${at}`);
    }
    expect(new Set(traces.map(({ id }) => id)).size).toBe(1000);
  });
});

it("a shutdown lets a reply under way finish and takes no new one", async () => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { handler } = testAdapter(async () => {
    await held;
    return chatStream({ text: "The end." })();
  });
  const front = await serve(handler);
  const under = fetch(`${front.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(chat) });
  await expect.poll(async () => (await fetch(`${front.url}/health`)).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const drained = front.drain(3_600_000);
  await expect(fetch(`${front.url}/health`, { headers: { connection: "close" } })).rejects.toThrow();
  release();
  const words = wireEvents(await (await under).text()).map(
    ({ data }) => /"content":"([^"]*)"/.exec(JSON.stringify(data))?.[1] ?? "",
  );
  expect(words.join("")).toBe("The end.");
  await drained;
});

describe("a request that takes long to prepare", () => {
  const long = {
    model: "m",
    messages: [
      { role: "user", content: "Read it." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "a line of no interest\n".repeat(200_000) },
    ],
  };
  const short = { model: "m", messages: [{ role: "user", content: "Hi." }] };
  const reply = chatBody({ text: "Done." });

  it("lets one that comes later, and is short, be answered first", async () => {
    const order: string[] = [];
    const { handler } = testAdapter(async (request) => {
      const size = (await request.text()).length;
      order.push(size > 1000 ? "long asked" : "short asked");
      return reply();
    });
    const answered = async (name: string, body: unknown): Promise<void> => {
      const response = await post(handler, "/v1/chat/completions", body);
      expect(response.status).toBe(200);
      await response.text();
      order.push(`${name} answered`);
    };
    const first = answered("long", long);
    // The long one is being prepared by now.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, answered("short", short)]);
    expect(order).toEqual(["short asked", "short answered", "long asked", "long answered"]);
  });

  it("is given up when its client leaves meanwhile", async () => {
    const client = new AbortController();
    let asked = 0;
    let pauses = 0;
    const { handler, traces } = testAdapter(
      async () => {
        asked += 1;
        return reply();
      },
      {},
      {
        after(_ms, action) {
          pauses += 1;
          if (pauses === 3) client.abort();
          const immediate = setImmediate(action);
          return () => clearImmediate(immediate);
        },
      },
    );
    await post(handler, "/v1/chat/completions", long, { signal: client.signal }).catch(() => undefined);
    expect({ asked, pauses }).toEqual({ asked: 0, pauses: 3 });
    expect(traces[0]?.outcome).toBe("left");
  });
});
