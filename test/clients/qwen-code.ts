import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "../../src/protocol/json.ts";
import { qwenCodeRecipe } from "../../src/testbed/provision/clients.ts";
import { type Agent, jsonLines, objectAt } from "./agent.ts";
import { runClient } from "./client-run.ts";
import { clientCommand } from "./provisioned.ts";
import { readmeConfig } from "./readme-config.ts";

export const qwenCode: Agent = {
  name: "qwen-code",
  wants: null,
  leaves: null,
  errands: [],
  shell: { tool: "run_shell_command", call: (command) => ({ command, is_background: false }) },
  async run(prompt, url, place) {
    const words = readmeConfig("Qwen Code:", url).trim().split(/\s+/);
    const program = words.indexOf("qwen");
    const env = Object.fromEntries(words.slice(0, program).map((word) => word.split("=", 2)));
    await mkdir(join(place.home, ".qwen"), { recursive: true });
    await writeFile(join(place.home, ".qwen", "settings.json"), readmeConfig("and in `~/.qwen/settings.json`", url));
    const command = await clientCommand(qwenCodeRecipe);
    const argv = [...words.slice(program + 1), "-y", "--output-format", "stream-json", "-p", prompt];
    const finished = await runClient(place, [...command, ...argv], env);
    const events = jsonLines(finished.stdout);
    const contents = events.flatMap((event) => {
      const content = objectAt(event, "message")["content"];
      return Array.isArray(content) ? content.filter((part) => isJsonObject(part)) : [];
    });
    return {
      finished,
      events,
      commands: contents
        .filter((part) => part["type"] === "tool_use" && part["name"] === "run_shell_command")
        .map((part) => {
          const result = contents.find((other) => other["tool_use_id"] === part["id"]);
          return {
            command: String(objectAt(part, "input")["command"]),
            // Its events have no exit code; a command that failed is an error.
            exitCode: result === undefined || result["is_error"] === true ? 1 : 0,
            output: String(result?.["content"] ?? ""),
          };
        }),
      message: String(events.findLast((event) => event["type"] === "result")?.["result"] ?? ""),
    };
  },
};
