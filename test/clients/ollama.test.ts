import { describe, expect, it } from "vitest";
import { ollamaClientRecipe } from "../../src/testbed/provision/clients.ts";
import { useStand } from "./agent-scenarios.ts";
import { runLibrary } from "./library.ts";

const stand = useStand();
const run = (scenario: string) => runLibrary(ollamaClientRecipe, stand(), scenario);

describe("ollama", () => {
  it("the version, new enough for every client that asks", async () => {
    const { given } = await run("version");
    expect(given).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });

  it("the list of models", async () => {
    const { given } = await run("list");
    expect(given).toEqual({ names: ["local-model"] });
  });

  it("a pull, streamed and not", async () => {
    const { given } = await run("pull");
    expect(given).toEqual({ states: ["success"], whole: { status: "success" } });
  });

  it("a chat over its own API: told in words that there is none, and what to use", async () => {
    const { given } = await run("chat");
    expect(given).toMatchObject({
      error: "ResponseError",
      status: 404,
      words: expect.stringContaining("/v1/chat/completions"),
    });
  });
});
