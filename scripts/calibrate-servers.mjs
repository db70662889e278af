// npm run calibrate:servers [-- NAME… --steps table,parsers,wire]: calibrates provisioned servers and keeps what they did in
// docs/calibration (table; parsers: vLLM's, each alone), with some of their very bytes in test/fixtures/calibrated (wire).
// --parsers NAME,… asks those alone and keeps what is there of others. All three steps of all three servers take half an hour.
// Run through tsx, which reads the sources.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { spawnedTargets } from "../src/cli/calibrated-targets.ts";
import { commands } from "../src/cli/commands/index.ts";
import { program } from "../src/cli/program.ts";
import { defaultTimeouts } from "../src/cli/run-settings.ts";
import { spawnedProgram } from "../src/cli/scripted-servers.ts";
import { upstream } from "../src/http/upstream.ts";
import { askParser } from "../src/lab/calibration/parser-oracle.ts";
import { recordWire } from "../src/lab/calibration/record-wire.ts";
import { toTable } from "../src/lab/report/calibration/table.ts";
import { scriptMarker } from "../src/testbed/scripted/scripted-model.ts";
import { scriptedSafetensors } from "../src/testbed/scripted/scripted-safetensors.ts";
import { primeSumScripts } from "../src/testbed/scripts/prime-sum.ts";
import { startVllmRender } from "../src/testbed/servers/vllm.ts";
import { familyTags, modelOptions } from "../src/testbed/set-ups/set-up.ts";
import { vllmSetUps } from "../src/testbed/set-ups/vllm.ts";
import { truthReader } from "../src/testbed/truth/index.ts";

/** Parsers worth asking, and tokens that some of them want in the vocabulary. */
const parserNames = [
  "hermes",
  "qwen3_json",
  "qwen3_coder",
  "qwen3_xml",
  "llama3_json",
  "llama4_json",
  "pythonic",
  "mistral",
  "glm45",
  "granite",
  "granite4",
  "xlam",
  "internlm",
  "jamba",
  "phi4_mini_json",
  "minimax_m2",
  "mimo",
  "step3p5",
  "ernie45",
  "seed_oss",
  "olmo3",
  "hunyuan_a13b",
];
const parserTags = [
  ...familyTags,
  "[TOOL_CALLS]",
  "<|python_tag|>",
  "<tool_calls>",
  "</tool_calls>",
  "<|tool_call|>",
  "<arg_key>",
  "</arg_key>",
  "<arg_value>",
  "</arg_value>",
  "<seed:tool_call>",
  "</seed:tool_call>",
];

const root = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { steps: { type: "string", default: "table,parsers,wire" }, parsers: { type: "string" } },
});
const askedParsers = values.parsers?.split(",") ?? parserNames;
const unknownParser = askedParsers.find((name) => !parserNames.includes(name));
if (unknownParser !== undefined) throw new Error(`--parsers: ${unknownParser} is none of ${parserNames.join(", ")}`);
const steps = new Set(values.steps.split(","));
const kinds = positionals.length > 0 ? positionals : ["llama-server", "ollama", "vllm"];
const docs = join(root, "docs", "calibration");
const fixtures = join(root, "test", "fixtures", "calibrated");
for (const folder of [docs, fixtures]) mkdirSync(folder, { recursive: true });

