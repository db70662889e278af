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
import { lab } from "./lab.ts";
import { losingGateway } from "./losing-gateway.ts";
import { clampedOnOllama, exclusiveOnOllama, lyingGoTemplate } from "./ollama-suites.ts";
import { isLong, llamaServer, ollamaServer } from "./provisioned.ts";
import { asked, calls, given, seed, sound, suites } from "./suite-models.ts";
import { withServer } from "./with-server.ts";

/** What suites are to say: diagnoses as `code owner fix`, each with the samples that it rests on. */
type Verdicts = Readonly<Record<string, Readonly<Record<string, number>>>>;

async function measure(
  url: string,
  model: string,
  suite: string,
  trials = 1,
): Promise<Readonly<Record<string, number>>> {
  const plan = ["--suite", suite, "--trials", String(trials), "--seed", seed, "--shape", "small", "--language", "both"];
  const target = ["--target", `scripted=${model}@${url}/v1`, "--timeout-first-byte", "60"];
  return lab(["run", ...target, ...plan], ({ code, err, json }) => {
    expect(code, err).toBe(0);
    const found = json.diagnoses.map(
      ({ code: what, owner, fix, samples }) =>
        [`${what} ${owner}${fix === null ? "" : ` ${fix}`}`, samples.length] as const,
    );
    const measured = json.cells.reduce((sum, cell) => sum + cell.measured, 0);
    process.stdout.write(`${model} ${suite}, ${measured} samples: ${found.map(([name]) => name).join("; ")}\n`);
    return Object.fromEntries(found);
  });
}

async function measureAll(url: string, model: string, expected: Verdicts): Promise<void> {
  const said: Record<string, Readonly<Record<string, number>>> = {};
  for (const suite of Object.keys(expected)) said[suite] = await measure(url, model, suite);
  expect(said).toEqual(expected);
}

interface SetUp {
  readonly what: string;
  readonly template: string;
  readonly decisions: readonly Decision[];
  readonly options?: Partial<LlamaServerOptions>;
  readonly expected: Verdicts;
}

const broken = "arguments of earlier calls as whole JSON, or the broken call left out of the history";
/** A context in tokens of a byte, which is what this model's prompts mostly are. */
const small = { contextLength: 4096 } as const;
const tail = "messages[-1]";

const unseenResults = hermesTemplate.replace('message.content + "\\n</tool_response>', '"(done)\\n</tool_response>');
const unseenSystem = hermesTemplate.replace(
  /(\{%- if tools %\}[\s\S]*?)\n {4}\{%- if messages\[0\]\.role == "system" %\}[\s\S]*?\{%- endif %\}/,
  "$1",
);
const unseenTools = hermesTemplate.replace("{{- tool | tojson }}", '{{- "(a tool)" }}');
/** Mistral's condition, before another family's messages. */
const shortIds = `{%- for message in messages %}{%- if message.tool_calls %}{%- for tool_call in message.tool_calls %}
    {%- if tool_call.id | length != 9 %}{{- raise_exception("Tool call IDs should be alphanumeric strings with length 9!") }}{%- endif %}
{%- endfor %}{%- endif %}{%- endfor %}
`;
const notSeparated: Decision = { when: asked("A12"), text: "<think>\nlookup\n</think>\n\nLet me see." };
const doneAll: Decision = { when: `${tail}.role == "tool"`, text: "調べ終わったよ！" };
/** Malformed calls the server refuses; what follows is the template's doing: an exception is an error of the request. */
const refusedHistories = {
  [`history_refused server_limit ${broken}`]: 2,
  "history_refused server_limit a tool message for every call of the history": 2,
  "history_refused server_limit one tool message for each call of the history": 2,
  "history_refused server_limit the roles system, user, assistant and tool only": 2,
} as const;
const otherTemplate = (what: string): string => `--chat-template-file FILE (one that ${what})`;

/** Faults of a model, one for each kind of question, and sound beside. */
const faultyModel: readonly Decision[] = [
  // round-trip: the same call again, results made up, left unused, not carried on
  { when: `${given("A12")} and "ロッカー A12 の番号コードを調べて、そのまま" in messages[1].content`, text: lookUp() },
  { when: `${given("A12")} and "tell it to me as it is" in messages[1].content`, text: lookUp() },
  { when: given("B07"), text: "BBB-1234, BBB-9876" },
  { when: given("out of order"), text: "調べ終わったよ！" },
  { when: given("Sato"), text: calls("hermes", "find_booking", { member: "A12" }) },
  // final-answer: works on for ever, or finishes without work
  { when: `${given("A12")} and "渡して" in messages[1].content`, text: lookUp() },
  { when: asked("deliver it"), text: calls("hermes", "final_answer", { answer: "All done!" }) },
  // language: English without the persona, whatever is asked
  ...sound("language").flatMap(({ when, text }): readonly Decision[] => {
    const code = /[A-Z]{3}-\d{4}/.exec(text)?.[0];
    return code === undefined ? [] : [{ when, text: `Here you go, it is ${code}, my friend!` }];
  }),
  // negative-intent
  {
    when: asked("実行はしないでね", "do not run anything", "おはよう", "Good morning"),
    text: calls("hermes", "run_python", { task: "sum" }),
  },
  { when: "tools and tools | length > 30", text: "それはわからないや。" },
  // relay
  ...sound("relay").flatMap(({ when, text }): readonly Decision[] =>
    /^[A-Z]{3}-\d{4}$/.test(text)
      ? [{ when: `${when} and (${asked("行だけ", "last line")})`, text: `${text}\nWarning: locale` }]
      : [],
  ),
  { when: asked("ticket"), text: "うまくいったよ！" },
  { when: asked("合言葉は何", "What is the password"), text: "I know of none." },
  ...sound("round-trip", "relay", "final-answer"),
];

