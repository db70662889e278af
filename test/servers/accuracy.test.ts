import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { primeSumScripts } from "../../src/testbed/scripts/prime-sum.ts";
import { startLlamaServer } from "../../src/testbed/servers/llama-server.ts";
import { startOllama } from "../../src/testbed/servers/ollama.ts";
import { accuracyTable, distinct, misses } from "./accuracy.ts";
import { type Compared, measureScripts } from "./measure.ts";
import { isLong, llamaServer, ollamaServer } from "./provisioned.ts";
import { llamaSetUps, modelFile, ollamaSetUps } from "./set-ups.ts";
import { withServer } from "./with-server.ts";

/** The short form: one script of each kind. */
const shortScripts = [
  "direct-ja",
  "fabricated-ja",
  "empty",
  "hermes",
  "text-hermes",
  "ahead-hermes",
  "cut-hermes",
  "quoted-hermes",
  "xml",
  "two-xml",
  "long-xml",
  "llama3",
  "marker",
  "marker-first",
];
const scripts = primeSumScripts.filter(({ script }) => isLong || shortScripts.includes(script));
/** Two arms of one suite, four of the other streamed and whole. */
const samplesOfScript = 10;
const all: Compared[] = [];

describe("llama-server with scripted models", () => {
  it.each(llamaSetUps.map((setUp) => [setUp.id, setUp] as const))(
    "%s: every sample beside its truth",
    async (_id, setUp) => {
      const folder = await mkdtemp(join(tmpdir(), "lab-servers-"));
      try {
        const path = join(folder, "scripted.gguf");
        await writeFile(path, modelFile(scripts, setUp));
        const starting = startLlamaServer(llamaServer, {
          model: path,
          alias: "scripted",
          slots: 2,
          jinja: setUp.jinja,
        });
        await withServer(starting, async ({ url }) => {
          const measured = await measureScripts(setUp, { url, model: "scripted", concurrency: 2 }, scripts);
          expect(measured.compared).toHaveLength(scripts.length * samplesOfScript);
          all.push(...measured.compared);
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});

describe("Ollama with scripted models", () => {
  it("every set-up, every sample beside its truth", async () => {
    await withServer(startOllama(ollamaServer), async (server) => {
      for (const setUp of ollamaSetUps) {
        const model = setUp.id.replace(".", "-");
        await server.create({ ...setUp, name: model, file: modelFile(scripts, setUp), contextLength: 4096 });
        const measured = await measureScripts(setUp, { url: server.url, model, concurrency: 2 }, scripts);
        expect(measured.compared, setUp.id).toHaveLength(scripts.length * samplesOfScript);
        all.push(...measured.compared);
      }
    });
  });
});

describe("all samples together", () => {
  it.each(["llama-server", "ollama"] as const)("show every kind of reply on a real %s", (server) => {
    const own = all.filter((sample) => sample.server === server);
    const axes = new Set(own.flatMap((sample) => sample.truth.axes));
    expect([...axes]).toEqual(
      expect.arrayContaining(["structured", "leaked", "refused", "marker", "truncated", "server_error", "none"]),
    );
    expect(own.some((sample) => sample.truth.findings?.includes("provenance_claim"))).toBe(true);
    if (server === "ollama") expect(axes).toContain("swallowed");
  });

  it("are judged right: axis in 99 of 100, owner in 97 of 100", () => {
    process.stdout.write(`\n${accuracyTable(all)}\n\n`);
    const share = (right: (sample: Compared) => boolean): number => all.filter(right).length / all.length;
    expect(distinct(all)).toBeGreaterThanOrEqual(600);
    expect(
      share((sample) => sample.axisRight),
      misses(all).join("\n"),
    ).toBeGreaterThanOrEqual(0.99);
    expect(
      share((sample) => sample.ownerRight),
      misses(all).join("\n"),
    ).toBeGreaterThanOrEqual(0.97);
  });
});
