// npm run bench: figures as medians, and as ratios to a floor that was measured in the same run. Nothing is asserted here.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Bench } from "tinybench";

if (process.argv.includes("--peers")) {
  if (!process.argv.includes("--adapter")) await import("./peers.mjs");
  await import("./adapter/peers.mjs");
  process.exit();
}

const root = fileURLToPath(new URL("..", import.meta.url));
const main = join(root, "dist/cli/main.js");
const samples = 2000;
const width = 20;
const scratch = mkdtempSync(join(tmpdir(), "lab-bench-"));

const median = (values) => [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];
const line = (what, figure, target, ratio) =>
  console.log(`${what.padEnd(46)} ${figure.padStart(16)}   ${target.padEnd(16)} ${ratio}`);

/** Runs a process to its end; milliseconds, peak megabytes and output. */
async function time(argv, cwd = scratch) {
  const memory = join(scratch, "memory");
  const start = performance.now();
  const child = spawn(process.execPath, ["--import", join(root, "bench/report-memory.mjs"), ...argv], {
    cwd,
    env: { ...process.env, BENCH_MEMORY: memory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  const wall = performance.now() - start;
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}:\n${output}`);
  return { wall, megabytes: Number(readFileSync(memory, "utf8")) / 1024 };
}

async function repeat(times, measure) {
  await measure();
  const figures = [];
  for (let round = 0; round < times; round++) figures.push(await measure());
  return {
    wall: median(figures.map(({ wall }) => wall)),
    megabytes: median(figures.map(({ megabytes }) => megabytes)),
  };
}

console.log(`node ${process.version}, ${availableParallelism()} processors, medians\n`);
line("what", "figure", "target", "ratio to its floor");

const { adapterBench } = await import("./adapter/main.mjs");
if (process.argv.includes("--adapter")) {
  await adapterBench(line);
  process.exit();
}

const help = await repeat(7, () => time([main, "--help"]));
const bare = await repeat(7, () => time(["-e", "0"]));
line(
  "lab --help",
  `${help.wall.toFixed(0)} ms`,
  "<= 150 ms",
  `${(help.wall / bare.wall).toFixed(1)} x an empty node process`,
);

const simulator = spawn(process.execPath, [main, "simulate", "--profile", "bench"], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const greeting = await new Promise((resolve) => simulator.stdout.once("data", (chunk) => resolve(String(chunk))));
  const url = /http:\/\/\S+/.exec(greeting)[0];
  let round = 0;
  const out = () => join(scratch, `results-${round++}`);
  const arms = 2;
  const runArgv = () => [
    main,
    "run",
    "--base-url",
    url,
    "--model",
    "bench-model",
    "--suite",
    "contract-matrix",
    "--scenario",
    "seed-memorizable",
    "--max-tokens",
    "8192",
    "--trials",
    String(samples / arms),
    "--concurrency",
    String(width),
    "--quiet",
    "--out",
    out(),
  ];
  const run = await repeat(3, () => time(runArgv()));
  const floor = await repeat(3, () =>
    time([join(root, "bench/floor.mjs"), url, String(samples), String(width), "bench-model"]),
  );
  line(
    `lab run, ${samples} samples x 4 KB, ${width} in flight`,
    `${(run.wall / 1000).toFixed(2)} s`,
    "<= 2 s",
    `${(run.wall / floor.wall).toFixed(1)} x bare undici`,
  );
  line(
    "  its peak memory",
    `${run.megabytes.toFixed(0)} MB`,
    "<= 200 MB",
    `${(run.megabytes / floor.megabytes).toFixed(1)} x bare undici`,
  );

  const results = join(scratch, "results-1");
  const folder = join(results, readdirSync(results)[0]);
  const html = readdirSync(folder).find((name) => name.endsWith(".html"));
  line("  its HTML report", `${(statSync(join(folder, html)).size / 1e6).toFixed(1)} MB`, "<= 12 MB", "");
  await micro(folder);
  await adapterBench(line);
} finally {
  simulator.kill();
  rmSync(scratch, { recursive: true, force: true });
}

async function micro(folder) {
  const { scanText, toolCallFormats, classifyCapture, openRun } = await import(join(root, "dist/index.js"));
  const stored = await openRun(folder);
  const captures = [];
  for await (const capture of stored.captures()) captures.push(capture);
  const { facts } = stored.record.targets[0];
  const prose =
    "Some prose with <b>tags</b>, {braces} and [brackets]; numbers 1, 2, 3。日本語の文章もあります。\n".repeat(40);
  const text = (
    prose + toolCallFormats.map((format) => format.render([{ name: "f", arguments: { a: "x" } }])).join("\n")
  ).repeat(40);

  const bench = new Bench({ time: 800 });
  bench.add("indexOf", () => {
    for (let at = text.indexOf("</"); at !== -1; at = text.indexOf("</", at + 1));
  });
  bench.add("scan", () => scanText(toolCallFormats, text));
  bench.add("parse", () => {
    for (const capture of captures) JSON.parse(capture.exchanges[0].body.utf8);
  });
  bench.add("classify", () => {
    for (const capture of captures) classifyCapture(capture, facts);
  });
  await bench.run();
  const mean = (name) => bench.getTask(name).result.latency.p50;
  line(
    "scanners, whole registry",
    `${(text.length / 1000 / mean("scan")).toFixed(0)} MB/s`,
    ">= 20 MB/s",
    `${(mean("scan") / mean("indexOf")).toFixed(0)} x indexOf`,
  );
  line(
    "classify stored captures of 4 KB",
    `${((captures.length / mean("classify")) * 1000).toFixed(0)} /s`,
    ">= 5000 /s",
    `${(mean("classify") / mean("parse")).toFixed(0)} x JSON.parse`,
  );
}
