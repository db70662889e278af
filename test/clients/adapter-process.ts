import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { TurnTrace } from "../../src/adapter/trace.ts";
import { type Listener, listen } from "../../src/http/listen.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../src/protocol/json.ts";
import { startServer } from "../../src/testbed/servers/server-process.ts";

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

/** `lab adapter` as a process of its own. */
export interface AdapterProcess {
  readonly url: string;
  /** Traces of all turns so far, as the trace file has them. */
  traces(): readonly TurnTrace[];
  stop(): Promise<void>;
}

/** Starts `lab adapter` in front of a model server. */
export async function startAdapter(upstreamUrl: string): Promise<AdapterProcess> {
  let folder = "";
  const server = await startServer({
    name: "adapter",
    binary: process.execPath,
    argv: ({ port, home }) => {
      folder = join(home, "traces");
      const options = ["--upstream", `${upstreamUrl}/v1`, "--port", String(port), "--trace-dir", folder];
      return ["--import", tsx, main, "adapter", ...options];
    },
    env: ({ home }) => ({ HOME: home, LANG: "C.UTF-8" }),
    readyPath: "/health",
  });
  return {
    url: server.url,
    traces: () =>
      readdirSync(folder)
        .flatMap((file) => readFileSync(join(folder, file), "utf8").trim().split("\n"))
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as TurnTrace),
    stop: () => server.stop(),
  };
}

/** A model server on a socket whose model is changed from test to test, and which keeps what it was asked. */
export interface ChangingServer {
  readonly url: string;
  /** From now on this answers; what was asked before is forgotten. */
  play(handler: Handler): void;
  /** Bodies of the chat requests since then. */
  readonly asked: readonly JsonObject[];
  close(): Promise<void>;
}

export async function startChangingServer(first: Handler): Promise<ChangingServer> {
  let current = first;
  const asked: JsonObject[] = [];
  const listener: Listener = await listen(async (request) => {
    if (request.url.includes("/chat/completions")) {
      const body = parseJson(await request.clone().text());
      if (isJsonObject(body)) asked.push(body);
    }
    return current(request);
  });
  return {
    url: listener.url,
    play(handler) {
      current = handler;
      asked.length = 0;
    },
    asked,
    close: () => listener.close(),
  };
}
