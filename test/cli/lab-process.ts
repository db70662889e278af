import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

/** How a process of the program ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program as a process of its own, from its sources. `stdout` may be an open file in place of a pipe. */
export function startLab(
  argv: readonly string[],
  cwd: string,
  stdout: "pipe" | number = "pipe",
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, ["--import", tsx, main, ...argv], {
    cwd,
    env: { ...process.env, LANG: "C", LC_ALL: "C" },
    stdio: ["ignore", stdout, "pipe"],
  });
  let output = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, stdout: output, stderr })));
  return { child, ended };
}
