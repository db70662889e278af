import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, killGroup, supervisor } from "../processes/supervisor.ts";
import { freePort } from "./free-port.ts";

/** A server of the testbed that answers. */
export interface RunningServer {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  /** Process group of the server and its children. */
  readonly group: number;
  /** File that the server's output goes to. */
  readonly logPath: string;
  /** Everything the server has written so far. */
  log(): Promise<string>;
  /** Ends the server and its children and removes its folder; with `keepLog` the folder stays. Idempotent. */
  stop(options?: { readonly keepLog?: boolean }): Promise<void>;
}

/** How a kind of server is started and known to be ready. */
export interface ServerCommand {
  readonly name: string;
  readonly binary: string;
  /** `home` is the server's own folder, removed when it stops. */
  argv(place: { readonly port: number; readonly home: string }): readonly string[];
  env(place: { readonly port: number; readonly home: string }): Readonly<Record<string, string>>;
  /** Answers 200 once the server is ready. */
  readonly readyPath: string;
}

/** A server that did not start, with its last words and where its log lies. */
export class ServerStartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ServerStartError";
  }
}

const servingUntilStopped = supervisor(`echo "the server ended with code $code"`);
const pollMs = 20;
/** A little longer than the supervisor takes to use force by itself. */
const graceMs = 5_000;

/** Starts a server on a free port in a folder of its own and waits until it is ready. Throws {@link ServerStartError}. */
export async function startServer(command: ServerCommand, { timeoutMs = 60_000 } = {}): Promise<RunningServer> {
  const folder = await mkdtemp(join(tmpdir(), `harness-lab-${command.name}-`));
  const home = join(folder, "home");
  await mkdir(home);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const logPath = join(folder, "server.log");
  const logFile = openSync(logPath, "a", 0o600);
  const child = spawn(
    "/bin/sh",
    ["-c", servingUntilStopped, command.name, command.binary, ...command.argv({ port, home })],
    {
      cwd: home,
      env: { PATH: process.env["PATH"], ...command.env({ port, home }) },
      stdio: ["pipe", logFile, logFile],
      detached: true,
    },
  );
  closeSync(logFile);
  const group = child.pid ?? 0;
  let ended = false;
  const end = new Promise<void>((resolve) => {
    const done = () => {
      ended = true;
      resolve();
    };
    child.once("exit", done);
    child.once("error", done);
  });
  // A lifeline that breaks says only that the server ended first.
  child.stdin?.on("error", () => {});
  // A server must not keep a finished program alive; the lifeline then ends with the program.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  const log = (): Promise<string> => readFile(logPath, "utf8").catch(() => "");
  const kill = async (): Promise<void> => {
    // Until it is gone, whoever waits for that must not run out of things to wait for.
    child.ref();
    child.stdin?.destroy();
    const force = setTimeout(() => killGroup(group), graceMs);
    await end;
    clearTimeout(force);
    // The supervisor used force and ended with its group; the last of it may take a moment longer. A dead process that
    // nobody has collected yet still counts as one, so this is no wait for certainty.
    for (let polls = 0; polls < 10 && isAlive(group); polls++) await sleep(pollMs);
  };
  let stopping: Promise<void> | null = null;
  const stop = (options: { readonly keepLog?: boolean } = {}): Promise<void> => {
    stopping ??= kill().then(async () => {
      if (options.keepLog !== true) await rm(folder, { recursive: true, force: true });
    });
    return stopping;
  };

  const patience = AbortSignal.timeout(timeoutMs);
  while (!patience.aborted && !ended) {
    if (await answers(url + command.readyPath)) return { url, group, logPath, log, stop };
    await sleep(pollMs);
  }
  const why = ended ? "ended before it was ready" : `was not ready after ${timeoutMs / 1000} s`;
  await stop({ keepLog: true });
  const words = (await log()).trim().split("\n").slice(-3).join(" | ");
  throw new ServerStartError(`${command.name} ${why}: ${words} (log: ${logPath})`);
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000), headers: { connection: "close" } });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
