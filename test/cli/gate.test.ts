import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { type Listener, listen } from "../../src/http/listen.ts";
import { readYaml } from "../../src/lab/scenario/yaml-source.ts";
import { profileSchema } from "../../src/simulator/profile-schema.ts";
import { createSimulator } from "../../src/simulator/simulator.ts";
import { fakeWorld } from "./fake-world.ts";

let cwd = "";
let runs = 0;
const servers: Listener[] = [];
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "lab-gate-"));
});
afterAll(async () => {
  for (const server of servers) await server.close();
  rmSync(cwd, { recursive: true, force: true });
});

/** A model that calls, behind a parser that reads its calls or does not; counts what it was asked. */
async function serve(parser: "hermes" | "qwen3_coder", contextLength = 32_768) {
  const yaml = `
server: { kind: vllm, version: "0.32.0", parser: ${parser}, contextLength: ${contextLength} }
models:
  caller:
    format: qwen3_coder
    rules: [{ when: { tools: "^run_python$" }, cards: [{ call: { tool: run_python } }] }, { cards: [{ marker: "*" }] }]
    forced: { tool: run_python }
`;
  const read = readYaml(yaml, "caller.yaml", profileSchema);
  if (!read.ok) throw new Error(read.problems.join("\n"));
  const simulator = createSimulator({ profile: read.value, seed: `seed-${runs}`, now: () => 0 });
  let asked = 0;
  const listener = await listen(
    (request) => {
      asked += 1;
      return simulator(request);
    },
    { port: 0 },
  );
  servers.push(listener);
  return { url: `${listener.url}/v1`, asked: () => asked };
}

async function lab(...argv: readonly string[]) {
  const clock = { now: () => performance.now(), date: () => new Date() };
  const randomHex = () => (0x10000000 + runs++).toString(16).split("").reverse().join("");
  const world = fakeWorld({ argv, cwd, clock, randomHex, env: { USER: "ann" } });
  const code = await program(commands, world);
  return { code, out: world.out(), err: world.err() };
}

/** Measures a small plan and gives the run's id. */
async function measure(url: string, ...more: readonly string[]): Promise<string> {
  const plan = ["--suite", "parser-mismatch", "--scenario", "seed-memorizable,seed-unmemorizable", "--trials", "6"];
  const { out, err } = await lab("run", "--base-url", url, "--model", "caller", ...plan, "--quiet", "--json", ...more);
  const run: unknown = out === "" ? null : JSON.parse(out);
  if (typeof run !== "object" || run === null || !("run" in run)) throw new Error(err);
  return String(run.run);
}

