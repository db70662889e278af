import { resolve } from "node:path";
import { findRun } from "../../lab/capture/find-run.ts";
import { openRun } from "../../lab/capture/open-run.ts";
import type { TargetRecord } from "../../lab/capture/run-record.ts";
import { createRunStore } from "../../lab/capture/store.ts";
import { StoreError } from "../../lab/capture/store-error.ts";
import type { Checkup } from "../../lab/diagnose/checkup-statement.ts";
import { compareCheckups } from "../../lab/diagnose/compare-checkups.ts";
import { type DoctorResult, examine, storedCheckup } from "../../lab/doctor.ts";
import { checkupJson, checkupLines, comparisonSentence } from "../../lab/report/checkup-report.ts";
import { visibleText } from "../../lab/report/terminal-text.ts";
import { type LabConfig, readConfig, shownPath } from "../config.ts";
import { exitCodes, UserError } from "../errors.ts";
import { findTargets, targetChoice } from "../find-targets.ts";
import { firstRecord, openTarget } from "../measure.ts";
import { messagesIn } from "../messages.ts";
import type { ValuesOf } from "../options.ts";
import { type RunSettings, runSettings } from "../run-settings.ts";
import { shellCommand } from "../shell-command.ts";
import type { TargetSpec } from "../target-specs.ts";
import { unaskedOptions } from "../unasked-options.ts";
import type { World } from "../world.ts";
import type { Execute } from "./command.ts";
import type { doctorOptions } from "./option-sets.ts";

type Values = ValuesOf<typeof doctorOptions>;

/** `lab doctor`: healthy 0, a fault found 1, not measured 3. */
export const doctor: Execute<typeof doctorOptions> = async (values, world) => {
  const config = readConfig(values.config, world);
  const settings = runSettings({ ...unaskedOptions(), ...values }, config, world);
  const messages = messagesIn(settings.language);
  const before = values.verify === undefined ? null : await earlier(values.verify, settings, world);
  const spec = await oneTarget(values, before?.target ?? null, config, settings, world);
  const record = firstRecord({ suites: ["doctor"], onlyScenarios: undefined, targets: [spec] }, settings, world);
  const folder = resolve(world.cwd, settings.out ?? "results", record.run);
  const store = await createRunStore(folder, record);
  const { target, close } = openTarget(spec, settings, world);
  const interrupted = () => world.stderr.write(`${messages.interrupting()}\n`);
  world.signal.addEventListener("abort", interrupted, { once: true });
  let result: DoctorResult;
  try {
    result = await examine({
      target,
      seed: settings.seed,
      overrides: settings.overrides,
      store,
      clock: world.clock,
      signal: world.signal,
      patienceMs: settings.timeouts.firstByteMs || 3_600_000,
      note: (text) => {
        if (!settings.quiet) world.stderr.write(`lab: ${visibleText(text)}\n`);
      },
    });
  } catch (error) {
    await store.close().catch(() => undefined);
    if (error instanceof StoreError) throw new UserError(error.message, { exitCode: 3, cause: error });
    throw error;
  } finally {
    world.signal.removeEventListener("abort", interrupted);
    await close();
  }
  if (result.kind === "unmet") {
    if (settings.json) {
      const about = { run: record.run, target: spec.name, verdict: "unmeasured", change: result.line };
      world.stdout.write(`${JSON.stringify({ ...about, fix: null, owner: null, statements: [] })}\n`);
    }
    throw new UserError(result.line, { exitCode: 3 });
  }
  show(result, { run: record.run, folder, spec, before: before?.checkup ?? null }, settings, world);
  if (world.signal.aborted) return exitCodes.interrupted;
  switch (result.checkup.verdict) {
    case "healthy":
      return exitCodes.ok;
    case "fault":
      return exitCodes.found;
    case "unmeasured":
      return exitCodes.notMeasured;
    default:
      return result.checkup.verdict satisfies never;
  }
};

function show(
  { checkup, target }: Extract<DoctorResult, { kind: "examined" }>,
  about: { readonly run: string; readonly folder: string; readonly spec: TargetSpec; readonly before: Checkup | null },
  settings: RunSettings,
  world: World,
): void {
  const { kind } = target.facts;
  const lang = settings.language;
  const comparison = about.before === null ? null : compareCheckups(about.before, checkup);
  if (settings.json) {
    const json = checkupJson(checkup, { run: about.run, target: about.spec.name, kind, lang });
    const compared =
      comparison === null ? {} : { verify: { ...comparison, sentence: comparisonSentence(comparison, lang) } };
    world.stdout.write(`${JSON.stringify({ ...json, ...compared })}\n`);
    return;
  }
  const { terminal, columns } = world.stdout;
  const colour = terminal !== null && !world.env["NO_COLOR"];
  const messages = messagesIn(lang);
  const where = settings.out === null ? [] : ["--out", settings.out];
  const lines = [
    `${visibleText(about.spec.server.shown)}`,
    ...checkupLines(checkup, kind, { lang, colour, width: columns }),
    ...(comparison === null ? [] : [comparisonSentence(comparison, lang)]),
    "",
    messages.runFolder(shownPath(about.folder, world.cwd)),
    ...(checkup.verdict === "healthy" || isTheModels(checkup)
      ? []
      : [messages.nextVerify(shellCommand(["lab", "doctor", "--verify", about.run, ...where]))]),
  ];
  world.stdout.write(`${lines.join("\n")}\n`);
}

/** Nothing on the server is to be changed. */
function isTheModels({ cure }: Checkup): boolean {
  return cure.kind === "diagnosis" && cure.diagnosis.owner === "model";
}

/** An earlier check-up, judged with today's rules. @throws UserError, StoreError */
async function earlier(
  wanted: string,
  settings: RunSettings,
  world: World,
): Promise<{ readonly target: TargetRecord; readonly checkup: Checkup }> {
  const folder = await findRun(resolve(world.cwd, settings.out ?? "results"), wanted);
  const found = await storedCheckup(await openRun(folder));
  if (found === null)
    throw new UserError(`--verify: ${wanted} is no run of lab doctor that met its server; name one that is`);
  return found;
}

/** The one model to look at: the one of an earlier check-up where no other is named. @throws UserError */
async function oneTarget(
  values: Values,
  before: TargetRecord | null,
  config: LabConfig,
  settings: RunSettings,
  world: World,
): Promise<TargetSpec> {
  const given = targetChoice(values);
  const named = given.baseUrl !== undefined || given.models.length > 0 || given.targets.length > 0;
  const choice =
    before === null || named
      ? given
      : {
          ...given,
          baseUrl: before.baseUrl,
          models: [before.model],
          serverKind: given.serverKind ?? (before.facts.kind === "openai" ? undefined : before.facts.kind),
        };
  const [target, ...others] = await findTargets(choice, config, settings, world);
  if (target === undefined || others.length > 0)
    throw new UserError("lab doctor looks at one model at a time; name one with --model, or with --target NAME");
  return target;
}
