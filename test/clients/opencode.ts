import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { opencodeRecipe } from "../../src/testbed/provision/clients.ts";
import { type Agent, jsonLines, objectAt } from "./agent.ts";
import { runClient } from "./client-run.ts";
import { clientCommand } from "./provisioned.ts";
import { readmeConfig } from "./readme-config.ts";

/** What OpenCode would fetch from the network by itself. */
const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
};

export const opencode: Agent = {
  name: "opencode",
  // Its own package registry, to install what its plugins would need.
  wants: /^registry\./,
  leaves: null,
  errands: ["title"],
  shell: { tool: "bash", call: (command) => ({ command }) },
  async run(prompt, url, place) {
    await writeFile(join(place.work, "opencode.json"), readmeConfig("OpenCode (`opencode.json`)", url));
    const command = await clientCommand(opencodeRecipe);
    const finished = await runClient(place, [...command, "run", "--format", "json", prompt], quiet);
    const events = jsonLines(finished.stdout);
    const parts = events.map((event) => objectAt(event, "part"));
    return {
      finished,
      events,
      commands: parts
        .filter((part) => part["tool"] === "bash")
        .map((part) => ({
          command: String(objectAt(part, "state", "input")["command"]),
          exitCode: Number(objectAt(part, "state", "metadata")["exit"]),
          output: String(objectAt(part, "state")["output"]),
        })),
      message: String(parts.findLast((part) => part["type"] === "text")?.["text"] ?? ""),
    };
  },
};
