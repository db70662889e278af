import { listen } from "../../http/listen.ts";
import { loadScenarios } from "../../lab/scenario/load.ts";
import { createSimulator } from "../../simulator/simulator.ts";
import { measure } from "../measure.ts";
import { displayLanguage, messagesIn } from "../messages.ts";
import { readProfile } from "../profiles.ts";
import { defaultTimeouts, type RunSettings } from "../run-settings.ts";
import { parseServerUrl } from "../server-url.ts";
import type { TargetSpec } from "../target-specs.ts";
import type { World } from "../world.ts";
import type { Execute } from "./command.ts";
import type { demoOptions } from "./option-sets.ts";

/** What the demo shows: the same questions to a model that calls, and to one whose calls are lost under one parser only. */
const profiles = ["agents-a1", "thinkingcap-hermes", "thinkingcap-qwen3_coder"];
const suites = ["contract-matrix", "parser-mismatch"];
const scenarios = ["seed-memorizable", "seed-unmemorizable"];

/** `lab demo`: `lab run` against simulated servers that listen on real sockets of this machine for as long as it takes. */
export const demo: Execute<typeof demoOptions> = async (values, world) => {
  const settings: RunSettings = {
    trials: values.trials ?? 3,
    shapes: ["small"],
    languages: ["ja", "en"],
    seed: values.seed ?? "demo",
    concurrency: values.concurrency ?? 4,
    overrides: { body: {} },
    raw: "auto",
    timeouts: defaultTimeouts,
    out: values.out ?? null,
    language: displayLanguage(values.lang, world.env),
    quiet: values.quiet,
    json: values.json,
  };
  const loaded = loadScenarios([], { only: scenarios, agentShapes: false, probes: [] });
  const simulated: { readonly target: TargetSpec; close(): Promise<void> }[] = [];
  try {
    for (const profile of profiles) simulated.push(await openSimulated(profile, settings.seed, world));
    const next = () =>
      messagesIn(settings.language).nextOwnServer("lab run --base-url http://127.0.0.1:8000/v1 --model NAME");
    const targets = simulated.map(({ target }) => target);
    return await measure({ targets, suites, scenarios: loaded, onlyScenarios: scenarios, next }, settings, world);
  } finally {
    await Promise.all(simulated.map(({ close }) => close()));
  }
};

async function openSimulated(name: string, seed: string, world: World) {
  const profile = await readProfile(name, world);
  const handler = createSimulator({ profile, seed, now: () => world.clock.date().getTime() });
  const listener = await listen(handler, { port: 0 });
  const [model = name] = Object.keys(profile.models);
  const target: TargetSpec = {
    name,
    model,
    server: parseServerUrl(`${listener.url}/v1`, name),
    kind: null,
    headers: {},
  };
  return { target, close: () => listener.close() };
}
