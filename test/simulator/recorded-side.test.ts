import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { eventsOf, foldReply, get, grammarOf, post, shapeOf, simulate } from "./support.ts";

const folder = fileURLToPath(new URL("../fixtures/wire/side/", import.meta.url));

interface RecordedExchange {
  readonly file: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown> | null;
}

const exchanges = readFileSync(`${folder}requests.jsonl`, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as RecordedExchange);

/** Set-ups and moments that are not simulated. */
const notSimulated =
  /loading|derender|vllm-render(-required)?\.json|api-ps|qwenxml-auto-verbose\.json|hermesfunction-render/;

// The scripts that the recorded models played; the mark in the user's message picks one, as it did there.
const rules = [
  {
    when: { user: "script:hermesa" },
    cards: [{ call: { tool: "run_python", arguments: { task: "1から1000までの素数の和を計算する" } } }],
  },
  {
    when: { user: "script:qwenxmla" },
    cards: [
      {
        call: {
          tool: "search_notes",
          arguments: { query: "味噌づくり", tags: ["料理", "発酵"], limit: 5 },
          format: "qwen3_coder",
        },
      },
    ],
  },
  {
    when: { user: "script:texthermesa" },
    cards: [
      {
        before: "わかりました。Pythonで計算しますね。\n",
        call: { tool: "run_python", arguments: { task: "3の50乗を計算する" } },
      },
    ],
  },
  { when: { user: "script:directa" }, cards: [{ text: "The sum of the primes from 1 to 1000 is 76127." }] },
];
const ollamaModels = Object.fromEntries(
  ["hermes", "hermesfunction", "qwen3coder", "native", "exclusive", "notools"].map((name) => [
    name,
    {
      format: "hermes",
      template: name,
      rules: name === "native" ? rules.filter((rule) => !rule.when.user.includes("qwenxml")) : rules,
    },
  ]),
);
const simulators = {
  vllm: simulate({ server: { kind: "vllm", parser: "hermes" }, models: { scripted: { format: "hermes", rules } } }),
  llama: simulate({
    server: { kind: "llama-server", template: "hermes" },
    models: { scripted: { format: "hermes", rules } },
  }),
  ollama: simulate({ server: { kind: "ollama" }, models: ollamaModels }),
};

type Json = Parameters<typeof shapeOf>[0];

/** The recorded model's vocabulary and sampling defaults are its own; only the keys around them are the server's. */
function withoutOwnContent(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutOwnContent);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === "model_info") return [key, "its own"];
      if (key === "grammar_triggers" || key === "capabilities") return [key, "a list"];
      if (key === "piece") return [key, "text or bytes"];
      return [key, withoutOwnContent(item)];
    }),
  );
}

describe("identify routes and side channels answer as recorded", () => {
  const simulated = exchanges.filter((exchange) => !notSimulated.test(exchange.file));

  it.each(simulated)("$method $path: $file", async (exchange) => {
    const server = exchange.file.split("-")[0] as keyof typeof simulators;
    const handler = simulators[server];
    const response =
      exchange.method === "GET" ? await get(handler, exchange.path) : await post(handler, exchange.path, exchange.body);
    const ours = await response.text();
    const theirs = readFileSync(`${folder}${exchange.file}`, "utf8");
    expect(response.status).toBe(exchange.status);
    expect(response.headers.get("content-type")).toBe(exchange.headers["content-type"] ?? null);
    expect(response.headers.get("server")).toBe(exchange.headers["server"] ?? null);
    const kind = exchange.file.split(".").at(-1);
    if (kind === "sse" || kind === "ndjson") expect(grammarOf(ours)).toEqual(grammarOf(theirs));
    else if (kind === "json") {
      const shape = (text: string): unknown => shapeOf(withoutOwnContent(JSON.parse(text) as Json));
      expect(shape(ours)).toEqual(shape(theirs));
    } else if (exchange.path !== "/metrics") expect(ours.trim()).toBe(theirs.trim());
    if (exchange.path.endsWith("/chat/completions") && exchange.status === 200) {
      expect(foldReply(ours).finish).toBe(foldReply(theirs).finish);
    }
  });

  it("the parser counter is exposed as recorded where a parser is set, and absent without one", async () => {
    const lines = (text: string): string[] =>
      text
        .split("\n")
        .filter((line) => line.includes("tool_call_parser"))
        .map((line) => line.replace(/ [\d.e+]+$/, " N"));
    const theirs = lines(readFileSync(`${folder}vllm-metrics-excerpt.txt`, "utf8"));
    expect(theirs).toHaveLength(28);
    expect(lines(await (await get(simulators.vllm, "/metrics")).text())).toEqual(theirs);
    const bare = simulate({ server: { kind: "vllm" }, models: { scripted: { format: "hermes" } } });
    expect(lines(await (await get(bare, "/metrics")).text())).toEqual([]);
  });
});

