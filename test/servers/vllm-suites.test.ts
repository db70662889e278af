import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scriptedSafetensors } from "../../src/testbed/scripted/scripted-safetensors.ts";
import { startVllm, type VllmOptions } from "../../src/testbed/servers/vllm.ts";
import { hermesTemplate, plainTemplate } from "../../src/testbed/templates/jinja.ts";
import { type Decision, decidingOptions } from "./deciding-model.ts";
import { losingGateway } from "./losing-gateway.ts";
import { vllmInstalled } from "./provisioned.ts";
import { doneAll, faultyModel, notSeparated, shortIds, tail, unseenResults, unseenSystem } from "./suite-faults.ts";
import { agentWords, asked, calls, sound, suites } from "./suite-models.ts";
import {
  faultyVerdicts,
  measure,
  measureAll,
  printTableAfterAll,
  silentSamples,
  type Verdicts,
} from "./suite-verdicts.ts";
import { withServer } from "./with-server.ts";

/** Tokens, mostly of a byte: room for forty tools, several at once. */
const contextLength = 32_768;

async function onVllm(
  template: string,
  decisions: readonly Decision[],
  options: Partial<VllmOptions>,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const installed = vllmInstalled;
  if (installed === null) throw new Error("vLLM was not asked for");
  const folder = await mkdtemp(join(tmpdir(), "lab-servers-"));
  try {
    for (const [name, bytes] of scriptedSafetensors(
      decidingOptions(template, decisions, { contextLength, words: agentWords }),
    ))
      await writeFile(join(folder, name), bytes);
    const set = {
      toolCallParser: "hermes",
      reasoningParser: null,
      contextLength,
      tokensAtOnce: contextLength,
      ...options,
    };
    await withServer(startVllm(installed, { model: folder, alias: "scripted", ...set }), ({ url }) => use(url));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface SetUp {
  readonly what: string;
  readonly template: string;
  readonly decisions: readonly Decision[];
  readonly options?: Partial<VllmOptions>;
  readonly expected: Verdicts;
}

/** Calls as another family writes them. */
const qwenXml: readonly Decision[] = [
  {
    when: asked("持ち主", "who owns"),
    text: calls("qwen3_coder", "find_owner", { locker: "A12" }),
  },
  ...["A12", "C99"].map((locker) => ({
    when: asked(locker),
    text: calls("qwen3_coder", "lookup_locker", { locker }),
  })),
];
const quick = suites.filter((suite) => suite !== "context");
const otherTemplate = (what: string): string => `--chat-template FILE (one that ${what})`;

const setUps: readonly SetUp[] = [
  {
    what: "a sound model",
    template: hermesTemplate,
    decisions: sound(...suites),
    expected: {
      ...Object.fromEntries(quick.map((suite) => [suite, { "no_fault none": silentSamples(suite) }])),
    },
  },
  {
    what: "a model with faults of its own",
    template: hermesTemplate,
    decisions: faultyModel("small"),
    expected: faultyVerdicts,
  },
  {
    what: "a sound model in a small context",
    template: hermesTemplate,
    decisions: sound("context"),
    options: { contextLength: 4096 },
    expected: { context: { "no_fault none": 8 } },
  },
  {
    what: "a model that forgets the start of long prompts",
    template: hermesTemplate,
    decisions: [{ when: `${tail}.content | length > 2600`, text: "No idea." }, ...sound("context")],
    options: { contextLength: 4096 },
    expected: { context: { "context_recall model": 2 } },
  },
  {
    what: "a parser that does not read the model's calls",
    template: hermesTemplate,
    decisions: qwenXml,
    expected: {
      "round-trip": { "parser_mismatch server_parser --tool-call-parser qwen3_coder": 8 },
      "stream-parity": {
        "parser_mismatch server_parser --tool-call-parser qwen3_coder": 2,
        "stream_differs server_parser": 2,
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
    },
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
    what: "a template that takes call ids of nine letters only, where the server gives long ones",
    template: shortIds + hermesTemplate,
    decisions: sound(),
    expected: {
      "round-trip": { "followup_refused template call ids of nine letters and digits, mapped both ways": 8 },
      history: { "history_refused server_limit call ids of nine letters and digits, mapped both ways": 2 },
    },
  },
  {
    what: "a template without tools",
    template: plainTemplate,
    decisions: [],
    expected: { capability: { "tools_not_in_prompt template": 2 } },
  },
  {
    what: "a server without a parser for calls, and a model that thinks",
    template: hermesTemplate,
    decisions: [notSeparated],
    options: { toolCallParser: null },
    expected: {
      capability: {
        "thinking_in_text server_option --reasoning-parser NAME (that of the model's family)": 2,
        "tools_refused server_option": 2,
      },
    },
  },
];

printTableAfterAll();
const at = (url: string, what: string) => ({ url, model: "scripted", server: "vLLM", what });

describe.runIf(vllmInstalled !== null)("suites on a real vLLM", () => {
  it.each(setUps)("say of $what what is true of it", { timeout: 900_000 }, async (setUp) => {
    const { what, template, decisions, options = {}, expected } = setUp;
    await onVllm(template, decisions, options, (url) => measureAll(at(url, what), expected));
  });

  it("see that a gateway in front loses the calls of streams", { timeout: 900_000 }, async () => {
    await onVllm(hermesTemplate, sound(), {}, (server) =>
      losingGateway(server, async (url) => {
        const gateway = { ...at(url, "a gateway that loses the calls of streams"), trials: 2 };
        expect(await measure(gateway, "stream-parity")).toEqual({ "stream_differs server_parser": 4 });
      }),
    );
  });
});
