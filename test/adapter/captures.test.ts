import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stageNames } from "../../src/adapter/stages/index.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/protocol/json.ts";
import { chatBody, chatStream, post, scripted, testAdapter } from "./support.ts";

interface Capture {
  readonly file: string;
  readonly meta: { readonly path: string };
  readonly headers: Record<string, string>;
  readonly body: JsonObject;
}

const folder = new URL("../fixtures/captures/", import.meta.url);
const captures = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file): Capture => ({ file, ...JSON.parse(readFileSync(new URL(file, folder), "utf8")) }));
const served = captures.filter(({ meta }) => meta.path.startsWith("/v1/"));
/** Remote compaction is refused in words; it has a test of its own. */
const translated = served.filter(({ file }) => file !== "codex-0171-compaction-remote-trigger.json");

/** Every text of the conversation: contents, arguments, outputs. Arguments are decoded: a client's escapes are not the model's. */
function conversationTexts(body: JsonObject): readonly string[] {
  const items = body["messages"] ?? body["input"];
  const texts: string[] = typeof body["instructions"] === "string" ? [body["instructions"]] : [];
  const contentKeys = new Set(["text", "content", "output", "input", "arguments", "url", "image_url", "name"]);
  const walk = (value: JsonValue | undefined, key: string): void => {
    if (typeof value === "string" && contentKeys.has(key)) texts.push(value);
    else if (Array.isArray(value)) for (const item of value) walk(item, key);
    else if (isJsonObject(value))
      for (const [name, item] of Object.entries(value)) if (name !== "tools") walk(item, name);
  };
  walk(items, "text");
  return texts.filter((text) => text !== "");
}

/** Names, descriptions and parameter descriptions of every tool, namespaces and additional tools opened. */
function toolTexts(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(toolTexts);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    (key === "name" || key === "description" || key === "definition") && typeof item === "string"
      ? [item]
      : toolTexts(item),
  );
}

function allStrings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(allStrings);
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, item]) => [key, ...allStrings(item)])
    : [];
}

const asWritten = (text: string): string => JSON.stringify(text).slice(1, -1);

it("knows every capture", () => {
  expect(captures).toHaveLength(63);
  expect(served).toHaveLength(61);
});

describe.each(translated)("$file", ({ meta, headers, body }) => {
  const ask = async (config: Record<string, unknown>) => {
    const upstream = scripted(body["stream"] === true ? chatStream({ text: "ok" }) : chatBody({ text: "ok" }));
    const { handler, traces, errors } = testAdapter(upstream, config);
    const response = await post(handler, meta.path, body, { headers });
    const text = await response.text();
    return { response, text, trace: traces[0], upstream, errors };
  };

  it.each([
    { name: "all stages", config: {} },
    { name: "no stage", config: { disable: stageNames } },
  ])("loses no text and no tool, with $name", async ({ config }) => {
    const { response, upstream, trace, errors } = await ask(config);
    expect(errors).toEqual([]);
    expect(response.status).toBe(200);
    const reached = [...upstream.bodies.flatMap(allStrings), ...(trace?.dropped ?? []).map(({ text }) => text)].join(
      "\n\u0000\n",
    );
    const tools = [
      body["tools"],
      ...(Array.isArray(body["input"])
        ? body["input"].map((item: JsonValue) => (isJsonObject(item) ? item["tools"] : undefined))
        : []),
    ];
    // A turn answered without the model has no upstream request to look into.
    if (upstream.bodies.length === 0) return;
    for (const text of [...conversationTexts(body), ...tools.flatMap((tool) => toolTexts(tool))]) {
      if (reached.includes(text) || reached.includes(asWritten(text))) continue;
      // A line that was set apart is in the dropped list, and the rest of its text upstream.
      const rest = (trace?.dropped ?? []).reduce((left, dropped) => left.replace(`${dropped.text}\n`, ""), text);
      if (rest === text || !reached.includes(rest)) expect.fail(`lost: ${text.slice(0, 300)}`);
    }
  });

  it("is sent on in an order that strict templates take", async () => {
    const { upstream } = await ask({ disable: stageNames });
    const messages = (upstream.bodies[0]?.["messages"] ?? []) as readonly JsonObject[];
    expect(messages.length).toBeGreaterThan(0);
    const roles = messages.map((message) => String(message["role"]));
    expect(roles.slice(1)).not.toContain("system");
    const calls: string[] = [];
    for (const [at, message] of messages.entries()) {
      const before = roles[at - 1];
      if (message["role"] === "user" || message["role"] === "assistant") {
        expect(calls).toEqual([]);
        expect(before === message["role"]).toBe(false);
      }
      for (const call of (message["tool_calls"] ?? []) as readonly JsonObject[]) {
        expect(call["id"]).toMatch(/^[a-zA-Z0-9]{9}$/);
        calls.push(String(call["id"]));
      }
      if (message["role"] === "tool") expect(calls.shift()).toBe(message["tool_call_id"]);
    }
    expect(calls).toEqual([]);
    expect(
      new Set(
        messages.flatMap((message) => (message["tool_calls"] ?? []) as readonly JsonObject[]).map((call) => call["id"]),
      ).size,
    ).toBe(messages.filter((message) => message["role"] === "tool").length);
  });
});

it("refuses remote compaction in words that say what to do", async () => {
  const capture = served.find(({ file }) => file.includes("remote-trigger"));
  const { handler } = testAdapter(scripted(chatBody({ text: "ok" })));
  const response = await post(handler, "/v1/responses", capture?.body);
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(/display name/);
});

it("answers the probes of codex --oss and names its routes to a native Ollama client", async () => {
  const { handler } = testAdapter(scripted(chatBody({ text: "ok" })));
  const pull = captures.find(({ file }) => file.includes("ollama-pull"));
  expect(await (await post(handler, "/api/pull", pull?.body)).text()).toBe('{"status":"success"}\n');
  const native = captures.find(({ file }) => file.includes("ollama-js"));
  const response = await post(handler, "/api/chat", native?.body);
  expect(response.status).toBe(404);
  // Its client shows `error` as it stands: an object would be "[object Object]".
  expect(await response.json()).toEqual({ error: expect.stringMatching(/\/v1\/chat\/completions/) });
});
