import type { KnownTruth } from "../../protocol/known-truth.ts";
import type { Scenario } from "../scenario/scenario.ts";

const prefix = "scripted-";

/** Tokens of a reply: enough for every script but the long ones, which are there to be cut. */
export const scriptedMaxTokens = 160;

/** The tool that every scripted question offers. */
export const scriptedTool = {
  type: "function",
  function: {
    name: "run_python",
    description: "Hands a job to the Python sub-agent. Use it when something has to be computed.",
    parameters: { type: "object", properties: { task: { type: "string" } }, required: ["task"] },
  },
} as const;

const system = "You are Eve, a cheerful companion. You reply in two to four sentences.";

/** The words of a question that asks the model for a script by its marker. */
export function scriptedQuestion(marker: string): string {
  return `What do all the primes from 1 to 1000 add up to? I want the exact value! ${marker}`;
}

/** The messages of a scripted question, as the suites send them. */
export function scriptedMessages(marker: string): readonly { readonly role: string; readonly content: string }[] {
  return [
    { role: "system", content: system },
    { role: "user", content: scriptedQuestion(marker) },
  ];
}

/** A scenario whose question asks the scripted model for one script. */
export function scriptedScenario({ script }: KnownTruth, marker: string): Scenario {
  return {
    id: `${prefix}${script}`,
    language: "en",
    class: "memorizable",
    system,
    user: scriptedQuestion(marker),
    marker: { name: "PYTHON", rule: "\nPut {{PYTHON: <what to do>}} at the end where something has to be computed." },
    tools: [scriptedTool],
    wanted: "run_python",
    oracle: { kind: "prime_sum", from: 1, to: 1000 },
    maxTokens: scriptedMaxTokens,
    // What a grammar makes of a script must not depend on chance, or two calibrations differ.
    temperature: 0,
    examples: { good: {}, bad: {}, nearMiss: {} },
  };
}

/** Name of the script that a scenario asks for. */
export function scriptOf(scenario: string): string {
  return scenario.slice(prefix.length);
}
