import { TransportError, type TransportPhase } from "../protocol/handler.ts";

/** Where a request was going and how far it had come when it failed. */
export interface FailurePlace {
  /** Host and port as the user knows them. */
  readonly server: string;
  /** Host and port of the proxy on the way; null without one. */
  readonly via: string | null;
  readonly secure: boolean;
  /** `connecting`: nothing sent yet; `waiting`: sent, no answer; `reading`: the answer has begun. */
  readonly progress: "connecting" | "waiting" | "reading";
}

interface ErrorFields {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
  readonly cause?: unknown;
  readonly data?: unknown;
}

/** Turns any error of a socket or of the HTTP client into a TransportError whose message is one line for a user. */
export function toTransportError(error: unknown, place: FailurePlace): TransportError {
  if (TransportError.is(error)) return error;
  const { phase, message } = describe(innermost(error), place);
  return new TransportError(phase, message, { cause: error });
}

/** A refused dual-stack connect is one error holding one per address; some errors only wrap their cause. */
function innermost(error: unknown): ErrorFields {
  const fields = asFields(error);
  const { errors } = fields;
  if (Array.isArray(errors) && errors.length > 0) return innermost(errors[0]);
  if (typeof fields.code !== "string" && typeof fields.cause === "object" && fields.cause !== null)
    return innermost(fields.cause);
  return fields;
}

function asFields(error: unknown): ErrorFields {
  return typeof error === "object" && error !== null ? (error as ErrorFields) : { message: String(error) };
}

function describe(error: ErrorFields, place: FailurePlace): { phase: TransportPhase; message: string } {
  const code = typeof error.code === "string" ? error.code : "";
  const text = typeof error.message === "string" ? error.message : "";
  const { server } = place;
  // With a proxy on the way it is the proxy that is looked up and connected to.
  const peer = place.via === null ? server : `the proxy ${place.via}`;
  switch (code) {
    case "ENOTFOUND":
      return { phase: "dns", message: `no host of this name is known: ${peer} (${code}); check the URL` };
    case "EAI_AGAIN":
      return {
        phase: "dns",
        message: `the name of ${peer} could not be looked up just now (${code}); check the network`,
      };
    case "ECONNREFUSED":
      return { phase: "connect", message: `nothing listens on ${peer} (connection refused)` };
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ENETDOWN":
    case "EHOSTDOWN":
    case "EADDRNOTAVAIL":
    case "EINVAL":
      return { phase: "connect", message: `${peer} cannot be reached from here (${code})` };
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
      if (place.progress === "connecting")
        return { phase: "connect", message: `no connection to ${peer} in time (${code})` };
      return {
        phase: place.progress === "waiting" ? "first_byte" : "idle",
        message: `the connection to ${server} timed out (${code})`,
      };
    case "UND_ERR_HEADERS_TIMEOUT":
      return { phase: "first_byte", message: `no answer from ${server} in time` };
    case "UND_ERR_BODY_TIMEOUT":
      return { phase: "idle", message: `${server} stopped sending in the middle of its answer` };
    case "UND_ERR_RES_CONTENT_LENGTH_MISMATCH":
      return { phase: "protocol", message: `the answer of ${server} does not have the length that its head names` };
    case "UND_ERR_HEADERS_OVERFLOW":
    case "HPE_HEADER_OVERFLOW":
      return { phase: "protocol", message: `the response head of ${server} is too long` };
    case "UND_ERR_DESTROYED":
    case "UND_ERR_CLOSED":
      return { phase: "aborted", message: "the connection pool was closed while the request was under way" };
    case "UND_ERR_ABORTED":
      if (/^Proxy response/.test(text))
        return { phase: "connect", message: `the proxy refused the way to ${server}: ${text}` };
      return { phase: "aborted", message: "the request was aborted" };
    case "UND_ERR_INVALID_ARG":
    case "UND_ERR_NOT_SUPPORTED":
      if (/Proxy Authentication/.test(text))
        return { phase: "connect", message: `the proxy on the way to ${server} asks for a login (407)` };
      return { phase: "protocol", message: `this request cannot be sent: ${text}` };
  }
  if (isTlsError(code, text)) return describeTls(code, text, place);
  if (error.name === "HTTPParserError") return describeParserError(error, place);
  if (code === "ERR_ASSERTION")
    return { phase: "protocol", message: `${server} answered with something that is no HTTP response` };
  if (closings.has(code)) return describeClosing(code, text, place);
  const phase = place.progress === "connecting" ? "connect" : "protocol";
  return { phase, message: `the exchange with ${server} failed: ${oneLine(text)}${code === "" ? "" : ` (${code})`}` };
}

const closings: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE", "ECONNABORTED"]);

function describeClosing(code: string, text: string, place: FailurePlace): { phase: TransportPhase; message: string } {
  const { server } = place;
  // The client reports two kinds of nonsense as socket errors: an answer nobody asked for, and an unasked protocol switch.
  if (text === "bad upgrade" || text === "bad response") {
    return { phase: "protocol", message: `${server} answered with something that is no HTTP response (${text})` };
  }
  const how = code === "UND_ERR_SOCKET" ? "" : ` (${code})`;
  switch (place.progress) {
    case "connecting":
      return {
        phase: place.secure ? "tls" : "connect",
        message: `${server} closed the connection while it was being set up${how}`,
      };
    case "waiting":
      return { phase: "first_byte", message: `${server} closed the connection without an answer${how}` };
    case "reading":
      return { phase: "protocol", message: `the connection to ${server} broke off in the middle of the answer${how}` };
  }
}

function isTlsError(code: string, text: string): boolean {
  return (
    code.startsWith("ERR_SSL") ||
    code.startsWith("ERR_TLS") ||
    code === "EPROTO" ||
    certificateCodes.test(code) ||
    text.includes("TLS connection was established")
  );
}

const certificateCodes = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^CRL_|^INVALID_CA$/;

function describeTls(code: string, text: string, place: FailurePlace): { phase: TransportPhase; message: string } {
  const { server } = place;
  if (
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(code) ||
    /wrong version number|packet length too long/.test(text)
  ) {
    return { phase: "tls", message: `${server} does not speak TLS; use http:// instead of https://` };
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" || code === "HOSTNAME_MISMATCH") {
    return { phase: "tls", message: `the certificate of ${server} is for another host (${code})` };
  }
  if (certificateCodes.test(code)) {
    return {
      phase: "tls",
      message: `the certificate of ${server} is not trusted here (${code}); name its CA, for example in NODE_EXTRA_CA_CERTS`,
    };
  }
  return {
    phase: "tls",
    message: `the TLS handshake with ${server} failed: ${oneLine(text)}${code === "" ? "" : ` (${code})`}`,
  };
}

function describeParserError(error: ErrorFields, place: FailurePlace): { phase: TransportPhase; message: string } {
  const { server } = place;
  const data = typeof error.data === "string" ? error.data : "";
  if (place.progress === "reading") {
    return { phase: "protocol", message: `the answer of ${server} breaks the rules of HTTP or stops before its end` };
  }
  // A TLS record (an alert as a rule) begins with its type and 0x03.
  if (/^[\x14-\x17]\x03/.test(data)) return speaksTls(server);
  const seen = JSON.stringify(data.slice(0, 40));
  return { phase: "protocol", message: `${server} does not speak HTTP: its answer begins with ${seen}` };
}

/** What a plain request to a TLS port comes to. */
export function speaksTls(server: string): { phase: "tls"; message: string } {
  return { phase: "tls", message: `${server} speaks TLS; use https:// instead of http://` };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 200);
}
