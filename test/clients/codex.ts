import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codexRecipe } from "../../src/testbed/provision/clients.ts";
import { type Agent, type AgentRun, jsonLines, objectAt } from "./agent.ts";
import { type Place, runClient } from "./client-run.ts";
import { clientCommand } from "./provisioned.ts";
import { readmeConfig } from "./readme-config.ts";

/** Runs `codex exec` with more arguments; its home and configuration must lie there already. */
export async function codexExec(
  place: Place,
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<AgentRun> {
  const command = await clientCommand(codexRecipe);
  const options = ["--json", "--skip-git-repo-check", "--sandbox", "read-only"];
  const finished = await runClient(place, [...command, "exec", ...options, ...argv], {
    CODEX_HOME: join(place.home, ".codex"),
    ...env,
  });
  const events = jsonLines(finished.stdout);
  const items = events.filter((event) => event["type"] === "item.completed").map((event) => objectAt(event, "item"));
  return {
    finished,
    events,
    commands: items
      .filter((item) => item["type"] === "command_execution")
      .map((item) => ({
        command: String(item["command"]),
        exitCode: Number(item["exit_code"]),
        output: String(item["aggregated_output"]),
      })),
    message: String(items.findLast((item) => item["type"] === "agent_message")?.["text"] ?? ""),
  };
}

/** Writes the README's configuration into the place's Codex home. */
export async function configureCodex(place: Place, url: string): Promise<void> {
  const home = join(place.home, ".codex");
  await mkdir(home, { recursive: true });
  await writeFile(join(home, "config.toml"), readmeConfig("Codex (`~/.codex/config.toml`)", url));
}

export const codex: Agent = {
  name: "codex",
  wants: null,
  // It takes a picture of the shell in the background, which may outlast a run of a second.
  leaves: /__codex_snapshot/,
  errands: [],
  shell: { tool: "exec_command", call: (cmd) => ({ cmd }) },
  async run(prompt, url, place) {
    await configureCodex(place, url);
    return codexExec(place, [prompt]);
  },
};
