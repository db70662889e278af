import { createAdapters } from "../adapter/adapter.ts";
import { type AdapterConfig, adapterConfigSchema } from "../adapter/adapter-config.ts";
import { stageNames } from "../adapter/stages/index.ts";
import type { TurnTrace } from "../adapter/trace.ts";
import { pinnedFetch } from "../http/pinned-fetch.ts";
import type { Route } from "../lab/run.ts";
import { suggestion } from "../lab/scenario/nearest.ts";
import { ablationPrefix, adapterRouteId } from "../lab/stats/adapter-summary.ts";
import { recordHandler } from "../lab/transport/record-handler.ts";
import type { Handler } from "../protocol/handler.ts";
import type { JsonValue } from "../protocol/json.ts";
import type { StageCost } from "../protocol/trace.ts";
import { readAdapterFile } from "./adapter-config.ts";
import type { runOptions } from "./commands/run-options.ts";
import { UserError } from "./errors.ts";
import type { ValuesOf } from "./options.ts";
import { commaSeparated } from "./run-settings.ts";
import type { World } from "./world.ts";

/** The adapter as part of a measurement: how it is set up, and which of its stages are also left out. */
export interface ThroughAdapter {
  readonly config: AdapterConfig;
  readonly ablate: readonly string[];
  /** The routes through the adapter: whole, then without each ablated stage. Each sample has its own record of what happened behind it. */
  routes(world: AdapterWorld): readonly Route[];
}

/** What a command line says of the adapter; undefined where samples travel direct alone. @throws UserError */
export function throughAdapter(
  values: Pick<ValuesOf<typeof runOptions>, "through-adapter" | "adapter-config" | "ablate">,
  world: Pick<World, "cwd">,
): ThroughAdapter | undefined {
  if (!values["through-adapter"]) {
    const given =
      values.ablate.length > 0 ? "--ablate" : values["adapter-config"] === undefined ? null : "--adapter-config";
    if (given !== null) throw new UserError(`${given} goes with --through-adapter`);
    return undefined;
  }
  const config = readAdapterFile(values["adapter-config"], "--adapter-config", world);
  const ablate = [...new Set(commaSeparated(values.ablate))];
  for (const stage of ablate) {
    if (!stageNames.includes(stage))
      throw new UserError(`--ablate: there is no stage ${JSON.stringify(stage)}${suggestion(stage, stageNames)}`);
    if (config.disable.includes(stage))
      throw new UserError(`--ablate: the stage ${stage} is disabled already; leaving it out would change nothing`);
  }
  return { config, ablate, routes: (around) => adapterRoutes(config, ablate, around) };
}

/** The stored form of {@link ThroughAdapter}, read again. @throws UserError where this version knows other settings */
export function storedAdapter(stored: {
  readonly config: Readonly<Record<string, JsonValue>>;
  readonly ablate: readonly string[];
}): ThroughAdapter {
  const read = adapterConfigSchema.safeParse(stored.config);
  if (!read.success)
    throw new UserError("the run used adapter settings that this version does not know; measure anew with lab run");
  const { ablate } = stored;
  return { config: read.data, ablate, routes: (around) => adapterRoutes(read.data, ablate, around) };
}

/** What stands around an adapter in a measurement. */
export interface AdapterWorld {
  readonly upstream: Handler;
  readonly apiPrefix: string;
  readonly clock: World["clock"];
}

function adapterRoutes(config: AdapterConfig, ablate: readonly string[], world: AdapterWorld): readonly Route[] {
  return [
    adapterRoute(adapterRouteId, config, world),
    ...ablate.map((stage) =>
      adapterRoute(`${ablationPrefix}${stage}`, { ...config, disable: [...config.disable, stage] }, world),
    ),
  ];
}

function adapterRoute(id: string, config: AdapterConfig, { upstream, apiPrefix, clock }: AdapterWorld): Route {
  const origin = clock.date().getTime() - clock.now();
  const adapterFor = createAdapters({
    upstream,
    apiPrefix,
    config,
    now: () => origin + clock.now(),
    random: Math.random,
    weigh: true,
    ...(config.web.enabled ? { fetchPinned: pinnedFetch() } : {}),
  });
  return {
    id,
    treatment: "adapter",
    settings: config as unknown as Readonly<Record<string, JsonValue>>,
    open() {
      const behind = recordHandler(upstream, clock);
      const traces: TurnTrace[] = [];
      return {
        handler: adapterFor({ upstream: behind.handler, onTrace: (trace) => void traces.push(trace) }),
        exchanges: behind.exchanges,
        trace: () => traces.flatMap(({ entries }) => entries),
        costs: () => joinedCosts(traces.flatMap(({ costs }) => costs)),
      };
    },
  };
}

/** Costs of several turns of one sample, by stage. */
function joinedCosts(costs: readonly StageCost[]): readonly StageCost[] {
  const byStage = new Map<string, StageCost>();
  for (const { stage, ms, bytes } of costs) {
    const before = byStage.get(stage);
    const sum = { stage, ms: round((before?.ms ?? 0) + ms), bytes: (before?.bytes ?? 0) + (bytes ?? 0) };
    byStage.set(stage, sum);
  }
  return [...byStage.values()];
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
