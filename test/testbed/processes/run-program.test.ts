import { readFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { runProgram } from "../../../src/testbed/processes/run-program.ts";

const env = { PATH: process.env["PATH"] ?? "", WORD: "hello" };
const node = (code: string, timeLimitMs = 20_000) =>
  runProgram({ command: [process.execPath, "-e", code], cwd: "/", env, timeLimitMs });

/** Moves to a session of its own, as clients do with the commands that they run, and stays. */
const daemon = `const daemon = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "inherit" }); daemon.unref();`;

describe("runProgram", () => {
  it("gives what was said on each stream and the exit code, with nothing on the standard input", async () => {
    const code = `process.stdin.on("data", () => {}).on("end", () => { console.log(process.env.WORD, process.cwd()); console.error("oh"); process.exitCode = 3; });`;
    expect(await node(code)).toEqual({
      exitCode: 3,
      timedOut: false,
      stdout: "hello /\n",
      stderr: "oh\n",
      leftBehind: [],
    });
  });

  it("ends a program that takes too long, also one that will not be asked", async () => {
    const stubborn = `process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000);`;
    const ended = await node(stubborn, 1_500);
    expect(ended).toMatchObject({ exitCode: null, timedOut: true, leftBehind: [] });
  });

  it.runIf(process.platform === "linux")("finds and ends what left the group, and says what it was", async () => {
    const ended = await node(`${daemon} console.log(daemon.pid);`);
    expect(ended).toMatchObject({ exitCode: 0, leftBehind: [expect.stringContaining("setInterval")] });
    // One that has ended and that nobody has collected yet has no words any more.
    const words = () => readFile(`/proc/${ended.stdout.trim()}/cmdline`, "utf8").catch(() => "");
    await vi.waitFor(async () => expect(await words()).toBe(""));
  });

  it("says so where there is no such program", async () => {
    const ended = await runProgram({ command: ["/nowhere/at/all"], cwd: "/", env, timeLimitMs: 20_000 });
    expect(ended.exitCode).toBe(127);
  });
});
