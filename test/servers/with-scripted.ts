import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KnownTruth } from "../../src/protocol/known-truth.ts";
import { scriptedGguf } from "../../src/testbed/scripted/scripted-gguf.ts";
import type { ScriptedModelOptions } from "../../src/testbed/scripted/scripted-model.ts";
import { scriptedSafetensors } from "../../src/testbed/scripted/scripted-safetensors.ts";
import { startLlamaServer } from "../../src/testbed/servers/llama-server.ts";
import { startVllm } from "../../src/testbed/servers/vllm.ts";
import { llamaSetUps } from "../../src/testbed/set-ups/llama-server.ts";
import { modelOptions } from "../../src/testbed/set-ups/set-up.ts";
import { vllmSetUps } from "../../src/testbed/set-ups/vllm.ts";
import { llamaServer, vllmInstalled } from "./provisioned.ts";
import { withServer } from "./with-server.ts";

/** A model for Ollama, which brings the template. */
export function ollamaFile(scripts: readonly KnownTruth[]): Uint8Array {
  return scriptedGguf(modelOptions(scripts, { truth: { ...noTruth, server: "ollama" } }));
}

const noTruth = {
  id: "any",
  server: "llama-server",
  parser: true,
  format: null,
  tools: "whole",
  grammar: "none",
} as const;

export const heads = "HEADS: 素数";
export const tails = "TAILS, rather 😀.";

/** A model that says one thing in one of three cases, and another in two. */
export const branchOptions: ScriptedModelOptions = {
  name: "branch",
  scripts: [
    {
      name: "branch",
      branches: [
        { probability: 1 / 3, text: heads },
        { probability: 2 / 3, text: tails },
      ],
    },
  ],
  fallback: "branch",
};

/** A llama-server with the model of two branches. */
export async function withBranch(use: (url: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const path = join(folder, "branch.gguf");
    await writeFile(path, scriptedGguf(branchOptions));
    await withServer(startLlamaServer(llamaServer, { model: path, alias: "scripted" }), ({ url }) => use(url));
  });
}

/** A llama-server with a template and a model that plays these scripts, for as long as `use` takes. */
export async function withScripted<Result>(
  setUpId: string,
  scripts: readonly KnownTruth[],
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const setUp = llamaSetUps.find(({ truth }) => truth.id === setUpId);
  if (setUp === undefined) throw new Error(`no set-up ${setUpId}`);
  return inFolder(async (folder) => {
    const path = join(folder, "scripted.gguf");
    await writeFile(path, scriptedGguf(modelOptions(scripts, setUp)));
    const starting = startLlamaServer(llamaServer, { model: path, alias: "scripted", slots: 2 });
    return withServer(starting, ({ url }) => use(url));
  });
}

/** A vLLM with a parser and a model that plays these scripts, for as long as `use` takes. */
export async function withVllm<Result>(
  parser: { readonly toolCallParser: string | null; readonly reasoningParser: string | null },
  setUpId: string,
  scripts: readonly KnownTruth[],
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const setUp = vllmSetUps.find(({ truth }) => truth.id === setUpId);
  if (setUp === undefined) throw new Error(`no set-up ${setUpId}`);
  return onVllm(modelOptions(scripts, setUp), parser, use);
}

/** A vLLM without a parser, with the model of two branches. */
export async function withVllmBranch(use: (url: string) => Promise<void>): Promise<void> {
  await onVllm(branchOptions, { toolCallParser: null, reasoningParser: null }, use);
}

async function onVllm<Result>(
  model: ScriptedModelOptions,
  parser: { readonly toolCallParser: string | null; readonly reasoningParser: string | null },
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  if (vllmInstalled === null) throw new Error("vLLM was not asked for");
  const installed = vllmInstalled;
  return inFolder(async (folder) => {
    for (const [name, bytes] of scriptedSafetensors(model)) await writeFile(join(folder, name), bytes);
    const starting = startVllm(installed, { model: folder, alias: "scripted", ...parser });
    return withServer(starting, ({ url }) => use(url));
  });
}

async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "lab-servers-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
