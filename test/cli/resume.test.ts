import type { ChildProcess } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { type Listener, listen } from "../../src/http/listen.ts";
import { notedRequests, requestAccount } from "../../src/lab/capture/account.ts";
import { openRun } from "../../src/lab/capture/open-run.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { simulate } from "../simulator/support.ts";
import { fakeWorld } from "./fake-world.ts";
import { startLab } from "./lab-process.ts";
import { smallServer } from "./small-server.ts";

/** Deaths in `npm test`; LAB_TEST_LONG=1 (npm run test:long) dies more often. */
const deaths = process.env["LAB_TEST_LONG"] === "1" ? 50 : 10;

let folder = "";
let listeners: Listener[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-resume-"));
});
afterEach(async () => {
  await Promise.all(listeners.map((listener) => listener.close()));
  listeners = [];
  rmSync(folder, { recursive: true, force: true });
});

async function serve(handler: Handler): Promise<Listener> {
  const listener = await listen(handler, { port: 0 });
  listeners.push(listener);
  return listener;
}

async function lab(argv: readonly string[], signal?: AbortSignal) {
  const world = fakeWorld({
    argv,
    cwd: folder,
    clock: { now: () => performance.now(), date: () => new Date() },
    ...(signal === undefined ? {} : { signal }),
  });
  const code = await program(commands, world);
  return { code, out: world.out(), err: world.err() };
}

const lines = (text: string) => text.split("\n").filter((line) => line !== "");
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const onlyRun = (out: string): string => join(folder, out, readdirSync(join(folder, out))[0] ?? "");

/** A model whose calls the server loses, so that side requests are in flight, too. */
function losingServer(): Handler {
  const call = { call: { tool: "run_python", arguments: { task: "素数の和" } } };
  return simulate({
    server: { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 8192 },
    models: {
      lossy: {
        format: "qwen3_coder",
        rules: [
          { when: { user: "素数", tools: true }, draw: "deck", cards: [{ n: 2, ...call }, { text: "76127だよ" }] },
          { when: { user: "素数", tools: false }, cards: [{ marker: "PYTHON: 素数の和" }] },
        ],
        forced: { tool: "run_python", arguments: { task: "x" } },
      },
    },
  });
}

const argv = ["run", "--resume", "latest", "--out", "results", "--quiet", "--json"];
const plan = [
  ...["run", "--model", "lossy", "--suite", "contract-matrix,parser-mismatch", "--scenario", "seed-memorizable"],
  ...["--trials", "4", "--seed", "s", "--concurrency", "4", "--out", "results", "--quiet", "--json"],
];

/** What a run folder says of itself, checked for contradictions. */
async function audit(run: string) {
  const stored = await openRun(run);
  const answered = new Map<string, number>();
  for await (const capture of stored.captures()) {
    expect(answered.has(capture.id), `${capture.id} is captured once`).toBe(false);
    answered.set(capture.id, notedRequests(capture));
    for (const { request } of capture.exchanges) {
      if (request !== null) expect(await stored.requestBody(request), `a body of ${capture.id}`).not.toBeNull();
    }
  }
  const account = await requestAccount(stored, answered);
  expect(account.sent).toBe(account.answered + account.lost.length);
  const planned = stored.record.plan.cells.flatMap(({ id, trials }) =>
    Array.from({ length: trials }, (_, index) => `${id}/${index + 1}`),
  );
  return { stored, answered, account, planned };
}

