import { describe, expect, it } from "vitest";
import type { Classification } from "../../src/lab/classify/classification.ts";
import type { KnownTruth } from "../../src/protocol/known-truth.ts";
import { primeSumScripts } from "../../src/testbed/scripts/prime-sum.ts";
import { call, writeScript } from "../../src/testbed/scripts/write-script.ts";
import { startOllama } from "../../src/testbed/servers/ollama.ts";
import { hermesGoTemplate } from "../../src/testbed/templates/go.ts";
import { type LabResult, lab } from "./lab.ts";
import { ollamaServer } from "./provisioned.ts";
import { ollamaFile, withScripted } from "./with-scripted.ts";
import { withServer } from "./with-server.ts";

/** A model with one script: it answers the published questions, whose texts hold no marker. */
function only(script: string): readonly KnownTruth[] {
  return primeSumScripts.filter((truth) => truth.script === script);
}

/** What the lab advises, as it is asked for when a model is made. */
const remedy = { renderer: "qwen3-coder", parser: "qwen3-coder" } as const;
/** A real server that is silent for so long has failed, whatever it is doing; the test says so with the server's log. */
const patience = ["--timeout-first-byte", "30"] as const;

function run(url: string, model: string, trials = 2): readonly string[] {
  const suites = ["--suite", "contract-matrix", "--suite", "parser-mismatch"];
  const questions = ["--scenario", "seed-memorizable", "--scenario", "seed-unmemorizable"];
  return [
    "run",
    "--base-url",
    `${url}/v1`,
    "--model",
    model,
    ...suites,
    ...questions,
    "--trials",
    String(trials),
    ...patience,
  ];
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
  it("is swallowed, found by log-probabilities, laid to the parser, with a fix that works on Ollama", async () => {
    await withServer(startOllama(ollamaServer), async (server) => {
      const file = ollamaFile(only("xml"));
      await server.create({ name: "mismatch", file, template: hermesGoTemplate, contextLength: 4096 });
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
      await server.create({ name: "mended", file, ...remedy, contextLength: 4096 });
      await lab(run(server.url, "mended"), ({ json }) => {
        const rated = json.cells.filter((cell) => ["auto", "native"].includes(cell.arm));
        expect(rated.length).toBeGreaterThan(0);
        for (const cell of rated) expect(cell).toMatchObject({ delivered: cell.planned, measured: cell.planned });
        expect(json.diagnoses.filter(({ code }) => code === "parser_mismatch")).toEqual([]);
      });
    });
  });
});

describe("a Llama 3 template on llama-server", () => {
  it("turns {{PYTHON: …}} into a server error where tools are sent, which is not the model's fault", async () => {
    await withScripted("llama3", only("marker"), async (url) => {
      await lab(run(url, "scripted"), async (result) => {
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
});

/** A model that calls the tool which the doctor offers, whatever it is asked. */
const clock = (format: "hermes" | "qwen3_coder"): readonly KnownTruth[] => [
  writeScript("clock", [call(format, "clock", { zone: "UTC" })]),
];

async function doctor(url: string, model: string) {
  return lab(
    ["doctor", "--base-url", `${url}/v1`, "--model", model, ...patience],
    async ({ code, json, run: stored }) => {
      let requests = 0;
      for await (const _probe of stored.probes()) requests++;
      for await (const capture of stored.captures()) requests += capture.exchanges.length;
      return { code, requests, said: json as unknown as { readonly verdict: string; readonly fix: string | null } };
    },
  );
}

describe("lab doctor", () => {
  it("finds the mismatch on a real Ollama, and nothing after its own remedy", async () => {
    await withServer(startOllama(ollamaServer), async (server) => {
      const file = ollamaFile(clock("qwen3_coder"));
      await server.create({ name: "mismatch", file, template: hermesGoTemplate, contextLength: 4096 });
      const before = await doctor(server.url, "mismatch");
      expect(before).toMatchObject({ code: 1, said: { verdict: "fault" } });
      expect(before.said.fix).toContain("RENDERER qwen3-coder");
      expect(before.requests).toBeLessThanOrEqual(20);
      await server.create({ name: "mended", file, ...remedy, contextLength: 4096 });
      expect((await doctor(server.url, "mended")).code).toBe(0);
    });
  });

  it("finds a real llama-server with the right template in order", async () => {
    await withScripted("hermes", clock("hermes"), async (url) => {
      const { code, requests } = await doctor(url, "scripted");
      expect(code).toBe(0);
      expect(requests).toBeLessThanOrEqual(20);
    });
  });
});
