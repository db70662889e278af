import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { fetchPage } from "../../../src/adapter/web/fetch-page.ts";
import { clientWith, type LoopbackServer, loopbackServer, thisMachineToo } from "./loopback.ts";

const limits = { maxBytes: 100_000, timeoutMs: 5000, maxRedirects: 3 };
let server: LoopbackServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function pageOf(
  answer: RequestListener,
  more: Partial<typeof limits> = {},
  signal = new AbortController().signal,
) {
  server = await loopbackServer(answer);
  const { client } = clientWith({});
  const world = { web: client, rule: thisMachineToo, signal };
  return fetchPage(`http://page.example:${server.port}/a?b=c`, { ...limits, ...more }, world);
}

const sent =
  (type: string, body: string | Uint8Array, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { "content-type": type, ...headers });
    response.end(body);
  };

describe("reading a page", () => {
  it("gives the text of HTML without what surrounds it", async () => {
    const html = `<!doctype html><html><head><title>Tea &amp; ラーメン</title><style>p{}</style><script>alert(1)</script></head>
      <body><nav>Home | About</nav><main><h1>Heading</h1><p>First <a href="https://evil.example/?q=1">link</a>.</p>
      <ul><li>one</li><li>二</li></ul><table><tr><td>a</td><td>b</td></tr></table><p>${"word ".repeat(60)}</p></main>
      <footer>Imprint</footer></body></html>`;
    const page = await pageOf(sent("text/html; charset=utf-8", html));
    expect(page).toMatchObject({ kind: "page", cut: false, page: { title: "Tea & ラーメン" } });
    if (page.kind !== "page") return;
    expect(page.page.text).toContain("Heading\n\nFirst link.\n\n * one\n * 二");
    expect(page.page.text).not.toMatch(/alert|p\{\}|evil|Imprint|About/);
  });

  it("asks with the page's own name, and for nothing packed", async () => {
    let headers: unknown;
    await pageOf((request, response) => {
      headers = request.headers;
      response.end("x");
    });
    expect(server?.asked).toEqual(["/a?b=c"]);
    expect(server?.hosts).toEqual([`page.example:${server?.port}`]);
    expect(headers).toMatchObject({ "accept-encoding": "identity" });
    expect(headers).not.toHaveProperty("cookie");
  });

  it.each([
    ["Shift_JIS in its head", "text/html; charset=Shift_JIS", [0x93, 0xfa, 0x96, 0x7b]],
    ["EUC-JP in its own words", "text/html", [...Buffer.from('<meta charset="euc-jp">'), 0xc6, 0xfc, 0xcb, 0xdc]],
    ["UTF-8 where nobody knows the name", "text/plain; charset=klingon", [...Buffer.from("日本")]],
  ])("decodes %s", async (_, type, bytes) => {
    expect(await pageOf(sent(type, Uint8Array.from(bytes)))).toMatchObject({ page: { text: "日本" } });
  });

  it.each([
    ["gzip", gzipSync("packed")],
    ["br", Buffer.from("no")],
  ])("unpacks gzip and leaves other encodings (%s)", async (encoding, body) => {
    const page = await pageOf(sent("text/plain", body, { "content-encoding": encoding }));
    if (encoding === "gzip") expect(page).toMatchObject({ kind: "page", page: { text: "packed" } });
    else expect(page).toMatchObject({ kind: "failed", reason: expect.stringContaining("packed") });
  });

  it("stops at its limit of bytes, sent or unpacked, and says so", async () => {
    const long = await pageOf(sent("text/plain", "a".repeat(300_000)));
    expect(long).toMatchObject({ kind: "page", cut: true });
    if (long.kind === "page") expect(long.page.text).toHaveLength(100_000);
    await server?.close();
    const bomb = await pageOf(sent("text/plain", gzipSync("b".repeat(50_000_000)), { "content-encoding": "gzip" }));
    expect(bomb).toMatchObject({ kind: "page", cut: true });
    if (bomb.kind === "page") expect(bomb.page.text).toHaveLength(100_000);
    await server?.close();
    const exact = await pageOf(sent("text/plain", "c".repeat(100_000)));
    expect(exact).toMatchObject({ kind: "page", cut: false });
  });

  it("does not wait for a body without an end", async () => {
    const page = await pageOf(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/plain" });
        const timer = setInterval(() => response.write("drip "), 20);
        response.on("close", () => clearInterval(timer));
      },
      { timeoutMs: 300 },
    );
    expect(page).toMatchObject({ kind: "failed", reason: "no complete answer within 0.3 s" });
  });

  it("does not wait for a server that says nothing", async () => {
    const page = await pageOf(() => undefined, { timeoutMs: 200 });
    expect(page).toMatchObject({ kind: "failed", reason: "no complete answer within 0.2 s" });
  });

  it("ends when the client leaves", async () => {
    const leave = new AbortController();
    const page = await pageOf(() => leave.abort(), {}, leave.signal);
    expect(page).toMatchObject({ kind: "failed", reason: "the request was aborted" });
  });

  it.each([
    "image/png",
    "application/pdf",
    "application/octet-stream",
    "video/mp4",
    "text/event-stream",
    "font/woff2",
    "nonsense",
  ])("leaves %s", async (type) => {
    expect(await pageOf(sent(type, "xyz"))).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("no text"),
    });
  });

  it.each([
    ["text/plain", "a\u0000b\u001b[31m\u202ec\r\n\r\n\r\n\r\nd", "ab[31mc\n\nd"],
    ["application/json", '{"a":[1,2]}', '{\n "a": [\n  1,\n  2\n ]\n}'],
    ["application/ld+json", "{broken", "{broken"],
    ["text/markdown", "# T", "# T"],
    ["text/plain", "<!DOCTYPE html><body>hi", "hi"],
  ])("reads %s", async (type, body, text) => {
    expect(await pageOf(sent(type, body))).toMatchObject({ kind: "page", page: { text } });
  });

  it.each([404, 500, 403])("says that the server answered %i", async (status) => {
    const page = await pageOf((_request, response) => response.writeHead(status).end("no"));
    expect(page).toMatchObject({ kind: "failed", reason: `the server answered with HTTP status ${status}` });
  });

  it("says that nobody listens, or that a name has no address", async () => {
    const { client } = clientWith({ "nowhere.example": [[]] });
    const world = { web: client, rule: thisMachineToo, signal: new AbortController().signal };
    expect(await fetchPage("http://nowhere.example/", limits, world)).toMatchObject({
      kind: "failed",
      reason: "nowhere.example has no address",
    });
    expect(await fetchPage("http://closed.example:65534/", limits, world)).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("nothing listens"),
    });
  });

  it.each([
    ["nesting", "<div>".repeat(50_000)],
    ["width", "<p>x</p>".repeat(20_000)],
    ["open tags", "<a <b <c ".repeat(10_000)],
    ["attributes", `<p ${'a="b" '.repeat(20_000)}>x`],
    ["title", `<title${" ".repeat(90_000)}`],
    ["closing tags", `${"<div>".repeat(40_000)}${"</p>".repeat(40_000)}`],
    ["mixed tags", "<b></i>".repeat(40_000)],
    ["table", `<table>${"<tr><td>".repeat(10_000)}`],
  ])("copes with hostile %s", async (_, html) => {
    expect(await pageOf(sent("text/html", html), { maxBytes: 1_000_000 })).toMatchObject({ kind: "page" });
  });
});
