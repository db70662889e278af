import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type AskedWord, askedWords } from "../../src/lab/calibration/calibration.ts";
import { type WireExchange, wireRequest } from "../../src/lab/calibration/record-wire.ts";
import { scriptedMaxTokens, scriptedMessages, scriptedTool } from "../../src/lab/calibration/scripted-scenarios.ts";
import { type CalibrationTable, cellsOf, type TableSetUp } from "../../src/lab/report/calibration/table.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import type { KnownTruth } from "../../src/protocol/known-truth.ts";
import { checkProfile, profileSchema } from "../../src/simulator/profile.ts";
import { scriptMarker } from "../../src/testbed/scripted/scripted-model.ts";
import { primeSumScripts } from "../../src/testbed/scripts/prime-sum.ts";
import { truthReader } from "../../src/testbed/truth/index.ts";
import { answerIds, idKinds, idPattern } from "./answer-ids.ts";
import { grammarOf, post, shapeOf, simulate } from "./support.ts";

const tables = fileURLToPath(new URL("../../docs/calibration/", import.meta.url));
const bytes = fileURLToPath(new URL("../fixtures/calibrated/", import.meta.url));

/** How a measured set-up is simulated. */
const simulated: Readonly<Record<string, object>> = {
  "vllm hermes": { kind: "vllm", parser: "hermes" },
  "vllm qwen3_coder": { kind: "vllm", parser: "qwen3_coder" },
  "vllm llama3_json": { kind: "vllm", parser: "llama3_json" },
  "vllm hermes-qwen3": { kind: "vllm", parser: "hermes", reasoningParser: "qwen3" },
  "vllm no-parser": { kind: "vllm", parser: null },
  "ollama hermes": { kind: "ollama", template: "hermes" },
  "ollama damaged-tools": { kind: "ollama", template: "hermesfunction" },
  "ollama exclusive": { kind: "ollama", template: "exclusive" },
  "ollama no-tools": { kind: "ollama", template: "notools" },
  "ollama qwen3-coder": { kind: "ollama", template: "qwen3-coder" },
  "ollama hermes-under-qwen3-coder": { kind: "ollama", template: "parseronly" },
  "ollama qwen3.5": { kind: "ollama", template: "qwen3.5" },
  "ollama native": { kind: "ollama", template: "native" },
  "llama-server hermes": { kind: "llama-server", template: "hermes" },
  "llama-server hermes-think": { kind: "llama-server", template: "hermes-think" },
  "llama-server qwen3-coder": { kind: "llama-server", template: "qwen3coder" },
  "llama-server llama3": { kind: "llama-server", template: "llama3" },
  "llama-server mistral": { kind: "llama-server", template: "mistral" },
  "llama-server plain": { kind: "llama-server", template: "plain" },
};

/** A script as a card of a profile; null for scripts that no card can write (cut, broken, quoting, calling while thinking). */
function cardOf({ text, parts }: KnownTruth): object | null {
  const thinking = /^<think>\n([\s\S]*?)\n<\/think>\n\n/.exec(text);
  if (parts.some((part) => part.thinking)) return null;
  const start = thinking?.[0].length ?? 0;
  const reasoning = thinking === null ? {} : { reasoning: thinking[1] };
  const calls = parts.filter(({ meaning }) => meaning.kind === "call");
  const markers = parts.filter(({ meaning }) => meaning.kind === "marker");
  if (parts.some(({ meaning }) => meaning.kind === "quotation") || markers.length > 1) return null;
  const [first] = [...calls, ...markers];
  if (first === undefined) return text === "" ? null : { ...reasoning, text: text.slice(start) };
  const last = [...calls, ...markers].at(-1) ?? first;
  const [before, after] = [text.slice(start, first.start), text.slice(last.end)];
  const around = { ...(before === "" ? {} : { before }), ...(after === "" ? {} : { after }) };
  if (first.meaning.kind === "marker") {
    if (before !== "" && !/\s$/.test(before)) return null;
    return { ...reasoning, ...around, marker: `${first.meaning.name}: ${first.meaning.task}` };
  }
  const written = calls.flatMap(({ meaning }) => (meaning.kind === "call" ? [meaning] : []));
  if (written.some(({ state, arguments: given }) => state !== "whole" || given === null)) return null;
  return {
    ...reasoning,
    ...around,
    calls: written.map(({ name, arguments: given, format }) => ({ tool: name, arguments: given, format })),
  };
}

const cards = primeSumScripts.flatMap((truth) => {
  const card = cardOf(truth);
  return card === null ? [] : [{ truth, card }];
});

