import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TransportError } from "../../src/protocol/handler.ts";
import { readReply } from "../../src/protocol/read-reply.ts";
import { handlersUnderTest, type OpenHandler } from "./handlers.ts";

describe.each(handlersUnderTest)("the Handler contract: $name", (kind) => {
  let open: OpenHandler;
  beforeEach(async () => {
    open = await kind.open();
  });
  afterEach(() => open.close());

  function request(path: string, body: string | null, signal?: AbortSignal): Request {
    const method = body === null ? "GET" : "POST";
    return new Request(`http://target.invalid${path}`, {
      method,
      body,
      headers: { "content-type": "application/json" },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  function chat(stream: boolean, signal?: AbortSignal): Request {
    const { path, body } = kind.chat(stream);
    return request(path, body, signal);
  }

  it.each([false, true])("answers a chat request with a whole reply (stream: %s)", async (streamed) => {
    const response = await open.handler(chat(streamed));
    const contentType = response.headers.get("content-type");
    expect(response.status).toBe(200);
    expect(contentType).toMatch(streamed ? /event-stream|ndjson/ : /json/);
    const reply = readReply({ body: await response.text(), contentType, status: 200, streamed });
    expect(reply).toMatchObject({ end: "complete", problems: [] });
    expect(reply.replies.length).toBeGreaterThan(0);
  });

  it("answers what it does not know with an error response, not with a rejection", async () => {
    const response = await open.handler(request("/no/such/path", null));
    expect(response.status).toBeGreaterThanOrEqual(400);
    await response.text();
  });

  it("answers a body that is no JSON with an error response", async () => {
    const response = await open.handler(request(kind.chat(false).path, "{"));
    expect(response.status).toBeGreaterThanOrEqual(400);
    await response.text();
  });

  it("answers many requests at a time, each whole", async () => {
    const bodies = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const response = await open.handler(chat(index % 2 === 0));
        const body = await response.text();
        return readReply({ body, contentType: null, status: response.status, streamed: index % 2 === 0 }).end;
      }),
    );
    expect(new Set(bodies)).toEqual(new Set(["complete"]));
  });

  it("lets a reader leave in the middle of a body, and answers the next request", async () => {
    const reader = (await open.handler(chat(true))).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect((await open.handler(chat(false))).status).toBe(200);
  });

  it("fails only with a TransportError when it is aborted, before and in the middle", async () => {
    const before = open.handler(chat(true, AbortSignal.abort()));
    await before.then((response) => response.body?.cancel(), onlyTransportError);
    const controller = new AbortController();
    const response = await open.handler(chat(true, controller.signal));
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort();
    const rest = async () => {
      while (reader !== undefined && !(await reader.read()).done);
    };
    await rest().catch(onlyTransportError);
  });
});

function onlyTransportError(error: unknown): void {
  expect(TransportError.is(error)).toBe(true);
}
