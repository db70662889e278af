import type { ChatMessage, Tool, ToolChoice } from "../../protocol/chat.ts";
import type { PlannedSample } from "../scenario/plan.ts";
import type { Probe } from "../scenario/probe.ts";
import { sampleSeed, trialValues } from "../scenario/trial-values.ts";

/** What is asked of a server, each by one short request. */
export const checks = ["tool", "greeting", "plain", "code-word", "result", "history", "language"] as const;
export type Check = (typeof checks)[number];

/** Histories that clients do send, with one thing wrong in each. Named as in the suite `history`, whose remedies go by the name. */
export const brokenHistories = ["malformed-call", "foreign-ids"] as const;
export type BrokenHistory = (typeof brokenHistories)[number];

/** Tokens that a reply may take: enough for a whole short call; more where the model thinks and cannot be kept from it. */
export const tokenLimits = { usual: 64, thinking: 256 } as const;

/**
 * A tool that a model cannot do without, whose call is short in every format. Its argument is optional and still asked for, so
 * that the call is like those of real clients and the prompt has a parameter to look for.
 */
const clock: Tool = {
  type: "function",
  function: {
    name: "clock",
    description: "Tells the current time.",
    parameters: { type: "object", properties: { zone: { type: "string", description: "Time zone, such as UTC." } } },
  },
};

const users: Readonly<Record<Check, string>> = {
  tool: "What time is it in UTC right now? Call the clock tool.",
  greeting: "Hello! Just wish me a nice day.",
  plain: "Write your code word and nothing else. Do not call the clock tool.",
  // With tools: is the system prompt kept beside them, and is a call left out that was forbidden by name?
  "code-word": "Write your code word and nothing else. Do not call the clock tool.",
  result: "What time is it in UTC right now? Call the clock tool, then write the time that it tells and nothing else.",
  history: "Thanks. And what time is it in UTC now? Call the clock tool.",
  // Nothing to call for, and another language than that of system prompt and tools.
  language: "こんにちは！いい一日になるように、ひとことだけ声をかけて。",
};

/** One request of the doctor. */
export interface Question {
  readonly check: Check;
  readonly arm: "auto" | "required" | "none" | "plain" | BrokenHistory;
  readonly stream: boolean;
  /** From 1, among the requests that differ in nothing else. */
  readonly trial: number;
  /** Requests of one draw carry one seed; the trial where absent. A whole and a streamed one of a draw are the same request. */
  readonly draw?: number;
  readonly maxTokens: number;
}

/** The question as a sample of the suite `doctor`: sent, kept and judged like every other. */
export function doctorSample(question: Question, target: string, runSeed: string): PlannedSample {
  const { check, arm, stream, trial, maxTokens } = question;
  const scenario = `doctor-${check}`;
  const cell = [target, "direct", "doctor", scenario, arm];
  const id = [...cell, stream ? "stream" : "body", "small", trial].join("/");
  // The mode is no part of the seed, so that what differs between whole and streamed is how a reply is served.
  const seed = sampleSeed(runSeed, [...cell, "small", question.draw ?? trial].join("/"), 0);
  const history = brokenHistories.find((each) => each === arm);
  const messages = conversation(check, runSeed, history);
  const tools = arm === "plain" ? null : [clock];
  const wanted = check === "tool" || check === "history" ? clock.function.name : null;
  return {
    id,
    target,
    route: "direct",
    suite: "doctor",
    scenario,
    shape: "small",
    language: check === "language" ? "ja" : "en",
    class: wanted === null ? "irrelevant" : "impossible",
    contract: "native",
    arm,
    stream,
    trial,
    seed,
    nonce: codeWord(runSeed),
    expectation: {
      tools: tools ?? [],
      contract: "native",
      wanted,
      markerRule: null,
      memorizable: false,
      oracle: [],
      nonce: null,
      judge: wanted === null ? "no_call" : "call",
      ...(check === "result" ? { probe: resultProbe(runSeed) } : {}),
      ...(history === undefined ? {} : { probe: historyProbe(history) }),
    },
    messages,
    tools,
    toolChoice: arm === "plain" ? null : choiceOf(arm),
    maxTokens,
    temperature: 0.7,
    extra: {},
  };
}

