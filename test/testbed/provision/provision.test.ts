import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cacheFolder, installFolder } from "../../../src/testbed/provision/cache.ts";
import { clientRecipes } from "../../../src/testbed/provision/clients.ts";
import { install, installedServer } from "../../../src/testbed/provision/install.ts";
import { wheelProblem } from "../../../src/testbed/provision/platform.ts";
import type { InstallWorld, Recipe } from "../../../src/testbed/provision/recipe.ts";
import { runCommand } from "../../../src/testbed/provision/run-command.ts";

let cache = "";
let said: string[] = [];
let filled = 0;
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), "lab-provision-"));
  said = [];
  filled = 0;
});
afterEach(() => rm(cache, { recursive: true, force: true }));

const world = (): InstallWorld => ({ env: {}, cache, seconds: () => 0, say: (line) => said.push(line) });

function recipe(more: Partial<Recipe> = {}): Recipe {
  return {
    name: "thing",
    version: "1.2.3",
    source: "nowhere",
    unfit: async () => null,
    fill: async (folder) => {
      filled++;
      await writeFile(join(folder, "binary"), "x".repeat(2_000_000));
      return { paths: { binary: join(folder, "binary") }, bytes: { binary: 2_000_000 } };
    },
    ...more,
  };
}

describe("install", () => {
  it("fills the cache once, and says version, sizes and place each time", async () => {
    const first = await install(recipe(), world());
    const again = await install(recipe(), world());
    expect(filled).toBe(1);
    expect(again).toEqual(first);
    const folder = installFolder(cache, "thing", "1.2.3");
    expect(said).toEqual([
      "thing 1.2.3: fetching nowhere",
      `thing 1.2.3 (2 MB, binary 2 MB): installed in 0 s into ${folder}`,
      `thing 1.2.3 (2 MB, binary 2 MB): already installed in ${folder}`,
    ]);
  });

  it("begins anew after an interrupted installation, a lost file, and a changed source", async () => {
    const broken = recipe({
      fill: async (folder) => {
        await writeFile(join(folder, "half"), "");
        throw new Error("the line went dead");
      },
    });
    await expect(install(broken, world())).rejects.toThrow("the line went dead");
    expect(await installedServer(recipe(), cache)).toBeNull();
    const { paths } = await install(recipe(), world());
    await rm(paths["binary"] ?? "");
    expect(await installedServer(recipe(), cache)).toBeNull();
    await install(recipe(), world());
    expect(await installedServer(recipe({ source: "elsewhere" }), cache)).toBeNull();
    expect(filled).toBe(2);
  });

  it("says in one line why a machine cannot have it, and leaves nothing behind", async () => {
    const unfit = recipe({ unfit: async () => "go was not found; it is built from source" });
    await expect(install(unfit, world())).rejects.toMatchObject({
      reason: "unfit",
      message: "thing cannot be installed here: go was not found; it is built from source",
    });
    expect(await installedServer(unfit, cache)).toBeNull();
  });

  it("waits for nobody: a second installation is refused, one whose process is gone is taken over", async () => {
    const lock = `${installFolder(cache, "thing", "1.2.3")}.lock`;
    await mkdir(join(cache, "servers"), { recursive: true });
    await writeFile(lock, String(process.pid));
    await expect(install(recipe(), world())).rejects.toThrow(
      new RegExp(`another installation is at work on .+ \\(process ${process.pid}\\); wait for it`),
    );
    // No process has this number: it is above every limit that systems set.
    await writeFile(lock, "2000000000");
    await install(recipe(), world());
    expect(filled).toBe(1);
  });
});

describe("where a recipe lies", () => {
  it("keeps clients apart from servers of the same name", async () => {
    const server = await install(recipe(), world());
    const client = await install(recipe({ shelf: "clients" }), world());
    expect(filled).toBe(2);
    expect(server.paths["binary"]).toBe(join(cache, "servers", "thing-1.2.3", "binary"));
    expect(client.paths["binary"]).toBe(join(cache, "clients", "thing-1.2.3", "binary"));
  });

  it("has one name and one exact version for each client", () => {
    const names = clientRecipes.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { version, shelf } of clientRecipes) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(shelf).toBe("clients");
    }
  });
});

describe.each(["servers", "clients"])("npm run %s", (command) => {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const run = (...argv: readonly string[]) =>
    spawnSync(process.execPath, ["--import", "tsx", join("scripts", `${command}.mjs`), ...argv], {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, HARNESS_LAB_CACHE: cache },
    });

  it("refuses what it does not have in one line, before anything is fetched", () => {
    const { status, stdout, stderr } = run("install", "all", "thing");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^${command}: there is no \\w+ "thing" to install \\(.+\\)\n$`));
  });

  it("lists what is not there, too", () => {
    const { status, stdout } = run("list");
    expect(status).toBe(0);
    for (const line of stdout.trim().split("\n")) expect(line).toMatch(/^[\w-]+ \S+: not installed$/);
  });
});

describe("wheelProblem", () => {
  it.each([
    [{ os: "linux", arch: "x64", glibc: "2.35" }, null],
    [{ os: "linux", arch: "x64", glibc: "2.41" }, null],
    [{ os: "linux", arch: "x64", glibc: "3.0" }, null],
    [{ os: "linux", arch: "x64", glibc: "2.31" }, "this system has glibc 2.31"],
    [{ os: "linux", arch: "x64", glibc: null }, "this system has another C library"],
    [{ os: "linux", arch: "arm64", glibc: "2.36" }, "this is linux on arm64"],
    [{ os: "darwin", arch: "x64", glibc: null }, "this is darwin on x64"],
  ])("%j: %s", (platform, problem) => {
    const needs = "the prebuilt llama-server needs Linux on x86_64 with glibc 2.35 or newer; ";
    expect(wheelProblem(platform)).toBe(problem === null ? null : needs + problem);
  });
});

describe("cacheFolder", () => {
  it("is where HARNESS_LAB_CACHE says, else in the home", () => {
    expect(cacheFolder({ HARNESS_LAB_CACHE: "/some/where" })).toBe("/some/where");
    expect(cacheFolder({ HARNESS_LAB_CACHE: "" })).toMatch(/\.cache\/harness-lab$/);
    expect(cacheFolder({})).toMatch(/\.cache\/harness-lab$/);
  });
});

describe("runCommand", () => {
  it("gives what was written, and on failure the end of it", async () => {
    const options = { env: process.env };
    expect(await runCommand(process.execPath, ["-e", "console.log(6 * 7)"], options)).toBe("42");
    await expect(
      runCommand(process.execPath, ["-e", "console.error('no disk'); process.exit(3)"], options),
    ).rejects.toThrow(/ended with 3: no disk$/);
    await expect(runCommand("/nowhere/at/all", [], options)).rejects.toThrow(/could not be started/);
  });
});
