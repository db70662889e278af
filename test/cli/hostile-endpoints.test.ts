import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { fakeWorld } from "./fake-world.ts";

/** Answers a chat request in some way that no server should. `streamed` tells what was asked for. */
type Chat = (response: ServerResponse, streamed: boolean) => void;

const json = { "content-type": "application/json" };
const sse = { "content-type": "text/event-stream" };
const megabyte = "x".repeat(1024 * 1024);

function completion(message: object): string {
  return JSON.stringify({
    id: "c",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
  });
}
function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices })}\n\n`;
}
/** Bytes past the HTTP library, which would refuse to write them. */
function raw(response: ServerResponse, bytes: string): void {
  response.socket?.end(bytes);
}
/** A good reply with this text, whole or streamed. */
function say(text: string): Chat {
  return (response, streamed) => {
    response.writeHead(200, streamed ? sse : json);
    response.end(
      streamed ? `${chunk({ content: text })}${chunk({}, "stop")}data: [DONE]\n\n` : completion({ content: text }),
    );
  };
}
function answer(status: number, body: string, headers: Record<string, string> = json): Chat {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}
function error(status: number, message: string, headers: Record<string, string> = {}): Chat {
  return answer(status, JSON.stringify({ error: { message, type: "x", code: status } }), { ...json, ...headers });
}

let folder = "";
let server: Server;
let chat: Chat = () => {};
let asked = 0;
let url = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lab-hostile-"));
  const tool = "tools: [{ type: function, function: { name: run_python, parameters: { type: object } } }]";
  mkdirSync(join(folder, "own/suites"), { recursive: true });
  writeFileSync(
    join(folder, "own/sum.yaml"),
    [
      "id: sum",
      "language: en",
      "class: memorizable",
      "system: You are a clerk.",
      "user: What is 17 times 23?",
      "marker: { name: CALC, rule: 'Write {{CALC: job}}.' }",
      tool,
      "wanted: run_python",
      "oracle: { kind: exact, value: '391' }",
      "examples:",
      "  good: { call: { tool: run_python, arguments: {} } }",
      "  bad: { text: It is 391. }",
      "  nearMiss: { text: I could use run_python for that. }",
    ].join("\n"),
  );
  writeFileSync(
    join(folder, "own/suites/modes.yaml"),
    [
      "id: modes",
      "arms: [{ id: auto, contract: native, choice: auto }]",
      "stream: [false, true]",
      "scenarios: { ids: [sum] }",
    ].join("\n"),
  );
  server = createServer((request, response) => {
    response.on("error", () => {});
    if (request.url === "/v1/models") {
      response.writeHead(200, json).end('{"object":"list","data":[{"id":"small","object":"model","owned_by":"me"}]}');
    } else if (request.url === "/v1/chat/completions" && request.method === "POST") void onChat(request, response);
    else response.writeHead(404, json).end('{"error":{"message":"no such route"}}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function onChat(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const piece of request) body += String(piece);
  // The empty request that looks for the route is no sample.
  if (!body.includes("17 times 23"))
    return void response.writeHead(400, json).end('{"error":{"message":"no messages"}}');
  asked += 1;
  chat(response, (JSON.parse(body) as { stream?: boolean }).stream === true);
}

let runs = 0;
/** `lab run` with two samples, one whole and one streamed, against an endpoint that answers chats like this. */
async function measure(how: Chat, ...more: readonly string[]) {
  chat = how;
  asked = 0;
  runs += 1;
  const out = join(folder, `run-${runs}`);
  const where = ["--base-url", url, "--model", "small", "--scenarios", join(folder, "own")];
  const what = ["--suite", "modes", "--trials", "1", "--out", out, "--seed", "s", "--lang", "en", "--json", "--quiet"];
  const world = fakeWorld({
    argv: ["run", ...where, ...what, ...more],
    cwd: process.cwd(),
    clock: { now: () => performance.now(), date: () => new Date() },
  });
  const code = await program(commands, world);
  const run = join(out, readdirSync(out)[0] ?? "");
  const result = JSON.parse(world.out()) as Result;
  const captures = readFileSync(join(run, "captures.jsonl"), "utf8").trim().split("\n");
  const summary = JSON.parse(readFileSync(join(run, "summary.json"), "utf8")) as Summary;
  return { code, result, err: world.err(), run, captures, exclusions: summary.exclusions };
}
interface Result {
  readonly cells: readonly {
    readonly stream: boolean;
    readonly measured: number;
    readonly attempted: number;
    readonly delivered: number;
    readonly counts: Readonly<Record<string, number>>;
  }[];
  readonly diagnoses: readonly { readonly owner: string }[];
}
interface Summary {
  readonly exclusions: readonly { readonly reason: string; readonly detail: string }[];
}

/** The limit that an endpoint runs into, short; the others stay as they are, or a busy machine would run into them first. */
function limitNamedIn(line: RegExp): readonly string[] {
  const option = /--timeout-[a-z-]+/.exec(line.source)?.[0];
  return option === undefined ? [] : [option, option === "--timeout-total" ? "0.6" : "0.3"];
}

const brokenReply = completion({ content: "hello" }).slice(0, 30);

/** Name, what answers, why neither sample was measured, what the one line says beside it, requests that were sent. */
const unusable: readonly [string, Chat, string, RegExp, number][] = [
  [
    "an HTML page",
    answer(200, "<!doctype html><title>Welcome to nginx!</title>", { "content-type": "text/html" }),
    "unreadable",
    /HTML or XML instead of JSON: "Welcome to nginx!".*--base-url/,
    2,
  ],
  ["nothing in a 200", answer(200, ""), "unreadable", /is empty \(HTTP 200\).*--base-url/, 2],
  [
    "no answer at all, twice",
    (response) => response.socket?.destroy(),
    "transport",
    /closed the connection without an answer.*log/,
    4,
  ],
  [
    "bytes that are no UTF-8",
    (response, streamed) => {
      response.writeHead(200, streamed ? sse : json);
      response.end(Buffer.from([0xff, 0xfe, 0x80, 0x81, 0xc3, 0x28]));
    },
    "unreadable",
    /\ufffd.*--base-url/,
    2,
  ],
  ["10 MB in one line that is no JSON", answer(200, megabyte.repeat(10)), "unreadable", /"x{80}"….*--base-url/, 2],
  [
    "a stream that never ends",
    (response, streamed) => {
      response.writeHead(200, streamed ? sse : json);
      const timer = setInterval(() => response.write(chunk({ content: "la " })), 20);
      response.on("close", () => clearInterval(timer));
    },
    "transport",
    /not complete within 600 ms.*--timeout-total/,
    2,
  ],
  [
    "comments without end",
    (response) => {
      response.writeHead(200, sse);
      const timer = setInterval(() => response.write(": ping\n\n"), 20);
      response.on("close", () => clearInterval(timer));
    },
    "transport",
    /not complete within 600 ms.*--timeout-total/,
    2,
  ],
  [
    "a stream that falls silent",
    (response) => {
      response.writeHead(200, sse);
      response.write(chunk({ content: "la" }));
    },
    "transport",
    /sent nothing for 300 ms.*--timeout-idle/,
    2,
  ],
  ["silence", () => {}, "transport", /no answer from .* within 300 ms.*--timeout-first-byte/, 2],
  [
    "a connection cut inside an event",
    (response, streamed) => {
      response.writeHead(200, streamed ? sse : json);
      const begun = streamed ? chunk({ content: "hello" }) + chunk({ content: "and" }).slice(0, 30) : brokenReply;
      response.write(begun, () => response.socket?.destroy());
    },
    "transport",
    /broke off in the middle of the answer.*log/,
    2,
  ],
  [
    "a body shorter than its head says",
    (response) => raw(response, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"),
    "transport",
    /broke off in the middle of the answer/,
    2,
  ],
  [
    "an error object inside a 200",
    (response, streamed) => {
      response.writeHead(200, streamed ? sse : json);
      const failed = JSON.stringify({ error: { message: "backend fell over", code: 500 } });
      response.end(streamed ? `${chunk({ content: "hello" })}data: ${failed}\n\n` : failed);
    },
    "transport",
    /backend fell over.*log/,
    2,
  ],
  [
    "status 999",
    (response) => raw(response, "HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nhi"),
    "transport",
    /HTTP status 999, which does not exist/,
    2,
  ],
  [
    "204 with a body",
    (response) => raw(response, "HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nhi"),
    "transport",
    /HTTP status 204 and a body, which this status cannot have/,
    2,
  ],
  ["no HTTP", (response) => raw(response, "SSH-2.0-x\r\n"), "transport", /does not speak HTTP: .*SSH-2\.0-x/, 2],
  ["a redirect", answer(302, "", { location: "http://127.0.0.1:9/" }), "unreadable", /HTTP 302/, 2],
  ["401", error(401, "Invalid API key"), "wrong_key", /HTTP 401: Invalid API key\. .*--api-key-env/, 2],
  ["404 of the model", error(404, "The model `small` does not exist."), "model_missing", /HTTP 404: .*--model/, 2],
  [
    "429 with Retry-After, twice",
    error(429, "Slow down", { "retry-after": "0" }),
    "server_unavailable",
    /HTTP 429: Slow down\. .*--concurrency 1/,
    4,
  ],
  [
    "429 with a Retry-After of a day",
    error(429, "Slow down", { "retry-after": "86400" }),
    "server_unavailable",
    /HTTP 429/,
    2,
  ],
  ["503 while loading, twice", error(503, "Loading model"), "server_unavailable", /HTTP 503: Loading model/, 4],
  ["500", error(500, "CUDA out of memory"), "transport", /HTTP 500: CUDA out of memory\. .*log/, 2],
  ["an error of a megabyte", error(500, megabyte), "transport", /HTTP 500: x{100,200}\. /, 2],
  [
    "JSON that is no reply",
    answer(200, '{"object":"chat.completion","choices":null}'),
    "unreadable",
    /no chat reply/,
    2,
  ],
];

describe("an endpoint that lists its model well and then answers chats with", () => {
  it.each(unusable)("%s: not measured, one line, nothing lost", async (_name, how, reason, line, requests) => {
    const { code, result, err, captures, exclusions } = await measure(how, ...limitNamedIn(line));
    expect(code).toBe(3);
    expect(asked).toBe(requests);
    expect(err.split("\n").filter((each) => /^lab: |^ +at |Error/.test(each))).toEqual([
      expect.stringMatching(/^lab: Only 0 of 2 planned samples could be measured\. Mostly .* at http:\S+: .*\.$/),
    ]);
    expect(err).toMatch(line);
    expect(captures).toHaveLength(2);
    expect(exclusions.map((each) => each.reason)).toEqual([reason, reason]);
    for (const { detail } of exclusions) expect(detail.length).toBeLessThan(600);
    for (const { measured, attempted, delivered, counts } of result.cells)
      expect({ measured, attempted, delivered, counts }).toEqual({
        measured: 0,
        attempted: 0,
        delivered: 0,
        counts: {},
      });
    expect(result.diagnoses.map(({ owner }) => owner)).toEqual(["network"]);
  });

  it.each<[string, string, RegExp]>([
    [
      "broken JSON between events",
      `data: {"choices":[{"delta":{"con\n\n${chunk({}, "stop")}data: [DONE]\n\n`,
      /event 2/,
    ],
    ["an orderly end inside an event", chunk({ content: "and" }).slice(0, 30), /stops inside/],
    ["an orderly end without finish_reason and [DONE]", "", /without finish_reason and \[DONE\]/],
    ["an event of 17 MB, dropped", `data: ${megabyte.repeat(17)}\n\n${chunk({}, "stop")}data: [DONE]\n\n`, /dropped/],
  ])("a stream with %s: a call may have stood there, so no call is not a refusal", async (_name, rest, detail) => {
    const { code, result, exclusions } = await measure((response, streamed) => {
      response.writeHead(200, streamed ? sse : json);
      response.end(streamed ? chunk({ content: "hello" }) + rest : completion({ content: "hello" }));
    });
    expect(code).toBe(3);
    expect(exclusions).toEqual([expect.objectContaining({ detail: expect.stringMatching(detail) })]);
    expect(result.cells.map(({ stream, measured }) => [stream, measured])).toEqual([
      [false, 1],
      [true, 0],
    ]);
  });

  it("a broken stream in which a whole call stands: the call was served, and counts", async () => {
    const calls = [{ index: 0, id: "1", function: { name: "run_python", arguments: "{}" } }];
    const { code, result } = await measure((response, streamed) => {
      response.writeHead(200, streamed ? sse : json);
      const broken = `${chunk({ tool_calls: calls })}data: {"cho\n\n${chunk({}, "tool_calls")}data: [DONE]\n\n`;
      response.end(streamed ? broken : completion({ content: null, tool_calls: calls }));
    });
    expect(code).toBe(0);
    expect(result.cells.map(({ delivered }) => delivered)).toEqual([1, 1]);
  });
});

const hostile = "=1+1 \u001b]0;owned\u0007\u001b[2J</script><script>alert(1)</script>\u202e\ud800 \u2028";

describe("model output that wants to harm its reader", () => {
  it("is kept whole and reaches neither terminal nor page nor sheet", async () => {
    const text = `${hostile} {"name": "run_python", "arguments": {"code": "${megabyte}"}}`;
    const { code, run, err, result, captures } = await measure(say(text));
    expect(code).toBe(0);
    expect(result.cells.map(({ measured }) => measured)).toEqual([1, 1]);
    const whole = captures.map((line) => JSON.parse(line)).find((capture) => capture.stream === false);
    expect(JSON.parse(whole.exchanges[0].body.utf8).choices[0].message.content).toBe(text);
    const page = readFileSync(join(run, "report.html"), "utf8");
    expect(page).not.toContain("<script>alert");
    const sheet = readFileSync(join(run, "samples.csv"), "utf8");
    for (const file of [page, err]) expect(file).not.toMatch(/[\u001b\u202e\u2028]/);
    expect(sheet).not.toMatch(/(^|[,"])=1/m);
  });
});
