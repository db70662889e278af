import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { findRun } from "../../lab/capture/find-run.ts";
import { makeFolder } from "../../lab/capture/make-folder.ts";
import { runFiles, writeDocument } from "../../lab/capture/store.ts";
import { storeError } from "../../lab/capture/store-error.ts";
import { suggestion } from "../../lab/scenario/nearest.ts";
import { baselineFile, openSide } from "../../lab/stored-side.ts";
import { isJsonObject, type JsonValue, parseJson } from "../../protocol/json.ts";
import { readConfig, shownPath } from "../config.ts";
import { exitCodes, UserError } from "../errors.ts";
import { baselinesFolder } from "../gate-files.ts";
import { displayLanguage, messagesIn } from "../messages.ts";
import type { World } from "../world.ts";
import type { Execute } from "./command.ts";
import type { baselineOptions } from "./gate-options.ts";

/** `lab baseline promote`: makes a sound run the one that others are held against, with who, when and why. Nothing else moves a baseline. */
export const baseline: Execute<typeof baselineOptions> = async (values, world, positionals) => {
  const action = positionals["action"] ?? "";
  if (action !== "promote")
    throw new UserError(`lab baseline: there is no "${action}"${suggestion(action, ["promote"])}`);
  const { name, why } = values;
  if (name === undefined) throw new UserError("--name is missing: what is the baseline to be called?");
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name))
    throw new UserError(
      `--name: ${JSON.stringify(name)} is no name of a folder; use letters, digits, dots and hyphens`,
    );
  if (why === undefined) throw new UserError("--why is missing: say why this run is to be trusted");
  const config = readConfig(values.config, world);
  const results = resolve(world.cwd, values.results ?? config.defaults.out ?? "results");
  const side = await openSide(await findRun(results, positionals["run"] ?? "latest"));
  const { summary, record, proof } = side;
  const short = refusal(side);
  if (short !== null) throw new UserError(`${record.run} cannot be a baseline: ${short}`, { exitCode: 3 });

  const folder = join(baselinesFolder(results), name);
  const document = {
    schemaVersion: 1,
    name,
    run: record.run,
    promotedAt: world.clock.date().toISOString(),
    by: values.by ?? userOf(world),
    why,
    // Who moved it before, and why: a baseline's own history.
    previous: await history(join(folder, baselineFile)),
    proof,
  };
  try {
    await makeFolder(folder);
  } catch (error) {
    throw storeError(folder, error);
  }
  await writeDocument(folder, runFiles.record, record);
  await writeDocument(folder, runFiles.summary, summary);
  // Last: without this file the folder is no baseline.
  await writeDocument(folder, baselineFile, document);
  const language = displayLanguage(values.lang ?? config.defaults.lang, world.env);
  if (values.json)
    world.stdout.write(`${JSON.stringify({ name, run: record.run, folder: shownPath(folder, world.cwd) })}\n`);
  else world.stdout.write(`${messagesIn(language).written(shownPath(folder, world.cwd))}\n`);
  return exitCodes.ok;
};

/** Why a run cannot be a baseline; null where it can. */
function refusal({ finished, summary }: Awaited<ReturnType<typeof openSide>>): string | null {
  if (!finished) return "it was never finished";
  if (summary.planned === 0) return "it planned no sample";
  if (summary.measured < summary.planned)
    return `only ${summary.measured} of ${summary.planned} planned samples were measured`;
  if (!summary.cells.some((cell) => cell.rated && cell.delivered > 0))
    return "it delivered no call at all, so nothing could fall";
  return null;
}

function userOf({ env }: Pick<World, "env">): string {
  const named = ["GIT_AUTHOR_NAME", "GITHUB_ACTOR", "GITLAB_USER_LOGIN", "USER", "USERNAME"].map((key) => env[key]);
  return named.find((user) => user !== undefined && user !== "") ?? "unknown";
}

async function history(path: string): Promise<readonly JsonValue[]> {
  const text = await readFile(path, "utf8").catch(() => null);
  const before = text === null ? undefined : parseJson(text);
  if (!isJsonObject(before)) return [];
  const { run = null, promotedAt = null, by = null, why = null, previous } = before;
  return [{ run, promotedAt, by, why }, ...(Array.isArray(previous) ? previous : [])];
}
