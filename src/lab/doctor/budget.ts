import { type Handler, TransportError } from "../../protocol/handler.ts";
import { isJsonObject, parseJson } from "../../protocol/json.ts";

/** What a check-up may cost a server at most: fewer than 20 requests, less than a minute at 20 tokens a second. */
export const doctorLimits = {
  requests: 19,
  generating: 14,
  /** Tokens that all replies together may take. */
  tokens: 1180,
} as const;

/** A Handler that refuses what would go beyond the limits, and says what is left. */
export interface Budget {
  readonly handler: Handler;
  /** What is left. */
  readonly requests: number;
  readonly generating: number;
  readonly tokens: number;
}

/** Counts requests on their way to a server; one too many never gets there. */
export function budgeted(inner: Handler): Budget {
  const left = { ...doctorLimits } as { requests: number; generating: number; tokens: number };
  return {
    handler: async (request) => {
      const tokens = await generatedTokens(request);
      const beyond = left.requests < 1 || (tokens > 0 && (left.generating < 1 || left.tokens < tokens));
      if (beyond) throw new TransportError("aborted", "not sent: a check-up asks no more than this of a server");
      left.requests -= 1;
      if (tokens > 0) left.generating -= 1;
      left.tokens -= tokens;
      return inner(request);
    },
    get requests() {
      return left.requests;
    },
    get generating() {
      return left.generating;
    },
    get tokens() {
      return left.tokens;
    },
  };
}

const generatingPaths = /\/(?:chat\/completions|completions?|responses|messages|api\/chat|api\/generate)$/;

/** Tokens that the request may have generated; 0 where it generates none. */
async function generatedTokens(request: Request): Promise<number> {
  if (request.method !== "POST" || !generatingPaths.test(new URL(request.url).pathname)) return 0;
  const body = parseJson(await request.clone().text());
  if (!isJsonObject(body) || body["_debug_render_only"] === true) return 0;
  const options = isJsonObject(body["options"]) ? body["options"] : {};
  const limit = [body["max_tokens"], body["max_completion_tokens"], body["n_predict"], options["num_predict"]].find(
    (value) => typeof value === "number",
  );
  // An empty request that only looks for the route is answered with an error.
  return body["model"] === undefined ? 0 : (limit ?? doctorLimits.tokens);
}
