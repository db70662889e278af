import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { llamaServerRecipe } from "../../src/testbed/provision/llama-server.ts";
import { scriptedGguf } from "../../src/testbed/scripted/scripted-gguf.ts";
import { startLlamaServer } from "../../src/testbed/servers/llama-server.ts";
import type { RunningServer } from "../../src/testbed/servers/server-process.ts";
import { provisioned } from "./provisioned.ts";
import { shownModel } from "./readme-config.ts";

/** Starts a real llama-server with a model that plays these scripts under a chat template; the first where none is asked for. */
export async function startScriptedModel(
  scripts: Readonly<Record<string, string>>,
  { chatTemplate, folder }: { readonly chatTemplate: string; readonly folder: string },
): Promise<RunningServer> {
  const model = join(folder, "scripted.gguf");
  const file = scriptedGguf({
    name: "scripted",
    scripts: Object.entries(scripts).map(([name, text]) => ({ name, branches: [{ probability: 1, text }] })),
    fallback: Object.keys(scripts)[0] ?? "",
    chatTemplate,
    tags: ["<tool_call>", "</tool_call>"],
    align: ["<tool_call>\n"],
    openers: ["<tool_call>"],
    contextLength: 131_072,
  });
  await writeFile(model, file);
  return startLlamaServer(await provisioned(llamaServerRecipe), { model, alias: shownModel });
}
