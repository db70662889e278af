import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../src/http/listen.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { startLab } from "./lab-process.ts";
import { smallServer } from "./small-server.ts";

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "lab-process-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function firstLine(child: ReturnType<typeof startLab>["child"]): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (piece: string) => {
      text += piece;
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    child.on("close", () => reject(new Error("ended before its first line")));
  });
}

describe("the program as a process", () => {
  it("keeps its exit code and stays quiet when the reader of its output goes away", async () => {
    const { child, ended } = startLab(["scenarios", "schema"], cwd);
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });

  it.runIf(existsSync("/dev/full"))("says so in one line where its output cannot be written", async () => {
    const full = openSync("/dev/full", "w");
    const { ended } = startLab(["scenarios", "schema"], cwd, full);
    expect(await ended).toEqual({ code: 3, stdout: "", stderr: expect.stringMatching(/^lab: .*ENOSPC.*\n$/) });
    closeSync(full);
  });

  it("answers --version although nothing else is there to be read", async () => {
    const { code, stdout, stderr } = await startLab(["--version"], cwd).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("serves a profile, lets itself be measured with one pure JSON object, and stops at the first signal", async () => {
    writeFileSync(
      join(cwd, "profile.yaml"),
      "server: { kind: openai }\nmodels:\n  plain: { format: hermes, default: { text: 'I would rather not.' } }\n",
    );
    const simulator = startLab(["simulate", "--profile", "profile.yaml"], cwd);
    const line = await firstLine(simulator.child);
    expect(line).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+ {2}models: plain$/);
    const url = /http:\S+/.exec(line)?.[0] ?? "";
    const argv = [
      "run",
      "--base-url",
      url,
      "--suite",
      "contract-matrix",
      "--scenario",
      "prime-sum-known-en",
      "--trials",
      "1",
      "--json",
    ];
    const run = await startLab(argv, cwd).ended;
    expect(run.code).toBe(0);
    expect(run.stdout.split("\n")).toHaveLength(2);
    const object = JSON.parse(run.stdout);
    expect(readdirSync(join(cwd, "results"))).toEqual([object.run]);
    expect(readdirSync(join(cwd, "reports", object.run))).toContain("report.html");
    expect(run.stderr).toContain(join("reports", object.run, "report.html"));
    simulator.child.kill("SIGTERM");
    expect(await simulator.ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("finishes what is in flight at the first Ctrl-C and ends with 130", async () => {
    let arrived = 0;
    let underWay = () => {};
    const fifthRequest = new Promise<void>((resolve) => {
      underWay = resolve;
    });
    const listener = await listen(
      smallServer({
        onChat: async () => {
          arrived += 1;
          if (arrived === 5) underWay();
          await new Promise((resolve) => setTimeout(resolve, 50));
        },
      }),
      { port: 0 },
    );
    try {
      const argv = [
        "run",
        "--base-url",
        listener.url,
        "--model",
        "small",
        "--suite",
        "contract-matrix",
        "--trials",
        "100",
      ];
      const lab = startLab([...argv, "--json", "--out", "interrupted"], cwd);
      await fifthRequest;
      lab.child.kill("SIGINT");
      const ended = await lab.ended;
      expect(ended.code).toBe(130);
      const object = JSON.parse(ended.stdout);
      expect(object.measured).toBeGreaterThan(0);
      expect(object.measured).toBeLessThan(object.planned);
      expect(ended.stderr).toContain("Interrupted: ");
    } finally {
      await listener.close();
    }
  });

  it("stops at once at the second Ctrl-C", async () => {
    let underWay = () => {};
    const firstRequest = new Promise<void>((resolve) => {
      underWay = resolve;
    });
    const silent: Handler = () => {
      underWay();
      return new Promise(() => {});
    };
    const listener = await listen(silent, { port: 0 });
    try {
      const lab = startLab(["run", "--base-url", listener.url, "--model", "small", "--out", "stopped"], cwd);
      await firstRequest;
      const heard = new Promise<void>((resolve) => {
        lab.child.stderr?.on("data", (text: string) => {
          if (text.includes("Ctrl-C again")) resolve();
        });
      });
      lab.child.kill("SIGINT");
      await heard;
      lab.child.kill("SIGINT");
      expect((await lab.ended).code).toBe(130);
    } finally {
      await listener.close();
    }
  });
});
