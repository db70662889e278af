import { describe, expect, it } from "vitest";
import type { Classification } from "../../src/lab/classify/classification.ts";
import type { KnownTruth } from "../../src/protocol/known-truth.ts";
import { primeSumScripts } from "../../src/testbed/scripts/prime-sum.ts";
import { type LabResult, lab } from "./lab.ts";
import { vllmInstalled } from "./provisioned.ts";
import { withVllm } from "./with-scripted.ts";

/** A model with one script: it answers the published questions, whose texts hold no marker. */
function only(script: string): readonly KnownTruth[] {
  return primeSumScripts.filter((truth) => truth.script === script);
}

function run(url: string): readonly string[] {
  const suites = ["--suite", "contract-matrix", "--suite", "parser-mismatch"];
  const questions = ["--scenario", "seed-memorizable", "--scenario", "seed-unmemorizable"];
  return ["run", "--base-url", `${url}/v1`, "--model", "scripted", ...suites, ...questions, "--trials", "2"];
}

async function judged(result: LabResult, arm: string) {
  const found: { axis: string; owner: string }[] = [];
  for await (const { id, replies, owner } of result.run.classifications<Classification>()) {
    const reply = replies.at(-1);
    if (reply?.measured !== true || !id.includes(`/${arm}/`)) continue;
    found.push({ axis: reply.axis.kind, owner });
  }
  return found;
}

describe.runIf(vllmInstalled !== null)("the field failure, on a real vLLM", () => {
  let before: LabResult["json"] | null = null;

  /** It writes XML, and knows Hermes as well: what the grammar forces under required. */
  const model = [...only("xml"), ...only("hermes")];

  it("Qwen XML under the hermes parser: leaked whole, swallowed streamed, passing when required, with the fix named", async () => {
    await withVllm({ toolCallParser: "hermes", reasoningParser: null }, "hermes", model, async (url) => {
      await lab(run(url), async (result) => {
        expect(result.code, result.err).toBe(0);
        const auto = await judged(result, "auto");
        expect(auto.length).toBeGreaterThanOrEqual(8);
        expect(new Set(auto.map(({ axis }) => axis))).toEqual(new Set(["leaked", "swallowed"]));
        expect(new Set(auto.map(({ owner }) => owner))).toEqual(new Set(["server_parser"]));
        const cells = result.json.cells.filter(({ arm }) => arm === "auto");
        for (const cell of cells) expect(cell.delivered).toBe(0);
        // A greeting wants no call, so a forced one delivers nothing there.
        const required = result.json.cells.filter((cell) => cell.arm === "required" && cell.class !== "irrelevant");
        expect(required.length).toBeGreaterThan(0);
        for (const cell of required) expect(cell.delivered).toBe(cell.planned);
        const diagnosis = result.json.diagnoses.find(({ code }) => code === "parser_mismatch");
        expect(diagnosis).toMatchObject({ owner: "server_parser" });
        expect(diagnosis?.fix).toContain("--tool-call-parser qwen3_coder");
        before = result.json;
      });
    });
  });

  it("is mended by the option that was named: every call structured", async () => {
    expect(before).not.toBeNull();
    await withVllm({ toolCallParser: "qwen3_coder", reasoningParser: null }, "hermes", model, async (url) => {
      await lab(run(url), ({ code, json }) => {
        expect(code).toBe(0);
        const rated = json.cells.filter(({ arm }) => ["auto", "native"].includes(arm));
        expect(rated.length).toBeGreaterThan(0);
        for (const cell of rated) expect(cell).toMatchObject({ delivered: cell.planned, measured: cell.planned });
        expect(json.diagnoses.filter(({ code: each }) => each === "parser_mismatch")).toEqual([]);
      });
    });
  });

  it("Hermes JSON under the qwen3_coder parser: swallowed in both modes, laid to the parser", async () => {
    await withVllm({ toolCallParser: "qwen3_coder", reasoningParser: null }, "hermes", only("hermes"), async (url) => {
      await lab(run(url), async (result) => {
        const auto = await judged(result, "auto");
        expect(auto.length).toBeGreaterThanOrEqual(8);
        for (const sample of auto) expect(sample).toMatchObject({ axis: "swallowed", owner: "server_parser" });
        const diagnosis = result.json.diagnoses.find(({ code }) => code === "parser_mismatch");
        expect(diagnosis?.fix).toContain("--tool-call-parser hermes");
      });
    });
  });
});
