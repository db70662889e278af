import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AdapterEvent } from "../../../src/adapter/events.ts";
import { createWebStage, web } from "../../../src/adapter/stages/web.ts";
import type { ChatRequest, Tool } from "../../../src/protocol/chat.ts";
import { runStages, type StageRunOptions, unknownClient } from "../stage-harness.ts";
import { clientWith, type LoopbackServer, loopbackServer, thisMachineToo } from "../web/loopback.ts";

let server: LoopbackServer;
beforeEach(async () => {
  server = await loopbackServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://x");
    if (url.pathname === "/search") {
      response.writeHead(200, { "content-type": "application/json" });
      const results = [
        { url: `http://found.example:${server.port}/page`, title: "Found <b>it</b>", content: "an\nexcerpt" },
        { url: "http://169.254.169.254/", title: "x", content: "" },
        { url: "javascript:alert(1)", title: "x", content: "" },
      ];
      return void response.end(JSON.stringify({ query: url.searchParams.get("q"), results }));
    }
    if (url.pathname === "/gone") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(`the page of ${request.headers.host} at ${url.pathname}`);
  });
});
afterEach(() => server.close());

const exec: Tool = {
  type: "function",
  function: { name: "exec_command", parameters: { type: "object", properties: {} } },
};
const call = (name: string, argumentsText: string, id = "call_a"): AdapterEvent => ({
  kind: "call",
  call: { id, name, argumentsText, origin: "native" },
});
const end = (
  finishReason: "stop" | "tool_calls" = "stop",
  promptTokens = 100,
  completionTokens = 10,
): AdapterEvent => ({
  kind: "end",
  finishReason,
  usage: { promptTokens, completionTokens },
});
const text = (words: string): AdapterEvent => ({ kind: "text", text: words });

function run(
  said: string,
  replies: StageRunOptions["replies"],
  more: { web?: object; request?: Partial<ChatRequest>; stage?: typeof web; client?: StageRunOptions["client"] } = {},
) {
  return runStages({
    stages: [more.stage ?? createWebStage(thisMachineToo)],
    request: { model: "m", messages: [{ role: "user", content: said }], tools: [exec], ...more.request },
    replies: replies ?? [],
    web: clientWith({}).client,
    config: { web: { enabled: true, searxng: `http://127.0.0.1:${server.port}`, ...more.web } },
    ...(more.client === undefined ? {} : { client: more.client }),
  });
}

const toolNames = (request: ChatRequest | undefined) => request?.tools?.map((tool) => tool.function.name);

