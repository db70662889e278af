import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { readProfile } from "../../src/cli/profiles.ts";
import { program } from "../../src/cli/program.ts";
import { type Listener, listen } from "../../src/http/listen.ts";
import type { Capture } from "../../src/lab/capture/capture.ts";
import type { Classification } from "../../src/lab/classify/classification.ts";
import type { Summary } from "../../src/lab/stats/summary.ts";
import { createSimulator } from "../../src/simulator/simulator.ts";
import { fakeWorld } from "./fake-world.ts";

let folder = "";
let listeners: Listener[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-through-"));
});
afterEach(async () => {
  await Promise.all(listeners.map((listener) => listener.close()));
  listeners = [];
  rmSync(folder, { recursive: true, force: true });
});

async function simulate(profile: string): Promise<string> {
  const read = await readProfile(profile, fakeWorld({ argv: [] }));
  const listener = await listen(createSimulator({ profile: read, seed: "test", now: () => 0 }), { port: 0 });
  listeners.push(listener);
  return listener.url;
}

async function lab(argv: readonly string[], signal?: AbortSignal) {
  const world = fakeWorld({
    argv,
    cwd: process.cwd(),
    clock: { now: () => performance.now(), date: () => new Date() },
    ...(signal === undefined ? {} : { signal }),
  });
  const code = await program(commands, world);
  return { code, out: world.out(), err: world.err() };
}

/** Runs and gives what lies on disk. */
async function through(profile: string, model: string, ...more: readonly string[]) {
  const url = await simulate(profile);
  const ran = await lab([
    "run",
    "--base-url",
    url,
    "--model",
    model,
    "--through-adapter",
    "--seed",
    "s",
    "--out",
    folder,
    ...more,
  ]);
  expect(ran.err).not.toMatch(/\n\s+at /);
  expect(ran.code).toBe(0);
  return { ...ran, url, ...stored() };
}

function stored() {
  const [run = ""] = readdirSync(folder).filter((name) => /^\d{8}-/.test(name));
  const read = (name: string) => readFileSync(join(folder, run, name), "utf8");
  const lines = <Line>(name: string) =>
    read(name)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line);
  return {
    run,
    summary: JSON.parse(read("summary.json")) as Summary,
    captures: lines<Capture>("captures.jsonl"),
    classifications: lines<Classification>("classifications.jsonl"),
    read,
  };
}

const both = ["--suite", "contract-matrix,parser-mismatch", "--trials", "2"];
const few = ["--suite", "contract-matrix", "--scenario", "seed-unmemorizable,prime-sum-known-en", "--trials", "2"];

