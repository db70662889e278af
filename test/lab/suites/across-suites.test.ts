import { describe, expect, it } from "vitest";
import { withMinimum } from "../../../src/cli/model-choice.ts";
import { chooseModel } from "../../../src/lab/gate/choose-model.ts";
import { reproduce } from "../../../src/lab/repro.ts";
import { runInto } from "../run/harness.ts";
import { loaded, planted, scratch, target } from "./harness.ts";

const ollama = { kind: "ollama", version: "0.34.2", parser: null } as const;

it("samples of other suites whose prompt the server cut are not measured, and the suite context says so", async () => {
  await using root = await scratch();
  const handler = planted({ server: { ...ollama, template: "hermes", contextLength: 4096 } });
  const { result } = await runInto(root.path, [target("t", "sound", handler)], {
    scenarios: loaded,
    suites: ["context", "round-trip"],
    onlyScenarios: undefined,
    trials: 1,
    shapes: ["small", "agent"],
    languages: ["en"],
  });
  const { summary } = result;
  const cells = (suite: string, shape: string) =>
    summary.cells.filter((each) => each.suite === suite && each.shape === shape);
  // An agent's prompt is some 20,000 tokens here; the small one fits.
  for (const cell of cells("round-trip", "small")) expect(cell).toMatchObject({ measured: 1, delivered: 1 });
  for (const cell of cells("round-trip", "agent")) expect(cell).toMatchObject({ measured: 0 });
  expect(summary.exclusions.filter(({ id }) => id.includes("round-trip"))).toHaveLength(4);
  expect(summary.exclusions.find(({ id }) => id.includes("round-trip"))).toMatchObject({
    reason: "context_invalid",
    detail: expect.stringContaining("saw the server cut at 4096 without a word"),
  });
  expect(summary.diagnoses.map(({ code, owner }) => [code, owner])).toEqual([["context_cut", "server_option"]]);
});

describe("choosing a model", () => {
  const minContext = 6000;
  const candidates = {
    fits: { server: { contextLength: 131_072 } },
    small: { server: { contextLength: 4096 } },
    cuts: { server: { ...ollama, template: "hermes", contextLength: 4096 } },
    refuses: { server: { ...ollama, template: "notools", contextLength: 131_072 } },
    lost: { model: { format: "qwen3_coder" } },
    english: {
      rules: [
        {
          when: { last: "tool" },
          cards: [{ text: 'Here it is, the code: {{seen:"code": "([A-Z]{3}-[0-9]{4})}} ☆イヴ ☆Eve ☆夏娃' }],
        },
      ],
    },
  } as const;

  it("looks at tools, then context, then Japanese, and says why the others are out", async () => {
    await using root = await scratch();
    const targets = Object.entries(candidates).map(([name, fault]) => target(name, "sound", planted(fault, name)));
    const { result, stored } = await runInto(root.path, targets, {
      scenarios: withMinimum(loaded, minContext),
      suites: ["capability", "context", "language"],
      onlyScenarios: undefined,
      trials: 3,
    });
    const record = { ...stored.record, plan: { ...stored.record.plan, choice: { minContext } } };
    const choice = chooseModel(record, result.summary);
    expect(
      choice?.candidates.map(({ target: name, rank, exclusion }) => [name, rank, exclusion?.kind ?? null]),
    ).toEqual([
      ["fits", 1, null],
      ["english", 2, null],
      ["small", null, "context_too_small"],
      ["cuts", null, "context_too_small"],
      ["refuses", null, "tools_refused"],
      ["lost", null, "no_call_came"],
    ]);
    expect(choice?.candidates[0]).toMatchObject({ japanese: { count: 3, of: 3 }, calls: { count: 9, of: 9 } });
    expect(choice?.candidates.at(-1)?.exclusion).toMatchObject({
      diagnosis: { fix: { option: "--tool-call-parser qwen3_coder" } },
    });
    expect(chooseModel(stored.record, result.summary)).toBeNull();
  });
});

it("a sample is reproduced with its requests, what was expected and what came", async () => {
  await using root = await scratch();
  const handler = planted({ rules: [{ when: { last: "tool" }, cards: [{ text: "コードは ZZZ-9999 だよ！" }] }] });
  const { stored } = await runInto(root.path, [target("t", "sound", handler)], {
    scenarios: loaded,
    suites: ["round-trip"],
    onlyScenarios: ["one-call-ja"],
    trials: 1,
  });
  const { requests, judged, id } = await reproduce(stored, "one-call-ja");
  expect(id).toBe("t/direct/round-trip/one-call-ja/tool-loop/body/small/1");
  expect(judged.probe?.faults.map(({ code }) => code)).toEqual(["result_invented"]);
  expect(requests).toHaveLength(2);
  const bodies = requests.map(({ body }) => JSON.parse(body) as { messages: { role: string }[] });
  expect(bodies.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
    ["system", "user"],
    ["system", "user", "assistant", "tool"],
  ]);
  expect(requests.map(({ url }) => url)).toEqual(Array(2).fill("http://t.invalid/v1/chat/completions"));
  expect(requests[1]?.seen).toContainEqual({ field: "content", text: "コードは ZZZ-9999 だよ！" });
  // The server gives the same again for the same request.
  const again = await handler(
    new Request("http://t.invalid/v1/chat/completions", { method: "POST", body: requests[1]?.body ?? "" }),
  );
  expect(await again.text()).toContain("ZZZ-9999");
  await expect(reproduce(stored, "one-cal-ja")).rejects.toThrow(/there is no sample "one-cal-ja" in this run/);
});
