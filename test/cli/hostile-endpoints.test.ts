import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
async function measure(with_: Chat, ...more: readonly string[]) {
  chat = with_;
  asked = 0;
  runs += 1;
  const out = join(folder, `run-${runs}`);
  const where = ["--base-url", url, "--model", "small", "--scenarios", join(folder, "own")];
  const what = ["--suite", "modes", "--trials", "1", "--out", out, "--seed", "s", "--lang", "en"];
  const limits = ["--timeout-first-byte", "0.3", "--timeout-idle", "0.3", "--timeout-total", "1"];
  const world = fakeWorld({
    argv: ["run", ...where, ...what, ...limits, ...more],
    cwd: process.cwd(),
    randomHex: () => "abcd1234",
    clock: { now: () => performance.now(), date: () => new Date() },
  });
  const code = await program(commands, world);
  return { code, out: world.out(), err: world.err(), folder: out };
}

describe("debug", () => {
  const cases: [string, Chat][] = [
    ["html", answer(200, "<!doctype html><title>Welcome to nginx!</title><p>hi", { "content-type": "text/html" })],
    ["empty 200", answer(200, "")],
    ["no answer at all", (response) => response.socket?.destroy()],
    [
      "invalid utf-8",
      (response, streamed) => {
        response.writeHead(200, streamed ? sse : json);
        response.end(Buffer.from([0xff, 0xfe, 0x80, 0x81, 0x7b, 0xc3, 0x28]));
      },
    ],
    [
      "invalid utf-8 inside a reply",
      (response, streamed) => {
        response.writeHead(200, streamed ? sse : json);
        const whole = streamed
          ? `${chunk({ content: "a@b" })}${chunk({}, "stop")}data: [DONE]\n\n`
          : completion({ content: "a@b" });
        const bytes = Buffer.from(whole);
        bytes[bytes.indexOf("@")] = 0xff;
        response.end(bytes);
      },
    ],
    ["10 MB line, no JSON", answer(200, megabyte.repeat(10))],
    ["10 MB line, reply", say(megabyte.repeat(10))],
    [
      "never-ending stream",
      (response, streamed) => {
        response.writeHead(200, streamed ? sse : json);
        const timer = setInterval(() => response.write(chunk({ content: "la " })), 20);
        response.on("close", () => clearInterval(timer));
      },
    ],
    [
      "never-ending comments",
      (response) => {
        response.writeHead(200, sse);
        const timer = setInterval(() => response.write(": ping\n\n"), 20);
        response.on("close", () => clearInterval(timer));
      },
    ],
    [
      "stops sending",
      (response) => {
        response.writeHead(200, sse);
        response.write(chunk({ content: "la" }));
      },
    ],
    [
      "cut mid-event",
      (response, streamed) => {
        response.writeHead(200, streamed ? sse : json);
        const text = streamed
          ? chunk({ content: "hello there" }) + chunk({ content: "and so on" }).slice(0, 30)
          : completion({ content: "hello" }).slice(0, 30);
        response.write(text, () => response.socket?.destroy());
      },
    ],
    [
      "cut politely mid-event",
      (response, streamed) => {
        response.writeHead(200, streamed ? sse : json);
        response.end(
          streamed
            ? chunk({ content: "hello there" }) + chunk({ content: "and so on" }).slice(0, 30)
            : completion({ content: "hello" }).slice(0, 30),
        );
      },
    ],
    [
      "broken JSON in data",
      (response, streamed) => {
        response.writeHead(200, streamed ? sse : json);
        response.end(streamed ? 'data: {"choices":[{"delta":{"con\n\ndata: [DONE]\n\n' : '{"choices":[{"mess');
      },
    ],
    [
      "broken JSON in data between",
      (response, streamed) => {
        response.writeHead(200, streamed ? sse : json);
        response.end(
          streamed
            ? `${chunk({ content: "hello" })}data: {"choices":[{"delta":{"con\n\n${chunk({}, "stop")}data: [DONE]\n\n`
            : '{"choices":[{"mess',
        );
      },
    ],
    [
      "error object in a 200 stream",
      (response, streamed) => {
        response.writeHead(200, streamed ? sse : json);
        response.end(
          streamed
            ? `${chunk({ content: "hello" })}data: {"error":{"message":"backend fell over","type":"server_error","code":500}}\n\n`
            : '{"error":{"message":"backend fell over"}}',
        );
      },
    ],
    ["status 999", (response) => raw(response, "HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nhi")],
    ["204 with a body", (response) => raw(response, "HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nhi")],
    ["204", answer(204, "")],
    ["no http", (response) => raw(response, "SSH-2.0-OpenSSH_9.2\r\n")],
    [
      "wrong length",
      (response) =>
        raw(response, 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"choices":'),
    ],
    ["redirect", answer(302, "", { location: "http://127.0.0.1:9/" })],
    ["401", error(401, "Invalid API key")],
    ["403", error(403, "Forbidden")],
    ["404 model", error(404, "The model `small` does not exist.")],
    ["429 ra", error(429, "Rate limit reached", { "retry-after": "0" })],
    ["429 ra huge", error(429, "Rate limit reached", { "retry-after": "86400" })],
    ["429", error(429, "Rate limit reached")],
    ["503 loading", error(503, "Loading model")],
    ["500", error(500, "CUDA out of memory")],
    ["never answers", () => {}],
    ["null choices", answer(200, '{"object":"chat.completion","choices":null}')],
    ["choices []", answer(200, '{"object":"chat.completion","choices":[]}')],
    ["[]", answer(200, "[]")],
    ["null", answer(200, "null")],
  ];
  it.each(cases)(
    "%s",
    async (name, how) => {
      const t = performance.now();
      const got = await measure(how);
      if (got.err.includes("Only") === false) console.log(got.err);
      const captures = readFileSync(
        join(got.folder, (await import("node:fs")).readdirSync(got.folder)[0]!, "captures.jsonl"),
        "utf8",
      )
        .trim()
        .split("\n").length;
      console.log(
        `##### ${name} code=${got.code} asked=${asked} captures=${captures} ${Math.round(performance.now() - t)}ms\n${got.err.replace(/^/gm, "E ")}\n${got.out
          .split("\n")
          .filter((l) => !/^$|evidence|harness-lab|small \/|^3\/3|What was not|Run:|Report|Next/.test(l))
          .join("\n")}`,
      );
      expect(got.code).toBe(got.code);
    },
    20000,
  );
});