describe("a run that dies", () => {
  it(`is completed after kill -9 at ${deaths} random points: the whole plan, nothing twice, lost requests listed`, async () => {
    const inner = losingServer();
    let onRequest = (_path: string): void => {};
    let served = new Map<number, number>();
    const url = (
      await serve(async (request) => {
        const { pathname } = new URL(request.url);
        onRequest(pathname);
        if (pathname === "/v1/chat/completions") {
          const { seed, max_tokens } = (await request.clone().json()) as { seed: number; max_tokens: number };
          // Checks of the target stage ask with a sample's own seed and fewer tokens.
          if (max_tokens === 512) served.set(seed, (served.get(seed) ?? 0) + 1);
          await pause(Math.random() * 20);
        }
        return inner(request);
      })
    ).url;

    const log: string[] = [];
    let left = deaths;
    for (let round = 1; left > 0; round += 1) {
      const out = `results-${round}`;
      served = new Map();
      const inRound = (words: readonly string[]) => words.map((word) => (word === "results" ? out : word));
      let code: number | null = null;
      for (let session = 1; code === null && left > 0; session += 1) {
        const words = session === 1 ? [...inRound(plan), "--base-url", url] : inRound(argv);
        code = await killedAtRandom(words, (listener) => {
          onRequest = listener;
        });
        if (code === null) left -= 1;
        const { account, answered, planned } = await audit(onlyRun(out));
        log.push(
          `round ${round}, session ${session}: ${code === null ? "killed" : `ended with ${code}`}, ` +
            `sent ${account.sent} = answered ${account.answered} + lost ${account.lost.length}, ` +
            `captured ${answered.size} of ${planned.length}`,
        );
        if (code !== null) expect(code).toBe(0);
        // Killed before anything was planned: the run has nothing to go on from but its plan.
        if (planned.length === 0) expect(account.sent).toBe(0);
      }
      if (code === null) expect(await lab(inRound(argv))).toMatchObject({ code: 0 });

      const { stored, answered, account, planned } = await audit(onlyRun(out));
      expect(planned).toHaveLength(48);
      expect([...answered.keys()].sort()).toEqual([...planned].sort());
      const summary = await stored.summary<{ schemaVersion: 1; measured: number; lost?: readonly unknown[] }>();
      expect(summary).toMatchObject({ planned: 48, measured: 48, exclusions: [] });
      expect(summary?.lost ?? []).toEqual(account.lost);
      // The server saw no sample more often than the run says it was sent.
      const lostById = new Map<string, number>();
      for (const { id } of account.lost) lostById.set(id, (lostById.get(id) ?? 0) + 1);
      for await (const { id, seed } of stored.captures())
        expect(served.get(seed) ?? 0).toBeLessThanOrEqual(1 + (lostById.get(id) ?? 0));
      const judged: string[] = [];
      for await (const { id } of stored.classifications()) judged.push(id);
      expect(judged.sort()).toEqual([...planned].sort());
      expect(readdirSync(onlyRun(out)).filter((name) => name.endsWith(".lock"))).toEqual([]);
      const before = readFileSync(join(onlyRun(out), "summary.json"), "utf8");
      expect((await lab(["classify", "latest", "--results", out])).code).toBe(0);
      expect(readFileSync(join(onlyRun(out), "summary.json"), "utf8")).toBe(before);
    }
    if (process.env["LAB_TEST_LOG"] !== undefined) writeFileSync(process.env["LAB_TEST_LOG"], `${log.join("\n")}\n`);
  }, 600_000);
});

/** A run of 48 samples that was interrupted once, after `after` chat requests or a few more. */
async function interrupted(handler: Handler, after: number, more: readonly string[] = []) {
  const stop = new AbortController();
  let chats = 0;
  const listener = await serve(async (request) => {
    if (new URL(request.url).pathname === "/v1/chat/completions" && ++chats === after) stop.abort();
    return handler(request);
  });
  const ended = await lab([...plan, "--base-url", listener.url, ...more], stop.signal);
  expect(ended.code).toBe(130);
  return { listener, ended };
}

