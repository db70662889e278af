import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bodyBytes } from "../../../src/lab/capture/body.ts";
import { type ExchangeFacts, recordExchange, textHash } from "../../../src/lab/capture/record.ts";
import { publicUrl } from "../../../src/lab/capture/redact.ts";
import { rawExchange } from "./exchange-fixture.ts";

const facts: ExchangeFacts = { hop: "subject", purpose: "sample", turn: 0, attempt: 1 };
const key = "my-private-key-0123456789";

describe("recordExchange", () => {
  it.each([
    ["authorization", `Bearer ${key}`],
    ["X-Api-Key", key],
    ["api-key", key],
    ["cookie", `session=${key}`],
    ["x-goog-api-key", key],
  ])("removes the header %s and every echo of its secret", (name, value) => {
    const raw = rawExchange(`{"error":"bad key ${value}"}`, {
      sentHeaders: { [name]: value, accept: "application/json" },
      headers: { "x-echo": value, "content-type": "application/json" },
      requestBody: `{"model":"m","note":"${value}"}`,
      path: `/v1/chat/completions?q=${value.split(" ").at(-1)}`,
    });
    let kept = "";
    const exchange = recordExchange(raw, facts, (body) => {
      kept = body;
      return "hash";
    });
    expect(JSON.stringify(exchange) + kept).not.toContain(key);
    expect(exchange.sentHeaders["accept"]).toBe("application/json");
    expect(exchange.sentHeaders[name]).toBe("[redacted]");
  });

  it.each([
    ["sk-abcdefghijklmnopqrstuvwxyz012345"],
    ["hf_abcdefghijklmnopqrstuvwxyz012345"],
    ["ghp_abcdefghijklmnopqrstuvwxyz012345"],
    ["AKIAABCDEFGHIJKLMNOP"],
    ["xoxb-abcdefghijklmnopqrstuvwxyz"],
    ["bEARER abcdefghijklmnop.qrstuv"],
    ["Bearer abcdefghijklmnop.qrstuv"],
    ["https://user:secret@example.org/x"],
    ["/path?api_key=abcdef"],
  ])("removes what has the shape of a secret: %s", (secret) => {
    const exchange = recordExchange(rawExchange(`before ${secret} after`), facts);
    const text = "utf8" in exchange.body ? exchange.body.utf8 : "";
    expect(text).toContain("[redacted]");
    expect(text.startsWith("before ")).toBe(true);
    expect(text.endsWith(" after")).toBe(true);
    expect(text).not.toMatch(/abcdef|secret/);
  });

  it("leaves ordinary text alone, also text about keys", () => {
    const text = "ask-me, risk-free, user@example.org, the bearer of news, sk-1, 3のべき乗 🐟 {{PYTHON: x}}";
    expect(recordExchange(rawExchange(text), facts).body).toEqual({ utf8: text });
  });

  it("keeps every byte of any body without a secret", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const exchange = recordExchange(rawExchange(bytes), facts);
        expect([...bodyBytes(exchange.body)]).toEqual([...bytes]);
      }),
    );
  });

  it("finds a secret in a body that is no UTF-8 and keeps the rest", () => {
    const bytes = new Uint8Array([0xff, 0xfe, ...new TextEncoder().encode(` ${key} `), 0xff]);
    const exchange = recordExchange(rawExchange(bytes, { sentHeaders: { authorization: `Bearer ${key}` } }), facts);
    expect("base64" in exchange.body).toBe(true);
    const kept = Buffer.from(bodyBytes(exchange.body)).toString("latin1");
    expect(kept).toBe("\xff\xfe [redacted] \xff");
  });

  it("keeps a byte order mark", () => {
    expect(recordExchange(rawExchange("\uFEFF{}"), facts).body).toEqual({ utf8: "\uFEFF{}" });
  });

  it("hashes the request body as it is kept, and knows none for a request without", () => {
    expect(recordExchange(rawExchange("{}"), facts).request).toBe(textHash('{"model":"m"}'));
    expect(recordExchange(rawExchange("{}", { requestBody: null }), facts).request).toBeNull();
    expect(textHash("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });

  it("cleans the words of a failure", () => {
    const raw = rawExchange("", {
      end: { kind: "failed", phase: "connect", cause: "https://u:p@host refused" },
      status: null,
    });
    expect(recordExchange(raw, facts).end).toEqual({
      kind: "failed",
      phase: "connect",
      cause: "https://[redacted]@host refused",
    });
  });
});

describe("publicUrl", () => {
  it.each([
    ["http://user:pass@host:8000/v1", "http://host:8000/v1"],
    ["http://host/v1?key=abc&x=1", "http://host/v1?key=[redacted]&x=1"],
    ["http://host:8000/v1", "http://host:8000/v1"],
  ])("%s is shown as %s", (url, shown) => {
    expect(publicUrl(url)).toBe(shown);
  });
});
