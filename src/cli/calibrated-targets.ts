import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Upstream, upstream } from "../http/upstream.ts";
import type { CalibratedTarget } from "../lab/calibrate.ts";
import type { RunTarget } from "../lab/run.ts";
import { type Handler, TransportError } from "../protocol/handler.ts";
import type { KnownSetUp, KnownTruth } from "../protocol/known-truth.ts";
import type { Installed } from "../testbed/provision/cache.ts";
import { scriptedGguf } from "../testbed/scripted/scripted-gguf.ts";
import { createModel, deleteModel, startOllama } from "../testbed/servers/ollama.ts";
import type { RunningServer } from "../testbed/servers/server-process.ts";
import type { OllamaSetUp } from "../testbed/set-ups/ollama.ts";
import { modelOptions } from "../testbed/set-ups/set-up.ts";
import type { RunSettings } from "./run-settings.ts";
import { aliasOf, chosenSetUps, type ScriptedKind, type StartedSetUp, startedSetUps } from "./scripted-servers.ts";
import { parseServerUrl, type ServerUrl } from "./server-url.ts";

/** What is calibrated, and what has to be ended afterwards: on every way out. */
export interface CalibratedTargets {
  readonly targets: readonly CalibratedTarget[];
  close(): Promise<void>;
}

type Connection = Pick<RunSettings, "timeouts" | "concurrency">;

/** Tokens of context for a scripted model on Ollama; its prompts count a token a byte or so. */
const ollamaContext = 8192;

/** A target whose server is known only once it is prepared. */
function lateTarget(
  setUp: KnownSetUp,
  model: string,
  shown: string,
  server: () => Handler | null,
  prepare: () => Promise<void>,
): RunTarget {
  const handler: Handler = async (request) => {
    const open = server();
    if (open === null) throw new TransportError("connect", "the server of this set-up is not running");
    return open(request);
  };
  return {
    name: setUp.id,
    model,
    baseUrl: shown,
    handler,
    apiPrefix: "/v1",
    kind: setUp.server,
    routes: [{ id: "direct", treatment: "direct", open: () => ({ handler, exchanges: () => [], trace: () => [] }) }],
    headers: {},
    prepare,
  };
}

function connect(url: string, { timeouts, concurrency }: Connection): Upstream {
  return upstream(url, { timeouts, connections: concurrency + 2 });
}

/** Starts a program once for each of its set-ups, one after the other; Ollama once for all. */
export async function spawnedTargets(
  { kind, installed }: { readonly kind: ScriptedKind; readonly installed: Installed },
  {
    asked,
    scripts,
    modelFolder,
  }: {
    readonly asked: readonly string[];
    readonly scripts: readonly KnownTruth[];
    readonly modelFolder: string | null;
  },
  settings: Connection,
): Promise<CalibratedTargets> {
  if (kind === "ollama") {
    const setUps = chosenSetUps(kind, asked);
    const server = await startOllama(installed);
    try {
      const made = ollamaTargets(
        setUps,
        scripts,
        parseServerUrl(`${server.url}/v1`, "--spawn"),
        "ollama serve",
        settings,
      );
      return {
        targets: made.targets,
        close: async () => {
          await made.close();
          await server.stop();
        },
      };
    } catch (error) {
      await server.stop();
      throw error;
    }
  }
  const setUps = startedSetUps(kind, asked);
  const folder = modelFolder ?? (await mkdtemp(join(tmpdir(), "lab-calibrate-")));
  let running: { readonly server: RunningServer; readonly connection: Upstream } | null = null;
  const stop = async (): Promise<void> => {
    const ended = running;
    running = null;
    await ended?.connection.close();
    await ended?.server.stop();
  };
  const start = async (setUp: StartedSetUp): Promise<void> => {
    await stop();
    const server = await setUp.start(installed, await setUp.write(folder, scripts));
    running = { server, connection: connect(server.url, settings) };
  };
  return {
    targets: setUps.map((setUp) => ({
      setUp: setUp.truth,
      start: setUp.command(`${setUp.alias}${kind === "vllm" ? "" : ".gguf"}`),
      target: lateTarget(
        setUp.truth,
        setUp.alias,
        `${installed.paths["binary"] ?? kind}`,
        () => running?.connection ?? null,
        () => start(setUp),
      ),
    })),
    close: async () => {
      await stop();
      if (modelFolder === null) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Models on a running Ollama, made one before its turn and removed in the end. */
export function ollamaTargets(
  setUps: readonly OllamaSetUp[],
  scripts: readonly KnownTruth[],
  server: ServerUrl,
  startedWith: string,
  settings: Connection,
): CalibratedTargets {
  const connection = connect(server.root, settings);
  const made: string[] = [];
  return {
    targets: setUps.map((setUp): CalibratedTarget => {
      const { truth, template, renderer, parser } = setUp;
      const name = aliasOf(truth);
      return {
        setUp: truth,
        start: `${startedWith}; ${madeOf(setUp)}`,
        target: lateTarget(
          truth,
          name,
          server.shown,
          () => connection,
          async () => {
            const file = scriptedGguf(modelOptions(scripts, setUp));
            made.push(name);
            await createModel(server.root, { name, file, template, renderer, parser, contextLength: ollamaContext });
          },
        ),
      };
    }),
    close: async () => {
      for (const name of made) await deleteModel(server.root, name);
      await connection.close();
    },
  };
}

function madeOf({ truth, template, renderer, parser }: OllamaSetUp): string {
  const lines = [
    renderer === undefined ? null : `RENDERER ${renderer}`,
    parser === undefined ? null : `PARSER ${parser}`,
    template === undefined ? null : `TEMPLATE of ${truth.id}`,
  ].filter((line) => line !== null);
  return lines.length === 0 ? "the file's own Jinja template" : lines.join(", ");
}

/** The set-up that a running llama-server or vLLM was started with, by the name of its model; null where it has another. */
export function servedTarget(
  kind: "llama-server" | "vllm",
  models: readonly string[],
  asked: readonly string[],
  server: ServerUrl,
  settings: Connection,
): CalibratedTargets | null {
  const setUp = startedSetUps(kind, asked).find(({ alias }) => models.includes(alias));
  if (setUp === undefined) return null;
  const connection = connect(server.root, settings);
  const target = lateTarget(
    setUp.truth,
    setUp.alias,
    server.shown,
    () => connection,
    async () => {},
  );
  return {
    targets: [
      { setUp: setUp.truth, start: setUp.command(setUp.alias), target: { ...target, apiPrefix: server.apiPrefix } },
    ],
    close: () => connection.close(),
  };
}