for (const kind of kinds) {
  const file = join(docs, `${kind}.json`);
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
  const started = performance.now();
  const table = steps.has("table") || kept === null ? toTable(await calibrate(kind)) : kept;
  const asksParsers = kind === "vllm" && steps.has("parsers");
  const parsers = asksParsers ? withKept(await askParsers(), kept?.parsers ?? []) : kept?.parsers;
  writeFileSync(file, `${linesOf({ ...table, ...(parsers === undefined ? {} : { parsers }) })}\n`);
  if (steps.has("wire")) await recordBytes(kind, table.setUps[0]?.version ?? null);
  console.log(`${kind}: done in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

async function calibrate(kind) {
  const folder = mkdtempSync(join(tmpdir(), "lab-calibrate-"));
  let out = "";
  const code = await program(commands, {
    env: process.env,
    cwd: root,
    stdout: { write: (text) => (out += text), columns: 100, terminal: null },
    stderr: { write: (text) => process.stderr.write(text), columns: 100, terminal: null },
    signal: new AbortController().signal,
    clock: { now: () => performance.now(), date: () => new Date() },
    randomHex: () => "00c0ffee",
    labVersion: "0.1.0",
    packageFolder: root,
    argv: ["calibrate", "--spawn", kind, "--quiet", "--json", "--out", folder],
  });
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`${kind}: the calibration ended with ${code}`);
  return JSON.parse(out);
}

async function recordBytes(kind, version) {
  for (const name of readdirSync(fixtures)) if (name.startsWith(`${kind}-`)) rmSync(join(fixtures, name));
  const settings = { timeouts: defaultTimeouts, concurrency: 1 };
  const opened = await spawnedTargets(
    await spawnedProgram(kind, undefined, world()),
    { asked: [], scripts: primeSumScripts, modelFolder: null },
    settings,
  );
  try {
    for (const { setUp, target, start } of opened.targets) {
      await target.prepare?.();
      const exchanges = await recordWire({ target, setUp, scripts: primeSumScripts, marker: scriptMarker });
      const head = JSON.stringify({ server: kind, version, setUp, start });
      const lines = exchanges.map((exchange) => JSON.stringify(exchange));
      writeFileSync(join(fixtures, `${kind}-${setUp.id}.jsonl`), `${[head, ...lines].join("\n")}\n`);
    }
  } finally {
    await opened.close();
  }
}

/** What was asked now, and what is kept of parsers that were not asked, in the order of the names. */
function withKept(asked, kept) {
  const all = [...asked, ...kept.filter(({ parser }) => !askedParsers.includes(parser))];
  return parserNames.flatMap((name) => all.filter(({ parser }) => parser === name));
}

/** Every parser of vLLM that starts with a vocabulary like ours, asked alone. */
async function askParsers() {
  const { installed } = await spawnedProgram("vllm", undefined, world());
  const model = join(mkdtempSync(join(tmpdir(), "lab-parsers-")), "model");
  mkdirSync(model);
  const files = scriptedSafetensors({ ...modelOptions(primeSumScripts, vllmSetUps[0]), tags: parserTags });
  for (const [name, bytes] of files) writeFileSync(join(model, name), bytes);
  const parsers = [];
  for (const toolCallParser of askedParsers) {
    const options = { model, alias: "scripted", toolCallParser, reasoningParser: null };
    const server = await startVllmRender(installed, options).catch((error) => {
      console.log(`vllm: parser ${toolCallParser} left out: ${error.message.slice(0, 300)}`);
      return null;
    });
    if (server === null) continue;
    const connection = upstream(server.url);
    try {
      const cells = await askParser({
        handler: connection,
        model: "scripted",
        scripts: primeSumScripts,
        truth: truthReader,
      });
      const words = cells.map(({ script, whole, streamed }) => [
        script,
        whole === streamed ? (whole ?? "") : `${whole ?? ""}/${streamed ?? ""}`,
      ]);
      parsers.push({ parser: toolCallParser, cells: Object.fromEntries(words) });
      console.log(`vllm: parser ${toolCallParser} asked`);
    } finally {
      await connection.close();
      await server.stop();
    }
  }
  rmSync(join(model, ".."), { recursive: true, force: true });
  return parsers;
}

function world() {
  return { env: process.env };
}

/** One line for each script of each set-up, so that a change shows where it is. */
function linesOf(table) {
  const text = JSON.stringify(table, null, 1);
  return text.replace(
    /\{\n\s+("(?:auto|question|script|label)":[^{}]*?)\n\s+\}/g,
    (_whole, inner) => `{ ${inner.replace(/\n\s+/g, " ")} }`,
  );
}
