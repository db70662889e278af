import { describe, expect, it } from "vitest";
import { UserError } from "../../src/cli/errors.ts";
import { isLoopback, parseServerUrl, proxyFor } from "../../src/cli/server-url.ts";

describe("a base URL", () => {
  it.each([
    ["http://127.0.0.1:8000/v1", "http://127.0.0.1:8000", "/v1"],
    ["http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000", "/v1"],
    ["http://127.0.0.1:8000", "http://127.0.0.1:8000", "/v1"],
    ["http://127.0.0.1:8000/", "http://127.0.0.1:8000", "/v1"],
    ["https://gpu.example/models/qwen/v1", "https://gpu.example/models/qwen", "/v1"],
    ["https://router.example/api/v1", "https://router.example/api", "/v1"],
    ["https://cloud.example/v1beta/openai/", "https://cloud.example", "/v1beta/openai"],
    ["http://[::1]:8080", "http://[::1]:8080", "/v1"],
  ])("%s names the server %s and the API %s", (text, root, apiPrefix) => {
    expect(parseServerUrl(text, "--base-url")).toEqual({ root, apiPrefix, shown: root + apiPrefix, headers: {} });
  });

  it("hands credentials over as a header and shows them nowhere", () => {
    const server = parseServerUrl("https://me:p%40ss@gpu.example/v1", "--base-url");
    expect(server.headers).toEqual({ authorization: `Basic ${btoa("me:p@ss")}` });
    expect(server.root + server.shown).not.toContain("p@ss");
    expect(server.root + server.shown).not.toContain("me:");
  });

  it.each([
    ["localhost:8000", "has no scheme; write http://localhost:8000/v1"],
    ["127.0.0.1:8000/v1", "has no scheme; write http://127.0.0.1:8000/v1"],
    ["gpu-box", "has no scheme; write http://gpu-box/v1"],
    ["//gpu-box:8000", "has no scheme; write http://gpu-box:8000/v1"],
    ["ftp://gpu-box/v1", "only http and https are spoken, not ftp://; write http://gpu-box/v1"],
    ["http://", "is no URL"],
    ["http://host:99999/v1", "is no URL"],
    ["http://gpu-box/v1?key=1", "has no query; write http://gpu-box/v1"],
    ["http://gpu-box:8000/v1/chat/completions", "write http://gpu-box:8000/v1"],
    ["http://gpu-box:8000/v1/models", "write http://gpu-box:8000/v1"],
    [" ", "is no URL"],
  ])("refuses %j and offers the mended one", (text, hint) => {
    expect(() => parseServerUrl(text, "--base-url")).toThrow(UserError);
    expect(() => parseServerUrl(text, "--base-url")).toThrow(hint);
    expect(() => parseServerUrl(text, "--base-url")).toThrow(/^--base-url: /);
  });

  it("repeats no password in what it offers", () => {
    expect(() => parseServerUrl("http://me:secret@gpu-box/v1/models", "--base-url")).toThrow(
      /write http:\/\/gpu-box\/v1$/,
    );
  });
});

describe("the proxy of the environment", () => {
  const env = { HTTP_PROXY: "http://proxy:3128", HTTPS_PROXY: "http://secure-proxy:3128" };
  it.each([
    ["http://gpu.example/v1", env, "http://proxy:3128"],
    ["https://gpu.example/v1", env, "http://secure-proxy:3128"],
    ["https://gpu.example/v1", { https_proxy: "http://lower:1", ...env }, "http://lower:1"],
    ["https://gpu.example/v1", {}, null],
    ["https://gpu.example/v1", { HTTPS_PROXY: "" }, null],
    ["http://127.0.0.1:8000/v1", env, null],
    ["http://localhost:8000/v1", env, null],
    ["http://[::1]:8000/v1", env, null],
    ["http://gpu.example/v1", { ...env, NO_PROXY: "gpu.example" }, null],
    ["http://gpu.example/v1", { ...env, NO_PROXY: "a.b, .example" }, null],
    ["http://gpu.example/v1", { ...env, NO_PROXY: "*.example" }, null],
    ["http://gpu.example/v1", { ...env, NO_PROXY: "*" }, null],
    ["http://gpu.example:8000/v1", { ...env, NO_PROXY: "gpu.example:8000" }, null],
    ["http://gpu.example:8001/v1", { ...env, NO_PROXY: "gpu.example:8000" }, "http://proxy:3128"],
    ["http://mygpu.example/v1", { ...env, NO_PROXY: "gpu.example" }, "http://proxy:3128"],
  ])("for %s under %j is %s", (url, environment, proxy) => {
    expect(proxyFor(url, environment)).toBe(proxy);
  });

  it("is refused where it is no http proxy, without its password", () => {
    expect(() => proxyFor("http://gpu.example", { HTTP_PROXY: "socks5://me:secret@proxy:1080" })).toThrow(
      /^HTTP_PROXY: "socks5:\/\/proxy:1080" is no http or https URL/,
    );
  });
});

describe("loopback", () => {
  it.each([
    ["http://localhost:1", true],
    ["http://127.8.9.1", true],
    ["http://[::1]:1", true],
    ["http://localhost.example", false],
    ["http://10.0.0.1", false],
    ["http://127.example", false],
  ])("%s: %s", (url, expected) => {
    expect(isLoopback(url)).toBe(expected);
  });
});
