import { describe, expect, it } from "vitest";
import type { KnownTruth } from "../../src/protocol/known-truth.ts";
import { scriptedGguf } from "../../src/testbed/scripted/scripted-gguf.ts";
import { scriptMarker } from "../../src/testbed/scripted/scripted-model.ts";
import { primeSumScripts } from "../../src/testbed/scripts/prime-sum.ts";
import { startOllama } from "../../src/testbed/servers/ollama.ts";
import { ollamaServer, vllmInstalled } from "./provisioned.ts";
import {
  branchOptions,
  heads,
  ollamaFile,
  tails,
  withBranch,
  withScripted,
  withVllm,
  withVllmBranch,
} from "./with-scripted.ts";
import { withServer } from "./with-server.ts";

/** Room for the longest script: a token is at least a character. */
const room = 4_000;

function prompt(marker: string): string {
  return `<|im_start|>user\nHow much? ${marker}<|im_end|>\n<|im_start|>assistant\n`;
}

async function post(url: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Every script through a channel that shows what was generated, compared byte for byte. */
async function expectExact(raw: (script: KnownTruth) => Promise<unknown>): Promise<void> {
  const wrong: string[] = [];
  for (const script of primeSumScripts) {
    const text = await raw(script);
    if (text !== script.text) wrong.push(`${script.script}: ${JSON.stringify(text).slice(0, 200)}`);
  }
  expect(wrong).toEqual([]);
}

/** 99 % of all runs of 300 draws of probability 1/3 lie here. */
const [fewest, most] = [79, 121];

async function expectBranches(draw: (seed: number, temperature: number) => Promise<unknown>): Promise<void> {
  const drawn: unknown[] = [];
  for (let seed = 1; seed <= 300; seed++) drawn.push(await draw(seed, 0.7));
  expect(new Set(drawn)).toEqual(new Set([heads, tails]));
  const count = drawn.filter((text) => text === heads).length;
  expect(count).toBeGreaterThanOrEqual(fewest);
  expect(count).toBeLessThanOrEqual(most);
  expect(await Promise.all([1, 2, 3, 4, 5].map((seed) => draw(seed, 0)))).toEqual(Array(5).fill(tails));
}

/** What vLLM's model writes after a prompt: no chat, no parser. */
async function complete(url: string, marker: string, more: object): Promise<unknown> {
  const body = { model: "scripted", prompt: prompt(marker), skip_special_tokens: false, ...more };
  const { choices } = await post(`${url}/v1/completions`, body);
  return (choices as readonly { readonly text?: string }[])[0]?.text;
}

describe("a scripted model writes its scripts byte for byte", () => {
  it("on llama-server, through /completion", async () => {
    await withScripted("hermes", primeSumScripts, (url) =>
      expectExact(async ({ script }) => {
        const answer = await post(`${url}/completion`, {
          prompt: prompt(scriptMarker(script)),
          temperature: 0.7,
          n_predict: room,
          cache_prompt: false,
        });
        return answer["content"];
      }),
    );
  });

  it("on Ollama, through /api/generate without a template", async () => {
    await withServer(startOllama(ollamaServer), async (server) => {
      await server.create({ name: "all", file: ollamaFile(primeSumScripts), contextLength: 8192 });
      await expectExact(async ({ script }) => {
        const options = { temperature: 0.7, num_predict: room };
        const body = { model: "all", prompt: prompt(scriptMarker(script)), raw: true, stream: false, options };
        return (await post(`${server.url}/api/generate`, body))["response"];
      });
    });
  });

  it.runIf(vllmInstalled !== null)("on vLLM, through /v1/completions", async () => {
    await withVllm({ toolCallParser: null, reasoningParser: null }, "hermes", primeSumScripts, (url) =>
      expectExact(({ script }) => complete(url, scriptMarker(script), { temperature: 0.7, max_tokens: room })),
    );
  });
});

describe("branches hold their probabilities, and temperature 0 takes the likelier", () => {
  it("on llama-server", async () => {
    await withBranch((url) =>
      expectBranches(async (seed, temperature) => {
        const sampling = { seed, temperature, top_p: 1, min_p: 0, top_k: 0, cache_prompt: false };
        return (await post(`${url}/completion`, { prompt: prompt(""), n_predict: 60, ...sampling }))["content"];
      }),
    );
  });

  it("on Ollama", async () => {
    await withServer(startOllama(ollamaServer), async (server) => {
      await server.create({ name: "branch", file: scriptedGguf(branchOptions), contextLength: 2048 });
      await expectBranches(async (seed, temperature) => {
        const options = { seed, temperature, top_p: 1, min_p: 0, top_k: 0, num_predict: 60 };
        const body = { model: "branch", prompt: prompt(""), raw: true, stream: false, options };
        return (await post(`${server.url}/api/generate`, body))["response"];
      });
    });
  });

  it.runIf(vllmInstalled !== null)("on vLLM", async () => {
    await withVllmBranch((url) =>
      expectBranches((seed, temperature) => complete(url, "", { seed, temperature, max_tokens: 60 })),
    );
  });
});
