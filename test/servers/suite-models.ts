import { loadScenarios } from "../../src/lab/scenario/load.ts";
import type { PlannedSample } from "../../src/lab/scenario/plan.ts";
import { planProbes } from "../../src/lab/scenario/probe-plan.ts";
import type { Shape } from "../../src/lab/scenario/scenario.ts";
import type { JsonObject } from "../../src/protocol/json.ts";
import { call, writeScript } from "../../src/testbed/scripts/write-script.ts";
import type { Decision } from "./deciding-model.ts";

/** The run's seed: what the trials draw is known before they are sent, so that a scripted model can give it back. */
export const seed = "suites";
const loaded = loadScenarios([]);
export const suites: readonly string[] = loaded.probes.map(({ id }) => id);

/** One trial of every cell, as `lab run --trials 1 --seed …` plans it for a model of this name. */
export function planned(id: string, shape: Shape = "small"): readonly PlannedSample[] {
  const suite = loaded.probes.find((each) => each.id === id);
  if (suite === undefined) throw new Error(`no suite ${id}`);
  return planProbes({
    target: "scripted",
    routes: ["direct"],
    suite,
    agentShapes: loaded.agentShapes,
    trials: 1,
    shapes: [shape],
    languages: ["ja", "en"],
    seed,
  });
}

/**
 * What an agent's prompt mostly consists of, each to be one token of a scripted model: where a token is a byte, such a prompt
 * takes seconds to read.
 */
export const agentWords: readonly string[] = [
  ...new Set([
    '{"type": "function", "function": {"name": "',
    '", "description": "',
    '", "parameters": {"type": "object", "properties": {"',
    '": {"type": "string", "description": "',
    '"}}, "required": ["',
    '"], "additionalProperties": false}}}\n',
    '"}, "',
    '": {"type": "string", "',
    '": {"type": "integer", "minimum": 1',
    '": {"type": "boolean", "description": "',
    '": {"type": "array", "items": {"type": "string"}, "description": "',
    '"], "description": "',
    '"enum": ["',
    '"format": "date',
    ...loaded.agentShapes.flatMap(({ system, tools }) => [...system.split("\n"), ...tools.flatMap(textsIn)]),
  ]),
].filter((text) => text.length > 4);

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Calls of one tool as a family writes them. */
export function calls(format: "hermes" | "qwen3_coder", name: string, ...each: readonly JsonObject[]): string {
  return each.map((values) => writeScript("call", [call(format, name, values)]).text).join("\n");
}

const lookUp = (locker: string): string => calls("hermes", "lookup_locker", { locker });
const last = "messages[-1]";
/** The user speaks, and says this. */
export const asked = (...words: readonly string[]): string =>
  `${last}.role == "user" and (${words.map((word) => `"${word}" in ${last}.content`).join(" or ")})`;
/** A tool has just given this back. */
export const given = (word: string): string => `${last}.role == "tool" and "${word}" in ${last}.content`;
const both = (...conditions: readonly string[]): string => conditions.map((each) => `(${each})`).join(" and ");

/** First requests, which are alike in every trial. */
const requests: readonly Decision[] = [
  { when: asked("助かったよ", "That helped"), text: calls("hermes", "final_answer", { answer: "ok" }) },
  { when: asked("実行はしないでね"), text: "まず2から順に割れる数を消していくよ。" },
  { when: asked("do not run anything"), text: "You sieve them and sum up the rest." },
  { when: asked("おはよう"), text: "おはよう、いい朝だね。" },
  { when: asked("Good morning"), text: "Morning, sunshine!" },
  { when: asked("さくら"), text: "さくらが咲いた。" },
  { when: asked("harbour"), text: "A quiet harbour." },
  { when: asked("持ち主", "who owns"), text: calls("hermes", "find_owner", { locker: "A12" }) },
  {
    when: both(asked("A12 と B07", "A12 and B07"), "tools"),
    text: calls("hermes", "lookup_locker", { locker: "A12" }, { locker: "B07" }),
  },
  { when: both(asked("C99"), "tools"), text: lookUp("C99") },
  { when: both(asked("A12"), "tools"), text: lookUp("A12") },
];

/** What a sound model makes of what a trial drew. */
function answers(sample: PlannedSample): readonly Decision[] {
  const { probe } = sample.expectation;
  if (probe === undefined) return [];
  const [code = ""] = probe.answer;
  const said = probe.answer.join(", ");
  switch (probe.judgement) {
    case "round_trip":
      return [
        {
          when: given(probe.answer.at(-1) ?? ""),
          text: sample.language === "ja" ? `${said} だよ！` : `It is ${said}!`,
        },
        ...(probe.carried === null
          ? []
          : [{ when: given(probe.carried), text: calls("hermes", "find_booking", { member: probe.carried }) }]),
      ];
    case "language": {
      const sign = probe.sign ?? "";
      const words: Readonly<Record<string, string>> = {
        ja: `コードは ${code} だよ！${sign}`,
        en: `Here you go, it is ${code}! ${sign}`,
        zh: `代码是这个数字 ${code} 哦！${sign}`,
      };
      return [{ when: given(code), text: words[probe.language] ?? "" }];
    }
    case "final_answer":
      return [{ when: given(code), text: calls("hermes", "final_answer", { answer: code }) }];
    case "system_prompt":
      return [{ when: `"${code}" in messages[0].content`, text: code }];
    case "context":
      return [{ when: asked(code), text: code }];
    case "relay":
      return [{ when: `messages | length > 3 and "${code}" in messages[-3].content`, text: said }];
    default:
      return [];
  }
}

/** A model that does everything right in these suites, as far as what it is shown lets it. */
export function sound(...ids: readonly string[]): readonly Decision[] {
  return soundIn("small", ...ids);
}

/** The same for requests of one shape, whose trials draw other values. */
export function soundIn(shape: Shape, ...ids: readonly string[]): readonly Decision[] {
  return [...ids.flatMap((id) => planned(id, shape).flatMap(answers)), ...requests];
}
