import { TransportError } from "../../protocol/handler.ts";
import type { Identification } from "../../protocol/servers/identify.ts";
import type { Ask, ServerProbe } from "../../protocol/servers/probe.ts";
import type { ServerRecord } from "../../protocol/servers/server.ts";
import { textHash } from "../capture/record.ts";
import type { RawExchange } from "../transport/exchange.ts";
import { exchange, exchangeText, type Line } from "./chat-exchange.ts";
import { neutralMessages, neutralTool } from "./check-request.ts";
import { seconds } from "./loading.ts";
import type { MeetOptions } from "./meet-options.ts";

/** How the target stage reaches a server. */
export function lineOf(options: Pick<MeetOptions, "handler" | "headers" | "clock" | "signal">): Line {
  return {
    handler: options.handler,
    headers: options.headers,
    clock: options.clock,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
}

/** A list of models or a version needs no model and no computing; a server that is silent on these for longer is not well. */
const probeMs = 30_000;

/** Asks, keeps what came, and gives up soon on questions that need no computing. */
export function recordingAsk(line: Line, record: (raw: RawExchange) => number): Ask {
  return async ({ path, body }) => {
    const raw = body === undefined ? await withinLimit(line, path, probeMs) : await exchange(line, path, body);
    const reference = record(raw);
    if (raw.end.kind === "failed") return new TransportError(raw.end.phase, raw.end.cause);
    if (raw.status === null) return new TransportError("protocol", "no response head came");
    return { status: raw.status, headers: raw.headers, text: exchangeText(raw), reference };
  };
}

async function withinLimit(line: Line, path: string, limitMs: number): Promise<RawExchange> {
  const own = new AbortController();
  const stop = (reason: unknown) => own.abort(reason);
  const interrupt = () => stop(line.signal?.reason);
  const timer = setTimeout(
    () => stop(new TransportError("first_byte", `no answer to GET ${path} within ${seconds(limitMs)}`)),
    limitMs,
  );
  line.signal?.addEventListener("abort", interrupt);
  if (line.signal?.aborted === true) interrupt();
  try {
    return await exchange({ ...line, signal: own.signal }, path);
  } finally {
    clearTimeout(timer);
    line.signal?.removeEventListener("abort", interrupt);
  }
}

/** What a server's record needs to look at one model. */
export function probeOf(
  { model, apiPrefix }: Pick<MeetOptions, "model" | "apiPrefix">,
  ask: Ask,
  found: Identification,
): ServerProbe {
  return {
    ask,
    model,
    apiPrefix,
    version: found.version,
    models: found.models,
    hash: (text) => textHash(text).slice(0, 16),
  };
}

/** A digest of the neutral prompt: shows a changed template where the template itself is hidden. Dates that templates print are left out. */
export async function renderedTemplate(server: ServerRecord, probe: ServerProbe): Promise<string | null> {
  const rendered = await server.renderPrompt(probe, { messages: neutralMessages, tools: [neutralTool] });
  if (rendered.kind !== "text") return null;
  const undated = rendered.text.replace(
    /\b\d{1,2} [A-Z][a-z]{2,8} \d{4}\b|\b[A-Z][a-z]{2,8} \d{1,2}, \d{4}\b|\b\d{4}-\d{2}-\d{2}\b/g,
    "DATE",
  );
  return probe.hash(undated);
}
