import { afterEach, expect, it } from "vitest";
import { pinnedFetch } from "../../../src/http/pinned-fetch.ts";
import { chatBody, chatStream, post, scripted, testAdapter } from "../support.ts";
import { type LoopbackServer, loopbackServer } from "./loopback.ts";

let server: LoopbackServer | undefined;
afterEach(() => server?.close());

/** A world in which every name is at a public address, and whoever is asked there is the server of this test. */
function worldOf(port: number) {
  const { fetch } = pinnedFetch();
  const asked: string[] = [];
  return {
    asked,
    web: {
      resolve: async () => ["93.184.216.34"],
      fetch: (url: string, options: Parameters<typeof fetch>[1]) => {
        asked.push(options.address);
        const there = new URL(url);
        there.port = String(port);
        return fetch(there.href, { ...options, address: "127.0.0.1" });
      },
    },
  };
}

const url = "http://docs.example.org/tea";
const wanted = { name: "fetch_url", arguments: JSON.stringify({ url }) };

it.each([
  ["chat completions", "/v1/chat/completions", { messages: [{ role: "user", content: `Read ${url}` }] }],
  [
    "responses",
    "/v1/responses",
    { input: [{ type: "message", role: "user", content: [{ type: "input_text", text: `Read ${url}` }] }] },
  ],
])("a client of %s gets the answer and never the adapter's own call, streamed and not", async (_, path, body) => {
  for (const stream of [true, false]) {
    server = await loopbackServer((_request, response) => void response.end("Tea is brewed at 80 degrees."));
    const { web, asked } = worldOf(server.port);
    const reply = stream ? chatStream : chatBody;
    const upstream = scripted(
      () => reply({ calls: [{ id: "c1", ...wanted }], finish: "tool_calls" })(),
      () => reply({ text: "At 80 degrees." })(),
    );
    const { handler, traces, errors } = testAdapter(upstream, { web: { enabled: true } }, { fetchPinned: web });
    const response = await post(handler, path, { model: "m", stream, ...body });
    const text = await response.text();
    expect(errors).toEqual([]);
    expect(response.status).toBe(200);
    const said = [...text.matchAll(/"(?:content|delta|text)":"([^"]*)"/g)].map(([, words]) => words).join("");
    expect(said).toContain("At 80 degrees.");
    expect(text).not.toContain("fetch_url");
    expect(asked).toEqual(["93.184.216.34"]);
    expect(JSON.stringify(upstream.bodies[1])).toContain("Tea is brewed at 80 degrees.");
    expect(traces[0]?.entries.map(({ decision }) => decision)).toContain("fetched");
    await server.close();
  }
});
