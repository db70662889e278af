import { describe, expect, it } from "vitest";
import { aiSdkRecipe } from "../../src/testbed/provision/clients.ts";
import { useStand } from "./agent-scenarios.ts";
import { runLibrary } from "./library.ts";
import { leaked, simulate } from "./simulated-model.ts";

const stand = useStand();
const run = (scenario: string) => runLibrary(aiSdkRecipe, stand(), scenario);
const here = "That is the folder I am in.";

const models = [
  ["Hermes JSON", leaked("hermes", "bash", { command: "pwd" }), ["scan:call_from_text"]],
  ["Qwen XML", leaked("qwen3_coder", "bash", { command: "pwd" }), ["scan:call_from_text"]],
  [
    "broken JSON",
    { text: `{"name": "bash", "arguments": {"command": "pwd"}` },
    ["scan:call_from_text", "repair:repaired:missing_outer_brace"],
  ],
] as const;

describe("ai", () => {
  it("generateText without tools", async () => {
    stand().server.play(simulate({ first: { text: "It is Paris." } }));
    const { given } = await run("text");
    expect(given).toMatchObject({ message: "It is Paris.", finish: "stop", usage: { outputTokens: 12 } });
  });

  describe.each(models)("a model that leaks %s", (_, first, decided) => {
    it.each([
      ["generateText with tools", "generate"],
      ["streamText with tools", "stream"],
    ])("%s", async (_name, scenario) => {
      stand().server.play(simulate({ first, tool: "bash", afterResult: here }));
      const { given, work, ...seen } = await run(scenario);
      expect(given).toMatchObject({ message: here, steps: 2, ran: [{ command: "pwd", output: work }] });
      if (scenario === "stream") {
        expect(given["parts"]).toEqual(expect.arrayContaining(["tool-call", "tool-result", "text-delta", "finish"]));
        expect(given["parts"]).not.toContain("error");
      }
      await expect.poll(seen.decided).toEqual(expect.arrayContaining([...decided]));
    });
  });

  it("`run pwd`, and a model that only writes commands in prose", async () => {
    stand().server.play(simulate({ first: { text: "```bash\npwd\n```" }, afterResult: here }));
    const { given, work, decided } = await run("runPwd");
    expect(given).toMatchObject({ message: here, steps: 2, ran: [{ command: "pwd", output: work }] });
    await expect.poll(decided).toContain("router:routed");
  });
});
