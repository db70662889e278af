import { expect, it } from "vitest";
import { cureSentence } from "../../../src/lab/report/checkup-report.ts";
import { type Handler, jsonResponse } from "../../../src/protocol/handler.ts";
import { simulate } from "../../simulator/support.ts";
import { scratch } from "../run/harness.ts";
import { examined } from "./harness.ts";

const ollama = { kind: "ollama", version: "0.34.2", parser: null, contextLength: 32_768 } as const;

/** Calls when asked, and tells the time that a result in its prompt tells. */
function clockwork(server: Record<string, unknown>): Handler {
  return simulate({
    server,
    models: {
      m: {
        format: "hermes",
        rules: [
          {
            when: { last: "tool" },
            cards: [{ text: "{{seen:[0-9]{2}:[0-9]{2}:[0-9]{2}}}", unseen: "I do not know." }],
          },
          { when: { user: "clock", tools: true }, cards: [{ call: { tool: "clock", arguments: { zone: "UTC" } } }] },
        ],
        default: { text: "OK" },
        forced: { tool: "clock" },
      },
    },
  });
}

it.each([
  ["Ollama, template hermes", { ...ollama, template: "hermes" }, "results_used", "healthy"],
  ["vLLM", { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 32_768 }, "results_used", "healthy"],
  ["Ollama, a template without results", { ...ollama, template: "noresults" }, "results_lost", "fault"],
])("%s", async (_name, server, code, verdict) => {
  await using root = await scratch();
  const run = await examined(root.path, clockwork(server));
  expect(run.statement("results")).toMatchObject({ code, certainty: "shown" });
  expect(run.checkup.verdict).toBe(verdict);
  expect(run.asked.paths.length).toBeLessThan(20);
  expect(run.asked.limits.length).toBeLessThanOrEqual(14);
  if (verdict === "fault") expect(cureSentence(run.checkup, "ollama", "en")).toContain('eq .Role "tool"');
});

it("a server that does not take a call and its result back is named", async () => {
  await using root = await scratch();
  const inner = clockwork({ ...ollama, template: "hermes" });
  const strict: Handler = async (request) => {
    const body = request.method === "POST" ? await request.clone().text() : "";
    return body.includes('"role":"tool"') && request.url.endsWith("/chat/completions")
      ? jsonResponse({ error: { message: "Conversation roles must alternate", type: "invalid_request_error" } }, 400)
      : inner(request);
  };
  const run = await examined(root.path, strict);
  expect(run.statement("results")).toMatchObject({ state: "fault", code: "results_refused" });
  expect(run.checkup.verdict).toBe("fault");
});