/** The conversation and tools whose rendering shows whether tools and system prompt reach the model. */
export function renderQuestion(runSeed: string): {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
} {
  return { messages: conversation("tool", runSeed), tools: [clock] };
}

/** What the clock has told: no model can know it. */
function told(runSeed: string): string {
  const seed = sampleSeed(runSeed, "clock", 0);
  return `${String(seed % 24).padStart(2, "0")}:${String(seed % 60).padStart(2, "0")}:${String(seed % 59).padStart(2, "0")}`;
}

const oneRequest = {
  results: [],
  never: [],
  sign: null,
  language: "en",
  carried: null,
  mostTurns: 1,
  toolCount: 1,
  followUp: null,
  size: null,
  native: false,
} as const;

/** Harmless words that stand beside a result, as they do in the output of many tools. */
const noise = "tzdata 2019c is out of date";

/** One request with a call and its result in its history: does the result reach the model, and the answer, without its noise? */
function resultProbe(runSeed: string): Probe {
  return {
    ...oneRequest,
    judgement: "relay",
    call: null,
    answer: [told(runSeed)],
    never: ["tzdata"],
    variant: "result",
  };
}

/** One request behind a history with something wrong in it: does the server take it, does the model still call? */
function historyProbe(variant: BrokenHistory): Probe {
  return { ...oneRequest, judgement: "history", call: clock.function.name, answer: [], variant };
}

/** A word that only the system prompt holds. */
function codeWord(runSeed: string): string {
  return trialValues(sampleSeed(runSeed, "code word", 0)).nonce;
}

function conversation(check: Check, runSeed: string, history?: BrokenHistory): readonly ChatMessage[] {
  const system: ChatMessage = {
    role: "system",
    content: `You are a careful assistant. Your code word is ${codeWord(runSeed)}.`,
  };
  const asked: readonly ChatMessage[] = [
    system,
    ...(history === undefined ? [] : earlier(history, told(runSeed))),
    { role: "user", content: users[check] },
  ];
  if (check !== "result") return asked;
  const content = `{"warning": "${noise}", "time": "${told(runSeed)}"}`;
  return [...asked, ...called(shortIds[0], '{"zone": "UTC"}', content)];
}

/** Nine letters and digits: the one form of id that every chat template accepts. */
const shortIds = ["callclock", "callagain"] as const;
/** As another vendor's server gives them. */
const foreignId = "toolu_01A09q90qw90lq917835lq9";

/** What was said before the question. */
function earlier(history: BrokenHistory, time: string): readonly ChatMessage[] {
  const result = `{"time": "${time}"}`;
  const calls =
    history === "foreign-ids"
      ? called(foreignId, '{"zone": "Asia/Tokyo"}', result)
      : [
          ...called(shortIds[0], '{"zone": "Asia/To', '{"error": "arguments are not JSON"}'),
          ...called(shortIds[1], '{"zone": "Asia/Tokyo"}', result),
        ];
  return [
    { role: "user", content: "What time is it in Tokyo right now?" },
    ...calls,
    { role: "assistant", content: `It is ${time} in Tokyo.` },
  ];
}

function called(id: string, argumentsText: string, result: string): readonly ChatMessage[] {
  const { name } = clock.function;
  return [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id, type: "function", function: { name, arguments: argumentsText } }],
    },
    { role: "tool", tool_call_id: id, content: result },
  ];
}

function choiceOf(arm: Exclude<Question["arm"], "plain">): ToolChoice {
  return arm === "malformed-call" || arm === "foreign-ids" ? "auto" : arm;
}
