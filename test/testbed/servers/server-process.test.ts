import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { type ServerCommand, startServer } from "../../../src/testbed/servers/server-process.ts";

const serving = `require("node:http").createServer((_, answer) => answer.end("ok")).listen(Number(process.argv[1]), "127.0.0.1");`;

/** A server of a few lines; `more` is code that it runs besides. */
function command(more = "", code = serving): ServerCommand {
  return {
    name: "small",
    binary: process.execPath,
    argv: ({ port }) => ["-e", more + code, String(port)],
    env: ({ home }) => ({ HOME: home }),
    readyPath: "/",
  };
}

function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

const gone = (group: number) => vi.waitFor(() => expect(isAlive(group)).toBe(false), { timeout: 15_000 });
/** A child of the server that would outlive it, as Ollama's runners might. */
const withRunner = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);`;

describe("startServer", () => {
  it("answers on a port of its own, keeps its log, and is gone with its children once stopped", async () => {
    const server = await startServer(command(`${withRunner} console.log("I am up in " + process.env.HOME);`));
    expect(await (await fetch(server.url)).text()).toBe("ok");
    const home = /I am up in (.+)/.exec(await server.log())?.[1] ?? "";
    expect(existsSync(home)).toBe(true);
    await Promise.all([server.stop(), server.stop()]);
    await gone(server.group);
    expect(existsSync(home)).toBe(false);
  });

  it("ends a server that will not be asked", async () => {
    const server = await startServer(command(`process.on("SIGTERM", () => {});`));
    await server.stop();
    await gone(server.group);
  });

  it("says what a server that did not start wrote, and keeps the log", async () => {
    const failed: unknown = await startServer(command("", `console.error("no such model"); process.exit(7);`)).catch(
      (error: unknown) => error,
    );
    const message = String(failed);
    expect(message).toMatch(/small ended before it was ready: no such model \| the server ended with code 7 /);
    const log = /\(log: (.+)\)/.exec(message)?.[1] ?? "";
    expect(await readFile(log, "utf8")).toContain("no such model");
    await rm(dirname(log), { recursive: true, force: true });
  });

  it("gives up on a server that never gets ready, and ends it", async () => {
    const failed = startServer(command("", "setInterval(() => {}, 1000)"), { timeoutMs: 300 });
    const message = String(await failed.catch((error: unknown) => error));
    expect(message).toContain("small was not ready after 0.3 s");
    await rm(dirname(/\(log: (.+)\)/.exec(message)?.[1] ?? ""), { recursive: true, force: true });
  });

  it.each(["SIGKILL", "SIGTERM"] as const)(
    "leaves nothing behind when whoever started it ends by %s",
    async (signal) => {
      const owner = startOwner("setInterval(() => {}, 1000)");
      const group = await owner.group;
      expect(isAlive(group)).toBe(true);
      owner.child.kill(signal);
      await gone(group);
      await owner.cleanUp();
    },
  );

  it("neither keeps a finished program alive nor outlives it", async () => {
    const owner = startOwner("");
    await gone(await owner.group);
    await owner.cleanUp();
  });
});

/** A program of its own that starts a server, says its group, and then does `then`. */
function startOwner(then: string) {
  const module = fileURLToPath(new URL("../../../src/testbed/servers/server-process.ts", import.meta.url));
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const code = `
    import { startServer } from ${JSON.stringify(module)};
    const server = await startServer({
      name: "small", binary: process.execPath, readyPath: "/",
      argv: ({ port }) => ["-e", ${JSON.stringify(withRunner + serving)}, String(port)],
      env: ({ home }) => ({ HOME: home }),
    });
    const { spawnSync } = await import("node:child_process");
    const folder = spawnSync("readlink", ["/proc/" + server.group + "/cwd"]).stdout.toString().trim();
    process.stdout.write(server.group + " " + folder + "\\n");
    ${then}`;
  const child = spawn(process.execPath, ["--import", tsx, "--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said = new Promise<string>((resolve) => child.stdout.once("data", (text) => resolve(String(text))));
  return {
    child,
    group: said.then((text) => Number(text.split(" ")[0])),
    /** A program that was killed could not remove its server's folder. */
    cleanUp: async () => {
      const home = (await said).trim().split(" ")[1] ?? "";
      if (home.includes("harness-lab-small-")) await rm(dirname(home), { recursive: true, force: true });
    },
  };
}
