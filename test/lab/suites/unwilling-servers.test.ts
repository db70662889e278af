import { describe, expect, it } from "vitest";
import { type Handler, jsonResponse } from "../../../src/protocol/handler.ts";
import { runInto } from "../run/harness.ts";
import { loaded, planted, scratch, target } from "./harness.ts";

const suites = loaded.probes.map(({ id }) => id);
const modelOwners = new Set(["model"]);

/** A server whose chat route answers as `chat` does from its so-manieth request on; all else is as it was. */
function from(count: number, chat: () => Response): Handler {
  const inner = planted();
  let asked = 0;
  return async (request) => {
    if (!new URL(request.url).pathname.endsWith("/chat/completions")) return inner(request);
    asked += 1;
    return asked >= count ? chat() : inner(request);
  };
}

const html = () =>
  new Response("<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>", {
    status: 502,
    headers: { "content-type": "text/html" },
  });

const answers = {
  "404 of the route": () => jsonResponse({ detail: "Not Found" }, 404),
  "405": () => jsonResponse({ detail: "Method Not Allowed" }, 405),
  "501": () => jsonResponse({ error: { message: "not implemented", type: "not_supported_error" } }, 501),
  "an HTML error of a proxy": html,
  "an HTML page with 200": () => new Response("<html>login</html>", { headers: { "content-type": "text/html" } }),
  "an empty body": () => new Response("", { headers: { "content-type": "application/json" } }),
} as const;

describe.each(Object.entries(answers))("a server that answers %s", (_what, chat) => {
  it.each([1, 4])("from its chat request %i on is named, and nothing is held against the model", async (count) => {
    await using root = await scratch();
    const { result } = await runInto(root.path, [target("t", "sound", from(count, chat))], {
      scenarios: loaded,
      suites,
      onlyScenarios: undefined,
      trials: 1,
      languages: ["en"],
      raw: "off",
      concurrency: 1,
    });
    const { summary } = result;
    expect(summary.diagnoses.filter(({ owner }) => modelOwners.has(owner))).toEqual([]);
    expect(summary.planned).toBeGreaterThan(30);
    expect(summary.exclusions.length + summary.measured).toBe(summary.planned);
    expect(summary.exclusions.length).toBeGreaterThan(0);
    for (const { reason, detail } of summary.exclusions) {
      expect(reason).toMatch(
        /^(transport|unreadable|server_unavailable|model_missing|not_sent|target_not_met|bad_request)$/,
      );
      expect(detail).not.toBe("");
    }
  });
});
