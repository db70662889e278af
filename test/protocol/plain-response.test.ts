import { describe, expect, it } from "vitest";
import { plainResponse, takePlainContent } from "../../src/protocol/plain-response.ts";

function pair(body = '{"a":"ä"}') {
  const headers = () => new Headers({ "content-type": "application/json", "x-y": "z" });
  return {
    plain: plainResponse({ status: 404, headers: headers(), body }),
    real: new Response(body, { status: 404, headers: headers() }),
  };
}

describe("a plain response", () => {
  it.each(["status", "ok", "statusText", "bodyUsed", "type", "url", "redirected"] as const)(
    "has the %s of a real one",
    (member) => {
      const { plain, real } = pair();
      expect(plain[member]).toEqual(real[member]);
    },
  );

  it("is a Response, with the same headers", () => {
    const { plain, real } = pair();
    expect(plain).toBeInstanceOf(Response);
    expect([...plain.headers]).toEqual([...real.headers]);
  });

  it("gives its text as text, JSON, bytes, stream, blob and copy", async () => {
    const text = '{"a":"ä"}';
    const bytes = new TextEncoder().encode(text);
    expect(await pair().plain.text()).toBe(text);
    expect(await pair().plain.json()).toEqual({ a: "ä" });
    expect(new Uint8Array(await pair().plain.arrayBuffer())).toEqual(bytes);
    expect(await new Response(pair().plain.body).text()).toBe(text);
    expect(await (await pair().plain.blob()).text()).toBe(text);
    const { plain } = pair();
    expect(await plain.clone().text()).toBe(text);
    expect(await plain.text()).toBe(text);
  });

  it("can be read once only, however it was read", async () => {
    const { plain } = pair();
    expect(takePlainContent(plain)).toBe('{"a":"ä"}');
    expect(plain.bodyUsed).toBe(true);
    expect(takePlainContent(plain)).toBeUndefined();
    await expect(plain.text()).rejects.toThrow(TypeError);
    const streamed = pair().plain;
    await new Response(streamed.body).text();
    expect(streamed.bodyUsed).toBe(true);
    expect(takePlainContent(streamed)).toBeUndefined();
    await expect(streamed.text()).rejects.toThrow(TypeError);
  });

  it("is told from a real one", () => {
    expect(takePlainContent(pair().real)).toBeUndefined();
  });
});
