import { describe, expect, it } from "vitest";
import { type Handler, jsonResponse, TransportError } from "../../../src/protocol/handler.ts";
import { runInto } from "../run/harness.ts";
import { loaded, named, type Planted, planted, scratch, soundServer, suiteRun, target } from "./harness.ts";

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

/** Changes the body of answers on some routes. */
function rewriting(paths: readonly string[], change: (body: Record<string, unknown>) => Record<string, unknown>) {
  return (inner: Handler): Handler =>
    async (request) => {
      const response = await inner(request);
      if (!paths.includes(new URL(request.url).pathname) || response.status !== 200) return response;
      return jsonResponse(change((await response.json()) as Record<string, unknown>), 200);
    };
}

const ollama = { kind: "ollama", version: "0.34.2", template: "hermes", parser: null, contextLength: 65_536 } as const;
const withTools = (body: Record<string, unknown>, has: boolean) => ({
  ...body,
  capabilities: [...(body["capabilities"] as string[]).filter((each) => each !== "tools"), ...(has ? ["tools"] : [])],
});
const jinja = {
  kind: "llama-server",
  version: "b10434",
  template: "plain",
  parser: null,
  contextLength: 65_536,
} as const;

describe("a server that lies about what it can", () => {
  it.each<[string, Planted, string, string]>([
    [
      "says tools and writes none into its prompts",
      { server: { ...ollama, template: "lying" } },
      "capability_false",
      "template",
    ],
    [
      "says no tools and takes them",
      { server: ollama, before: rewriting(["/api/show"], (body) => withTools(body, false)) },
      "capability_unclaimed",
      "template",
    ],
    [
      "says tools and refuses them",
      { server: { ...ollama, template: "notools" }, before: rewriting(["/api/show"], (body) => withTools(body, true)) },
      "tools_refused",
      "template",
    ],
    [
      "says of its template that it writes tools, which it does not",
      {
        server: jinja,
        before: rewriting(["/props"], (body) => ({
          ...body,
          chat_template_caps: { supports_tools: true, supports_tool_calls: true },
        })),
      },
      "tools_not_in_prompt",
      "template",
    ],
    [
      "says a context eight times as long as what it reads",
      {
        server: { ...ollama, contextLength: 4096 },
        before: rewriting(["/api/show", "/api/ps"], (body) =>
          JSON.parse(JSON.stringify(body).replaceAll("4096", "32768")),
        ),
      },
      "context_cut",
      "server_option",
    ],
  ])("%s: that is named, and nothing is held against the model", async (_what, fault, code, owner) => {
    const { diagnoses, exclusions, measured, planned } = await suiteRun(planted(fault), suites, { languages: ["en"] });
    expect(diagnoses.map((each) => `${each.code} ${each.owner}`)).toContain(`${code} ${owner}`);
    expect(named(diagnoses.filter((each) => modelOwners.has(each.owner)))).toEqual([]);
    expect(measured + exclusions.length).toBe(planned);
  });
});

describe("a model that is swapped in the middle", () => {
  it("under one address, by the name in its replies: what it answers from then on counts for nothing", async () => {
    await using root = await scratch();
    const [first, second] = [
      planted(),
      planted({ rules: [{ when: { last: "tool" }, cards: [{ text: "ZZZ-9999" }] }] }),
    ];
    let chats = 0;
    const handler: Handler = async (request) => {
      const { pathname } = new URL(request.url);
      if (!pathname.endsWith("/chat/completions")) return first(request);
      chats += 1;
      if (chats < 20) return first(request);
      const response = await second(request);
      return new Response((await response.text()).replaceAll('"model":"sound"', '"model":"fallback-1b"'), {
        status: response.status,
        headers: response.headers,
      });
    };
    const { result, stored } = await runInto(root.path, [target("t", "sound", handler)], {
      scenarios: loaded,
      suites,
      onlyScenarios: undefined,
      trials: 1,
      concurrency: 1,
      raw: "off",
    });
    const [stop] = stored.record.stopped ?? [];
    expect(stop?.line).toMatch(/no longer the one that the run met .*fallback-1b answers, and before it sound did/);
    const { summary } = result;
    expect(summary.diagnoses.filter((each) => modelOwners.has(each.owner))).toEqual([]);
    expect(summary.measured).toBeGreaterThan(5);
    expect(new Set(summary.exclusions.map(({ reason }) => reason))).toEqual(new Set(["target_changed", "not_sent"]));
    expect(summary.measured + summary.exclusions.length).toBe(summary.planned);
  });
});

describe("a server that swaps models on demand", () => {
  /** Answers a model's first request after a while, as a proxy does that starts another server for it. */
  function swapping(loadMs: number, limitMs: number) {
    const asked: { readonly model: string; readonly limit: number; readonly swapped: boolean }[] = [];
    const inner = soundServer("a", "b");
    let current: string | null = null;
    const handler: Handler = async (request) => {
      if (!new URL(request.url).pathname.endsWith("/chat/completions")) return inner(request);
      const body = (await request.clone().json()) as { model: string; max_tokens?: number };
      const swapped = current !== body.model;
      asked.push({ model: body.model, limit: body.max_tokens ?? 0, swapped });
      // The load goes on, whether or not somebody waits for it.
      current = body.model;
      if (swapped && loadMs > limitMs)
        throw new TransportError("first_byte", `no answer within ${limitMs} ms; --timeout-first-byte sets the limit`);
      if (swapped) await new Promise((resolve) => setTimeout(resolve, loadMs));
      return inner(request);
    };
    return { handler, asked };
  }

  const plan = {
    scenarios: loaded,
    suites: ["round-trip", "negative-intent"],
    onlyScenarios: undefined,
    trials: 1,
    concurrency: 2,
    raw: "off",
    warmUp: true,
  } as const;

  it.each([
    ["within the limit", 50, 60_000],
    ["after the limit", 60_000, 50],
  ])(
    "%s: the first generation waits for that, no sample does, and each model is loaded once",
    async (_what, loadMs, limitMs) => {
      await using root = await scratch();
      const { handler, asked } = swapping(loadMs, limitMs);
      const targets = ["a", "b"].map((name) => target(name, name, handler));
      const { result } = await runInto(root.path, targets, plan);
      expect(asked.filter(({ swapped }) => swapped).map(({ model, limit }) => [model, limit])).toEqual([
        ["a", 1],
        ["b", 1],
      ]);
      expect(result).toMatchObject({ measured: result.planned });
      expect(named(result.summary.diagnoses)).toEqual(["no_fault none", "no_fault none"]);
    },
  );
});
