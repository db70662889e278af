import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requestFor } from "../../../src/lab/scenario/request.ts";
import {
  planRequest,
  readUserRequest,
  requestSuite,
  type UserRequest,
} from "../../../src/lab/scenario/request-file.ts";
import { ScenarioProblems } from "../../../src/lab/scenario/scenario-problems.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "request-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function read(content: unknown, name = "My Request.json"): Promise<UserRequest> {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return readUserRequest(path);
}

const tool = (name: string) => ({
  type: "function",
  function: { name, parameters: { type: "object", $schema: "http://json-schema.org/draft-07/schema#" } },
});
const body = {
  model: "theirs",
  messages: [
    { role: "system", content: [{ type: "text", text: "be good" }] },
    { role: "user", content: "list the files" },
    {
      role: "assistant",
      content: null,
      reasoning_content: "hm",
      tool_calls: [{ id: "1", type: "function", function: { name: "ls", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "1", content: "a.txt" },
    { role: "user", content: "read it" },
  ],
  tools: [tool("ls"), tool("cat")],
  tool_choice: "auto",
  stream: true,
  stream_options: { include_usage: false },
  seed: 9,
  top_p: 0.8,
  parallel_tool_calls: false,
};
const plan = (request: UserRequest, trials = 2) =>
  planRequest({ target: "t", routes: ["direct"], request, trials, seed: "run" });

describe("a request of one's own", () => {
  it("is sent through every choice, streamed and not, its own keys as they were", async () => {
    const request = await read(body);
    const samples = plan(request);
    expect(samples).toHaveLength(3 * 2 * 2);
    expect(new Set(samples.map((sample) => sample.id)).size).toBe(12);
    expect(samples.map((sample) => sample.id)).toContain("t/direct/request/my-request/required/stream/agent/2");
    for (const sample of samples) {
      const { seed, ...sent } = requestFor(sample, { model: "ours", overrides: { body: {} }, extras: {} });
      expect(seed).toBe(sample.seed);
      expect(sent).toEqual({
        model: "ours",
        messages: body.messages,
        tools: body.tools,
        tool_choice: sample.arm,
        max_tokens: 2048,
        stream: sample.stream,
        ...(sample.stream ? { stream_options: { include_usage: true } } : {}),
        top_p: 0.8,
        parallel_tool_calls: false,
      });
      expect(sample.expectation).toMatchObject({ judge: "any_call", wanted: null, oracle: [], contract: "native" });
      expect(sample.expectation.tools).toEqual(body.tools);
    }
  });

  it("is also sent with a named choice where exactly one tool is declared", async () => {
    const request = await read({ ...body, tools: [tool("cat")] });
    expect(requestSuite(request).arms.map((arm) => arm.id)).toEqual(["auto", "required", "named", "none"]);
    const named = plan(request).find((sample) => sample.arm === "named");
    expect(named?.toolChoice).toEqual({ type: "function", function: { name: "cat" } });
  });

  it("may be a capture, whose headers are left alone", async () => {
    const capture = { meta: { client: "x" }, headers: { authorization: "Bearer secret" }, body };
    const request = await read(capture, "c.json");
    expect(JSON.stringify(plan(request))).not.toContain("secret");
    expect({ ...request, id: "" }).toEqual({ ...(await read(body)), id: "" });
  });

  it.each([
    [{ max_tokens: 77 }, 77],
    [{ max_completion_tokens: 88 }, 88],
    [{}, 2048],
  ])("keeps its own budget: %o", async (limit, expected) => {
    const request = await read({ ...body, ...limit });
    const [sample] = plan(request);
    if (sample === undefined) throw new Error("no sample");
    const sent = requestFor(sample, { model: "m", overrides: { body: {} }, extras: {} });
    expect(sent.max_tokens).toBe(expected);
    expect(sent).not.toHaveProperty("max_completion_tokens");
  });

  it.each([
    ["read it", "en"],
    ["これを読んで", "ja"],
  ])("has the language of its last question: %s", async (content, language) => {
    const request = await read({
      ...body,
      messages: [
        { role: "system", content: "日本語" },
        { role: "user", content },
      ],
    });
    expect(request.language).toBe(language);
  });

  it.each<[string, unknown, RegExp]>([
    ["no JSON", "{ broken", /is not JSON \(.+\)$/],
    ["an empty file", "", /is not JSON/],
    ["a list", [], /is not a JSON object$/],
    ["no messages", { model: "x" }, /has no "messages"/],
    ["a Responses request", { model: "x", input: [], tools: [] }, /is a Responses request/],
    ["a captured Responses request", { body: { model: "x", input: [], tools: [] } }, /is a Responses request/],
    ["no tools", { ...body, tools: undefined }, /declares no "tools"/],
    ["a message without a role", { ...body, messages: [{ content: "x" }] }, /"messages\.0\.role"/],
    ["tools of another kind", { ...body, tools: [{ type: "web_search" }] }, /"tools\.0/],
  ])("is refused with one line: %s", async (_what, content, pattern) => {
    const error: unknown = await read(content).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ScenarioProblems);
    if (!(error instanceof ScenarioProblems)) return;
    expect(error.problems).toHaveLength(1);
    expect(error.problems[0]).toMatch(pattern);
    expect(error.problems[0]).toMatch(/^\S*My Request\.json: /);
    expect(error.problems[0]).not.toContain("\n");
  });

  it("that is not there is named", async () => {
    await expect(readUserRequest(join(folder, "gone.json"))).rejects.toThrow(/gone\.json: no such file$/);
    await expect(readUserRequest(folder)).rejects.toThrow(/is a folder, not a file$/);
  });
});
