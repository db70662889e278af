import { type Handler, jsonResponse } from "../protocol/handler.ts";
import { fieldOf } from "../protocol/plain-message.ts";
import { readUrl } from "../protocol/read-url.ts";
import { errorObject } from "./fronts/chat-writer.ts";

export interface AccessOptions {
  /** Host names, beside those of this machine, under which the adapter may be asked. */
  readonly allowedHosts: readonly string[];
  /** The key that clients must send; absent: none. */
  readonly apiKey?: string | undefined;
}

const loopback = /^(?:localhost|(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Keeps out web pages: one may talk to 127.0.0.1 through its visitor's browser, under its own origin or, after its name was rebound, under its
 * own host name. Host must be a name of this machine or an allowed one, and so must Origin where there is one.
 */
export function guardAccess(handler: Handler, options: AccessOptions): Handler {
  const allowed = new Set(options.allowedHosts.map((host) => host.toLowerCase()));
  const isAllowed = (host: string): boolean =>
    loopback.test(host) || allowed.has(host.toLowerCase()) || allowed.has("*");
  const expected = options.apiKey === undefined ? null : `Bearer ${options.apiKey}`;
  return async (request) => {
    const { hostname, pathname } = readUrl(request.url);
    if (!isAllowed(hostname))
      return refuse(
        403,
        "host_not_allowed",
        `requests to the host ${JSON.stringify(hostname)} are refused; start the adapter with --allow-host ${hostname}`,
      );
    const origin = fieldOf(request, "origin");
    if (origin !== null && !isAllowed(originHost(origin)))
      return refuse(403, "origin_not_allowed", `requests from web pages of ${JSON.stringify(origin)} are refused`);
    if (origin === null && fieldOf(request, "sec-fetch-site") === "cross-site")
      return refuse(403, "origin_not_allowed", "cross-site requests of a browser are refused");
    if (expected !== null && pathname !== "/health" && !sameText(fieldOf(request, "authorization") ?? "", expected))
      return refuse(401, "invalid_api_key", "the adapter wants its API key as Authorization: Bearer KEY");
    return handler(request);
  };
}

function originHost(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : "";
}

/** Compares without telling by its time where the first difference is. */
function sameText(given: string, expected: string): boolean {
  let different = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at++) different |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  return different === 0;
}

function refuse(status: number, code: string, message: string): Response {
  return jsonResponse(errorObject({ status, type: "invalid_request_error", code, message }), status);
}
