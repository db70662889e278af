import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolder, makeFolderNow } from "../../../src/lab/capture/make-folder.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lab-folder-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("making a folder", () => {
  it("makes what is missing above it, with the rights asked for, and says whether it was new", async () => {
    const path = join(folder, "a", "b", "c");
    expect(await makeFolder(path, 0o700)).toBe(true);
    for (const made of [path, join(folder, "a")]) expect((await stat(made)).mode & 0o777).toBe(0o700);
    expect(await makeFolder(path)).toBe(false);
    expect(await makeFolder("/")).toBe(false);
  });

  it("is made by one of several at once", async () => {
    const path = join(folder, "x", "y");
    const made = await Promise.all(Array.from({ length: 8 }, () => makeFolder(path)));
    expect(made.filter(Boolean)).toHaveLength(1);
  });

  it("refuses where a file stands in the way", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    await expect(makeFolder(file)).rejects.toMatchObject({ code: "EEXIST" });
    await expect(makeFolder(join(file, "below"))).rejects.toMatchObject({ code: "ENOTDIR" });
    await expect(makeFolder(join(file, "below", "further"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  it.skipIf(process.getuid?.() === 0)("refuses where nobody may write", async () => {
    await chmod(folder, 0o500);
    await expect(makeFolder(join(folder, "a", "b"))).rejects.toMatchObject({ code: "EACCES" });
  });

  it.runIf(process.platform === "linux")("ends where the system has no such folders at all", async () => {
    await expect(makeFolder("/proc/nowhere")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(makeFolder("/proc/nowhere/further/below")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("waits for nothing where a process is about to end", async () => {
    const path = join(folder, "a", "b", "c");
    makeFolderNow(path);
    makeFolderNow(path);
    expect((await stat(path)).isDirectory()).toBe(true);
    const file = join(folder, "file");
    await writeFile(file, "");
    expect(() => makeFolderNow(join(file, "below"))).toThrow("ENOTDIR");
  });
});