/** What a grammar makes a scripted model write where its text may not end. */
const forced = { tool: scriptedTool.function.name, arguments: { task: "1から1000までの素数を合計する" } };

/** The profile of one script; null where the simulator refuses it because that was not measured. */
function handlerOf(server: object, card: object, format: string, asked: AskedWord | "any"): Handler | null {
  const when = asked === "no_tools" ? { tools: false } : asked === "any" ? {} : { tools: true, choice: `^${asked}$` };
  const profile = {
    server: { ...server, contextLength: 8192 },
    models: { scripted: { format, rules: [{ when, cards: [card] }], forced } },
  };
  const parsed = profileSchema.safeParse(profile);
  if (!parsed.success || checkProfile(parsed.data).length > 0) return null;
  return simulate(profile);
}

/** A simulated token is a character, one of a scripted model a piece of five. */
const charactersOfToken = 5;

async function outcomeOf(handler: Handler, truth: KnownTruth, asked: AskedWord, stream: boolean): Promise<string> {
  const named = { type: "function", function: { name: scriptedTool.function.name } };
  const body = {
    model: "scripted",
    messages: scriptedMessages(scriptMarker(truth.script)),
    max_tokens: scriptedMaxTokens * charactersOfToken,
    stream,
    ...(asked === "no_tools" ? {} : { tools: [scriptedTool], tool_choice: asked === "named" ? named : asked }),
  };
  const response = await post(handler, "/v1/chat/completions", body);
  return truthReader.outcomeOf(truth, truthReader.observe(response.status, await response.text(), stream));
}

const kept = readdirSync(tables)
  .filter((name) => name.endsWith(".json"))
  .flatMap((name) => (JSON.parse(readFileSync(tables + name, "utf8")) as CalibrationTable).setUps)
  .filter(({ setUp }) => simulated[`${setUp.server} ${setUp.id}`] !== undefined)
  .map((setUp) => [`${setUp.setUp.server} ${setUp.setUp.id}`, setUp] as const);

const served = ["call", "mangled", "forced"];

/**
 * Where a grammar wrote the call, whether it holds the script's own arguments depends on what the scripted model falls into;
 * a profile cannot know that, only that a call came.
 */
function isSame({ setUp }: TableSetUp, simulates: string, really: string): boolean {
  return simulates === really || (setUp.grammar !== "none" && served.includes(simulates) && served.includes(really));
}

/** Every cell that a profile can be made for: what the real server did beside what the simulator does. */
async function compared(name: string, setUp: TableSetUp) {
  const server = simulated[name] ?? {};
  const wrong: string[] = [];
  let cells = 0;
  for (const { truth, card } of cards) {
    for (const asked of askedWords) {
      const handler = handlerOf(server, card, setUp.setUp.format ?? "hermes", asked);
      if (handler === null) continue;
      for (const cell of cellsOf(setUp).filter((each) => each.script === truth.script && each.asked === asked)) {
        const simulates = await outcomeOf(handler, truth, asked, cell.stream);
        cells++;
        if (!isSame(setUp, simulates, cell.outcome))
          wrong.push(
            `${truth.script} ${asked}${cell.stream ? " streamed" : ""}: simulated ${simulates}, really ${cell.outcome}`,
          );
      }
    }
  }
  return { cells, wrong };
}

describe("simulated set-ups do what the calibrated servers did", () => {
  it.each(kept)("%s", async (name, setUp) => {
    const { cells, wrong } = await compared(name, setUp);
    expect(cells).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });
});

interface Head {
  readonly setUp: TableSetUp["setUp"];
  readonly version: string;
  readonly start: string;
}

/** What a plain client sees of a reply, apart from its words. */
function wireShape({ status, contentType, body, stream }: Answered) {
  const isStream = stream && status === 200;
  return {
    status,
    contentType: contentType.replace(/\s/g, "").toLowerCase(),
    grammar: isStream ? grammarOf(body) : shapeOf(JSON.parse(body)),
    finish: [...body.matchAll(/"finish_reason":\s*("[a-z_]+")/g)].map((match) => match[1]),
    ids: idPattern(answerIds(body, isStream)),
  };
}

/** A call that a grammar wrote: how many and how long they are depends on what the scripted model falls into. */
function isGrammars(setUp: Head["setUp"], truth: KnownTruth, { status, body, stream, choice }: WireExchange): boolean {
  const outcome = truthReader.outcomeOf(truth, truthReader.observe(status, body, stream));
  const foreign = truth.parts.some(({ meaning }) => meaning.kind === "call" && meaning.format !== setUp.format);
  if (setUp.grammar === "none" || !served.includes(outcome)) return false;
  return choice === "required" || foreign || outcome !== "call";
}

