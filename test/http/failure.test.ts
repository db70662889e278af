import { describe, expect, it } from "vitest";
import { toTransportError } from "../../src/http/failure.ts";
import { TransportError } from "../../src/protocol/handler.ts";

const place = { server: "model.test:8000", via: null, secure: false, progress: "connecting" as const };
const coded = (code: string, message = code) => Object.assign(new Error(message), { code });

describe("naming a failure", () => {
  it.each([
    ["ENOTFOUND", "dns", "no host of this name is known: model.test:8000 (ENOTFOUND); check the URL"],
    ["EAI_AGAIN", "dns", "the name of model.test:8000 could not be looked up just now (EAI_AGAIN); check the network"],
    ["ECONNREFUSED", "connect", "nothing listens on model.test:8000 (connection refused)"],
    ["EHOSTUNREACH", "connect", "model.test:8000 cannot be reached from here (EHOSTUNREACH)"],
    ["ETIMEDOUT", "connect", "no connection to model.test:8000 in time (ETIMEDOUT)"],
    [
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "tls",
      "the certificate of model.test:8000 is for another host (ERR_TLS_CERT_ALTNAME_INVALID)",
    ],
  ])("%s", (code, phase, message) => {
    expect(toTransportError(coded(code), place)).toMatchObject({ phase, message });
  });

  it("looks inside an error that only gathers others, as of a host with two addresses", () => {
    const error = new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")], "");
    expect(toTransportError(error, place)).toMatchObject({ phase: "connect", cause: error });
  });

  it("keeps a TransportError as it is", () => {
    const error = new TransportError("idle", "x");
    expect(toTransportError(error, place)).toBe(error);
  });

  it("names the proxy where one is on the way", () => {
    expect(toTransportError(coded("ENOTFOUND"), { ...place, via: "proxy.test:3128" }).message).toContain(
      "the proxy proxy.test:3128",
    );
  });

  it.each([
    ["connecting", "connect"],
    ["waiting", "protocol"],
    ["reading", "protocol"],
  ] as const)("puts an unknown error while %s on one line", (progress, phase) => {
    expect(toTransportError(coded("EODD", "a\n  b"), { ...place, progress })).toMatchObject({
      phase,
      message: "the exchange with model.test:8000 failed: a b (EODD)",
    });
    expect(toTransportError("text", { ...place, progress }).message).toBe(
      "the exchange with model.test:8000 failed: text",
    );
  });
});
