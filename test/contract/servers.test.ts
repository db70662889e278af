import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toolCallFormats } from "../../src/protocol/formats/index.ts";
import { TransportError } from "../../src/protocol/handler.ts";
import { askThrough } from "../../src/protocol/servers/ask-through.ts";
import { identify } from "../../src/protocol/servers/identify.ts";
import { serverRecords } from "../../src/protocol/servers/index.ts";
import type { ServerProbe } from "../../src/protocol/servers/probe.ts";
import { type ServerKind, serverKinds } from "../../src/protocol/servers/server.ts";
import { classifyServerError } from "../../src/protocol/servers/server-error.ts";
import { fixtureServer } from "../protocol/servers/fixture-server.ts";

/** Set-ups whose routes were recorded, with the kind that they are. */
const recorded = [
  ["vLLM", "vllm"],
  ["Ollama", "ollama"],
  ["llama-server", "llama-server"],
] as const;

it("every kind has exactly one record, and one stands last for all others", () => {
  expect(serverRecords.map(({ kind }) => kind).sort()).toEqual([...serverKinds].sort());
  const ports = serverRecords.flatMap(({ defaultPort }) => defaultPort ?? []);
  expect(new Set(ports).size).toBe(ports.length);
  expect(serverRecords.filter(({ recognition }) => recognition === null)).toEqual([serverRecords.at(-1)]);
});

it.each(recorded)("the recorded answers of %s are taken for no other kind", async (setup, kind) => {
  const { handler } = fixtureServer(setup);
  expect((await identify(askThrough(handler), { apiPrefix: "/v1", kind: null })).kind).toBe(kind);
});

describe.each(serverRecords)("server kind $kind", (record) => {
  it("reads any error text without failing, and no text at all as a refusal of tools", () => {
    const meaning = (message: string, status: number) =>
      classifyServerError(record, { status, message, inStream: false }).kind;
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 400, max: 599 }), (text, status) => {
        expect(meaning(text, status)).toBeTypeOf("string");
      }),
    );
    for (const status of [400, 404, 429, 500, 503]) {
      expect(["refused", "server_error"]).not.toContain(meaning("", status));
      expect(["refused", "server_error"]).not.toContain(meaning("Internal Server Error", status));
    }
    expect(meaning("no", 401)).toBe("wrong_key");
    expect(meaning("slow down", 429)).toBe("unavailable");
  });

  it("names a remedy for a format only with something to do in it", () => {
    for (const { name, parsers } of toolCallFormats) {
      const known: Readonly<Partial<Record<ServerKind, readonly string[]>>> = parsers;
      const names = known[record.kind] ?? [];
      for (const active of [true, false]) {
        const fix = record.parserFix(name, names, active);
        if (fix === null) continue;
        expect(fix.option.trim()).not.toBe("");
        if (fix.kind === "flag") expect(fix.option).toMatch(/^--[a-z]/);
        if (fix.kind === "flag") expect(names.some((each) => fix.option.includes(each))).toBe(true);
      }
    }
  });

  it("promises no raw channel to a choice or mode without the means to ask for it", () => {
    for (const mode of ["body", "stream"] as const) {
      const channels = [...record.inBandRaw[mode], ...record.sideRaw[mode]];
      expect(new Set(channels).size).toBe(channels.length);
      if (channels.includes("raw_generate")) expect(record.rawCompletion).not.toBeNull();
    }
  });

  it.each<[string, () => Promise<Response>]>([
    ["nothing", () => Promise.reject(new TransportError("connect", "refused"))],
    ["pages", async () => new Response("<html></html>", { headers: { "content-type": "text/html" } })],
    ["empty objects", async () => Response.json({})],
    ["lists", async () => Response.json([1, null, { a: [] }])],
  ])("is inspected and rendered without failing where %s answers", async (_what, handler) => {
    const probe: ServerProbe = {
      ask: askThrough(handler),
      model: "m",
      apiPrefix: "/v1",
      version: null,
      models: { answer: new TransportError("connect", "refused"), entries: null, names: [] },
      hash: (text) => text,
    };
    const { toolParser } = await record.inspect(probe);
    expect(toolParser.state).not.toBe("active");
    const rendered = await record.renderPrompt(probe, { messages: [{ role: "user", content: "hi" }], tools: [] });
    expect(["unavailable", "refused"]).toContain(rendered.kind);
  });
});
