import { spawnSync } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CompileCache } from "../../src/cli/compile-cache.ts";

// V8 compares nothing of a source but its length. So a source of the same length shows where code came from: kept code still
// answers what the first source said.
const first = "(() => 'first')()";
const other = "(() => 'other')()";
const third = "(() => 'third')()";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-compiled-"));
  file = join(folder, "program", "digest-run");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One process's use of the cache: what a script of that name answers. */
function answer(source: string, name = "part.cjs", cacheFile: string | null = file): unknown {
  const cache = new CompileCache(cacheFile);
  const said = cache.compile(name, source, join(folder, name)).runInThisContext();
  cache.keep();
  return said;
}

describe("what V8 compiled, kept between processes", () => {
  it("takes kept code back, and writes nothing where nothing is missing", () => {
    expect(answer(first)).toBe("first");
    const { ino } = statSync(file);
    expect(answer(other)).toBe("first");
    expect(statSync(file).ino).toBe(ino);
    expect(readdirSync(join(folder, "program"))).toEqual(["digest-run"]);
  });

  it("keeps scripts of earlier processes that this one did not need", () => {
    answer(first);
    expect(answer("'another'", "another.cjs")).toBe("another");
    expect(answer(other)).toBe("first");
    expect(answer("'deviant'", "another.cjs")).toBe("another");
  });

  it("compiles a source that V8 sees to be another one, and keeps it instead", () => {
    answer(first);
    expect(answer("'a longer source than the first'")).toBe("a longer source than the first");
    expect(answer("'A LONGER SOURCE THAN THE FIRST'")).toBe("a longer source than the first");
  });

  it.each([
    ["is damaged", (content: Buffer) => content.fill(0x7f, content.length - 40, content.length - 8)],
    ["is cut off", (content: Buffer) => content.subarray(0, content.length >> 1)],
    ["is empty", () => Buffer.alloc(0)],
    ["is something else", () => Buffer.from("not code at all")],
  ])("compiles anew where the file %s, and mends it", (_, damage) => {
    answer(first);
    writeFileSync(file, damage(readFileSync(file)));
    expect(answer(other)).toBe("other");
    expect(answer(third)).toBe("other");
  });

  it.runIf(process.getuid?.() === 0)("runs no code that another user has put there", () => {
    answer(first);
    chownSync(file, 12345, 12345);
    expect(answer(other)).toBe("other");
  });

  it("says nothing where it cannot keep anything", () => {
    writeFileSync(join(folder, "plain"), "");
    expect(answer(first, "part.cjs", join(folder, "plain", "program", "digest-run"))).toBe("first");
  });

  // In a process of its own: what tries for ever can be ended only from outside.
  it.runIf(process.platform === "linux")("ends where no folder can be made", () => {
    const script = `
      const { CompileCache } = await import(${JSON.stringify(new URL("../../src/cli/compile-cache.ts", import.meta.url))});
      const cache = new CompileCache("/proc/nowhere/program/digest-run");
      console.log(cache.compile("part.cjs", ${JSON.stringify(first)}, "part.cjs").runInThisContext());
      cache.keep();`;
    const argv = ["--import", "tsx", "--input-type=module", "-e", script];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", timeout: 30_000 });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "first\n", stderr: "" });
  });

  it("leaves nothing half written where the file cannot be put in its place", () => {
    mkdirSync(file, { recursive: true });
    expect(answer(first)).toBe("first");
    expect(readdirSync(join(folder, "program"))).toEqual(["digest-run"]);
    expect(readdirSync(file)).toEqual([]);
  });

  it("keeps nothing without a file", () => {
    expect(answer(first, "part.cjs", null)).toBe("first");
    expect(answer(other, "part.cjs", null)).toBe("other");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("throws away what earlier builds kept, when it is a month old", () => {
    answer(first);
    const [old, recent] = ["old", "recent"].map((name) => join(folder, "program", name)) as [string, string];
    const days = (count: number) => Date.now() / 1000 - count * 24 * 3600;
    for (const [path, age] of [
      [old, 31],
      [recent, 29],
    ] as const) {
      writeFileSync(path, "code");
      utimesSync(path, days(age), days(age));
    }
    answer("'another'", "another.cjs");
    expect(readdirSync(join(folder, "program")).sort()).toEqual(["digest-run", "recent"]);
  });
});
