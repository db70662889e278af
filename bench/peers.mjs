// npm run bench -- --peers: promptfoo beside lab run, on the same simulated server, with the same number of samples and replies.
// promptfoo is no dependency: it is installed once into the cache folder, and left out with one line where that cannot be.
import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const main = join(root, "dist/cli/main.js");
const samples = 2000;
const width = 20;
/** The last line of promptfoo that runs on Node 20. */
const version = "0.121.20";
const cache = process.env.HARNESS_LAB_CACHE || join(homedir(), ".cache/harness-lab");
const scratch = mkdtempSync(join(tmpdir(), "lab-peers-"));

/** Installs promptfoo where it is not yet, and gives its program; null, with a line that says why, where it cannot be had. */
function promptfoo() {
  const folder = join(cache, `promptfoo-${version}`);
  const program = join(folder, "node_modules/promptfoo/dist/src/entrypoint.js");
  const found = () => (existsSync(program) ? program : undefined);
  if (found() !== undefined) return found();
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true}\n');
    console.log(`installing promptfoo ${version} into ${folder} ...`);
    const install = (packages) =>
      execFileSync("npm", ["install", "--no-audit", "--no-fund", "--omit=optional", ...packages], {
        cwd: folder,
        stdio: ["ignore", "ignore", "pipe"],
        timeout: 600_000,
      });
    install([`promptfoo@${version}`]);
    // Of its optional parts it needs its database alone; the rest is hundreds of megabytes of other providers.
    const database = JSON.parse(readFileSync(join(folder, "node_modules/libsql/package.json"), "utf8"));
    const platform = `@libsql/${process.platform}-${process.arch}`;
    const native = Object.keys(database.optionalDependencies).find(
      (name) => name === platform || name === `${platform}-gnu` || name === `${platform}-msvc`,
    );
    if (native !== undefined) install([`${native}@${database.version}`]);
    const installed = found();
    if (installed !== undefined) return installed;
    throw new Error("its program is not where it was expected");
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    const said = String(error.stderr ?? "").match(/npm error .*/)?.[0] ?? error.message.split("\n")[0];
    console.log(`promptfoo ${version} left out: it could not be installed (${said})`);
    return null;
  }
}

/** Runs a process to its end: milliseconds, and peak megabytes of its whole tree as far as the system tells. */
async function measure(argv, env = {}) {
  const start = performance.now();
  const child = spawn(process.execPath, argv, {
    cwd: scratch,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, treeMegabytes(child.pid));
  }, 50);
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(watch);
  return { code, output, wall: performance.now() - start, megabytes: peak };
}

/** Resident memory of a process and its children; Linux only, 0 elsewhere. */
function treeMegabytes(pid) {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return children.split(" ").reduce((sum, child) => sum + (child === "" ? 0 : treeMegabytes(child)), own);
  } catch {
    return 0;
  }
}

function row(cells) {
  console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(24) : cell.padStart(16))).join(""));
}
function show(what, { wall, megabytes }, report) {
  row([
    what,
    `${(wall / 1000).toFixed(1)} s`,
    `${megabytes.toFixed(0)} MB`,
    `${(statSync(report).size / 1e6).toFixed(1)} MB`,
  ]);
}

const simulator = spawn(process.execPath, [main, "simulate", "--profile", "bench"], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const greeting = await new Promise((resolve) => simulator.stdout.once("data", (chunk) => resolve(String(chunk))));
  const url = `${/http:\/\/\S+/.exec(greeting)[0]}/v1`;
  const program = promptfoo();
  console.log(`\nnode ${process.version}, ${samples} samples of 4 KB, ${width} in flight, one simulated server\n`);
  row(["", "wall", "peak memory", "HTML report"]);

  const ours = await measure([
    main,
    ...[
      "run",
      "--base-url",
      url,
      "--model",
      "bench-model",
      "--suite",
      "contract-matrix",
      "--scenario",
      "seed-memorizable",
    ],
    ...[
      "--max-tokens",
      "8192",
      "--trials",
      String(samples / 2),
      "--concurrency",
      String(width),
      "--quiet",
      "--out",
      "ours",
    ],
  ]);
  if (ours.code !== 0) throw new Error(ours.output);
  const [run] = readdirSync(join(scratch, "ours"));
  show("lab run", ours, join(scratch, "ours", run, "report.html"));

  if (program !== null) {
    const tool = {
      type: "function",
      function: { name: "run_python", parameters: { type: "object", properties: { task: { type: "string" } } } },
    };
    writeFileSync(
      join(scratch, "promptfooconfig.json"),
      JSON.stringify({
        prompts: ["1から1000までの素数って全部足すといくつ？ {{n}}"],
        providers: [
          {
            id: "openai:chat:bench-model",
            config: { apiBaseUrl: url, apiKey: "none", max_tokens: 8192, tools: [tool], tool_choice: "auto" },
          },
        ],
        tests: Array.from({ length: samples }, (_, index) => ({
          vars: { n: index },
          assert: [{ type: "is-valid-openai-tools-call" }],
        })),
      }),
    );
    const theirs = await measure(
      [
        program,
        ...["eval", "-c", "promptfooconfig.json", "--no-cache", "-j", String(width), "-o", "theirs.html"],
        ...["--no-progress-bar", "--no-table", "--no-share"],
      ],
      {
        PROMPTFOO_CONFIG_DIR: join(scratch, "config"),
        PROMPTFOO_DISABLE_TELEMETRY: "1",
        PROMPTFOO_DISABLE_UPDATE: "1",
        PROMPTFOO_DISABLE_REMOTE_GENERATION: "true",
      },
    );
    const report = join(scratch, "theirs.html");
    // Every case fails its assertion by design of the mock, which promptfoo tells with 100.
    if (!existsSync(report)) console.log(`promptfoo ended with ${theirs.code}:\n${theirs.output.slice(-2000)}`);
    else {
      show(`promptfoo ${version}`, theirs, report);
      row([
        "  lab run is",
        `${(theirs.wall / ours.wall).toFixed(1)} x faster`,
        `${(theirs.megabytes / ours.megabytes).toFixed(1)} x smaller`,
        `${(statSync(report).size / statSync(join(scratch, "ours", run, "report.html")).size).toFixed(1)} x smaller`,
      ]);
    }
  }
} finally {
  simulator.kill();
  rmSync(scratch, { recursive: true, force: true });
}
