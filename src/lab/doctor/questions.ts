import type { ChatMessage, Tool, ToolChoice } from "../../protocol/chat.ts";
import type { PlannedSample } from "../scenario/plan.ts";
import type { Probe } from "../scenario/probe.ts";
import { sampleSeed, trialValues } from "../scenario/trial-values.ts";

/** What is asked of a server, each by one short request. */
export const checks = ["tool", "greeting", "plain", "code-word", "result"] as const;
export type Check = (typeof checks)[number];

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
  plain: "Write your code word and nothing else.",
  "code-word": "Write your code word and nothing else.",
  result: "What time is it in UTC right now? Call the clock tool, then write the time that it tells and nothing else.",
};

/** One request of the doctor. */
export interface Question {
  readonly check: Check;
  readonly arm: "auto" | "required" | "none" | "plain";
  readonly stream: boolean;
  /** From 1, among the requests that differ in nothing else. */
  readonly trial: number;
  readonly maxTokens: number;
}

/** The question as a sample of the suite `doctor`: sent, kept and judged like every other. */
export function doctorSample(question: Question, target: string, runSeed: string): PlannedSample {
  const { check, arm, stream, trial, maxTokens } = question;
  const scenario = `doctor-${check}`;
  const id = [target, "direct", "doctor", scenario, arm, stream ? "stream" : "body", "small", trial].join("/");
  const seed = sampleSeed(runSeed, id, 0);
  const messages = conversation(check, runSeed);
  const tools = arm === "plain" ? null : [clock];
  const wanted = check === "tool" ? clock.function.name : null;
  return {
    id,
    target,
    route: "direct",
    suite: "doctor",
    scenario,
    shape: "small",
    language: "en",
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
    },
    messages,
    tools,
    toolChoice: arm === "plain" ? null : (arm satisfies ToolChoice),
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

/** One request with a call and its result in its history: does the result reach the model, and the answer? */
function resultProbe(runSeed: string): Probe {
  return {
    judgement: "relay",
    results: [],
    call: null,
    answer: [told(runSeed)],
    never: [],
    sign: null,
    language: "en",
    carried: null,
    mostTurns: 1,
    variant: "result",
    toolCount: 1,
    followUp: null,
    size: null,
    native: false,
  };
}

/** A word that only the system prompt holds. */
function codeWord(runSeed: string): string {
  return trialValues(sampleSeed(runSeed, "code word", 0)).nonce;
}

function conversation(check: Check, runSeed: string): readonly ChatMessage[] {
  const asked: readonly ChatMessage[] = [
    { role: "system", content: `You are a careful assistant. Your code word is ${codeWord(runSeed)}.` },
    { role: "user", content: users[check] },
  ];
  if (check !== "result") return asked;
  // Nine letters and digits: the one form of id that every chat template accepts.
  const id = "callclock";
  return [
    ...asked,
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id, type: "function", function: { name: "clock", arguments: '{"zone": "UTC"}' } }],
    },
    { role: "tool", tool_call_id: id, content: `{"time": "${told(runSeed)}"}` },
  ];
}
