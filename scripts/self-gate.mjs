// npm run gate:self: the project gates itself, with the built program, against results/baselines/simulator.
//   (nothing)                      four gates on the simulator: the same passes, a swapped parser is a regression, a cut run is
//                                  invalid, three trials are inconclusive; and a gated plan sends as much the second time
//   --target URL --model NAME      a real server: two runs of the same plan, the second gated against the first
//   --promote WHY                  measures the simulator anew and makes that the baseline
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const main = join(root, "dist/cli/main.js");
const baseline = join(root, "results/baselines/simulator");
const { values } = parseArgs({
  options: {
    target: { type: "string" },
    model: { type: "string" },
    trials: { type: "string", default: "10" },
    "baseline-run": { type: "string" },
    promote: { type: "string" },
  },
});

/** The plan that is gated: few questions of each kind, both contracts, every tool_choice, streamed and not. */
const plan = [
  ...["--suite", "contract-matrix", "--suite", "parser-mismatch"],
  ...["--scenario", "seed-memorizable,seed-unmemorizable,sha256-nonce-ja,prime-sum-near-en"],
];
const model = "thinkingcap";
const scratch = mkdtempSync(join(tmpdir(), "lab-self-gate-"));
const running = new Set();

/** Starts the program; its promise resolves with exit code and output. */
function lab(argv, cwd = scratch) {
  const child = spawn(process.execPath, [main, ...argv], { cwd, env: { ...process.env, NO_COLOR: "1" } });
  running.add(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const ended = new Promise((resolve) =>
    child.on("close", (code) => {
      running.delete(child);
      resolve({ code, stdout, stderr });
    }),
  );
  return { child, ended };
}

async function simulate(profile) {
  const { child, ended } = lab(["simulate", "--profile", profile, "--seed", randomBytes(4).toString("hex")]);
  const greeting = await new Promise((resolve, reject) => {
    child.stdout.once("data", (chunk) => resolve(String(chunk)));
    void ended.then(({ stderr }) => reject(new Error(`${profile} did not start: ${stderr}`)));
  });
  return { url: `${/http:\/\/\S+/.exec(greeting)[0]}/v1`, stop: () => child.kill() };
}

function measure(url, name, trials, results) {
  const target = ["--base-url", url, ...(name === undefined ? [] : ["--model", name])];
  return lab(["run", ...target, ...plan, "--trials", String(trials), "--quiet", "--json", "--out", results]);
}

/** Measures to the end and resolves with the run's id. */
async function measured(url, name, trials, results) {
  const { code, stdout, stderr } = await measure(url, name, trials, results).ended;
  if (code !== 0) throw new Error(`lab run ended with ${code}: ${stderr}`);
  return JSON.parse(stdout).run;
}

/** Measures and is interrupted once some answers are there. */
async function cut(url, trials, results) {
  const { child, ended } = measure(url, model, trials, results);
  const captured = () => {
    const [run] = existsSync(results) ? readdirSync(results) : [];
    const journal = run === undefined ? "" : join(results, run, "journal.jsonl");
    return existsSync(journal) ? readFileSync(journal, "utf8").split("\n").length : 0;
  };
  while (captured() < 40 && running.has(child)) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill("SIGINT");
  const { code } = await ended;
  if (code !== 130) throw new Error(`the run was to be interrupted and ended with ${code}`);
  return readdirSync(results)[0];
}

async function gate(run, against, results) {
  const { code, stdout, stderr } = await lab(["gate", run, "--baseline", against, "--results", results, "--json"])
    .ended;
  if (stdout === "") throw new Error(`lab gate said nothing: ${stderr}`);
  return { code, verdict: JSON.parse(stdout) };
}

const failures = [];
function report(what, expected, { code, verdict }) {
  const right = code === expected;
  if (!right) failures.push(what);
  console.log(
    `${right ? "ok  " : "FAIL"} ${what}: ${verdict.kind}, exit ${code}${right ? "" : ` instead of ${expected}`}`,
  );
  console.log(`     ${verdict.sentence}`);
}

async function gateSimulator() {
  const right = await simulate("thinkingcap-qwen3_coder");
  const wrong = await simulate("thinkingcap-hermes");
  const folder = (name) => join(scratch, name);
  const trials = Number(values.trials);

  const first = await gate(await measured(right.url, model, trials, folder("same")), baseline, folder("same"));
  report(`the same server again, ${trials} trials a cell`, 0, first);
  const second = await gate(await measured(right.url, model, trials, folder("again")), baseline, folder("again"));
  const [sent, sentAgain] = [first, second].map(({ verdict }) => {
    const { requests } = verdict.proof.run;
    // A connection that broke is asked once more; that says nothing about what the gate asks.
    return requests.sent - requests.askedAgain;
  });
  report(`and once more: ${sentAgain} requests sent, before ${sent}`, 0, second);
  if (sent !== sentAgain || sent === 0) failures.push("the second gate sent another number of requests");

  report(
    "behind the wrong parser",
    1,
    await gate(await measured(wrong.url, model, trials, folder("swapped")), baseline, folder("swapped")),
  );
  report("cut short", 3, await gate(await cut(right.url, 200, folder("cut")), baseline, folder("cut")));
  report(
    "three trials a cell",
    4,
    await gate(await measured(right.url, model, 3, folder("three")), baseline, folder("three")),
  );
}

async function gateTarget(url) {
  const results = join(scratch, "results");
  const trusted = values["baseline-run"] ?? join(results, await measured(url, values.model, values.trials, results));
  const run = await measured(url, values.model, values.trials, results);
  report(`${url}, twice the same plan`, 0, await gate(run, trusted, results));
}

async function promote(why) {
  const { url } = await simulate("thinkingcap-qwen3_coder");
  const results = join(root, "results");
  const run = await measured(url, model, values.trials, results);
  const { code, stdout, stderr } = await lab(
    ["baseline", "promote", run, "--name", "simulator", "--by", "harness-lab", "--why", why, "--results", results],
    root,
  ).ended;
  rmSync(join(results, run), { recursive: true, force: true });
  if (code !== 0) throw new Error(stderr);
  console.log(stdout.trim());
}

try {
  if (values.promote !== undefined) await promote(values.promote);
  else if (values.target !== undefined) await gateTarget(values.target);
  else await gateSimulator();
} catch (error) {
  failures.push(error.message);
  console.error(error.message);
} finally {
  for (const child of running) child.kill();
  rmSync(scratch, { recursive: true, force: true });
}
if (failures.length > 0) process.exitCode = 1;
