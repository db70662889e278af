import { type ChatMessage, messageText, type Tool } from "../../protocol/chat.ts";
import { resolveOracle } from "./oracle.ts";
import type { Contract, Expectation, Scenario } from "./scenario.ts";
import type { TrialValues } from "./template.ts";

/** What judging a reply to this scenario needs to know, resolved for one trial. */
export function expectationFor(
  scenario: Scenario,
  sample: {
    readonly contract: Contract;
    readonly tools: readonly Tool[];
    readonly messages: readonly ChatMessage[];
    readonly nonce: string | null;
    readonly values: TrialValues;
  },
): Expectation {
  const sent = sample.messages.map(messageText).join("\n");
  return {
    tools: sample.tools,
    contract: sample.contract,
    wanted: scenario.wanted,
    markerRule: sample.contract === "marker" ? { name: scenario.marker.name } : null,
    memorizable: scenario.class === "memorizable",
    // A value that the question itself contains (a prime asked to be factored) would make an echo look like an answer.
    oracle: resolveOracle(scenario.oracle, sample.values).filter((text) => !sent.includes(text)),
    nonce: sample.nonce,
    judge: scenario.wanted === null ? "no_call" : "call",
  };
}
