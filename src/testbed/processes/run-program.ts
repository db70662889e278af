import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { killGroup, supervisor } from "./supervisor.ts";

/** What is run, and what it may see. */
export interface ProgramRun {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** After this many milliseconds it is ended, first asked, then forced. */
  readonly timeLimitMs: number;
}

/** How a program ended. */
export interface FinishedProgram {
  /** Null where it was ended by us. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Command lines of processes that it had started and left running outside its group; they are ended, too. Seen on Linux alone. */
  readonly leftBehind: readonly string[];
}

const reportingItsCode = supervisor(`echo "$code" >&4`);
/** A little longer than the supervisor takes to use force by itself. */
const graceMs = 5_000;
/** Inherited by everything that a program starts, whatever group or session it moves to. */
const mark = "HARNESS_LAB_RUN";

/**
 * Runs a program to its end with an empty standard input. When this resolves, and on every other way out of this process, nothing
 * that the program started in its process group is running; what moved out of the group is found by its environment.
 */
export async function runProgram({ command, cwd, env, timeLimitMs }: ProgramRun): Promise<FinishedProgram> {
  const run = randomUUID();
  const child = spawn("/bin/sh", ["-c", reportingItsCode, ...[command[0], ...command]], {
    cwd,
    env: { ...env, [mark]: run },
    stdio: ["pipe", "pipe", "pipe", "ignore", "pipe"],
    detached: true,
  });
  const [lifeline, output, errors, , codes] = child.stdio as unknown as [Writable, Readable, Readable, null, Readable];
  // A lifeline that breaks says only that the program ended first.
  lifeline.on("error", () => {});
  const stdout = reading(output);
  const stderr = reading(errors);
  const code = reading(codes);
  const closed = once(child, "close");
  let timedOut = false;
  let force: NodeJS.Timeout | undefined;
  const limit = setTimeout(() => {
    timedOut = true;
    lifeline.destroy();
    force = setTimeout(() => killGroup(child.pid ?? 0), graceMs);
  }, timeLimitMs);
  await once(child, "exit");
  clearTimeout(limit);
  clearTimeout(force);
  // What is left would hold the pipes open.
  const leftBehind = await endMarked(run, child.pid ?? 0);
  await closed;
  const said = code().trim();
  return {
    exitCode: said === "" || timedOut ? null : Number(said),
    timedOut,
    stdout: stdout(),
    stderr: stderr(),
    leftBehind,
  };
}

/** Reads a stream to its end, and gives what has come so far. */
function reading(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  return () => text;
}

/**
 * Ends every process that carries the mark of a run and is not of its group, which has been ended by then, and gives their command
 * lines. One may have started another meanwhile.
 */
async function endMarked(run: string, group: number): Promise<readonly string[]> {
  // By process: one that has been ended may still be there at the next look.
  const ended = new Map<string, string>();
  for (let before = -1; before !== ended.size; ) {
    before = ended.size;
    await endMarkedNow(run, group, ended);
  }
  return [...ended.values()];
}

async function endMarkedNow(run: string, group: number, ended: Map<string, string>): Promise<void> {
  for (const pid of await readdir("/proc").catch((): string[] => [])) {
    if (!/^\d+$/.test(pid) || ended.has(pid)) continue;
    const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
    if (!(await read("environ")).split("\0").includes(`${mark}=${run}`)) continue;
    const words = await read("cmdline");
    // Behind the name in parentheses stand state, parent and group. Without words it has ended, and waits to be collected.
    const [, , itsGroup] = (await read("stat")).replace(/^.*\) /s, "").split(" ");
    if (words === "" || Number(itsGroup) === group) continue;
    try {
      process.kill(Number(pid), "SIGKILL");
      ended.set(pid, words.replaceAll("\0", " ").trim());
    } catch {
      // It ended by itself in the meantime.
    }
  }
}
