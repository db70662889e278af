import { TransportError } from "../../protocol/handler.ts";
import type { Identification } from "../../protocol/servers/identify.ts";
import { type Answer, type Ask, errorMessage, type Statement } from "../../protocol/servers/probe.ts";
import type { ServerRecord } from "../../protocol/servers/server.ts";
import { suggestion } from "../scenario/nearest.ts";

/** Why a target cannot be measured at all; `line` says it in one line, with what to do. */
export interface TargetFailure {
  readonly reason:
    | "transport"
    | "wrong_key"
    | "model_missing"
    | "unreadable"
    | "server_unavailable"
    | "not_a_chat_server";
  readonly line: string;
}

/** Nothing answered. */
export function unreachable(shown: string, error: TransportError): TargetFailure {
  const cause = error.message.split("\n")[0] ?? "";
  // Some causes say themselves what helps.
  return { reason: "transport", line: `${shown}: ${cause.includes("; ") ? cause : `${cause}; ${remedy(error)}`}` };
}

function remedy(error: TransportError): string {
  switch (error.phase) {
    case "dns":
      return "check the host name in --base-url";
    case "connect":
      return "start the server or check --base-url";
    case "tls":
      return "check https:// against http:// and the certificate";
    case "first_byte":
    case "idle":
    case "total":
      return "check the server, or give it more time with --timeout-first-byte";
    case "aborted":
      return "run it again";
    case "protocol":
      return "check --base-url: a chat server speaks HTTP";
    default:
      return error.phase satisfies never;
  }
}

/** Do these headers carry a key, whatever its form? */
export function sendsKey(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => /^authorization$|api-?key|token/i.test(name));
}

/** The server wants a key, or another one. */
export function keyLine(shown: string, said: string, keySent: boolean): TargetFailure {
  const line = keySent
    ? `${shown}: the key is not accepted (${said}); check the variable that --api-key-env names`
    : `${shown}: wants a key (${said}); name its variable with --api-key-env`;
  return { reason: "wrong_key", line };
}

/** Everything that answered was a page. */
export function htmlLine(shown: string): TargetFailure {
  return {
    reason: "unreadable",
    line: `${shown}: answers HTML pages, not an API; the API's address usually ends in /v1`,
  };
}

/** Names of a list that a line shows. */
const mostNames = 3;

export interface PresenceOptions {
  readonly ask: Ask;
  readonly found: Identification;
  readonly server: ServerRecord;
  readonly model: string;
  readonly apiPrefix: string;
  readonly shown: string;
  /** Whether requests carry a key: a missing one and a wrong one have different remedies. */
  readonly keySent: boolean;
}

/** Is there a chat API that this key opens and that has the model? Generates nothing. */
export async function presence(
  options: PresenceOptions,
): Promise<{ readonly failure: TargetFailure | null; readonly note: Statement | null }> {
  const { found, server, model, shown } = options;
  const { models } = found;
  if (models.entries === null || found.unauthorised) {
    const failure = await chatRouteFailure(options);
    if (failure !== null) return { failure, note: null };
  }
  if (models.entries === null || models.names.some((name) => server.sameModel(model, name)))
    return { failure: null, note: null };
  if (server.modelNames !== "listed") {
    const reference = TransportError.is(models.answer) ? null : models.answer.reference;
    const listed = models.names.slice(0, mostNames).join(", ");
    const text =
      server.modelNames === "open" || listed === ""
        ? `The list of models does not name "${model}"; it is asked for all the same.`
        : `${server.title} takes any name for its model: it lists ${listed}, and that is what answers as "${model}".`;
    return { failure: null, note: { text, reference } };
  }
  // A tag that may be left out is left out of the suggestion, too.
  const names = models.names.map(
    (name) => [name.split(":")[0] ?? name].find((short) => server.sameModel(short, name)) ?? name,
  );
  const known = suggestion(model, names);
  const line = `${shown}: ${server.title} has no model "${model}"${known === "" ? "; it lists none" : known}`;
  return { failure: { reason: "model_missing", line }, note: null };
}

/** An empty request reaches the chat route without generating; its error tells a missing route from a wrong key. */
async function chatRouteFailure({
  ask,
  found,
  server,
  apiPrefix,
  shown,
  keySent,
}: PresenceOptions): Promise<TargetFailure | null> {
  const path = `${apiPrefix}/chat/completions`;
  const answer = await ask({ path, body: {} });
  if (TransportError.is(answer)) return null;
  switch (answer.status) {
    case 401:
    case 403:
      return keyLine(shown, short(answer), keySent);
    case 404:
    case 405:
      // The route is there; it misses the model that the empty request does not name.
      if (server.missingModel.test(errorMessage(answer.text))) return null;
      return {
        reason: "not_a_chat_server",
        line:
          found.by === "none"
            ? `${shown}: not a chat server: neither a known server nor ${path} is there; check --base-url`
            : `${shown}: ${server.title} answers, but not under ${path}; check --base-url`,
      };
    case 503:
      return {
        reason: "server_unavailable",
        line: `${shown}: ${server.title} cannot answer now (${short(answer)}); try again when it is ready`,
      };
    default:
      return null;
  }
}

function short(answer: Answer): string {
  return `HTTP ${answer.status}: ${errorMessage(answer.text).split("\n")[0]?.slice(0, 160) ?? ""}`;
}