const recordings = readdirSync(bytes)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => {
    const [head = "{}", ...lines] = readFileSync(bytes + name, "utf8")
      .trim()
      .split("\n");
    return { head: JSON.parse(head) as Head, exchanges: lines.map((line) => JSON.parse(line) as WireExchange) };
  })
  .filter(({ head }) => simulated[`${head.setUp.server} ${head.setUp.id}`] !== undefined)
  .map((recording) => [`${recording.head.setUp.server} ${recording.head.setUp.id}`, recording] as const);

type Answered = Pick<WireExchange, "status" | "contentType" | "body" | "stream">;
type Recording = (typeof recordings)[number];

/** Every recorded exchange that can be simulated, beside the answer of one simulator that plays all of its scripts. */
async function replayed([name, { head, exchanges }]: Recording) {
  const server = simulated[name] ?? {};
  const format = head.setUp.format ?? "hermes";
  const asked = exchanges.flatMap((exchange) => {
    const known = cards.find(({ truth }) => truth.script === exchange.script);
    if (known === undefined || handlerOf(server, known.card, format, exchange.choice) === null) return [];
    return [{ exchange, ...known, grammars: isGrammars(head.setUp, known.truth, exchange) }];
  });
  const rules = asked
    .filter(({ exchange }) => !exchange.stream)
    .map(({ exchange: { script, choice }, card }) => ({
      when: { user: scriptMarker(script).replaceAll("|", "\\|"), tools: true, choice: `^${choice}$` },
      cards: [card],
    }));
  const handler = simulate(
    { server: { ...server, contextLength: 8192 }, models: { scripted: { format, rules, forced } } },
    name,
  );
  const answers: { readonly exchange: WireExchange; readonly shown: Answered; readonly grammars: boolean }[] = [];
  for (const { exchange, grammars } of asked) {
    const { script, choice, stream } = exchange;
    const request = {
      ...wireRequest("scripted", scriptMarker(script), choice, stream),
      max_tokens: scriptedMaxTokens * charactersOfToken,
    };
    const response = await post(handler, "/v1/chat/completions", request);
    const contentType = response.headers.get("content-type") ?? "";
    const shown = { status: response.status, contentType, body: await response.text(), stream };
    answers.push({ exchange, shown, grammars });
  }
  return answers;
}

describe("simulated replies look on the wire as the recorded ones do", () => {
  it.each(recordings)("%s: status, error body, finish_reason, grammar of chunks, ids", async (...recording) => {
    const answers = (await replayed(recording)).filter(({ grammars }) => !grammars);
    const wrong = answers.flatMap(({ exchange, shown }) => {
      const [real, simulates] = [wireShape(exchange), wireShape(shown)];
      return (Object.keys(real) as (keyof typeof real)[])
        .filter((key) => JSON.stringify(real[key]) !== JSON.stringify(simulates[key]))
        .map(
          (key) =>
            `${exchange.script} ${exchange.choice}${exchange.stream ? " streamed" : ""} ${key}: simulated ${JSON.stringify(simulates[key])}, really ${JSON.stringify(real[key])}`,
        );
    });
    expect(answers.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });
});

/** Mistral's models write the ids of calls themselves, nine characters long; a script has but one. */
const isModels = (id: string): boolean => /^[0-9a-zA-Z]{9}$/.test(id);

/** One id of each answer, and of each call. */
function allIds(answers: readonly Answered[]): readonly string[] {
  return answers.flatMap(({ body, status, stream }) => {
    const { replies, calls } = answerIds(body, stream && status === 200);
    const given = [replies.find((id) => id !== null), ...calls.map(([id]) => id)];
    return given.flatMap((id) => (id == null || isModels(id) ? [] : [id]));
  });
}

describe("simulated ids are of the kinds that the recorded ones are", () => {
  it.each(["llama-server", "ollama", "vllm"])("%s", async (server) => {
    const own = recordings.filter(([, { head }]) => head.setUp.server === server);
    const answers = (await Promise.all(own.map(replayed))).flat();
    const real = allIds(answers.map(({ exchange }) => exchange));
    expect(real.length).toBeGreaterThan(80);
    expect(idKinds(allIds(answers.map(({ shown }) => shown)))).toEqual(idKinds(real));
  });
});
