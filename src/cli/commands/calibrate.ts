import { resolve } from "node:path";
import { type CalibrateResult, calibrate } from "../../lab/calibrate.ts";
import { createRunStore } from "../../lab/capture/store.ts";
import { StoreError } from "../../lab/capture/store-error.ts";
import { measuredVerdict } from "../../lab/gate/measured.ts";
import { calibrationConsole } from "../../lab/report/calibration/console.ts";
import { loadScenarios } from "../../lab/scenario/load.ts";
import { suggestion } from "../../lab/scenario/nearest.ts";
import { TransportError } from "../../protocol/handler.ts";
import type { KnownTruth } from "../../protocol/known-truth.ts";
import { identify } from "../../protocol/servers/identify.ts";
import type { Ask } from "../../protocol/servers/probe.ts";
import { scriptMarker } from "../../testbed/scripted/scripted-model.ts";
import { primeSumScripts } from "../../testbed/scripts/prime-sum.ts";
import { ServerStartError } from "../../testbed/servers/server-process.ts";
import { truthReader } from "../../testbed/truth/index.ts";
import { type CalibratedTargets, ollamaTargets, servedTarget, spawnedTargets } from "../calibrated-targets.ts";
import { shownPath } from "../config.ts";
import { exitCodes, oneLine, UserError } from "../errors.ts";
import { listedModels } from "../listed-models.ts";
import { firstRecord, openServer } from "../measure.ts";
import { messagesIn } from "../messages.ts";
import type { ValuesOf } from "../options.ts";
import { openProgress } from "../progress.ts";
import { renderRun } from "../render-run.ts";
import { type RunSettings, runSettings } from "../run-settings.ts";
import { chosenSetUps, type ScriptedKind, spawnedProgram, startedSetUps } from "../scripted-servers.ts";
import { parseServerUrl } from "../server-url.ts";
import { unaskedOptions } from "../unasked-options.ts";
import type { World } from "../world.ts";
import type { Execute } from "./command.ts";
import type { calibrateOptions } from "./option-sets.ts";

type Values = ValuesOf<typeof calibrateOptions>;

/** `lab calibrate`: measured 0, not or not wholly measured 3. */
export const calibrateServer: Execute<typeof calibrateOptions> = async (values, world) => {
  // What lab.yaml says of requests is meant for models that think; here it would only make two calibrations differ.
  const config = { targets: [], defaults: {} };
  const settings = runSettings({ ...unaskedOptions(), ...values, concurrency: values.concurrency ?? 2 }, config, world);
  const scripts = chosenScripts(values.script);
  const targets = await findCalibrated(values, scripts, settings, world);
  if (targets === null) return exitCodes.notMeasured;
  try {
    return await measure(targets, scripts, settings, world);
  } finally {
    await targets.close();
  }
};

function chosenScripts(asked: readonly string[]): readonly KnownTruth[] {
  const known = primeSumScripts.map(({ script }) => script);
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UserError(
      `--script: there is no "${unknown}"${suggestion(unknown, known)}; there are ${known.join(", ")}`,
    );
  return asked.length === 0 ? primeSumScripts : primeSumScripts.filter(({ script }) => asked.includes(script));
}

/** What there is to measure; null where the models were only written and somebody has to start the server. @throws UserError */
async function findCalibrated(
  values: Values,
  scripts: readonly KnownTruth[],
  settings: RunSettings,
  world: World,
): Promise<CalibratedTargets | null> {
  const asked = values["set-up"];
  const given = values["server-kind"];
  const baseUrl = values["base-url"];
  const folder = values["model-dir"] === undefined ? null : resolve(world.cwd, values["model-dir"]);
  if (values.spawn !== undefined) {
    if (baseUrl !== undefined)
      throw new UserError("--spawn starts a server of its own; leave --base-url out, or leave --spawn out");
    const program = await spawnedProgram(values.spawn, given, world);
    chosenSetUps(program.kind, asked);
    return startFailures(() => spawnedTargets(program, { asked, scripts, modelFolder: folder }, settings));
  }
  if (baseUrl === undefined) {
    if (given === undefined || given === "ollama")
      throw new UserError(
        "nothing to calibrate is named: give --base-url URL of a running server, or --spawn llama-server, vllm or ollama",
      );
    await writeModels(given, folder, asked, scripts, "URL", settings, world);
    return null;
  }
  const server = parseServerUrl(baseUrl, "--base-url");
  const kind = given ?? (await kindOf(server, settings, world));
  if (kind === "ollama") return ollamaTargets(chosenSetUps(kind, asked), scripts, server, "ollama serve", settings);
  const connection = openServer({ server }, settings, world);
  const models = await listedModels(connection, { server, kind: null, headers: server.headers }, world.signal).finally(
    () => connection.close(),
  );
  const served = servedTarget(kind, models, asked, server, settings);
  if (served !== null) return served;
  await writeModels(kind, folder, asked, scripts, server.shown, settings, world);
  return null;
}

/** A server that does not start is something the user can mend. @throws UserError */
async function startFailures<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServerStartError) throw new UserError(error.message, { exitCode: 3, cause: error });
    throw error;
  }
}