describe("lab gate", () => {
  let good: Awaited<ReturnType<typeof serve>>;
  let trusted = "";
  beforeAll(async () => {
    good = await serve("qwen3_coder");
    trusted = await measure(good.url);
    const { code, err } = await lab("baseline", "promote", trusted, "--name", "calm", "--why", "first of its kind");
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  it("keeps who promoted a baseline, when and why, and what was there before", async () => {
    const read = () => JSON.parse(readFileSync(join(cwd, "results/baselines/calm/baseline.json"), "utf8"));
    expect(read()).toMatchObject({ name: "calm", run: trusted, by: "ann", why: "first of its kind", previous: [] });
    await lab("baseline", "promote", trusted, "--name", "calm", "--why", "again", "--by", "bob");
    expect(read()).toMatchObject({ by: "bob", previous: [{ run: trusted, by: "ann", why: "first of its kind" }] });
    expect(readdirSync(join(cwd, "results/baselines/calm")).sort()).toEqual([
      "baseline.json",
      "run.json",
      "summary.json",
    ]);
  });

  it("passes a run like its baseline, asks the server nothing, and keeps the verdict with the run", async () => {
    const run = await measure(good.url);
    const before = good.asked();
    const { code, out, err } = await lab("gate", run, "--baseline", "calm", "--format", "junit,md,html", "--out", "ci");
    expect({ code, asked: good.asked() - before }).toEqual({ code: 0, asked: 0 });
    expect(out).toMatch(/Pass: No regression: delivery held on all 3 lines/);
    expect(err.match(/Report: .*/g)).toEqual([
      "Report: ci/junit.xml",
      "Report: ci/summary.md",
      "Report: ci/report.html",
    ]);
    const verdict = JSON.parse(readFileSync(join(cwd, "results", run, "verdict.json"), "utf8"));
    expect(verdict).toMatchObject({ schemaVersion: 1, kind: "pass", baseline: { name: "calm", run: trusted } });
    expect(verdict.proof.run.requests.answered).toBe(verdict.proof.run.requests.sent);
    expect(readFileSync(join(cwd, "ci/junit.xml"), "utf8")).toMatch(
      /<testsuite name="Gate: Pass"[^>]* failures="0" errors="0"/,
    );
  });

  it("sends as many requests the second time a plan is gated", async () => {
    const counts: number[] = [];
    for (let time = 0; time < 2; time++) {
      const before = good.asked();
      const run = await measure(good.url);
      await lab("gate", run, "--baseline", "calm");
      counts.push(good.asked() - before);
    }
    expect(counts[0]).toBe(counts[1]);
    expect(counts[0]).toBeGreaterThan(100);
  });

  it("finds a swapped parser, and says it in every file", async () => {
    const run = await measure((await serve("hermes")).url);
    const { code, out } = await lab("gate", run, "--baseline", "calm", "--format", "junit,md", "--out", "ci-bad");
    expect(code).toBe(1);
    expect(out).toMatch(/Regression: parser-mismatch auto on caller: 0\/24 delivered against 24\/24/);
    expect(out.replace(/\s+/g, " ")).toMatch(/--tool-call-parser qwen3_coder/);
    expect(readFileSync(join(cwd, "ci-bad/junit.xml"), "utf8")).toMatch(
      /<failure type="regression" message="parser-mismatch auto/,
    );
    expect(readFileSync(join(cwd, "ci-bad/summary.md"), "utf8")).toMatch(/^## ❌ Gate: Regression\n/);
  });

  it.each([
    ["other identity", ["--treatment", "parser"], 3, /context_length of?|context_length is 8192/],
    ["declared identity", ["--treatment", "context"], 0, /Declared treatment: context_length/],
  ])("compares only what may be compared: %s", async (_, more, expected, text) => {
    const run = await measure((await serve("qwen3_coder", 8192)).url);
    const { code, out } = await lab("gate", run, "--baseline", "calm", ...more);
    expect(code).toBe(expected);
    expect(out.replace(/\s+/g, " ")).toMatch(text);
  });

  it("calls a run of another suite, and one with other request parameters, invalid", async () => {
    const suite = ["--suite", "contract-matrix", "--scenario", "picture-en", "--trials", "6", "--quiet"];
    expect((await lab("run", "--base-url", good.url, "--model", "caller", ...suite)).code).toBe(0);
    const other = await lab("gate", "latest", "--baseline", "calm");
    const asked = await lab("gate", await measure(good.url, "--temperature", "0.1"), "--baseline", "calm");
    expect([other.code, asked.code]).toEqual([3, 3]);
    expect(other.out.replace(/\s+/g, " ")).toMatch(
      /share no rated cell \(here: contract-matrix; baseline: parser-mismatch\); run the same suites/,
    );
    expect(asked.out.replace(/\s+/g, " ")).toMatch(/Invalid: Not comparable: requests carry .*--treatment request/);
  });

  it("calls a run invalid whose server was down, and one that died half-way", async () => {
    const down = await measure("http://127.0.0.1:9/v1");
    const dead = await measure(good.url);
    for (const name of ["summary.json", "classifications.jsonl"]) rmSync(join(cwd, "results", dead, name));
    const captures = join(cwd, "results", dead, "captures.jsonl");
    writeFileSync(captures, readFileSync(captures, "utf8").slice(0, 40_000));
    const said = [
      await lab("gate", down, "--baseline", "calm"),
      await lab("gate", dead, "--baseline", "calm", "--format", "junit,md,html", "--out", "ci-dead"),
    ];
    expect(said.map(({ code }) => code)).toEqual([3, 3]);
    expect(said[0]?.out).toMatch(/Invalid: Nothing was measured on caller: .*nothing listens/);
    expect(said[1]?.out).toMatch(/Invalid: The run was cut short/);
    expect(existsSync(join(cwd, "ci-dead/junit.xml"))).toBe(true);
  });

  it("prints one object with --json, and speaks Japanese", async () => {
    const run = await measure(good.url);
    const json = await lab("gate", run, "--baseline", "calm", "--json");
    expect(JSON.parse(json.out)).toMatchObject({ kind: "pass", run });
    const { out } = await lab("gate", run, "--baseline", "calm", "--lang", "ja");
    expect(out).toMatch(/合格: 悪化はありません/);
  });

  describe("refuses bad input in one clear line, before anything is decided", () => {
    const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
      ["no baseline", ["gate", "latest"], /^lab: --baseline is missing/],
      [
        "an unknown baseline",
        ["gate", "latest", "--baseline", "clam"],
        /^lab: --baseline: .*"clam" \(did you mean "calm"\?\)/,
      ],
      ["an unknown run", ["gate", "nope", "--baseline", "calm"], /^lab: there is no run "nope"/],
      [
        "a folder that is no run",
        ["gate", "latest", "--baseline", "./odd"],
        /^lab: \.\/odd: no run\.json there|odd.*not a run/,
      ],
      [
        "a folder that nobody promoted",
        ["gate", "latest", "--baseline", "empty"],
        /^lab: --baseline: empty has no baseline\.json/,
      ],
      [
        "a policy that is not there",
        ["gate", "latest", "--baseline", "calm", "--policy", "no.yaml"],
        /^lab: --policy: there is no file no\.yaml/,
      ],
      [
        "a policy with a wrong key",
        ["gate", "latest", "--baseline", "calm", "--policy", "wrong.yaml"],
        /^lab: wrong\.yaml:2:\d+: unknown key "ruledout" \(did you mean "ruledOut"\?\)/,
      ],
      [
        "a policy with an impossible number",
        ["gate", "latest", "--baseline", "calm", "--policy", "number.yaml"],
        /^lab: number\.yaml:1:\d+: "alpha"/,
      ],
      ["a damaged summary", ["gate", "latest", "--baseline", "foreign"], /^lab: .*summary\.json: cells\.0/],
      ["a damaged proof", ["gate", "latest", "--baseline", "torn"], /^lab: .*baseline\.json: it holds no JSON object/],
      ["a foreign proof", ["gate", "latest", "--baseline", "odd-proof"], /^lab: .*baseline\.json: proof\.createdAt: /],
      ...(process.platform === "linux"
        ? [
            [
              "an output where no folder can be made",
              ["gate", "latest", "--baseline", "calm", "--format", "junit", "--out", "/proc/nowhere"],
              /^lab: \/proc\/nowhere\/junit\.xml: there is no such file or folder/,
            ] as const,
          ]
        : []),
      [
        "an unknown treatment",
        ["gate", "latest", "--baseline", "calm", "--treatment", "modle"],
        /^lab: --treatment: .*did you mean "model"/,
      ],
      [
        "an unknown format",
        ["gate", "latest", "--baseline", "calm", "--format", "junti"],
        /^lab: --format: .*did you mean "junit"/,
      ],
      [
        "an unknown target",
        ["compare", "calm", "latest", "--pair", "caller=coller"],
        /^lab: --pair: the second run has no target "coller" \(did you mean "caller"\?\)/,
      ],
      ["no reason", ["baseline", "promote", "latest", "--name", "x"], /^lab: --why is missing/],
      [
        "a name that is a path",
        ["baseline", "promote", "latest", "--name", "../x", "--why", "y"],
        /^lab: --name: "\.\.\/x" is no name/,
      ],
      [
        "an unknown action",
        ["baseline", "promte", "latest", "--name", "x", "--why", "y"],
        /^lab: lab baseline: .*did you mean "promote"/,
      ],
      [
        "an output that is a file",
        ["gate", "latest", "--baseline", "calm", "--format", "md", "--out", "wrong.yaml/x"],
        /^lab: .*wrong\.yaml/,
      ],
    ];
    beforeAll(async () => {
      await measure(good.url);
      writeFileSync(join(cwd, "wrong.yaml"), "drop:\n  ruledout: 0.2\n");
      writeFileSync(join(cwd, "number.yaml"), "alpha: 7\n");
      mkdirSync(join(cwd, "odd"));
      const baselines = join(cwd, "results/baselines");
      const record = readFileSync(join(baselines, "calm/run.json"), "utf8");
      const promoted = readFileSync(join(baselines, "calm/baseline.json"), "utf8");
      for (const name of ["empty", "foreign", "torn", "odd-proof"]) mkdirSync(join(baselines, name));
      for (const name of ["foreign", "torn", "odd-proof"]) writeFileSync(join(baselines, name, "run.json"), record);
      const cells = '[{"target":"x"}]';
      writeFileSync(
        join(baselines, "foreign/summary.json"),
        `{"schemaVersion":1,"run":"x","planned":1,"measured":1,"cells":${cells},"diagnoses":[],"exclusions":[]}`,
      );
      writeFileSync(join(baselines, "foreign/baseline.json"), promoted);
      writeFileSync(join(baselines, "torn/baseline.json"), promoted.slice(0, 90));
      const summary = readFileSync(join(baselines, "calm/summary.json"), "utf8");
      for (const name of ["torn", "odd-proof"]) writeFileSync(join(baselines, name, "summary.json"), summary);
      writeFileSync(join(baselines, "odd-proof/baseline.json"), '{"proof":{"run":"x","questions":{}}}');
    });

    it.each(cases)("%s", async (_, argv, line) => {
      const { code, out, err } = await lab(...argv);
      expect(err.trim().split("\n")[0]).toMatch(line);
      expect(err).not.toMatch(/internal error/);
      expect([code, out]).toEqual([2, ""]);
    });
  });

  it("will not promote what is no sound run", async () => {
    const down = await measure("http://127.0.0.1:9/v1");
    const { code, err } = await lab("baseline", "promote", down, "--name", "x", "--why", "y");
    expect(code).toBe(3);
    expect(err).toMatch(/^lab: .* cannot be a baseline: only 0 of \d+ planned samples were measured\n$/);
    const dead = await measure((await serve("hermes")).url, "--scenario", "seed-memorizable");
    expect(dead).not.toBe("");
  });
});

describe("lab compare", () => {
  it("shows the swap of two models with its card, in every form, and never calls a difference a failure", async () => {
    const [old, fresh] = [await serve("qwen3_coder"), await serve("hermes")];
    const plan = ["--suite", "parser-mismatch", "--trials", "6", "--quiet"];
    const targets = ["--target", `old=caller@${old.url}`, "--target", `new=caller@${fresh.url}`];
    const run = await lab("run", ...targets, ...plan);
    expect(run.out).toMatch(
      /Swap caller for caller: not safe\n {2}contract +not safe +auto: delivered 0 % instead of 100 %/,
    );
    const pair = ["--pair", "old=new", "--treatment", "model"];
    const { code, out } = await lab("compare", "latest", "latest", ...pair, "--format", "html,md", "--out", "cmp");
    expect(code).toBe(0);
    expect(out).toMatch(/parser-mismatch \/ auto +24\/24 100 % +0\/24 0 % +-100/);
    expect(readFileSync(join(cwd, "cmp/comparison.md"), "utf8")).toMatch(/### ❌ Swap caller for caller: not safe/);
    const html = readFileSync(join(cwd, "cmp/comparison.html"), "utf8");
    expect(html).toMatch(/not safe/);
    expect(html).not.toMatch(/<script/);
    const json = await lab("compare", "latest", "latest", ...pair, "--json");
    expect(JSON.parse(json.out)).toMatchObject({ comparable: true, cards: [{ light: "not_safe" }] });
  });
});