function lookUp(): string {
  return calls("hermes", "lookup_locker", { locker: "A12" });
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
    decisions: faultyModel,
    expected: {
      "round-trip": {
        "call_loop model": 2,
        "result_invented model": 2,
        "result_ignored model": 2,
        "step_not_carried model": 2,
      },
      "negative-intent": {
        "called_against_word model": 2,
        "called_without_need model": 2,
        "lost_among_tools model at most 15 tools in one request": 2,
      },
      relay: { "warning_relayed model": 2, "relay_wrong model": 2 },
      language: { "language_left model": 2, "persona_lost model": 3 },
      "final-answer": { "final_answer_missing model": 1, "final_answer_unfounded model": 1 },
      "system-prompt": { "system_prompt_ignored model": 4 },
    },
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

/** Samples of a suite with one trial of each cell, on a server without routes of its own. */
function silentSamples(suite: string): number {
  const counts: Readonly<Record<string, number>> = {
    capability: 4,
    "final-answer": 2,
    language: 3,
    "negative-intent": 12,
    relay: 6,
    "round-trip": 8,
    "stream-parity": 6,
    "system-prompt": 4,
  };
  return counts[suite] ?? 0;
}

async function onLlamaServer(
  { template, decisions, options = {} }: Pick<SetUp, "template" | "decisions" | "options">,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "lab-servers-"));
  try {
    const path = join(folder, "scripted.gguf");
    await writeFile(path, decidingModel(template, decisions));
    const starting = startLlamaServer(llamaServer, { model: path, alias: "scripted", slots: 2, ...options });
    await withServer(starting, ({ url }) => use(url));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe("suites on a real llama-server", () => {
  it.each(setUps)("say of $what what is true of it", async ({ expected, ...setUp }) => {
    await onLlamaServer(setUp, (url) => measureAll(url, "scripted", expected));
  });

  it("see that a gateway in front loses the calls of streams, and do not lay that to the parser", async () => {
    await onLlamaServer({ template: hermesTemplate, decisions: sound() }, (server) =>
      losingGateway(server, async (url) => {
        expect(await measure(url, "scripted", "stream-parity", 2)).toEqual({ "stream_differs server_parser": 4 });
      }),
    );
  });
});

describe.runIf(isLong)("suites on a real Ollama", () => {
  it("say of each model what is true of it", async () => {
    await withServer(startOllama(ollamaServer), async (server) => {
      const create = (name: string, template: string | undefined, file: Uint8Array, contextLength = 16_384) =>
        server.create({ name, file, template, contextLength });
      const hm = decidingModel(plainTemplate, []);
      await create("exclusive", exclusiveOnOllama.template, exclusiveOnOllama.file);
      await measureAll(server.url, "exclusive", {
        "system-prompt": {
          "system_prompt_dropped template a TEMPLATE in which .System stands beside .Tools, not behind {{ else }}": 2,
        },
      });
      await create("lying", lyingGoTemplate, hm);
      await measureAll(server.url, "lying", {
        capability: { "capability_false template": 4, "tools_not_in_prompt template": 4 },
      });
      await create("notools", plainGoTemplate, hm);
      await measureAll(server.url, "notools", { capability: { "tools_refused template": 4 } });
      await create("clamped", clampedOnOllama.template, clampedOnOllama.file, 4096);
      await measureAll(server.url, "clamped", { context: { "context_cut server_option PARAMETER num_ctx 8192": 4 } });
      await create("sound", undefined, decidingModel(hermesTemplate, sound(...suites)), 32_768);
      await measureAll(server.url, "sound", {
        capability: { "no_fault none": 8 },
        "round-trip": { "no_fault none": 8 },
        relay: { "no_fault none": 6 },
        language: { "no_fault none": 3 },
        "negative-intent": { "no_fault none": 12 },
        "stream-parity": { "no_fault none": 6 },
        "system-prompt": { "no_fault none": 4 },
        "final-answer": { "no_fault none": 2 },
        history: { [`history_refused server_limit ${broken}`]: 2 },
      });
    });
  });
});
