import { chmodSync, closeSync, openSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TurnTrace } from "../adapter/trace.ts";
import { makeFolder } from "../lab/capture/make-folder.ts";
import { createRedactor } from "../lab/capture/redact.ts";
import { storeError } from "../lab/capture/store-error.ts";
import { oneLine, UserError } from "./errors.ts";
import type { World } from "./world.ts";

/** Where traces go. */
export interface TraceFile {
  /** Never throws: a trace that cannot be kept must not cost the client its answer. The first failure is told, once. */
  write(trace: TurnTrace): void;
  close(): void;
}

/** Opens a file of JSON lines for this run of the adapter, readable by its owner alone; keys are removed on the way in. @throws UserError */
export async function openTraceFile(
  folder: string,
  world: Pick<World, "cwd" | "clock" | "randomHex">,
  onFailure: (line: string) => void,
): Promise<TraceFile> {
  const redactor = createRedactor({});
  let file: number;
  let name: string;
  try {
    const path = resolve(world.cwd, folder);
    await makeFolder(path, 0o700);
    const day = world.clock.date().toISOString().replace(/[:.]/g, "-");
    name = join(path, `adapter-${day}-${world.randomHex()}.jsonl`);
    file = openSync(name, "ax", 0o600);
    chmodSync(name, 0o600);
  } catch (error) {
    throw new UserError(`--trace-dir: ${oneLine(error)}`, { cause: error });
  }
  let failed = false;
  return {
    write(trace) {
      const line = Buffer.from(`${redactor.text(JSON.stringify(trace))}\n`);
      try {
        // A disk with little room takes a part without a word; asked for the rest, it says so.
        for (let written = 0; written < line.length; ) written += writeSync(file, line, written);
      } catch (error) {
        if (!failed) onFailure(`traces are not kept any more: ${storeError(name, error).message}`);
        failed = true;
      }
    },
    close: () => closeSync(file),
  };
}
