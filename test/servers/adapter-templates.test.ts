import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stageNames } from "../../src/adapter/stages/index.ts";
import type { JsonObject } from "../../src/protocol/json.ts";
import { scriptedGguf } from "../../src/testbed/scripted/scripted-gguf.ts";
import { startLlamaServer } from "../../src/testbed/servers/llama-server.ts";
import { strictTemplates } from "../../src/testbed/templates/strict.ts";
import { chatBody, post, scripted, testAdapter } from "../adapter/support.ts";
import { llamaServer } from "./provisioned.ts";
import { withServer } from "./with-server.ts";

const folder = new URL("../fixtures/captures/", import.meta.url);
/** An image needs a template that knows images, and remote compaction is refused by the adapter. */
const left = /image|remote-trigger/;

/** What the adapter sends on for each captured request of a real client; several bodies where one goes through in two ways. */
async function sentBodies(): Promise<readonly { readonly name: string; readonly body: JsonObject }[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json") && !left.test(file));
  const sent = await Promise.all(
    files.map(async (file) => {
      const { meta, headers, body } = JSON.parse(await readFile(new URL(file, folder), "utf8"));
      if (!meta.path.startsWith("/v1/")) return [];
      const bodies = await Promise.all(
        [[], stageNames].map(async (disable) => {
          const upstream = scripted(chatBody({ text: "ok" }));
          const { handler } = testAdapter(upstream, { disable });
          await (await post(handler, meta.path, { ...body, stream: false }, { headers })).text();
          return upstream.bodies[0];
        }),
      );
      return bodies.flatMap((one) => (one === undefined ? [] : [{ name: file, body: one }]));
    }),
  );
  return sent.flat();
}

describe.each(Object.entries(strictTemplates))(
  "a strict template of the family %s on llama-server",
  (_family, chatTemplate) => {
    it("takes every history that the adapter sends on, with its tools, calls and results", async () => {
      const scratch = await mkdtemp(join(tmpdir(), "adapter-templates-"));
      try {
        const model = join(scratch, "scripted.gguf");
        const scripts = [{ name: "plain", branches: [{ probability: 1, text: "Hello." }] }];
        await writeFile(model, scriptedGguf({ name: "plain", scripts, fallback: "plain", chatTemplate }));
        const bodies = await sentBodies();
        expect(bodies.length).toBeGreaterThan(100);
        await withServer(startLlamaServer(llamaServer, { model, alias: "scripted" }), async ({ url }) => {
          const render = async (body: unknown) => {
            const response = await fetch(`${url}/apply-template`, { method: "POST", body: JSON.stringify(body) });
            return { status: response.status, text: await response.text() };
          };
          const refused = [
            { role: "user", content: "a" },
            { role: "user", content: "b" },
          ];
          expect((await render({ messages: refused })).status).not.toBe(200);
          for (const { name, body } of bodies) {
            const { messages, tools } = body;
            const { status, text } = await render({ messages, ...(tools === undefined ? {} : { tools }) });
            expect({ name, status, text: status === 200 ? "" : text }).toEqual({ name, status: 200, text: "" });
            for (const message of messages as readonly JsonObject[])
              if (message["role"] === "tool")
                expect(JSON.parse(text).prompt).toContain(String(message["content"]).trim());
          }
        });
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    });
  },
);
