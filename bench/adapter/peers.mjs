// npm run bench -- --peers: two gateways of the registry beside the adapter, before the same server, in turns. They are no
// dependencies: installed once into the cache folder, and left out with one line where that cannot be.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inTurns, peakMegabytes, start } from "./load.mjs";
import { smallBody, startAll } from "./main.mjs";

const cache = process.env.HARNESS_LAB_CACHE || join(homedir(), ".cache/harness-lab");
const llmsProgram = fileURLToPath(new URL("llms-server.cjs", import.meta.url));

const peers = [
  {
    name: "@musistudio/llms",
    version: "1.0.53",
    open: async (folder, upstream) => {
      const port = await freePort();
      const argv = [llmsProgram, folder, upstream, String(port)];
      const started = await start(argv, {}, new RegExp(`http://127\\.0\\.0\\.1:${port}\\b`));
      return { ...started, body: JSON.stringify({ ...JSON.parse(smallBody), model: "stub,m" }) };
    },
  },
  {
    name: "@portkey-ai/gateway",
    version: "1.15.2",
    open: async (folder, upstream) => {
      const port = await freePort();
      const program = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
      const started = await start([program, "--headless", `--port=${port}`], {}, new RegExp(`:${port}\\b`));
      const headers = {
        authorization: "Bearer none",
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": `${upstream}/v1`,
      };
      return { ...started, url: `http://127.0.0.1:${port}`, headers, body: smallBody };
    },
  },
];

/** Installs a peer where it is not yet; the folder with its packages, or null with a line that says why not. */
function install({ name, version }) {
  const folder = join(cache, `${name.replaceAll(/[@/]/g, "-").slice(1)}-${version}`);
  if (existsSync(join(folder, "node_modules", name))) return folder;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true}\n');
    console.log(`installing ${name} ${version} into ${folder} ...`);
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--omit=optional", `${name}@${version}`], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 600_000,
    });
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    const said = String(error.stderr ?? "").match(/npm error .*/)?.[0] ?? error.message.split("\n")[0];
    console.log(`${name} ${version} left out: it could not be installed (${said})`);
    return null;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const all = await startAll();
const started = [];
try {
  const subjects = { "bare proxy": all.subjects.bare, "lab adapter": all.subjects.adapter };
  for (const peer of peers) {
    const folder = install(peer);
    if (folder === null) continue;
    try {
      const opened = await peer.open(folder, all.server.url);
      started.push(opened);
      subjects[`${peer.name} ${peer.version}`] = opened;
    } catch (error) {
      console.log(`${peer.name} ${peer.version} left out: ${String(error.message).split("\n")[0]}`);
    }
  }
  // Servers run for days: what is measured is not their first second.
  await inTurns(subjects, 1, 6000, 8);
  const one = await inTurns(subjects, 3, 300, 1);
  const many = await inTurns(subjects, 3, 1500, 16);
  const row = (cells) =>
    console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(30) : cell.padStart(18))).join(""));
  console.log(`\nnode ${process.version}, the same small request to all, in turns, medians\n`);
  row(["", "p50, one in flight", "16 in flight", "of the bare proxy", "processor", "peak memory"]);
  for (const [name, subject] of Object.entries(subjects))
    row([
      name,
      `${one[name].p50.toFixed(2)} ms`,
      `${many[name].rate.toFixed(0)} /s`,
      `${((100 * many[name].rate) / many["bare proxy"].rate).toFixed(0)} %`,
      `${many[name].processor.toFixed(0)} µs`,
      `${peakMegabytes(subject.pid).toFixed(0)} MB`,
    ]);
} finally {
  for (const each of started) each.stop();
  all.stop();
}