describe("lab run --through-adapter", () => {
  it.each([
    ["chatty-8b", "chatty-8b"],
    ["thinkingcap-hermes", "thinkingcap"],
  ])(
    "%s, which scores badly direct, is delivered more often, and nothing is handed on that must not be",
    async (profile, model) => {
      const { summary, out } = await through(profile, model, ...both, "--ablate", "scan", "--concurrency", "16");
      const [adapters] = summary.adapters ?? [];
      const route = (id: string) => adapters?.routes.find((each) => each.route === id);
      const [direct, whole, without] = [route("direct"), route("adapter"), route("adapter-without-scan")];
      expect(whole?.delivered.count).toBeGreaterThan(direct?.delivered.count ?? Number.NaN);
      expect(whole?.beside).toMatchObject({ onlyOther: 0 });
      expect(whole?.beside?.chance).toBeLessThan(0.01);
      expect(whole?.beside?.gain?.low).toBeGreaterThan(0);
      expect(whole?.unsafe.count).toBe(0);
      expect(whole?.unsafe.of).toBeGreaterThan(100);
      // It is the stage that reads texts which brings the gain.
      expect(without?.delivered.count).toBe(direct?.delivered.count);
      const scan = adapters?.stages.find(({ stage }) => stage === "scan");
      expect(scan?.ablation?.onlyThis).toBe(whole?.beside?.onlyThis);
      expect(summary.diagnoses.filter(({ owner }) => owner === "adapter")).toEqual([]);
      expect(out).toContain("Through the adapter");
      expect(out).toContain(`+${whole?.beside?.onlyThis} / -0`);
    },
  );

  it("keeps with each sample its own upstream exchanges and trace, with many in flight", async () => {
    const { captures } = await through("chatty-8b", "chatty-8b", ...both, "--concurrency", "24");
    const adapted = captures.filter(({ route }) => route === "adapter");
    expect(adapted.length).toBe(captures.length / 2);
    const hashes = new Map<string, string>();
    for (const { id, exchanges, adapterCosts } of adapted) {
      const [subject, upstream, ...others] = exchanges.filter(({ hop }) => hop !== "side");
      expect(others).toEqual([]);
      expect([subject?.hop, upstream?.hop, upstream?.parent]).toEqual(["subject", "upstream", 0]);
      expect(upstream?.status).toBe(200);
      expect(upstream?.end).not.toMatchObject({ kind: "failed" });
      expect(adapterCosts?.length).toBeGreaterThan(3);
      // Every sample has a seed of its own, which its requests carry.
      if (upstream?.request == null) continue;
      expect(hashes.get(upstream.request) ?? id).toBe(id);
      hashes.set(upstream.request, id);
    }
    expect(hashes.size).toBeGreaterThan(40);
    expect(captures.filter(({ route }) => route === "direct").flatMap(({ exchanges }) => exchanges)).not.toContainEqual(
      expect.objectContaining({ hop: "upstream" }),
    );
  });

  it("asks both routes the same question with the same seed", async () => {
    const { captures, read } = await through("chatty-8b", "chatty-8b", ...few);
    const bodies = new Map(
      read("requests.jsonl")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { hash: string; body: string })
        .map(({ hash, body }) => [hash, body]),
    );
    const sent = (route: string) =>
      captures
        .filter((capture) => capture.route === route)
        .map(({ id, exchanges }) => [id.replace(`/${route}/`, "/"), bodies.get(exchanges[0]?.request ?? "")])
        .sort();
    expect(sent("adapter")).toEqual(sent("direct"));
    expect(new Set(sent("direct").map(([, body]) => body)).size).toBe(sent("direct").length);
  });

  it("judges the stored run again to the byte, and renders it", async () => {
    const { run, read } = await through("chatty-8b", "chatty-8b", ...few, "--ablate", "scan,guard");
    const before = [read("summary.json"), read("classifications.jsonl")];
    expect((await lab(["classify", join(folder, run)])).code).toBe(0);
    expect([read("summary.json"), read("classifications.jsonl")]).toEqual(before);
    const report = await lab([
      "report",
      join(folder, run),
      "--format",
      "html,md,json,csv",
      "--out",
      folder,
      "--lang",
      "ja",
    ]);
    expect(report.code).toBe(0);
    expect(readFileSync(join(folder, "report.html"), "utf8")).toContain("アダプター経由");
    expect(readFileSync(join(folder, "summary.md"), "utf8")).toContain("アダプター経由");
    expect(JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))).toHaveProperty(
      "adapters.0.routes.3.without",
      "guard",
    );
  });

  it("completes a stopped run with the adapter it was begun with", async () => {
    writeFileSync(join(folder, "adapter.yaml"), "profile: read-only\n");
    const url = await simulate("chatty-8b");
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 150);
    const argv = [
      "run",
      "--base-url",
      url,
      "--model",
      "chatty-8b",
      "--through-adapter",
      "--adapter-config",
      join(folder, "adapter.yaml"),
    ];
    const begun = await lab(
      [...argv, ...both, "--ablate", "scan", "--seed", "s", "--out", folder, "--concurrency", "1"],
      stop.signal,
    );
    expect(begun.code).toBe(130);
    const resumed = await lab(["run", "--resume", "latest", "--out", folder]);
    expect(resumed.err).not.toContain("cannot be planned again");
    expect(resumed.code).toBe(0);
    const { summary, captures, read } = stored();
    expect(summary.measured).toBe(summary.planned);
    expect(new Set(captures.map(({ id }) => id)).size).toBe(captures.length);
    expect(JSON.parse(read("run.json"))).toHaveProperty("routes.1.settings.profile", "read-only");
    expect(summary.adapters?.[0]?.routes.map(({ route }) => route)).toEqual([
      "direct",
      "adapter",
      "adapter-without-scan",
    ]);
  });

  it("measures a user's own request on both routes", async () => {
    const request = {
      messages: [{ role: "user", content: "Add up the primes up to 1000." }],
      tools: [
        {
          type: "function",
          function: {
            name: "run_python",
            parameters: { type: "object", properties: { task: { type: "string" } }, required: ["task"] },
          },
        },
      ],
    };
    writeFileSync(join(folder, "mine.json"), JSON.stringify(request));
    const { summary } = await through(
      "chatty-8b",
      "chatty-8b",
      "--request",
      join(folder, "mine.json"),
      "--trials",
      "3",
    );
    expect(new Set(summary.cells.map(({ suite, route }) => `${suite} ${route}`))).toEqual(
      new Set(["request direct", "request adapter"]),
    );
  });

  it("compares direct and adapter, within a run too, when that is declared", async () => {
    const { run } = await through("chatty-8b", "chatty-8b", ...few);
    const compared = await lab([
      "compare",
      run,
      run,
      "--treatment",
      "adapter",
      "--results",
      folder,
      "--out",
      folder,
      "--json",
    ]);
    expect(compared.code).toBe(0);
    const lines = (
      JSON.parse(compared.out) as { lines: { place: { route: string }; delivered: { before: unknown } }[] }
    ).lines;
    expect(new Set(lines.map(({ place }) => place.route))).toEqual(new Set(["adapter"]));
  });

  it.each([
    [["--ablate", "scan"], "--ablate goes with --through-adapter"],
    [["--adapter-config", "x.yaml"], "--adapter-config goes with --through-adapter"],
    [["--through-adapter", "--ablate", "scna"], 'there is no stage "scna"'],
    [["--through-adapter", "--adapter-config", "none.yaml"], "--adapter-config: there is no file none.yaml"],
    [["--through-adapter", "--adapter-config", "off.yaml", "--ablate", "scan"], "the stage scan is disabled already"],
    [["--through-adapter", "--adapter-config", "bad.yaml"], "bad.yaml:2"],
  ])("%s is refused with one line", async (argv, said) => {
    writeFileSync(join(folder, "off.yaml"), "disable: [scan]\n");
    writeFileSync(join(folder, "bad.yaml"), "profile: agent\nprompts: {}\n");
    const inFolder = argv.map((text) => (/^(?:off|bad)\.yaml$/.test(text) ? join(folder, text) : text));
    const { code, err } = await lab(["run", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", ...inFolder]);
    expect(code).toBe(2);
    expect(err).toContain(said);
    expect(err).not.toMatch(/\n\s+at /);
  });
});

describe("lab classify --cases --repairs", () => {
  it("shows what each repair brings, the unsafe ones first", async () => {
    const cases = join(process.cwd(), "test/fixtures/cases");
    const table = await lab(["classify", "--cases", cases, "--repairs"]);
    expect(table.code).toBe(0);
    expect(table.out).toMatch(/^repair +safety +unsafe +wrong +right/m);
    const { out } = await lab(["classify", "--cases", cases, "--repairs", "--json"]);
    const ledger = JSON.parse(out) as {
      entries: { repair: string; unsafe: string[]; score: { with: number; without: number } }[];
      all: { with: number; without: number };
      unsafe: { with: number; of: number };
    };
    expect(ledger.unsafe).toMatchObject({ with: 0 });
    expect(ledger.unsafe.of).toBeGreaterThan(50);
    expect(ledger.all.with).toBeGreaterThan(ledger.all.without);
    const unsafe = ledger.entries.map((entry) => entry.unsafe.length);
    expect(unsafe).toEqual([...unsafe].sort((left, right) => right - left));
    expect(ledger.entries.find(({ repair }) => repair === "trailing_comma")?.score).toMatchObject({
      with: ledger.all.with,
      without: ledger.all.with - 1,
    });
  });
});
