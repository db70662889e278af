import { describe, expect, it } from "vitest";
import { openaiRecipe } from "../../src/testbed/provision/clients.ts";
import { useStand } from "./agent-scenarios.ts";
import { runLibrary } from "./library.ts";
import { leaked, simulate } from "./simulated-model.ts";

const stand = useStand();
const run = (scenario: string) => runLibrary(openaiRecipe, stand(), scenario);
const answer = "It is Paris.\n\nIt lies on the **Seine**.";
const paris = simulate({ first: { text: answer } });
const here = "That is the folder I am in.";
/** A token is one character here. */
const usage = { prompt_tokens: expect.any(Number), completion_tokens: answer.length, total_tokens: expect.any(Number) };

/** Models that do not get their call across by themselves, and what the adapter makes of it. */
const models = [
  ["Hermes JSON", leaked("hermes", "bash", { command: "pwd" }), ["scan:call_from_text"]],
  ["Qwen XML", leaked("qwen3_coder", "bash", { command: "pwd" }), ["scan:call_from_text"]],
  [
    "broken JSON",
    { text: `{"name": "bash", "arguments": {"command": "pwd"}` },
    ["scan:call_from_text", "repair:repaired:missing_outer_brace"],
  ],
] as const;

describe("openai", () => {
  it("chat, not streamed", async () => {
    stand().server.play(paris);
    const { given } = await run("chat");
    expect(given).toEqual({ message: answer, finish: "stop", usage, object: "chat.completion" });
  });

  it("chat, streamed", async () => {
    stand().server.play(paris);
    const { given } = await run("stream");
    expect(given).toMatchObject({ message: given["joined"], usage });
    expect(given["message"]).toBe(answer);
    expect(Number(given["pieces"])).toBeGreaterThan(2);
  });

  describe.each(models)("a model that leaks %s", (_, first, decided) => {
    it.each([
      ["runTools", "runTools"],
      ["runTools, streamed", "runToolsStreamed"],
      ["responses.stream, call and result", "responsesStream"],
    ])("%s", async (_name, scenario) => {
      stand().server.play(simulate({ first, tool: "bash", afterResult: here }));
      const { given, work, ...seen } = await run(scenario);
      expect(given).toMatchObject({ message: here, ran: [{ command: "pwd", output: work }] });
      await expect.poll(seen.decided).toEqual(expect.arrayContaining([...decided]));
    });
  });

  it("`run pwd`, and a model that only writes commands in prose", async () => {
    stand().server.play(simulate({ first: { text: "```bash\npwd\n```" }, afterResult: here }));
    const { given, work, decided } = await run("runPwd");
    expect(given).toMatchObject({ message: here, ran: [{ command: "pwd", output: work }] });
    await expect.poll(decided).toContain("router:routed");
  });

  it("responses, not streamed", async () => {
    stand().server.play(paris);
    const { given } = await run("responses");
    expect(given).toMatchObject({
      message: answer,
      status: "completed",
      usage: { output_tokens: answer.length, total_tokens: expect.any(Number) },
    });
  });

  it("a refusal that says what is wrong", async () => {
    const { given } = await run("refused");
    expect(given).toMatchObject({ error: "BadRequestError", status: 400, words: expect.stringContaining("absent") });
  });

  it("the list of models", async () => {
    const { given } = await run("models");
    expect(given).toEqual({ ids: ["local-model"] });
  });
});
