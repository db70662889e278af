import { afterEach, describe, expect, it } from "vitest";
import { UserError } from "../../src/cli/errors.ts";
import { discoveryPorts, findLocalServers, listedModels } from "../../src/cli/listed-models.ts";
import { type Listener, listen } from "../../src/http/listen.ts";
import { type Handler, jsonResponse, TransportError } from "../../src/protocol/handler.ts";
import { smallServer } from "./small-server.ts";

const listeners: Listener[] = [];
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
});
async function port(handler: Handler): Promise<number> {
  const listener = await listen(handler, { port: 0 });
  listeners.push(listener);
  return listener.port;
}

const signal = new AbortController().signal;
const server = {
  server: { root: "http://gpu", apiPrefix: "/v1", shown: "http://gpu/v1", headers: {} },
  kind: null,
  headers: { authorization: "Bearer key" },
};

describe("the models of a server", () => {
  it("are asked for with the target's headers", async () => {
    let asked: string | null = null;
    const handler: Handler = async (request) => {
      asked = `${new URL(request.url).pathname} ${request.headers.get("authorization")}`;
      return smallServer({ models: ["a", "b"] })(request);
    };
    expect(await listedModels(handler, server, signal)).toEqual(["a", "b"]);
    expect(asked).toBe("/v1/models Bearer key");
  });

  it.each<[string, Handler, RegExp]>([
    [
      "nothing",
      async () => Promise.reject(new TransportError("connect", "connection refused")),
      /^http:\/\/gpu\/v1\/models gives no answer: connection refused\. Check --base-url, or name a model with --model$/,
    ],
    ["a page", async () => new Response("<html>"), /answers 200 without a list of models; name a model with --model$/],
    ["a wrong key", async () => jsonResponse({ error: { message: "no" } }, 401), /answers 401 .*--api-key-env$/],
    ["another shape", async () => jsonResponse({ models: [] }), /answers 200 without a list of models/],
  ])("from %s are a clear line and exit 3", async (_name, handler, line) => {
    const error = await listedModels(handler, server, signal).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringMatching(line), exitCode: 3 });
  });
});

describe("servers of this machine", () => {
  it("are found on their ports, without a key, and ports without an answer are left out", async () => {
    const keys: (string | null)[] = [];
    const first = await port(async (request) => {
      keys.push(request.headers.get("authorization"));
      return smallServer({ models: ["a"] })(request);
    });
    const page = await port(async () => new Response("hello"));
    const gone = await listen(smallServer({}), { port: 0 });
    await gone.close();
    expect(await findLocalServers(signal, [page, gone.port, first])).toEqual([
      { baseUrl: `http://127.0.0.1:${first}/v1`, models: ["a"] },
    ]);
    expect(keys).toEqual([null]);
  });

  it("are looked for on the default ports of the known kinds and of LM Studio", () => {
    expect([...discoveryPorts].sort((left, right) => left - right)).toEqual([1234, 8000, 8080, 11434, 30000]);
  });
});
