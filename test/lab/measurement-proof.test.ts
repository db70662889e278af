import { describe, expect, it } from "vitest";
import { bodyText } from "../../src/lab/capture/body.ts";
import { openRun } from "../../src/lab/capture/open-run.ts";
import type { RunOptions } from "../../src/lab/run.ts";
import { readYaml } from "../../src/lab/scenario/yaml-source.ts";
import { openSide } from "../../src/lab/stored-side.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { profileSchema } from "../../src/simulator/profile-schema.ts";
import { createSimulator } from "../../src/simulator/simulator.ts";
import { runInto, scratch, target } from "./run/harness.ts";

const profile = readYaml(
  'server: { kind: vllm, version: "0.32.0", parser: hermes }\nmodels:\n  caller: { format: hermes, default: { text: "No." } }\n',
  "caller.yaml",
  profileSchema,
);
if (!profile.ok) throw new Error(profile.problems.join("\n"));
const { value } = profile;

function simulator(): Handler {
  return createSimulator({ profile: value, seed: "proof", now: () => 0 });
}

/** Proves a small run against a server whose answers were changed on the way. */
async function proofOf(
  change: (response: Response) => Response | Promise<Response>,
  options: Partial<RunOptions> = {},
) {
  await using folder = await scratch();
  const server = simulator();
  const handler: Handler = async (request) => change(await server(request));
  const { folder: run } = await runInto(folder.path, [target("caller", "caller", handler)], {
    suites: ["contract-matrix"],
    ...options,
  });
  const { proof } = await openSide(run);
  if (proof === null) throw new Error("no proof");
  return proof;
}

describe("the proof of measurement", () => {
  it("counts what was sent and answered, when, and against what", async () => {
    const proof = await proofOf((response) => response);
    expect(proof).toMatchObject({
      planned: 12,
      measured: 12,
      requests: { sent: 12, askedAgain: 0, answered: 12, lost: 0 },
      cached: { count: 0, evidence: null },
      repeatedAnswers: 0,
      targets: [{ name: "caller", server: "vllm 0.32.0" }],
    });
    expect(Date.parse(proof.lastSentAt ?? "")).toBeGreaterThanOrEqual(Date.parse(proof.firstSentAt ?? ""));
    expect(Object.keys(proof.questions).sort()).toEqual([
      "seed-memorizable/marker/small",
      "seed-memorizable/native/small",
      "seed-unmemorizable/marker/small",
      "seed-unmemorizable/native/small",
    ]);
  });

  it.each([
    ["x-cache", "HIT from edge"],
    ["cf-aig-cache-status", "HIT"],
    ["age", "42"],
  ])("sees answers that a proxy kept: %s: %s", async (name, header) => {
    const proof = await proofOf((response) => {
      const headers = new Headers(response.headers);
      headers.set(name, header);
      return new Response(response.body, { status: response.status, headers });
    });
    expect(proof.cached).toEqual({ count: 12, evidence: `${name}: ${header}` });
  });

  it.each([
    ["x-cache", "MISS"],
    ["age", "0"],
    ["cache-control", "no-store"],
  ])("takes no header for more than it says: %s: %s", async (name, header) => {
    const proof = await proofOf((response) => {
      const headers = new Headers(response.headers);
      headers.set(name, header);
      return new Response(response.body, { status: response.status, headers });
    });
    expect(proof.cached.count).toBe(0);
  });

  it.each([
    ["chatcmpl-0123456789abcdef0123456789abcdef", 11],
    // Ollama numbers its answers from one to 999.
    ["chatcmpl-123", 0],
  ])("sees one answer handed out again by its id, where ids tell: %s", async (id, repeated) => {
    const proof = await proofOf(async (response) => {
      const text = await response.text();
      return new Response(text.replace(/"id":"chatcmpl-[^"]*"/, `"id":"${id}"`), {
        status: response.status,
        headers: response.headers,
      });
    });
    expect(proof.repeatedAnswers).toBe(repeated);
  });

  it("tells two servers that number their answers alike from a cache", async () => {
    await using folder = await scratch();
    const targets = ["one", "two"].map((name) => target(name, "caller", simulator()));
    const { folder: run } = await runInto(folder.path, targets, { suites: ["contract-matrix"] });
    const ids: string[] = [];
    for await (const { exchanges } of (await openRun(run)).captures())
      ids.push(/"id":"([^"]*)"/.exec(bodyText(exchanges[0]?.body ?? { utf8: "" }))?.[1] ?? "");
    expect(new Set(ids).size).toBe(ids.length / 2);
    expect((await openSide(run)).proof?.repeatedAnswers).toBe(0);
  });

  it("knows a question again whatever its nonce is, and another question by its words", async () => {
    const unknown = { onlyScenarios: ["sha256-nonce-en", "prime-factor-nonce-en"], trials: 1 };
    const first = await proofOf((response) => response, { ...unknown, seed: "one" });
    const second = await proofOf((response) => response, { ...unknown, seed: "two" });
    expect(second.questions).toEqual(first.questions);
    expect(new Set(Object.values(first.questions)).size).toBe(4);
  });
});
