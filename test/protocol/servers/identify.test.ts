import { describe, expect, it } from "vitest";
import { jsonResponse, TransportError } from "../../../src/protocol/handler.ts";
import { askThrough } from "../../../src/protocol/servers/ask-through.ts";
import { identify } from "../../../src/protocol/servers/identify.ts";
import { serverRecord, serverRecords } from "../../../src/protocol/servers/index.ts";
import { serverKinds } from "../../../src/protocol/servers/server.ts";
import { type Extra, fixtureServer } from "./fixture-server.ts";

async function identified(setup: string, extra?: Extra, kind: "vllm" | null = null) {
  const server = fixtureServer(setup, extra);
  const found = await identify(askThrough(server.handler), { apiPrefix: "/v1", kind });
  return { found, asked: server.asked };
}

const sglangInfo = {
  version: "0.5.3",
  tool_call_parser: "qwen25",
  reasoning_parser: null,
  model_path: "m",
  context_length: 4096,
};

describe("identify", () => {
  it.each([
    ["vLLM", "vllm", "0.32.0"],
    ["Ollama", "ollama", "0.34.2"],
    ["llama-server", "llama-server", "b1-7e4c0a9"],
  ])("recognises %s by its recorded answers", async (setup, kind, version) => {
    const { found, asked } = await identified(setup);
    expect([found.kind, found.version, found.by]).toEqual([kind, version, "route"]);
    expect(asked.length).toBeLessThanOrEqual(6);
    expect(asked.every((request) => request.startsWith("GET "))).toBe(true);
  });

  it.each(["/server_info", "/get_server_info"])("recognises SGLang by %s", async (route) => {
    const { found } = await identified("nothing", ({ path }) => {
      if (path === "/v1/models") return jsonResponse({ object: "list", data: [{ id: "m", owned_by: "sglang" }] });
      return path === route ? jsonResponse(sglangInfo) : undefined;
    });
    expect([found.kind, found.version]).toEqual(["sglang", "0.5.3"]);
  });

  it("takes any other server with a list of models for an OpenAI-compatible one, within six requests", async () => {
    const { found, asked } = await identified("nothing", ({ path }) =>
      path === "/v1/models" ? jsonResponse({ object: "list", data: [{ id: "gpt-x", owned_by: "me" }] }) : undefined,
    );
    expect([found.kind, found.version, found.by, found.models.names]).toEqual(["openai", null, "none", ["gpt-x"]]);
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  it("is not misled by another program that answers /version or /api/version", async () => {
    const { found } = await identified("nothing", ({ path }) => {
      if (path === "/v1/models") return jsonResponse({ data: [{ id: "x", owned_by: "gateway" }] });
      if (path === "/version") return jsonResponse({ version: "9.9" });
      return path === "/api/version" ? jsonResponse({ version: "0.6.5", deployment_id: "" }) : undefined;
    });
    expect(found.kind).toBe("openai");
  });

  it("recognises vLLM behind a proxy that hides its routes, by the owner of its models", async () => {
    const { found } = await identified("vLLM", ({ path }) =>
      path === "/v1/models"
        ? undefined
        : new Response("<!doctype html><html></html>", { headers: { "content-type": "text/html" } }),
    );
    expect([found.kind, found.version, found.by, found.htmlOnly]).toEqual(["vllm", null, "traces", false]);
  });

  it("says so when every route wants another key or is a page", async () => {
    const locked = await identified("nothing", () => jsonResponse({ error: "Unauthorized" }, 401));
    expect([locked.found.unauthorised, locked.found.kind]).toEqual([true, "openai"]);
    const page = await identified("nothing", () => new Response("<html><body>hello</body></html>"));
    expect(page.found.htmlOnly).toBe(true);
  });

  it("recognises vLLM by /version when the list of models is locked", async () => {
    const { found } = await identified("vLLM", ({ path }) =>
      path === "/v1/models" ? jsonResponse({ error: "Unauthorized" }, 401) : undefined,
    );
    expect([found.kind, found.version, found.unauthorised]).toEqual(["vllm", "0.32.0", true]);
  });

  it("recognises llama-server while it loads, by its server header", async () => {
    const { found } = await identified("nothing", () =>
      jsonResponse({ error: { message: "Loading model", type: "unavailable_error", code: 503 } }, 503, {
        server: "llama.cpp",
      }),
    );
    expect([found.kind, found.by]).toEqual(["llama-server", "traces"]);
  });

  it("asks only the given kind's own route", async () => {
    const { found, asked } = await identified("vLLM", undefined, "vllm");
    expect([found.kind, found.by, found.version]).toEqual(["vllm", "given", "0.32.0"]);
    expect(asked).toEqual(["GET /v1/models", "GET /version"]);
  });

  it("keeps the given kind although nothing speaks for it", async () => {
    const { found } = await identified(
      "Ollama",
      ({ path }) => (path === "/version" ? jsonResponse({}, 404) : undefined),
      "vllm",
    );
    expect([found.kind, found.version]).toEqual(["vllm", null]);
  });

  it("goes on after one dead route and gives up at once where no connection is possible", async () => {
    const slow = await identified("Ollama", ({ path }) =>
      path === "/v1/models" ? new TransportError("first_byte", "too slow") : undefined,
    );
    expect(slow.found.kind).toBe("ollama");
    const server = fixtureServer("nothing", () => new TransportError("connect", "refused"));
    await expect(identify(askThrough(server.handler), { apiPrefix: "/v1" })).rejects.toMatchObject({
      phase: "connect",
    });
    expect(server.asked).toHaveLength(1);
  });

  it("gives up on a host that accepts and never answers after two tries", async () => {
    const server = fixtureServer("nothing", () => new TransportError("first_byte", "no answer"));
    await expect(identify(askThrough(server.handler), { apiPrefix: "/v1" })).rejects.toMatchObject({
      phase: "first_byte",
    });
    expect(server.asked).toHaveLength(2);
  });
});

describe("server records", () => {
  it("exist for every kind, once", () => {
    expect(serverRecords.map(({ kind }) => kind).sort()).toEqual([...serverKinds].sort());
    for (const kind of serverKinds) expect(serverRecord(kind).kind).toBe(kind);
  });

  it.each([
    [
      "vllm",
      "qwen3_coder",
      ["qwen3_coder", "qwen3_xml"],
      true,
      { kind: "flag", option: "--tool-call-parser qwen3_coder" },
    ],
    [
      "vllm",
      "hermes",
      ["hermes"],
      false,
      { kind: "flag", option: "--enable-auto-tool-choice --tool-call-parser hermes" },
    ],
    ["vllm", "bare_json", [], true, null],
    ["sglang", "hermes", ["qwen25"], false, { kind: "flag", option: "--tool-call-parser qwen25" }],
    [
      "ollama",
      "qwen3_coder",
      ["qwen3-coder"],
      true,
      { kind: "modelfile", option: "RENDERER qwen3-coder\nPARSER qwen3-coder" },
    ],
    ["openai", "hermes", [], true, null],
  ] as const)("%s is made to read %s by an option that exists there", (kind, format, names, active, fix) => {
    expect(serverRecord(kind).parserFix(format, names, active)).toEqual(fix);
  });

  it("never offers an Ollama parser without a renderer of the same name", () => {
    const fix = serverRecord("ollama").parserFix("hermes", ["qwen3", "qwen3-thinking"], true);
    expect(fix?.kind).toBe("template");
    expect(fix?.option).not.toContain("PARSER");
    expect(fix?.option).toContain(".Tools");
  });

  it("offers llama-server the template of the model's own family", () => {
    expect(serverRecord("llama-server").parserFix("hermes", ["x"], true)?.option).toMatch(
      /^--jinja --chat-template-file FILE/,
    );
  });

  it.each([
    ["ollama", "hermes", "hermes:latest", true],
    ["ollama", "library/hermes", "hermes:latest", true],
    ["ollama", "hermes:7b", "hermes:latest", false],
    ["ollama", "hf.co/a/b", "hf.co/a/b:latest", true],
    ["vllm", "hermes", "hermes:latest", false],
  ] as const)("%s takes %s for %s: %s", (kind, asked, listed, same) => {
    expect(serverRecord(kind).sameModel(asked, listed)).toBe(same);
  });
});
