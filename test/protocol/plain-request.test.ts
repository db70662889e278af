import { describe, expect, it } from "vitest";
import { abortSignalOf, plainRequest, takePlainBody } from "../../src/protocol/plain-request.ts";

const url = "http://target.invalid/v1/chat?x=1";
const bytes = new TextEncoder().encode('{"a":"ä"}');

function pair(body: string | Uint8Array<ArrayBuffer> | null, signal: AbortSignal | null = null) {
  const method = body === null ? "GET" : "POST";
  const headers = () => new Headers({ "content-type": "application/json", "x-y": "z" });
  return {
    plain: plainRequest({ url, method, headers: headers(), body, signal }),
    real: new Request(url, { method, headers: headers(), body, signal }),
  };
}

describe("a plain request", () => {
  it.each([
    "method",
    "url",
    "bodyUsed",
    "mode",
    "redirect",
    "credentials",
    "cache",
    "destination",
    "integrity",
    "keepalive",
    "referrer",
    "duplex",
  ] as const)("has the %s of a real one", (member) => {
    const { plain, real } = pair("{}");
    expect((plain as unknown as Record<string, unknown>)[member]).toEqual(
      (real as unknown as Record<string, unknown>)[member],
    );
  });

  it("has a signal when nothing aborts it, also once its body was read", async () => {
    const { plain } = pair("{}");
    await plain.text();
    expect(plain.signal.aborted).toBe(false);
    expect(plain.signal).toBe(plain.signal);
  });

  it("is a Request, with the same headers", () => {
    const { plain, real } = pair("{}");
    expect(plain).toBeInstanceOf(Request);
    expect([...plain.headers]).toEqual([...real.headers]);
  });

  it.each([
    ["text", '{"a":"ä"}'],
    ["bytes", bytes],
  ])("gives its body, of %s, as text, JSON, bytes, stream, blob and copy", async (_what, body) => {
    expect(await pair(body).plain.text()).toBe('{"a":"ä"}');
    expect(await pair(body).plain.json()).toEqual({ a: "ä" });
    expect(new Uint8Array(await pair(body).plain.arrayBuffer())).toEqual(bytes);
    expect(await new Response(pair(body).plain.body).text()).toBe('{"a":"ä"}');
    expect(await (await pair(body).plain.blob()).text()).toBe('{"a":"ä"}');
    const { plain } = pair(body);
    expect(await plain.clone().text()).toBe('{"a":"ä"}');
    expect(await plain.text()).toBe('{"a":"ä"}');
  });

  it("can be copied with other headers, as middlemen do", async () => {
    const { plain } = pair("{}");
    const copy = new Request(plain.url, plain);
    expect([copy.method, copy.headers.get("x-y"), await copy.text()]).toEqual(["POST", "z", "{}"]);
  });

  it("gives its body once, whichever way it is asked", async () => {
    const { plain } = pair("{}");
    expect(await plain.text()).toBe("{}");
    expect(plain.bodyUsed).toBe(true);
    await expect(plain.text()).rejects.toThrow(TypeError);
    await expect(plain.arrayBuffer()).rejects.toThrow(TypeError);
    expect(takePlainBody(plain)).toBeUndefined();
    const taken = pair("{}").plain;
    expect(takePlainBody(taken)).toBe("{}");
    await expect(taken.text()).rejects.toThrow(TypeError);
    const streamed = pair("{}").plain;
    await new Response(streamed.body).text();
    expect(streamed.bodyUsed).toBe(true);
    expect(takePlainBody(streamed)).toBeUndefined();
  });

  it("has no body where it was given none, and can be asked for it again", async () => {
    const { plain } = pair(null);
    expect(plain.body).toBeNull();
    expect(await plain.text()).toBe("");
    expect(takePlainBody(plain)).toBeNull();
  });

  it("is aborted by its signal, also the copy", () => {
    const abort = new AbortController();
    const { plain } = pair("{}", abort.signal);
    const copy = plain.clone();
    abort.abort();
    expect([plain.signal.aborted, copy.signal.aborted, abortSignalOf(plain)?.aborted]).toEqual([true, true, true]);
  });

  it("has a signal that nothing aborts where it was given none", () => {
    const { plain } = pair("{}");
    expect(abortSignalOf(plain)).toBeNull();
    expect(plain.signal.aborted).toBe(false);
  });

  it.each(["no url", "http://user:key@target.invalid/"])("is refused with the URL %s, as a real one is", (wrong) => {
    const make = () => plainRequest({ url: wrong, method: "GET", headers: new Headers(), body: null, signal: null });
    expect(make).toThrow(TypeError);
    expect(() => new Request(wrong)).toThrow(TypeError);
  });
});
