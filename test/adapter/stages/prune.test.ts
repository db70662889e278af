import { describe, expect, it } from "vitest";
import { prune } from "../../../src/adapter/stages/prune.ts";
import type { Tool } from "../../../src/protocol/chat.ts";
import { runStages } from "../stage-harness.ts";

const tool = (name: string): Tool => ({
  type: "function",
  function: { name, description: `${name} does its work`, parameters: { type: "object", properties: {} } },
});

describe("the stage prune", () => {
  it("sends fewer tools and names each that it left out", async () => {
    const run = await runStages({
      stages: [prune],
      request: {
        model: "m",
        messages: [{ role: "user", content: "pwd" }],
        tools: ["exec_command", "view_image", "get_goal", "lookup"].map(tool),
      },
    });
    expect(run.asked[0]?.tools?.map((one) => one.function.name)).toEqual(["exec_command", "lookup"]);
    expect(run.entries).toMatchObject([
      {
        stage: "prune",
        decision: "pruned",
        before: { tools: 4 },
        after: { tools: 2, dropped: [{ name: "view_image" }, { name: "get_goal" }] },
      },
    ]);
    expect(run.dropped.map(({ text }) => JSON.parse(text).function.name)).toEqual(["view_image", "get_goal"]);
  });

  it("sends the request as it is where every tool matters", async () => {
    const request = { model: "m", messages: [{ role: "user", content: "pwd" }], tools: [tool("exec_command")] };
    const run = await runStages({ stages: [prune], request });
    expect(run.asked[0]).toBe(request);
    expect(run.entries).toEqual([]);
  });

  it("can be switched off", async () => {
    const request = {
      model: "m",
      messages: [{ role: "user", content: "pwd" }],
      tools: [tool("bash"), tool("view_image")],
    };
    expect((await runStages({ stages: [prune], request, config: { disable: ["prune"] } })).asked[0]).toBe(request);
  });
});
