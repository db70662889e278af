import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type LlamaServerOptions, startLlamaServer } from "../../src/testbed/servers/llama-server.ts";
import { startOllama } from "../../src/testbed/servers/ollama.ts";
import { plainGoTemplate } from "../../src/testbed/templates/go.ts";
import { hermesTemplate, hermesThinkTemplate, plainTemplate } from "../../src/testbed/templates/jinja.ts";
import { strictTemplates } from "../../src/testbed/templates/strict.ts";
import { type Decision, decidingModel } from "./deciding-model.ts";
import { losingGateway } from "./losing-gateway.ts";
import { clampedOnOllama, exclusiveOnOllama, lyingGoTemplate } from "./ollama-suites.ts";
import { isLong, llamaServer, ollamaServer } from "./provisioned.ts";
import {
  broken,
  doneAll,
  faultyModel,
  notSeparated,
  otherTemplate,
  refusedHistories,
  shortIds,
  small,
  tail,
  talksBehindTextCall,
  unseenResults,
  unseenSystem,
  unseenTools,
} from "./suite-faults.ts";
import { agentWords, asked, calls, sound, soundIn, suites } from "./suite-models.ts";
import {
  faultyVerdicts,
  measure,
  measureAll,
  printTableAfterAll,
  silentSamples,
  type Verdicts,
} from "./suite-verdicts.ts";
import { withServer } from "./with-server.ts";

interface SetUp {
  readonly what: string;
  readonly template: string;
  readonly decisions: readonly Decision[];
  readonly options?: Partial<LlamaServerOptions>;
  readonly words?: readonly string[];
  readonly expected: Verdicts;
}

const setUps: readonly SetUp[] = [
  {
    what: "a sound model",
    template: hermesTemplate,
    decisions: sound(...suites),
    expected: {
      ...Object.fromEntries(
        suites
          .filter((suite) => suite !== "context")
          .map((suite) => [suite, { "no_fault none": silentSamples(suite) }]),
      ),
      // llama-server reads the arguments of earlier calls itself, and refuses what is not JSON: that is true of it.
      history: { [`history_refused server_limit ${broken}`]: 2 },
    },
  },
  {
    what: "a sound model in a small context",
    template: hermesTemplate,
    decisions: sound("context"),
    options: small,
    expected: { context: { "no_fault none": 8 } },
  },
  {
    what: "a model with faults of its own",
    template: hermesTemplate,
    decisions: faultyModel("small"),
    expected: faultyVerdicts,
  },
  {
    what: "a model that forgets the start of long prompts",
    template: hermesTemplate,
    decisions: [{ when: `${tail}.content | length > 3000`, text: "No idea." }, ...sound("context")],
    options: small,
    expected: { context: { "context_recall model": 2 } },
  },
  {
    what: "a template that drops the system prompt beside tools",
    template: unseenSystem,
    decisions: [{ when: "tools", text: "I know of none." }, ...sound("system-prompt")],
    expected: {
      "system-prompt": {
        [`system_prompt_dropped template ${otherTemplate("writes the system message also when tools are given")}`]: 2,
      },
    },
  },
  {
    what: "a template that drops tool results",
    template: unseenResults,
    decisions: [doneAll, ...sound()],
    expected: {
      "round-trip": { [`result_not_in_prompt template ${otherTemplate("writes messages of the role tool")}`]: 8 },
      relay: { [`result_not_in_prompt template ${otherTemplate("writes messages of the role tool")}`]: 6 },
      "final-answer": { [`result_not_in_prompt template ${otherTemplate("writes messages of the role tool")}`]: 2 },
    },
  },
  {
    what: "a template that takes messages in strict order only",
    template: strictTemplates["qwen3-coder"],
    decisions: [{ when: asked("A12"), text: calls("qwen3_coder", "lookup_locker", { locker: "A12" }) }],
    expected: { history: refusedHistories },
  },
  {
    what: "a strict template for which the server finds no parser",
    template: strictTemplates.hermes,
    decisions: sound(),
    expected: {
      history: {
        ...refusedHistories,
        "parser_mismatch server_parser --jinja --chat-template-file FILE (the tool template of the model's own family)": 2,
      },
    },
  },
  {
    what: "a template that takes call ids of nine letters only, where the server gives long ones",
    template: shortIds + hermesTemplate,
    decisions: sound(),
    expected: {
      "round-trip": { "followup_refused template call ids of nine letters and digits, mapped both ways": 8 },
      history: {
        [`history_refused server_limit ${broken}`]: 2,
        "history_refused server_limit call ids of nine letters and digits, mapped both ways": 2,
      },
    },
  },
  {
    what: "a template without tools",
    template: plainTemplate,
    decisions: [],
    expected: { capability: { "tools_not_in_prompt template": 2 }, "round-trip": { "call_not_made template": 8 } },
  },
  {
    what: "a template that says tools and does not write them",
    template: unseenTools,
    decisions: [],
    expected: { capability: { "tools_not_in_prompt template": 2 } },
  },
  {
    what: "a server without Jinja",
    template: plainTemplate,
    decisions: [],
    options: { jinja: false },
    expected: {
      capability: { "tools_refused server_option": 2 },
      "stream-parity": { "tools_refused server_option": 4 },
    },
  },
  {
    what: "a model that thinks under a template that knows no thinking",
    template: hermesTemplate,
    decisions: [notSeparated],
    expected: {
      capability: {
        "thinking_in_text server_option --reasoning-format auto --chat-template-file FILE (the template of the model's own family)": 4,
      },
    },
  },
  {
    what: "the same model under the template of its family",
    template: hermesThinkTemplate,
    decisions: [notSeparated],
    expected: { capability: { "no_fault none": 4 } },
  },
];