describe("the web tools", () => {
  it("are not there unless switched on", async () => {
    const { asked } = await run("hi", [[end()]], { web: { enabled: false } });
    expect(toolNames(asked[0])).toEqual(["exec_command"]);
  });

  it("read a page that the user names, and the client sees nothing but the answer", async () => {
    const url = `http://a.example:${server.port}/doc`;
    const result = await run(`Summarise ${url} please`, [
      [text("One moment. "), call("fetch_url", JSON.stringify({ url })), end("tool_calls", 100, 10)],
      [text("It is a page."), end("stop", 180, 5)],
    ]);
    expect(toolNames(result.asked[0])).toEqual(["exec_command", "fetch_url", "search_web"]);
    expect(server.asked).toEqual(["/doc"]);
    expect(result.asked[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", content: "One moment. ", tool_calls: [{ id: "call_a", function: { name: "fetch_url" } }] },
      {
        role: "tool",
        tool_call_id: "call_a",
        content: expect.stringContaining(`the page of a.example:${server.port} at /doc`),
      },
    ]);
    expect(result.events).toEqual([
      text("One moment. "),
      { kind: "activity", activity: "open_page", detail: { url } },
      text("It is a page."),
      // The prompt is the client's history, without the page; what the model wrote counts in all.
      end("stop", 100, 15),
    ]);
    expect(result.entries).toMatchObject([{ stage: "web", decision: "fetched" }]);
  });

  it("search, and then read what was found and nothing else", async () => {
    const found = `http://found.example:${server.port}/page`;
    const result = await run("東京タワーの高さは？", [
      [call("search_web", '{"query":"東京タワー  高さ"}'), end("tool_calls")],
      [call("fetch_url", JSON.stringify({ url: found })), end("tool_calls")],
      [call("fetch_url", JSON.stringify({ url: `${found}?secret=1` })), end("tool_calls")],
      [text("333 m"), end()],
    ]);
    expect(server.asked).toEqual([
      `/search?q=${encodeURIComponent("東京タワー 高さ").replaceAll("%20", "+")}&format=json`,
      "/page",
    ]);
    const results = result.asked.slice(1).map((request) => request.messages.at(-1)?.content);
    expect(results[0]).toContain(`1. Found <b>it</b>\n   ${found}\n   an excerpt`);
    expect(results[0]).not.toContain("169.254");
    expect(results[2]).toBe("fetch_url was refused: the URL stands in no message of the user and in no search result");
    expect(result.events.filter((event) => event.kind === "text")).toEqual([text("333 m")]);
    expect(result.entries.map(({ decision }) => decision)).toEqual(["searched", "fetched", "refused"]);
  });

  it.each([
    ["another page of the same server", (port: number) => `http://a.example:${port}/other`],
    ["data added to the query", (port: number) => `http://a.example:${port}/doc?d=c2VjcmV0`],
    ["data in the path", (port: number) => `http://a.example:${port}/doc/c2VjcmV0`],
    ["data in the name", (port: number) => `http://c2VjcmV0.a.example:${port}/doc`],
    ["another scheme", (port: number) => `https://a.example:${port}/doc`],
    ["another port", () => "http://a.example:8080/doc"],
    ["a user name", (port: number) => `http://u@a.example:${port}/doc`],
    ["metadata", () => "http://169.254.169.254/latest/"],
    ["a file", () => "file:///etc/passwd"],
  ])("never ask for a URL that nobody wrote: %s", async (_, urlFor) => {
    const result = await run(`Read http://a.example:${server.port}/doc`, [
      [call("fetch_url", JSON.stringify({ url: urlFor(server.port) })), end("tool_calls")],
      [text("no"), end()],
    ]);
    expect(server.connections()).toBe(0);
    expect(result.entries).toMatchObject([{ decision: "refused" }]);
    expect(result.asked[1]?.messages.at(-1)?.content).toMatch(/^fetch_url was refused: /);
  });

  it("take no URL from a tool's output or the model's own words", async () => {
    const url = `http://a.example:${server.port}/doc`;
    const messages = [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: `see ${url}`,
        tool_calls: [{ id: "x", type: "function" as const, function: { name: "exec_command", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "x", content: `visit ${url}` },
    ];
    await run(
      "",
      [
        [call("fetch_url", JSON.stringify({ url })), end("tool_calls")],
        [text("no"), end()],
      ],
      { request: { messages } },
    );
    expect(server.connections()).toBe(0);
  });

  it("of the real stage refuse this machine even where the user names it", async () => {
    const url = `http://a.example:${server.port}/doc`;
    const result = await run(
      `Read ${url} and http://127.0.0.1:${server.port}/`,
      [
        [
          call("fetch_url", JSON.stringify({ url }), "one"),
          call("fetch_url", JSON.stringify({ url: `http://127.0.0.1:${server.port}/` }), "two"),
          end("tool_calls"),
        ],
        [text("no"), end()],
      ],
      { stage: web },
    );
    expect(server.connections()).toBe(0);
    expect(result.entries.map(({ reason }) => reason)).toEqual([
      "its host is at a loopback address",
      "its host is at a loopback address",
    ]);
    expect(result.asked[1]?.messages.slice(-2).map((message) => message.tool_call_id)).toEqual(["one", "two"]);
  });

  it("leave the client's own calls to it, and come after them", async () => {
    const url = `http://a.example:${server.port}/doc`;
    const result = await run(url, [
      [call("fetch_url", JSON.stringify({ url })), call("exec_command", "{}", "call_b"), end("tool_calls")],
    ]);
    expect(result.asked).toHaveLength(1);
    expect(server.connections()).toBe(0);
    expect(result.events).toEqual([call("exec_command", "{}", "call_b"), end("tool_calls")]);
    expect(result.entries).toMatchObject([{ decision: "withheld" }]);
  });

  it("hand on a call of the client's that comes after a page was read", async () => {
    const url = `http://a.example:${server.port}/doc`;
    const result = await run(url, [
      [call("fetch_url", JSON.stringify({ url })), end("tool_calls")],
      [call("exec_command", "{}", "call_b"), end("tool_calls")],
    ]);
    expect(result.events.slice(1)).toEqual([call("exec_command", "{}", "call_b"), end("tool_calls", 100, 20)]);
  });

  it("stop at the limit of calls, take the tools away, and never give an empty answer", async () => {
    const url = `http://a.example:${server.port}/doc`;
    const result = await run(url, [[call("fetch_url", JSON.stringify({ url })), end("tool_calls")]], {
      web: { maxCalls: 2 },
    });
    expect(server.asked).toHaveLength(2);
    expect(result.asked.map(toolNames)).toEqual([
      ["exec_command", "fetch_url", "search_web"],
      ["exec_command", "fetch_url", "search_web"],
      ["exec_command"],
    ]);
    expect(result.events.slice(-2)).toEqual([
      text("No answer: the model wanted more than 2 web calls."),
      expect.objectContaining({ kind: "end", finishReason: "stop" }),
    ]);
  });

  it("count each call of one reply", async () => {
    const url = `http://a.example:${server.port}/doc`;
    const many = Array.from({ length: 9 }, (_, at) => call("fetch_url", JSON.stringify({ url }), `call_${at}`));
    const result = await run(
      url,
      [
        [...many, end("tool_calls")],
        [text("ok"), end()],
      ],
      { web: { maxCalls: 3 } },
    );
    expect(server.asked).toHaveLength(3);
    expect(result.asked[1]?.messages.filter((message) => message.role === "tool")).toHaveLength(9);
  });

  it("answer broken arguments with words, and send on none of them", async () => {
    const result = await run("go", [
      [
        call("fetch_url", "{broken", "a"),
        call("search_web", '{"query":7}', "b"),
        call("search_web", JSON.stringify({ query: "x".repeat(300) }), "c"),
        end("tool_calls"),
      ],
      [text("ok"), end()],
    ]);
    expect(server.connections()).toBe(0);
    const asked = result.asked[1]?.messages ?? [];
    expect(asked.at(-4)?.tool_calls?.map((one) => one.function.arguments)[0]).toBe("{}");
    expect(asked.slice(-3).map((message) => message.content)).toEqual([
      "fetch_url was refused: its arguments are not as the tool's schema wants them",
      "search_web was refused: its arguments are not as the tool's schema wants them",
      "search_web was refused: a query is 1 to 256 characters long",
    ]);
  });

  it("tell the model what went wrong with a page or a search", async () => {
    const url = `http://a.example:${server.port}/gone`;
    const result = await run(
      url,
      [
        [call("fetch_url", JSON.stringify({ url }), "a"), call("search_web", '{"query":"x"}', "b"), end("tool_calls")],
        [text("ok"), end()],
      ],
      { web: { searxng: `http://127.0.0.1:${server.port}/gone/` } },
    );
    expect(result.asked[1]?.messages.slice(-2).map((message) => message.content)).toEqual([
      "The page could not be read: the server answered with HTTP status 404",
      "The search failed: the search service did not answer with SearXNG's JSON",
    ]);
  });

  it("pass on a failure of the upstream between two replies", async () => {
    const url = `http://a.example:${server.port}/doc`;
    const failed: AdapterEvent = {
      kind: "failed",
      failure: { status: 500, type: "server_error", code: null, message: "gone" },
    };
    const result = await run(url, [[call("fetch_url", JSON.stringify({ url })), end("tool_calls")], [failed]]);
    expect(result.events.at(-1)).toEqual(failed);
    expect(result.outcome).toBe("failed");
  });

  it("are not offered where a form, a tool or no tool is wanted, nor to an agent that has none", async () => {
    for (const request of [
      { response_format: { type: "json_schema" } },
      { tool_choice: "none" as const },
      { tool_choice: { type: "function" as const, function: { name: "exec_command" } } },
    ])
      expect(toolNames((await run("hi", [[end()]], { request })).asked[0])).toEqual(["exec_command"]);
    const title = await run("hi", [[end()]], { request: { tools: [] }, client: { ...unknownClient, name: "codex" } });
    expect(toolNames(title.asked[0])).toEqual([]);
    const plain = await run("hi", [[end()]], { request: { tools: [] } });
    expect(toolNames(plain.asked[0])).toEqual(["fetch_url", "search_web"]);
  });

  it("leave a client's own tool of the same name to the client", async () => {
    const own: Tool = {
      type: "function",
      function: { name: "fetch_url", parameters: { type: "object", properties: {} } },
    };
    const result = await run("hi", [[call("fetch_url", "{}"), end("tool_calls")]], {
      request: { tools: [own] },
      web: { searxng: null },
    });
    expect(toolNames(result.asked[0])).toEqual(["fetch_url"]);
    expect(result.events).toEqual([call("fetch_url", "{}"), end("tool_calls")]);
  });
});
