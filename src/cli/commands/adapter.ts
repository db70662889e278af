import { pino } from "pino";
import { guardAccess } from "../../adapter/access.ts";
import { createAdapter } from "../../adapter/adapter.ts";
import { choosePrompt } from "../../adapter/prompt/index.ts";
import { meetUpstream } from "../../adapter/upstream-facts.ts";
import { listen } from "../../http/listen.ts";
import { pinnedFetch } from "../../http/pinned-fetch.ts";
import { upstream } from "../../http/upstream.ts";
import { readAdapterConfig } from "../adapter-config.ts";
import { openTraceFile } from "../adapter-traces.ts";
import { startWords } from "../adapter-words.ts";
import { exitCodes, oneLine, UserError } from "../errors.ts";
import { displayLanguage } from "../messages.ts";
import { isLoopback, parseServerUrl, proxyFor } from "../server-url.ts";
import { keepHeapSmall } from "../small-heap.ts";
import type { World } from "../world.ts";
import type { adapterOptions } from "./adapter-options.ts";
import type { Execute } from "./command.ts";

/** How long requests under way may take once the adapter is told to stop. */
const drainMs = 10_000;

/** `lab adapter`: serves the adapter until Ctrl-C, then lets what is under way finish (exit 0). */
export const adapter: Execute<typeof adapterOptions> = async (values, world) => {
  keepHeapSmall();
  if (values.upstream === undefined)
    throw new UserError("--upstream is missing: the URL of the model server, e.g. http://localhost:8080/v1");
  const server = parseServerUrl(values.upstream, "--upstream");
  const config = readAdapterConfig(values, world);
  const apiKey = keyOf(values["api-key-env"], "--api-key-env", world);
  const upstreamKey = keyOf(values["upstream-key-env"], "--upstream-key-env", world);
  const host = values.host ?? "127.0.0.1";
  if (!isLoopback(`http://${host.includes(":") ? `[${host}]` : host}`) && apiKey === undefined)
    throw new UserError(
      `--host ${host}: whoever reaches that address could use the model and read its answers; name a key with --api-key-env VARIABLE, or leave --host out`,
    );
  const log = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line) => world.stderr.write(line) },
  );
  const folder = values["trace-dir"];
  const traces = folder === undefined ? null : await openTraceFile(folder, world, (line) => log.error(line));
  const handler = upstream(server.root, { proxy: proxyFor(server.root, world.env) });
  const origin = world.clock.date().getTime() - world.clock.now();
  const made = createAdapter({
    upstream: handler,
    apiPrefix: server.apiPrefix,
    config,
    now: () => origin + world.clock.now(),
    random: Math.random,
    upstreamKey: upstreamKey ?? server.headers["authorization"]?.replace(/^Bearer /, ""),
    forwardKey: apiKey === undefined,
    ...(config.web.enabled ? { fetchPinned: pinnedFetch() } : {}),
    onTrace(trace) {
      traces?.write(trace);
      if (trace.outcome !== "failed") return;
      const last = trace.entries.findLast((entry) => entry.decision !== "not_stored");
      log.warn({ trace: trace.id, front: trace.front, client: trace.client }, last?.reason ?? "the request failed");
    },
    onError: (error, trace) => log.error({ trace }, oneLine(error)),
  });
  const listener = await listen(guardAccess(made, { allowedHosts: values["allow-host"], apiKey }), {
    port: values.port ?? 8484,
    host,
    onError: (error: unknown) => log.error(oneLine(error)),
  }).catch((error: unknown) => {
    throw new UserError(oneLine(error), { cause: error });
  });
  const facts = await meetUpstream(handler, {
    apiPrefix: server.apiPrefix,
    headers: upstreamKey === undefined ? {} : { authorization: `Bearer ${upstreamKey}` },
    model: config.model ?? "",
  });
  const known = facts.reached ? facts : null;
  const start = {
    url: listener.url,
    upstream: server.shown,
    facts: known,
    config,
    prompt: choosePrompt(config.prompt.format, facts).words,
    traces: values["trace-dir"] ?? null,
    keyed: apiKey !== undefined,
  };
  for (const line of startWords(start, displayLanguage(values.lang, world.env))) world.stdout.write(`${line}\n`);
  await new Promise<void>((resolve) => {
    if (world.signal.aborted) resolve();
    else world.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await listener.drain(drainMs);
  await handler.close();
  traces?.close();
  return exitCodes.ok;
};

function keyOf(name: string | undefined, option: string, world: Pick<World, "env">): string | undefined {
  if (name === undefined) return undefined;
  const key = world.env[name]?.trim();
  if (!key) throw new UserError(`${option}: the environment variable ${name} is not set; export it or name another`);
  return key;
}
