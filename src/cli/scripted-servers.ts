import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../lab/capture/make-folder.ts";
import type { KnownSetUp, KnownTruth } from "../protocol/known-truth.ts";
import { cacheFolder, type Installed } from "../testbed/provision/cache.ts";
import { recipes } from "../testbed/provision/index.ts";
import { installedServer } from "../testbed/provision/install.ts";
import { scriptedGguf } from "../testbed/scripted/scripted-gguf.ts";
import { scriptedSafetensors } from "../testbed/scripted/scripted-safetensors.ts";
import { llamaServerArguments, startLlamaServer } from "../testbed/servers/llama-server.ts";
import type { RunningServer } from "../testbed/servers/server-process.ts";
import { startVllm, vllmArguments } from "../testbed/servers/vllm.ts";
import { type LlamaSetUp, llamaSetUps } from "../testbed/set-ups/llama-server.ts";
import { ollamaSetUps } from "../testbed/set-ups/ollama.ts";
import { modelOptions, type SetUp } from "../testbed/set-ups/set-up.ts";
import { type VllmSetUp, vllmSetUps } from "../testbed/set-ups/vllm.ts";
import { oneLine, UserError } from "./errors.ts";
import { shellCommand } from "./shell-command.ts";
import type { World } from "./world.ts";

/** The kinds of server that scripted models are written for. */
export type ScriptedKind = KnownSetUp["server"];

/** One set-up of a kind that is started with its model: where the model goes, and what starts a server with it. */
export interface StartedSetUp {
  readonly truth: KnownSetUp;
  /** The model's name in requests. */
  readonly alias: string;
  /** Writes the model below a folder and returns its path. */
  write(folder: string, scripts: readonly KnownTruth[]): Promise<string>;
  start(installed: Installed, model: string): Promise<RunningServer>;
  /** The command that starts it by hand. */
  command(model: string): string;
}

/** Name of the model of a set-up, on any server. */
export function aliasOf({ id }: KnownSetUp): string {
  return `harness-lab-${id.replaceAll(/[._]/g, "-")}`;
}

/** The set-ups of a kind, restricted to those that are asked for. @throws UserError naming an unknown one */
export function chosenSetUps(kind: ScriptedKind, asked: readonly string[]): readonly SetUp[] {
  const all: readonly SetUp[] = { "llama-server": llamaSetUps, ollama: ollamaSetUps, vllm: vllmSetUps }[kind];
  const known = all.map(({ truth }) => truth.id);
  const unknown = asked.find((id) => !known.includes(id));
  if (unknown !== undefined)
    throw new UserError(`--set-up: there is no "${unknown}" for ${kind}; there are ${known.join(", ")}`);
  return asked.length === 0 ? all : all.filter(({ truth }) => asked.includes(truth.id));
}

/** How the set-ups of llama-server and vLLM are written and started. */
export function startedSetUps(kind: "llama-server" | "vllm", asked: readonly string[]): readonly StartedSetUp[] {
  return chosenSetUps(kind, asked).map((setUp) =>
    kind === "vllm" ? vllmStarted(setUp as VllmSetUp) : llamaStarted(setUp as LlamaSetUp),
  );
}

function llamaStarted(setUp: LlamaSetUp): StartedSetUp {
  const { truth, jinja } = setUp;
  const alias = aliasOf(truth);
  const options = (model: string) => ({ model, alias, slots: 2, jinja });
  return {
    truth,
    alias,
    write: async (folder, scripts) => {
      await writeModel(folder, [[`${alias}.gguf`, scriptedGguf(modelOptions(scripts, setUp))]]);
      return join(folder, `${alias}.gguf`);
    },
    start: (installed, model) => startLlamaServer(installed, options(model)),
    command: (model) => shellCommand(["llama-server", ...llamaServerArguments(options(model), 8080)]),
  };
}

function vllmStarted(setUp: VllmSetUp): StartedSetUp {
  const { truth, toolCallParser, reasoningParser } = setUp;
  const alias = aliasOf(truth);
  const options = (model: string) => ({ model, alias, toolCallParser, reasoningParser });
  return {
    truth,
    alias,
    write: async (folder, scripts) => {
      const path = join(folder, alias);
      await writeModel(path, scriptedSafetensors(modelOptions(scripts, setUp)));
      return path;
    },
    start: (installed, model) => startVllm(installed, options(model)),
    command: (model) => shellCommand(["vllm", ...vllmArguments(options(model), "serve", 8000)]),
  };
}

/** Writes the files of a model: all of them, or none is left. @throws UserError saying where and why not */
async function writeModel(folder: string, files: Iterable<readonly [name: string, bytes: Uint8Array]>): Promise<void> {
  const begun: string[] = [];
  try {
    await makeFolder(folder);
    for (const [name, bytes] of files) {
      begun.push(join(folder, name));
      await writeFile(join(folder, name), bytes);
    }
  } catch (error) {
    // Half a model would be taken for one.
    for (const path of begun) await rm(path, { force: true }).catch(() => undefined);
    const isFull = error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
    const why = isFull ? "the disk is full; free some space or choose another folder with --model-dir" : oneLine(error);
    throw new UserError(`the model cannot be written to ${folder}: ${why}`, { cause: error });
  }
}

/**
 * What `--spawn` names: a kind that is provisioned, or a program whose name says its kind. @throws UserError where neither
 */
export async function spawnedProgram(
  named: string,
  kind: ScriptedKind | undefined,
  world: Pick<World, "env">,
): Promise<{ readonly kind: ScriptedKind; readonly installed: Installed }> {
  const base = named.split(/[\\/]/).at(-1) ?? named;
  const guessed = kind ?? (["llama-server", "ollama", "vllm"] as const).find((each) => base.includes(each));
  if (guessed === undefined)
    throw new UserError(`--spawn ${named}: its name does not say what it is; add --server-kind`);
  const recipe = recipes.find(({ name }) => name === named);
  const provisioned = recipe === undefined ? null : await installedServer(recipe, cacheFolder(world.env));
  if (provisioned !== null) return { kind: guessed, installed: provisioned };
  return {
    kind: guessed,
    installed: { name: guessed, version: "", source: named, seconds: 0, bytes: {}, paths: { binary: named } },
  };
}