describe("lab run --resume", () => {
  it("completes an interrupted run and says how; the interruption names the command", async () => {
    const { ended } = await interrupted(losingServer(), 20);
    const run = onlyRun("results");
    const id = run.split("/").at(-1) ?? "";
    expect(ended.err).toContain(`Next, to complete this run: lab run --resume ${id} --out results`);
    const before = (await audit(run)).answered.size;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(48);
    const { code, err, out } = await lab(["run", "--resume", id, "--out", "results", "--json"]);
    expect(code).toBe(0);
    expect(err).toContain(`Resuming: ${before} of 48 samples are there.`);
    expect(JSON.parse(out)).toMatchObject({ planned: 48, measured: 48 });
    const { account, answered, planned } = await audit(run);
    expect(account).toMatchObject({ sent: 48, lost: [] });
    expect([...answered.keys()].sort()).toEqual([...planned].sort());
  });

  it("needs neither the scenario files nor the options of the first time", async () => {
    const own = mkdtempSync(join(tmpdir(), "lab-own-"));
    const file = readFileSync(join(process.cwd(), "scenarios/ja/prime-sum-nonce-ja.yaml"), "utf8");
    writeFileSync(join(own, "mine.yaml"), file.replace(/^id: .*$/m, "id: mine"));
    const stop = new AbortController();
    const asked: string[] = [];
    const { url } = await serve(
      smallServer({
        onChat: async (request) => {
          const body = (await request.json()) as { max_tokens: number; temperature: number; messages: unknown };
          if (body.max_tokens !== 33) return;
          asked.push(JSON.stringify(body));
          if (asked.length === 5) stop.abort();
        },
      }),
    );
    const options = [
      "--scenarios",
      own,
      "--scenario",
      "mine",
      "--max-tokens",
      "33",
      "--temperature",
      "0.25",
      "--trials",
      "9",
    ];
    const first = [
      "run",
      "--base-url",
      url,
      "--model",
      "small",
      "--suite",
      "contract-matrix",
      ...options,
      "--out",
      "results",
    ];
    expect((await lab(first, stop.signal)).code).toBe(130);
    rmSync(own, { recursive: true });
    expect((await lab([...argv])).code).toBe(0);
    expect(new Set(asked).size).toBe(18);
    expect(asked).toHaveLength(18);
    for (const body of asked) expect(body).toContain('"temperature":0.25');
  });

  it("ends with 130 after SIGTERM, and goes on", async () => {
    let chats = 0;
    let underWay = () => {};
    const tenth = new Promise<void>((resolve) => {
      underWay = resolve;
    });
    const inner = losingServer();
    const { url } = await serve(async (request) => {
      if (new URL(request.url).pathname === "/v1/chat/completions" && ++chats === 10) underWay();
      await pause(10);
      return inner(request);
    });
    const { child, ended } = startLab([...plan, "--base-url", url], folder);
    await tenth;
    child.kill("SIGTERM");
    expect((await ended).code).toBe(130);
    expect((await audit(onlyRun("results"))).account.lost).toEqual([]);
    expect((await lab(argv)).code).toBe(0);
    expect((await audit(onlyRun("results"))).answered.size).toBe(48);
  });

  it("leaves a run alone that another process is making", async () => {
    let reached = () => {};
    const underWay = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const inner = losingServer();
    const { url } = await serve(async (request) => {
      if (new URL(request.url).pathname === "/v1/chat/completions") {
        reached();
        await gate;
      }
      return inner(request);
    });
    const { child, ended } = startLab([...plan, "--base-url", url], folder);
    await underWay;
    const refused = await lab(argv);
    expect(refused.code).toBe(2);
    expect(lines(refused.err)).toEqual([
      expect.stringMatching(
        new RegExp(`^lab: .*: process ${child.pid} is still making this run; wait for it or stop it$`),
      ),
    ]);
    open();
    expect((await ended).code).toBe(0);
    expect((await lab(argv)).code).toBe(0);
  });

  it("sets torn last lines aside and goes on behind them", async () => {
    await interrupted(losingServer(), 20);
    const run = onlyRun("results");
    for (const name of ["captures.jsonl", "classifications.jsonl", "journal.jsonl", "requests.jsonl", "probes.jsonl"])
      appendFileSync(join(run, name), '{"id":"torn 素');
    const { code, err } = await lab(argv.filter((word) => word !== "--quiet"));
    expect(code).toBe(0);
    expect(err).toMatch(
      /captures\.jsonl: line \d+ was cut while being written and is set aside in captures\.jsonl\.torn-1/,
    );
    expect(readFileSync(join(run, "journal.jsonl.torn-1"), "utf8")).toBe('{"id":"torn 素');
    const { answered, stored } = await audit(run);
    expect(answered.size).toBe(48);
    expect(stored.notes).toEqual([]);
  });

  it("sends a sample again whose capture was torn, and lists its first request as lost", async () => {
    await interrupted(losingServer(), 20);
    const run = onlyRun("results");
    const path = join(run, "captures.jsonl");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.slice(0, -100));
    const { code, out } = await lab(argv);
    expect(code).toBe(0);
    const { id } = JSON.parse(text.trimEnd().split("\n").at(-1) ?? "{}");
    expect((await audit(run)).account).toMatchObject({ sent: 49, answered: 48, lost: [{ id, attempt: 1 }] });
    expect(JSON.parse(out).lost).toMatchObject([{ id }]);
  });

  it("wants a key again, and sends it only to where the plan says", async () => {
    const keys: (string | null)[] = [];
    const inner = losingServer();
    const keyed: Handler = (request) => {
      keys.push(request.headers.get("authorization"));
      return inner(request);
    };
    await interrupted(keyed, 20, ["--header", "authorization: Bearer a-long-secret-key", "x-team: lab"]);
    const missing = await lab(argv);
    expect(missing).toMatchObject({ code: 2, out: "" });
    expect(missing.err).toBe(
      "lab: target lossy: the run sent the header authorization, which is not stored; give it again with --api-key-env NAME\n",
    );
    expect((await lab([...argv, "--header", "authorization: Bearer a-long-secret-key"])).code).toBe(0);
    expect(new Set(keys)).toEqual(new Set(["Bearer a-long-secret-key"]));
    for (const name of readdirSync(onlyRun("results")))
      expect(readFileSync(join(onlyRun("results"), name), "utf8"), name).not.toContain("a-long-secret-key");
  });

  it("refuses a plan that cannot be made again as it was", async () => {
    await interrupted(losingServer(), 20);
    const path = join(onlyRun("results"), "plan.json");
    const before = readFileSync(path, "utf8");
    writeFileSync(path, before.replace("全部足すといくつ", "全部掛けるといくつ"));
    const changed = await lab(argv);
    expect(changed).toMatchObject({ code: 3, out: "" });
    expect(changed.err).toMatch(
      /^lab: .*: the run cannot be planned again as it was: .*; measure anew with lab run\n$/,
    );
    writeFileSync(path, before.replace('"schemaVersion": 1', '"schemaVersion": 2'));
    expect(await lab(argv)).toMatchObject({ code: 2, err: expect.stringMatching(/plan\.json was written by a newer/) });
    rmSync(path);
    expect(await lab(argv)).toMatchObject({ code: 2, err: expect.stringMatching(/there is no plan\.json/) });
    writeFileSync(path, before);
    expect((await lab(argv)).code).toBe(0);
  });

  it("asks nothing of a run that is complete", async () => {
    await interrupted(losingServer(), 20);
    await lab(argv);
    const size = readFileSync(join(onlyRun("results"), "journal.jsonl"), "utf8").length;
    expect((await lab(argv)).code).toBe(0);
    expect(readFileSync(join(onlyRun("results"), "journal.jsonl"), "utf8")).toHaveLength(size);
  });

  it.each([
    [["--resume", "latest", "--trials", "3"], "--resume completes a run as it was planned; leave --trials out"],
    [["--resume", "latest", "--model", "x"], "--resume completes a run as it was planned; leave --model out"],
    [["--resume", "latest", "--max-tokens", "3"], "--resume completes a run as it was planned; leave --max-tokens out"],
    [["--resume", "nothing-here"], "there are no runs yet; make one with lab run or lab demo"],
  ])("%j is misuse", async (words, message) => {
    mkdirSync(join(folder, "results"));
    const { code, err } = await lab(["run", ...words, "--out", "results"]);
    expect(code).toBe(2);
    expect(lines(err)).toEqual([expect.stringContaining(message)]);
  });

  it("goes on with a target that could not be met the first time, and with the rest of one that is gone", async () => {
    const inner = losingServer();
    const alive = await serve(inner);
    const late = await serve(inner);
    await late.close();
    const targets = ["--target", `a=lossy@${alive.url}`, `b=lossy@${late.url}`];
    const words = plan.filter((word, index) => word !== "--model" && plan[index - 1] !== "--model");
    const first = await lab([...words, ...targets]);
    expect(first.code).toBe(3);
    expect(JSON.parse(first.out)).toMatchObject({ planned: 96, measured: 48 });
    const again = await listen(inner, { port: late.port });
    listeners.push(again);
    const second = await lab(argv);
    expect(second.code).toBe(0);
    expect(JSON.parse(second.out)).toMatchObject({ planned: 96, measured: 96 });
    expect((await audit(onlyRun("results"))).stored.record.unmet).toEqual([]);
  });
});

/** Starts a run and kills it somewhere; null where it was killed, its exit code where it was faster. */
async function killedAtRandom(
  words: readonly string[],
  listenTo: (listener: (path: string) => void) => void,
): Promise<number | null> {
  const requests = 1 + Math.floor(Math.random() * 50);
  const later = Math.random() * 15;
  const { child, ended } = startLab(words, folder);
  let seen = 0;
  listenTo(() => {
    seen += 1;
    if (seen === requests) setTimeout(() => kill(child), later);
  });
  const { code } = await ended;
  return code;
}

function kill(child: ChildProcess): void {
  child.kill("SIGKILL");
}
