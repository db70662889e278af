import { describe, expect, it } from "vitest";
import { guardAccess } from "../../src/adapter/access.ts";

const inner = async () => new Response("in");
const ask = (
  url: string,
  headers: Record<string, string> = {},
  options: Partial<Parameters<typeof guardAccess>[1]> = {},
) => guardAccess(inner, { allowedHosts: [], ...options })(new Request(url, { headers }));

describe("without a key", () => {
  it.each(["http://127.0.0.1:8484/v1/models", "http://localhost:1/", "http://[::1]:8484/health", "http://127.9.9.9/"])(
    "%s is served",
    async (url) => {
      expect((await ask(url)).status).toBe(200);
    },
  );

  it.each([
    "http://evil.example/v1/models",
    "http://localhost.evil.example/",
    "http://127.0.0.1.nip.io/",
    "http://192.168.0.7/",
    "http://2130706433.evil.example/",
  ])("%s, a name that was rebound, is refused", async (url) => {
    const response = await ask(url);
    expect(response.status).toBe(403);
    expect(await response.text()).toMatch(/--allow-host/);
  });

  it("an allowed host is served", async () => {
    expect(
      (await ask("http://host.docker.internal:8484/", {}, { allowedHosts: ["Host.docker.internal"] })).status,
    ).toBe(200);
  });

  it.each([{ origin: "https://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }])(
    "a web page's request is refused: %o",
    async (headers: Record<string, string>) => {
      expect((await ask("http://127.0.0.1:8484/v1/models", headers)).status).toBe(403);
    },
  );

  it("a local page's request is served", async () => {
    expect((await ask("http://127.0.0.1:8484/v1/models", { origin: "http://localhost:3000" })).status).toBe(200);
  });
});

describe("with a key", () => {
  const apiKey = "correct horse";

  it.each(["", "Bearer ", "Bearer wrong", "Bearer correct hors", "Bearer correct horse!", "correct horse"])(
    "%j is refused",
    async (authorization) => {
      const response = await ask("http://127.0.0.1/v1/models", { authorization }, { apiKey });
      expect(response.status).toBe(401);
    },
  );

  it("the key is served, and health needs none", async () => {
    expect(
      (await ask("http://127.0.0.1/v1/models", { authorization: "Bearer correct horse" }, { apiKey })).status,
    ).toBe(200);
    expect((await ask("http://127.0.0.1/health", {}, { apiKey })).status).toBe(200);
  });
});
