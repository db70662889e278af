import { describe, expect, it } from "vitest";
import type { Capture } from "../../src/lab/capture/capture.ts";
import type { Classification } from "../../src/lab/classify/classification.ts";
import { startPortableLlamaServer } from "../../src/testbed/servers/llama-server.ts";
import { lab } from "./lab.ts";
import { llamaServer } from "./provisioned.ts";
import { withServer } from "./with-server.ts";

/** A real model says what it likes: only what must hold of every run is asked for. */
describe("SmolLM2-135M on llama-server", () => {
  it("is measured whole: what was planned was sent, captured and judged, with a raw channel", async () => {
    const starting = startPortableLlamaServer(llamaServer, { model: llamaServer.paths["model"] ?? "" });
    await withServer(starting, ({ url }) => measure(url));
  });

  async function measure(url: string): Promise<void> {
    const suite = ["--suite", "contract-matrix", "--scenario", "prime-sum-known-en", "--scenario", "sha256-nonce-en"];
    const argv = ["run", "--base-url", `${url}/v1`, "--model", "smollm2", ...suite];
    await lab([...argv, "--trials", "1", "--max-tokens", "96", "--concurrency", "1"], async (result) => {
      expect(result.code, result.err).toBe(0);
      const { record } = result.run;
      const captures: Capture[] = [];
      for await (const capture of result.run.captures()) captures.push(capture);
      let probes = 0;
      for await (const _probe of result.run.probes()) probes++;
      const judgements: Classification[] = [];
      for await (const each of result.run.classifications<Classification>()) judgements.push(each);

      expect(record.plan.samples).toBe(4);
      expect(captures).toHaveLength(record.plan.samples);
      expect(judgements.map(({ id, measured }) => [id, measured])).toEqual(captures.map(({ id }) => [id, true]));
      const sent = captures.reduce((sum, capture) => sum + capture.exchanges.length, 0);
      expect(sent + probes).toBeLessThanOrEqual(20);
      const [target] = record.targets;
      expect(target?.raw.inBand.body).toEqual(["verbose"]);
      expect(Object.keys(target?.fingerprint.identity ?? {})).toEqual(
        expect.arrayContaining(["model", "template", "context_length", "sampling", "rendered_prompt"]),
      );
      for (const capture of captures) expect(JSON.stringify(capture.exchanges[0]?.body)).toContain("__verbose");
    });
  }
});
