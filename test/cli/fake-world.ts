import { fileURLToPath } from "node:url";
import type { World } from "../../src/cli/world.ts";

/** A process that exists only for one test: what was written is kept, the clock stands still. */
export function fakeWorld(
  given: Partial<World> & { readonly argv: readonly string[] },
): World & { out(): string; err(): string } {
  let out = "";
  let err = "";
  return {
    env: {},
    cwd: "/nowhere",
    stdout: { write: (text) => (out += text), columns: 100, terminal: null },
    stderr: { write: (text) => (err += text), columns: 100, terminal: null },
    signal: new AbortController().signal,
    clock: { now: () => 0, date: () => new Date("2025-01-31T14:25:01.000Z") },
    randomHex: () => "00c0ffee",
    labVersion: "9.8.7",
    packageFolder: fileURLToPath(new URL("../../", import.meta.url)),
    ...given,
    out: () => out,
    err: () => err,
  };
}