async function onLlamaServer(
  { template, decisions, options = {}, words = [] }: Pick<SetUp, "template" | "decisions" | "options" | "words">,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "lab-servers-"));
  try {
    const path = join(folder, "scripted.gguf");
    await writeFile(path, decidingModel(template, decisions, { words }));
    const starting = startLlamaServer(llamaServer, { model: path, alias: "scripted", slots: 2, ...options });
    await withServer(starting, ({ url }) => use(url));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

printTableAfterAll();

const onLlama = (url: string, what: string) => ({ url, model: "scripted", server: "llama-server", what });

describe("suites on a real llama-server", () => {
  it.each(setUps)("say of $what what is true of it", async ({ expected, ...setUp }) => {
    await onLlamaServer(setUp, (url) => measureAll(onLlama(url, setUp.what), expected));
  });

  it("see that a gateway in front loses the calls of streams, and do not lay that to the parser", async () => {
    await onLlamaServer({ template: hermesTemplate, decisions: sound() }, (server) =>
      losingGateway(server, async (url) => {
        const at = { ...onLlama(url, "a gateway that loses the calls of streams"), trials: 2 };
        expect(await measure(at, "stream-parity")).toEqual({ "stream_differs server_parser": 4 });
      }),
    );
  });
});

const agent = { words: agentWords } as const;

const agentSetUps: readonly SetUp[] = [
  {
    what: "a sound model",
    template: hermesTemplate,
    decisions: soundIn("agent", ...suites),
    expected: {
      ...Object.fromEntries(
        suites
          .filter((suite) => suite !== "context")
          .map((suite) => [suite, { "no_fault none": silentSamples(suite) }]),
      ),
      history: { [`history_refused server_limit ${broken}`]: 2 },
    },
  },
  {
    what: "a model with faults of its own",
    template: hermesTemplate,
    decisions: faultyModel("agent"),
    expected: faultyVerdicts,
  },
  {
    what: "a template that drops the system prompt beside tools",
    template: unseenSystem,
    decisions: [{ when: "tools", text: "I know of none." }, ...soundIn("agent", "system-prompt")],
    expected: {
      "system-prompt": {
        [`system_prompt_dropped template ${otherTemplate("writes the system message also when tools are given")}`]: 2,
      },
    },
  },
  {
    what: "a template that takes call ids of nine letters only, where the server gives long ones",
    template: shortIds + hermesTemplate,
    decisions: soundIn("agent"),
    expected: {
      "round-trip": { "followup_refused template call ids of nine letters and digits, mapped both ways": 8 },
      history: {
        [`history_refused server_limit ${broken}`]: 2,
        "history_refused server_limit call ids of nine letters and digits, mapped both ways": 2,
      },
    },
  },
  {
    what: "a template without tools",
    template: plainTemplate,
    decisions: [],
    expected: { capability: { "tools_not_in_prompt template": 2 } },
  },
];

describe("suites in an agent's dress on a real llama-server", () => {
  it.each(agentSetUps)("say of $what what is true of it", async ({ expected, ...setUp }) => {
    await onLlamaServer({ ...setUp, ...agent }, (url) =>
      measureAll({ ...onLlama(url, setUp.what), shape: "agent" }, expected),
    );
  });

  it("see that a gateway in front loses the calls of streams", async () => {
    await onLlamaServer({ template: hermesTemplate, decisions: soundIn("agent"), ...agent }, (server) =>
      losingGateway(server, async (url) => {
        const at = { ...onLlama(url, "a gateway that loses the calls of streams"), trials: 2, shape: "agent" } as const;
        expect(await measure(at, "stream-parity")).toEqual({ "stream_differs server_parser": 4 });
      }),
    );
  });
});

const soundOnOllama: Verdicts = {
  capability: { "no_fault none": 8 },
  "round-trip": { "no_fault none": 8 },
  relay: { "no_fault none": 6 },
  language: { "no_fault none": 3 },
  "negative-intent": { "no_fault none": 12 },
  "stream-parity": { "no_fault none": 6 },
  "system-prompt": { "no_fault none": 4 },
  "final-answer": { "no_fault none": 2 },
  history: { [`history_refused server_limit ${broken}`]: 2 },
};

/** The remedy where a template leaves out what a tool gave back. */
const resultBranch = 'in the TEMPLATE, a branch {{ else if eq .Role "tool" }} that writes {{ .Content }}';

describe.runIf(isLong)("suites on a real Ollama", () => {
  it("say of each model what is true of it", async () => {
    await withServer(startOllama(ollamaServer), async (server) => {
      const create = (name: string, template: string | undefined, file: Uint8Array, contextLength = 16_384) =>
        server.create({ name, file, template, contextLength });
      const on = (model: string) => ({ url: server.url, model, server: "Ollama", what: model });
      const hm = decidingModel(plainTemplate, []);
      await create("exclusive", exclusiveOnOllama.template, exclusiveOnOllama.file);
      await measureAll(on("exclusive"), {
        "system-prompt": {
          "system_prompt_dropped template a TEMPLATE in which .System stands beside .Tools, not behind {{ else }}": 2,
        },
      });
      await create("lying", lyingGoTemplate, hm);
      await measureAll(on("lying"), {
        capability: { "capability_false template": 4, "tools_not_in_prompt template": 4 },
      });
      await create("notools", plainGoTemplate, hm);
      await measureAll(on("notools"), { capability: { "tools_refused template": 4 } });
      await create("clamped", clampedOnOllama.template, clampedOnOllama.file, 4096);
      await measureAll(on("clamped"), { context: { "context_cut server_option PARAMETER num_ctx 8192": 4 } });
      await create("sound", undefined, decidingModel(hermesTemplate, sound(...suites)), 32_768);
      await measureAll(on("sound"), soundOnOllama);
      await create("faulty", undefined, decidingModel(hermesTemplate, faultyModel("small")), 32_768);
      await measureAll(on("faulty"), faultyVerdicts);
      await create(
        "poisoned",
        undefined,
        decidingModel(hermesTemplate, [talksBehindTextCall, ...sound("history")]),
        32_768,
      );
      expect(await measure({ ...on("poisoned"), trials: 4 }, "history")).toEqual({
        [`history_refused server_limit ${broken}`]: 8,
        "history_poisons model earlier calls as tool_calls, not as text of the assistant": 8,
      });
      await create("unseen-results", undefined, decidingModel(unseenResults, [doneAll, ...sound()]), 32_768);
      await measureAll(on("unseen-results"), {
        "round-trip": { [`result_not_in_prompt template ${resultBranch}`]: 8 },
        relay: { [`result_not_in_prompt template ${resultBranch}`]: 6 },
      });
      await losingGateway(server.url, async (url) => {
        const at = { ...on("sound"), url, what: "a gateway that loses the calls of streams", trials: 3 };
        expect(await measure(at, "stream-parity")).toEqual({ "stream_differs server_parser": 6 });
      });
    });
  });

  it("say in an agent's dress what is true of it", async () => {
    await withServer(startOllama(ollamaServer), async (server) => {
      const create = (name: string, template: string, decisions: readonly Decision[]) =>
        server.create({
          name,
          file: decidingModel(template, decisions, agent),
          template: undefined,
          contextLength: 32_768,
        });
      const on = (model: string) =>
        ({ url: server.url, model, server: "Ollama", what: model, shape: "agent" }) as const;
      await create("sound", hermesTemplate, soundIn("agent", ...suites));
      await measureAll(on("sound"), soundOnOllama);
      await create("faulty", hermesTemplate, faultyModel("agent"));
      await measureAll(on("faulty"), faultyVerdicts);
      await losingGateway(server.url, async (url) => {
        const at = { ...on("sound"), url, what: "a gateway that loses the calls of streams", trials: 3 } as const;
        expect(await measure(at, "stream-parity")).toEqual({ "stream_differs server_parser": 6 });
      });
    });
  });
});
