import { describe, expect, it, vi } from "vitest";
import { cookiesOf, fieldOf, fieldsOf } from "../../src/protocol/plain-message.ts";
import { plainRequest } from "../../src/protocol/plain-request.ts";
import { plainResponse } from "../../src/protocol/plain-response.ts";
import { readUrl } from "../../src/protocol/read-url.ts";

const fields = { "content-type": "application/json", "x-trace": "t1" };
const messages = {
  "a plain request": () =>
    plainRequest({ url: "http://h/", method: "POST", headers: fields, body: "{}", signal: null }),
  "a plain response": () => plainResponse({ status: 200, headers: fields, body: "{}" }),
  "a plain response with Headers": () => plainResponse({ status: 200, headers: new Headers(fields), body: "{}" }),
  "a real request": () => new Request("http://h/", { method: "POST", headers: fields, body: "{}" }),
  "a real response": () => new Response("{}", { headers: fields }),
};

describe.each(Object.entries(messages))("the head of %s", (_name, make) => {
  it("is read field by field and whole", () => {
    const message = make();
    expect(fieldOf(message, "x-trace")).toBe("t1");
    expect(fieldOf(message, "constructor")).toBeNull();
    expect(fieldsOf(message)).toEqual(fields);
    expect([...message.headers]).toEqual(Object.entries(fields));
  });

  it("shows what somebody wrote into its Headers", () => {
    const message = make();
    message.headers.set("X-Trace", "t2");
    message.headers.delete("content-type");
    expect([fieldOf(message, "x-trace"), fieldOf(message, "content-type")]).toEqual(["t2", null]);
    expect(fieldsOf(message)).toEqual({ "x-trace": "t2" });
  });
});

describe.each(Object.entries(messages))("the body of %s", (_name, make) => {
  it("is read once", async () => {
    const message = make();
    expect(message.bodyUsed).toBe(false);
    expect(await message.text()).toBe("{}");
    expect(message.bodyUsed).toBe(true);
    await expect(message.text()).rejects.toThrow(TypeError);
    await expect(message.json()).rejects.toThrow(TypeError);
  });
});

it("cookies are lines of their own and no fields", () => {
  const headers = new Headers({ "x-a": "1" });
  headers.append("set-cookie", "a=1");
  headers.append("set-cookie", "b=2");
  for (const response of [new Response(null, { headers }), plainResponse({ status: 200, headers, body: "" })]) {
    expect(cookiesOf(response)).toEqual(["a=1", "b=2"]);
    expect(fieldsOf(response)).toEqual({ "x-a": "1" });
  }
  expect(cookiesOf(plainResponse({ status: 200, headers: fields, body: "" }))).toEqual([]);
});

describe("a URL that is read", () => {
  it.each([
    "http://127.0.0.1:8080/v1/chat/completions?a=1#x",
    "https://[::1]/",
    "http://EXAMPLE.com:80/a/../b",
    "http://xn--bcher-kva.example/%7Euser",
  ])("%s has the parts that URL gives it, also the second time", (text) => {
    const { href, host, hostname, pathname, search } = new URL(text);
    for (let time = 0; time < 2; time++)
      expect(readUrl(text)).toEqual({ href, host, hostname, pathname, search, holdsCredentials: false });
  });

  it("is not mixed up with another, however many are read", () => {
    for (let round = 0; round < 2; round++)
      for (let at = 0; at < 200; at++) expect(readUrl(`http://h:${at + 1}/p${at}`).pathname).toBe(`/p${at}`);
  });

  it("tells of credentials, and throws where it is none, each time", () => {
    expect(readUrl("http://user:word@h/").holdsCredentials).toBe(true);
    for (let time = 0; time < 2; time++) expect(() => readUrl("no url")).toThrow(TypeError);
  });
});

it("the web platform's classes are named only for whoever asks for more than a plain message has", async () => {
  const named: string[] = [];
  const classes = { Request, Response, Headers };
  for (const [name, value] of Object.entries(classes)) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        named.push(name);
        return value;
      },
    });
  }
  try {
    vi.resetModules();
    const { plainResponse: makeResponse } = await import("../../src/protocol/plain-response.ts");
    const { plainRequest: makeRequest } = await import("../../src/protocol/plain-request.ts");
    const response = await makeResponse({ status: 200, headers: fields, body: "{}" });
    const request = makeRequest({ url: "http://h/", method: "POST", headers: fields, body: "{}", signal: null });
    expect([response.status, response.ok, await response.text(), request.url, await request.json()]).toEqual([
      200,
      true,
      "{}",
      "http://h/",
      {},
    ]);
    expect(named).toEqual([]);
    expect(response instanceof classes.Response && request instanceof classes.Request).toBe(true);
    const unread = makeResponse({ status: 200, headers: fields, body: "{}" });
    expect([unread.type, Object.prototype.toString.call(response), "clone" in request]).toEqual([
      "default",
      "[object Response]",
      true,
    ]);
    expect(new Set(named)).toEqual(new Set(["Request", "Response", "Headers"]));
  } finally {
    for (const [name, value] of Object.entries(classes))
      Object.defineProperty(globalThis, name, { configurable: true, writable: true, enumerable: false, value });
  }
});
