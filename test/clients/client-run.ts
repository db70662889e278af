import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LoopbackProxy, startLoopbackProxy } from "../../src/testbed/processes/loopback-proxy.ts";
import { type FinishedProgram, runProgram } from "../../src/testbed/processes/run-program.ts";

/** Where one run of a client takes place: folders of its own, and a proxy that lets it reach this machine alone. */
export interface Place {
  readonly home: string;
  /** The folder that the client works in. */
  readonly work: string;
  readonly proxy: LoopbackProxy;
}

/** Long enough for a busy machine; a client that hangs is ended by it. */
const timeLimitMs = 240_000;

/** Makes a place for as long as `use` takes. */
export async function inPlace<Result>(use: (place: Place) => Promise<Result>): Promise<Result> {
  // Codex puts no helpers below the system's temporary folder and says so in every run; that does no harm.
  const folder = await mkdtemp(join(tmpdir(), "harness-lab-client-"));
  const place = { home: join(folder, "home"), work: join(folder, "work"), proxy: await startLoopbackProxy() };
  await Promise.all([mkdir(place.home), mkdir(place.work)]);
  try {
    return await use(place);
  } finally {
    await place.proxy.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a client in its place to its end. */
export function runClient(
  { home, work, proxy }: Place,
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<FinishedProgram> {
  return runProgram({
    command,
    cwd: work,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      LANG: "C.UTF-8",
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      http_proxy: proxy.url,
      https_proxy: proxy.url,
      NO_PROXY: "127.0.0.1",
      no_proxy: "127.0.0.1",
      ...env,
    },
    timeLimitMs,
  });
}
