// The only place of the program that reads the process (arguments, environment, signals) and the only one that sets its exit code.
import { randomBytes } from "node:crypto";
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commands } from "./commands/index.ts";
import { exitCodes } from "./errors.ts";
import { program, reportInternal } from "./program.ts";
import type { Output, World } from "./world.ts";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(`${packageFolder}package.json`, "utf8")) as { version: string };
const interruption = new AbortController();
let outputLost = false;

const world: World = {
  env: process.env,
  cwd: process.cwd(),
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  signal: interruption.signal,
  clock: { now: () => performance.now(), date: () => new Date() },
  randomHex: () => randomBytes(4).toString("hex"),
  labVersion: manifest.version,
  packageFolder,
  argv: process.argv.slice(2),
};

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // A command that does not wait for the signal has nothing in flight that would be worth finishing.
    const idle = getEventListeners(interruption.signal, "abort").length === 0;
    if (interruption.signal.aborted || idle) process.exit(exitCodes.interrupted);
    interruption.abort();
  });
}
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => process.exit(reportInternal(error, world)));
}

void program(commands, world).then((exitCode) => {
  process.exitCode = outputLost ? exitCode || exitCodes.notMeasured : exitCode;
});

function output(stream: NodeJS.WriteStream): Output {
  let closed = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that has gone away (`lab report … | head`) is no fault of the command: its exit code stays its own.
    if (error.code !== "EPIPE" && !closed) loseOutput(stream, error);
    closed = true;
  });
  return {
    write: (text) => {
      if (!closed) stream.write(text);
    },
    columns: stream.columns || 100,
    terminal: stream.isTTY === true ? stream : null,
  };
}

/** Output that goes into a file on a full disk: said once, and no success. */
function loseOutput(stream: NodeJS.WriteStream, error: Error): void {
  outputLost = true;
  process.exitCode ||= exitCodes.notMeasured;
  if (stream === process.stdout) process.stderr.write(`lab: the output cannot be written (${error.message})\n`);
}
