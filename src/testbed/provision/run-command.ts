import { spawn } from "node:child_process";
import { ProvisionError } from "./provision-error.ts";

/** Where and with what surroundings a command runs. `env` is the whole environment. */
export interface CommandOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
}

/** Characters of a failed command's output that go into the error. */
const shownOutput = 600;

/** Runs a command and resolves with what it wrote to stdout. Throws {@link ProvisionError} with the end of its output. */
export function runCommand(command: string, argv: readonly string[], options: CommandOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...argv], {
      env: { ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let both = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      both += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      both += text;
    });
    child.on("error", (error) => {
      reject(new ProvisionError("failed", `${command} could not be started: ${error.message}`));
    });
    child.on("close", (code, signal) => {
      if (code === 0) {
        resolve(stdout.trim());
        return;
      }
      const tail = both.trim().slice(-shownOutput);
      reject(
        new ProvisionError(
          "failed",
          `${[command, ...argv].join(" ")} ended with ${code ?? signal ?? "no code"}: ${tail}`,
        ),
      );
    });
  });
}

/** The first of these programs that starts and says its version; null where none does. */
export async function firstProgram(
  candidates: readonly string[],
  versionFlag: string,
  options: CommandOptions,
): Promise<string | null> {
  for (const candidate of candidates) {
    const works = await runCommand(candidate, [versionFlag], options).then(
      () => true,
      () => false,
    );
    if (works) return candidate;
  }
  return null;
}
