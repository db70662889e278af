import { chmodSync, closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TurnTrace } from "../adapter/trace.ts";
import { createRedactor } from "../lab/capture/redact.ts";
import { oneLine, UserError } from "./errors.ts";
import type { World } from "./world.ts";

/** Where traces go. */
export interface TraceFile {
  write(trace: TurnTrace): void;
  close(): void;
}

/** Opens a file of JSON lines for this run of the adapter, readable by its owner alone; keys are removed on the way in. @throws UserError */
export function openTraceFile(folder: string, world: Pick<World, "cwd" | "clock" | "randomHex">): TraceFile {
  const redactor = createRedactor({});
  let file: number;
  try {
    const path = resolve(world.cwd, folder);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const day = world.clock.date().toISOString().replace(/[:.]/g, "-");
    const name = join(path, `adapter-${day}-${world.randomHex()}.jsonl`);
    file = openSync(name, "ax", 0o600);
    chmodSync(name, 0o600);
  } catch (error) {
    throw new UserError(`--trace-dir: ${oneLine(error)}`, { cause: error });
  }
  return {
    write: (trace) => void writeSync(file, `${redactor.text(JSON.stringify(trace))}\n`),
    close: () => closeSync(file),
  };
}
