import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Classification } from "../../src/lab/classify/classification.ts";
import type { KnownTruth } from "../../src/protocol/known-truth.ts";
import { primeSumScripts } from "../../src/testbed/scripts/prime-sum.ts";
import { call, writeScript } from "../../src/testbed/scripts/write-script.ts";
import { startLlamaServer } from "../../src/testbed/servers/llama-server.ts";
import { type RunningOllama, startOllama } from "../../src/testbed/servers/ollama.ts";
import type { RunningServer } from "../../src/testbed/servers/server-process.ts";
import { hermesGoTemplate } from "../../src/testbed/templates/go.ts";
import { type LabResult, lab } from "./lab.ts";
import { llamaServer, ollamaServer } from "./provisioned.ts";
import { llamaSetUps, modelFile } from "./set-ups.ts";

/** A model with one script: it answers the published questions, whose texts hold no marker. */
function only(script: string): readonly KnownTruth[] {
  return primeSumScripts.filter((truth) => truth.script === script);
}

function run(url: string, model: string, trials = 2): readonly string[] {
  const suites = ["--suite", "contract-matrix", "--suite", "parser-mismatch"];
  const questions = ["--scenario", "seed-memorizable", "--scenario", "seed-unmemorizable"];
  return ["run", "--base-url", `${url}/v1`, "--model", model, ...suites, ...questions, "--trials", String(trials)];
}

/** Axis, owner and purpose of the exchange that showed the call, for each sample of an arm. */
async function judged(result: LabResult, arms: readonly string[]) {
  const purposes = new Map<string, readonly string[]>();
  for await (const capture of result.run.captures())
    purposes.set(
      capture.id,
      capture.exchanges.map(({ purpose }) => purpose),
    );
  const found = [];
  for await (const { id, replies, owner } of result.run.classifications<Classification>()) {
    const reply = replies.at(-1);
    if (reply?.measured !== true || !arms.some((arm) => id.includes(`/${arm}/`))) continue;
    const shownBy = "span" in reply.axis ? purposes.get(id)?.[reply.axis.span.exchange] : undefined;
    found.push({ id, axis: reply.axis.kind, owner, shownBy });
  }
  return found;
}

describe("Qwen XML through an Ollama Go template for Hermes", () => {
  let server: RunningOllama;
  beforeAll(async () => {
    server = await startOllama(ollamaServer);
    const file = modelFile(only("xml"), {});
    await server.create({ name: "mismatch", file, template: hermesGoTemplate, contextLength: 4096 });
    await server.create({
      name: "mended",
      file,
      renderer: "qwen3-coder",
      parser: "qwen3-coder",
      contextLength: 4096,
    });
  });
  afterAll(() => server.stop());

  it("is swallowed, found by log-probabilities, laid to the parser, with a fix that works on Ollama", async () => {
    const fix = await lab(run(server.url, "mismatch"), async (result) => {
      expect(result.code).toBe(0);
      const samples = await judged(result, ["auto", "native"]);
      expect(samples.length).toBeGreaterThanOrEqual(8);
      for (const sample of samples)
        expect(sample).toMatchObject({ axis: "swallowed", owner: "server_parser", shownBy: "logprobs_replay" });
      const diagnosis = result.json.diagnoses.find(({ code }) => code === "parser_mismatch");
      expect(["template", "server_parser"]).toContain(diagnosis?.owner);
      expect(diagnosis?.samples.length).toBeGreaterThanOrEqual(8);
      return diagnosis?.fix;
    });
    expect(fix).toBe("RENDERER qwen3-coder\nPARSER qwen3-coder");
    await lab(run(server.url, "mended"), ({ json }) => {
      const rated = json.cells.filter((cell) => ["auto", "native"].includes(cell.arm));
      expect(rated.length).toBeGreaterThan(0);
      for (const cell of rated) expect(cell).toMatchObject({ delivered: cell.planned, measured: cell.planned });
      expect(json.diagnoses.filter(({ code }) => code === "parser_mismatch")).toEqual([]);
    });
  });
});

/** A model that calls the tool which the doctor offers, whatever it is asked. */
const clock = (format: "hermes" | "qwen3_coder"): readonly KnownTruth[] => [
  writeScript("clock", [call(format, "clock", { zone: "UTC" })]),
];

async function doctor(url: string, model: string) {
  return lab(["doctor", "--base-url", `${url}/v1`, "--model", model], async ({ code, json, run: stored }) => {
    let requests = 0;
    for await (const _probe of stored.probes()) requests++;
    for await (const capture of stored.captures()) requests += capture.exchanges.length;
    return { code, requests, said: json as unknown as { readonly verdict: string; readonly fix: string | null } };
  });
}

describe("lab doctor", () => {
  it("finds the mismatch on a real Ollama, and nothing after its own remedy", async () => {
    const server = await startOllama(ollamaServer);
    try {
      const file = modelFile(clock("qwen3_coder"), {});
      await server.create({ name: "mismatch", file, template: hermesGoTemplate, contextLength: 4096 });
      const before = await doctor(server.url, "mismatch");
      expect(before).toMatchObject({ code: 1, said: { verdict: "fault" } });
      expect(before.said.fix).toContain("RENDERER qwen3-coder");
      expect(before.requests).toBeLessThanOrEqual(20);
      await server.create({
        name: "mended",
        file,
        renderer: "qwen3-coder",
        parser: "qwen3-coder",
        contextLength: 4096,
      });
      expect((await doctor(server.url, "mended")).code).toBe(0);
    } finally {
      await server.stop();
    }
  });

  it("finds a real llama-server with the right template in order", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lab-servers-"));
    try {
      const setUp = llamaSetUps.find(({ id }) => id === "hermes");
      const path = join(folder, "clock.gguf");
      await writeFile(path, modelFile(clock("hermes"), setUp ?? {}));
      const server = await startLlamaServer(llamaServer, { model: path, alias: "clock" });
      try {
        const { code, requests } = await doctor(server.url, "clock");
        expect(code).toBe(0);
        expect(requests).toBeLessThanOrEqual(20);
      } finally {
        await server.stop();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("a Llama 3 template on llama-server", () => {
  const setUp = llamaSetUps.find(({ id }) => id === "llama3");
  let folder = "";
  let server: RunningServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "lab-servers-"));
    const path = join(folder, "marker.gguf");
    await writeFile(path, modelFile(only("marker"), setUp ?? {}));
    server = await startLlamaServer(llamaServer, { model: path, alias: "marker", slots: 2 });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("turns {{PYTHON: …}} into a server error where tools are sent, which is not the model's fault", async () => {
    await lab(run(server.url, "marker"), async (result) => {
      expect(result.code).toBe(0);
      const native = await judged(result, ["auto", "native", "named"]);
      expect(native.length).toBeGreaterThanOrEqual(8);
      for (const sample of native) expect(sample).toMatchObject({ axis: "server_error", owner: "server_parser" });
      for (const sample of await judged(result, ["marker"]))
        expect(sample).toMatchObject({ axis: "marker", owner: "none" });
      const blamed = result.json.diagnoses.filter(({ code }) => code === "server_fails_on_output");
      expect(blamed.map(({ owner }) => owner)).toEqual(["server_parser"]);
    });
  });
});