/** Writes the models of a server that cannot load them over HTTP, and says what starts it with each. */
async function writeModels(
  kind: "llama-server" | "vllm",
  folder: string | null,
  asked: readonly string[],
  scripts: readonly KnownTruth[],
  url: string,
  settings: RunSettings,
  world: World,
): Promise<void> {
  const place = folder ?? resolve(world.cwd, "calibration-models");
  const commands: string[] = [];
  for (const setUp of startedSetUps(kind, asked)) {
    const path = await setUp.write(place, scripts);
    commands.push(setUp.command(path));
  }
  const again = `lab calibrate --base-url ${url}`;
  if (settings.json) world.stdout.write(`${JSON.stringify({ run: null, setUps: [], start: commands })}\n`);
  else world.stdout.write(`${messagesIn(settings.language).startFirst(commands, again)}\n`);
}

async function kindOf(
  server: ReturnType<typeof parseServerUrl>,
  settings: RunSettings,
  world: World,
): Promise<ScriptedKind> {
  const connection = openServer({ server }, settings, world);
  const ask: Ask = async ({ path }) => {
    try {
      const response = await connection(
        new Request(`http://server${path}`, { headers: server.headers, signal: world.signal }),
      );
      const headers = Object.fromEntries(response.headers);
      return { status: response.status, headers, text: await response.text(), reference: null };
    } catch (error) {
      if (TransportError.is(error)) return error;
      throw error;
    }
  };
  try {
    const { kind } = await identify(ask, { apiPrefix: server.apiPrefix });
    if (kind === "ollama" || kind === "llama-server" || kind === "vllm") return kind;
    throw new UserError(
      `${server.shown} is none of llama-server, Ollama and vLLM, for which scripted models are written; where it is one behind a proxy, say which with --server-kind`,
      { exitCode: 3 },
    );
  } catch (error) {
    if (!TransportError.is(error)) throw error;
    throw new UserError(
      `${server.shown} gives no answer: ${oneLine(error)}. Start the server; --server-kind llama-server or vllm alone writes its models first`,
      { exitCode: 3, cause: error },
    );
  } finally {
    await connection.close();
  }
}

async function measure(
  { targets }: CalibratedTargets,
  scripts: readonly KnownTruth[],
  settings: RunSettings,
  world: World,
): Promise<number> {
  const messages = messagesIn(settings.language);
  const specs = targets.map(({ target }) => ({
    name: target.name,
    model: target.model,
    server: { root: target.baseUrl, apiPrefix: target.apiPrefix, shown: target.baseUrl, headers: {} },
    kind: target.kind,
    headers: target.headers,
  }));
  const record = firstRecord({ suites: ["calibrate"], onlyScenarios: undefined, targets: specs }, settings, world);
  const folder = resolve(world.cwd, settings.out ?? "results", record.run);
  const store = await createRunStore(folder, record);
  const progress = await openProgress({ quiet: settings.quiet, messages }, world);
  const interrupted = () => {
    progress.stop();
    world.stderr.write(`${messages.interrupting()}\n`);
  };
  world.signal.addEventListener("abort", interrupted, { once: true });
  let done: CalibrateResult;
  try {
    done = await calibrate({
      targets,
      scripts,
      marker: scriptMarker,
      truth: truthReader,
      scenarios: loadScenarios([], { agentShapes: false }),
      seed: settings.seed,
      concurrency: settings.concurrency,
      overrides: settings.overrides,
      raw: "auto",
      store,
      clock: world.clock,
      signal: world.signal,
      labVersion: world.labVersion,
      patienceMs: settings.timeouts.firstByteMs,
      onEvent: progress.onEvent,
    });
  } catch (error) {
    await store.close().catch(() => undefined);
    if (error instanceof StoreError) throw new UserError(error.message, { exitCode: 3, cause: error });
    throw error;
  } finally {
    progress.stop();
    world.signal.removeEventListener("abort", interrupted);
  }
  const { calibration, result } = done;
  const { terminal, columns } = world.stdout;
  if (settings.json) world.stdout.write(`${JSON.stringify(calibration)}\n`);
  else {
    const colour = terminal !== null && !world.env["NO_COLOR"];
    world.stdout.write(calibrationConsole(calibration, { lang: settings.language, colour, width: columns }));
  }
  const reportFolder = settings.out === null ? resolve(world.cwd, "reports", record.run) : folder;
  const { language } = settings;
  const paths = await renderRun(
    { folder, formats: ["html"], reportFolder, show: "nothing", language, made: result },
    world,
  );
  const output = settings.json ? world.stderr : world.stdout;
  output.write(`\n${messages.runFolder(shownPath(folder, world.cwd))}\n`);
  for (const path of paths) output.write(`${messages.report(shownPath(path, world.cwd))}\n`);
  if (result.interrupted) return exitCodes.interrupted;
  const unmet = calibration.setUps.some((setUp) => setUp.unmet !== null);
  return !unmet && measuredVerdict(result.summary).kind === "pass" ? exitCodes.ok : exitCodes.notMeasured;
}