describe("raw channels give exactly what was generated", () => {
  const swallowed =
    '<tool_call>\n<function=search_notes>\n<parameter=query>\n味噌づくり\n</parameter>\n<parameter=tags>\n["料理", "発酵"]\n</parameter>\n<parameter=limit>\n5\n</parameter>\n</function>\n</tool_call>';
  const ask = (file: string): Record<string, unknown> =>
    exchanges.find((exchange) => exchange.file === file)?.body ?? {};

  it("vLLM: token ids of a swallowed stream, through /detokenize", async () => {
    const stream = await (
      await post(simulators.vllm, "/v1/chat/completions", ask("vllm-hermes-qwenxml-auto-ids-stream.sse"))
    ).text();
    expect(foldReply(stream)).toMatchObject({ content: "", calls: [], finish: "stop", done: true });
    const tokens = eventsOf(stream).flatMap(
      (event) => (event as { choices?: { token_ids?: number[] }[] }).choices?.[0]?.token_ids ?? [],
    );
    const decoded = await (await post(simulators.vllm, "/detokenize", { model: "scripted", tokens })).json();
    expect(decoded).toEqual({ prompt: `${swallowed}<|im_end|>` });
  });

  it("vLLM: prompt_tokens, prompt_token_ids and /tokenize of the same messages and tools agree", async () => {
    const body = ask("vllm-hermes-hermes-auto-ids.json");
    const reply = (await (await post(simulators.vllm, "/v1/chat/completions", body)).json()) as {
      usage: { prompt_tokens: number };
      prompt_token_ids: number[];
    };
    const counted = (await (await post(simulators.vllm, "/tokenize", body)).json()) as {
      count: number;
      tokens: number[];
    };
    expect(counted.count).toBe(reply.usage.prompt_tokens);
    expect(counted.tokens).toEqual(reply.prompt_token_ids);
    const { tools: _tools, tool_choice: _choice, ...bare } = body;
    const without = (await (await post(simulators.vllm, "/tokenize", bare)).json()) as { count: number };
    expect(counted.count).toBeGreaterThan(without.count);
  });

  it("Ollama: joined logprobs of a swallowed reply, and /api/generate raw with the same prompt and seed", async () => {
    const body = { ...ask("ollama-hermes-qwenxml-auto-logprobs.json"), seed: 7 };
    const reply = (await (await post(simulators.ollama, "/v1/chat/completions", body)).json()) as {
      choices: { message: object; logprobs: { content: { token: string }[] } }[];
    };
    expect(reply.choices[0]?.logprobs.content.map((entry) => entry.token).join("")).toBe(swallowed);
    const rendered = (await (
      await post(simulators.ollama, "/api/chat", { ...body, stream: false, _debug_render_only: true })
    ).json()) as {
      _debug_info: { rendered_template: string };
    };
    const raw = await post(simulators.ollama, "/api/generate", {
      model: "hermes",
      raw: true,
      stream: false,
      prompt: rendered._debug_info.rendered_template,
      options: { seed: 7 },
    });
    expect(((await raw.json()) as { response: string }).response).toBe(swallowed);
  });

  it("llama-server: verbose shows what the grammar made, the twin with none what the model writes", async () => {
    const body = { ...ask("llama-server-hermes-qwenxml-auto-verbose-single.json"), seed: 3 };
    const reply = (await (await post(simulators.llama, "/v1/chat/completions", body)).json()) as {
      __verbose: { content: string; prompt: string };
    };
    expect(reply.__verbose.content).toContain('{"name": "search_notes", "arguments": {"query": "味噌づくり"');
    const twin = await post(simulators.llama, "/v1/chat/completions", {
      ...body,
      tool_choice: "none",
      reasoning_format: "none",
    });
    expect(foldReply(await twin.text()).content).toBe(swallowed);
    const applied = (await (await post(simulators.llama, "/apply-template", body)).json()) as { prompt: string };
    expect(applied.prompt).toBe(reply.__verbose.prompt);
  });

  it("rendered prompts hold the system text, every tool and every parameter; damaged templates do not", async () => {
    const body = { ...ask("ollama-hermes-render-tools.json"), stream: false };
    const render = async (model: string): Promise<string> => {
      const reply = (await (await post(simulators.ollama, "/api/chat", { ...body, model })).json()) as {
        _debug_info: { rendered_template: string };
      };
      return reply._debug_info.rendered_template;
    };
    for (const model of ["hermes", "qwen3coder", "native"]) {
      const prompt = await render(model);
      for (const word of ["あなたは社内の作業を手伝う", "run_python", "task", "read_file", "path", "max_lines"])
        expect(prompt).toContain(word);
    }
    expect(await render("hermesfunction")).toContain("{object <nil> <nil> [task]");
    expect(await render("exclusive")).not.toContain("あなたは社内の作業を手伝う");
  });
});
