import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readYaml } from "../../src/lab/scenario/yaml-source.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { readReply } from "../../src/protocol/read-reply.ts";
import { checkProfile, profileSchema, type SimulatorProfile } from "../../src/simulator/profile.ts";
import { createSimulator } from "../../src/simulator/simulator.ts";

const folder = fileURLToPath(new URL("../../scenarios/profiles/", import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

function load(name: string): SimulatorProfile {
  const read = readYaml(readFileSync(`${folder}${name}`, "utf8"), name, profileSchema, checkProfile);
  if (!read.ok) throw new Error(read.problems.join("\n"));
  return read.value;
}

const tools = [
  {
    type: "function",
    function: {
      name: "run_python",
      parameters: { type: "object", properties: { task: { type: "string" } }, required: ["task"] },
    },
  },
];
const choices = ["auto", "required", "none", { type: "function", function: { name: "run_python" } }];

async function ask(handler: Handler, path: string, body?: object) {
  const url = `http://simulated${path}`;
  const request =
    body === undefined ? new Request(url) : new Request(url, { method: "POST", body: JSON.stringify(body) });
  const response = await handler(request);
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

it("there are profiles", () => {
  expect(names.length).toBeGreaterThan(0);
});

describe.each(names)("profile %s", (name) => {
  const profile = load(name);
  const handler = createSimulator({ profile, seed: "contract", now: () => 0 });
  const models = Object.keys(profile.models);

  it("can reach measured cells only", () => {
    expect(checkProfile(profile)).toEqual([]);
  });

  it("lists its models, and no route makes it fall over", async () => {
    const { status, text } = await ask(handler, "/v1/models");
    expect(status).toBe(200);
    const listed = (JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id.replace(/:latest$/, ""));
    expect(listed).toEqual(models.map((model) => model.replace(/:latest$/, "")));
    for (const path of ["/", "/version", "/props", "/api/version", "/metrics", "/nowhere"]) {
      expect((await ask(handler, path)).status).toBeLessThan(500);
    }
    expect((await ask(handler, "/v1/chat/completions", { model: "nobody", messages: [] })).status).toBeLessThan(500);
  });

  it.each(models.flatMap((model) => ["マーカーで計算して", "Add the primes"].map((user) => [model, user] as const)))(
    "%s answers %s under every choice, whole and streamed, in a way that can be read",
    async (model, user) => {
      for (const stream of [false, true]) {
        const messages = [
          { role: "system", content: "You are Eve. Write {{PYTHON: job}} when something must be calculated." },
          { role: "user", content: user },
        ];
        const asked = [{}, ...choices.map((tool_choice) => ({ tools, tool_choice }))];
        for (const more of asked) {
          const body = { model, messages, max_tokens: 512, seed: 7, stream, ...more };
          const { status, type, text } = await ask(handler, "/v1/chat/completions", body);
          const reply = readReply({ body: text, contentType: type, status, streamed: stream });
          expect(reply.end).not.toBe("unreadable");
          expect(reply.replies).toHaveLength(1);
          // The same request with the same seed is the same reply: replays and checks draw nothing.
          const again = await ask(handler, "/v1/chat/completions", body);
          const second = readReply({
            body: again.text,
            contentType: again.type,
            status: again.status,
            streamed: stream,
          });
          expect(second.replies[0]?.content).toBe(reply.replies[0]?.content);
        }
      }
    },
  );
});
