import { describe, expect, it } from "vitest";
import { classifyReply } from "../../../src/lab/classify/classify-reply.ts";
import { findFormat } from "../../../src/protocol/formats/index.ts";
import { canonicalJson, type JsonValue } from "../../../src/protocol/json.ts";
import { caseInput, readCases } from "./case-input.ts";

// Replies whose call is written in a format of the registry, or holds none.
const cases = readCases(new URL("../../fixtures/recorded/", import.meta.url)).filter(
  ({ expected }) => expected.leakFormat === null || findFormat(expected.leakFormat) !== undefined,
);

/** The recorded labels know no direct answer; it is a kind of non-call there. */
function label(headline: string): string {
  return headline === "direct_answer" ? "non_call" : headline;
}

describe("recorded replies of real servers", () => {
  it("has replies of all three servers", () => {
    expect(cases.length).toBeGreaterThan(120);
    expect(new Set(cases.map((file) => file.id.split("-")[1]))).toEqual(new Set(["llama", "ollama", "vllm"]));
  });

  it.each(cases.map((file) => [file.id, file] as const))("%s is judged as its script says", (_id, file) => {
    const { expected } = file;
    const judged = classifyReply(caseInput(file, true));
    expect([expected.verdict, ...(expected.acceptVerdicts ?? [])]).toContain(label(judged.headline));
    if (expected.calls === undefined || !judged.measured) return;
    const handedOn = canonicalJson(judged.handedOn as unknown as JsonValue);
    const right = [expected.calls, ...(expected.acceptAlso ?? [])].map((calls) => canonicalJson(calls as JsonValue));
    expect(right).toContain(handedOn);
  });

  it("names the same verdicts nearly always without the raw channel, and never more", () => {
    const wrong = cases.filter((file) => {
      const { expected } = file;
      const wanted = expected.verdictWithoutRaw ?? expected.verdict;
      return ![wanted, ...(expected.acceptVerdicts ?? [])].includes(
        label(classifyReply(caseInput(file, false)).headline),
      );
    });
    // Known: an empty reply under a tool_choice that the server ignores has two names, and a made-up observation without the
    // call before it reads as a plain answer.
    expect(wrong.map((file) => file.id).sort()).toEqual(knownWithoutRaw);
  });
});

const knownWithoutRaw = [
  "rec-ollama-hermes-lostbrace-required-body-01",
  "rec-ollama-hermes-textxml-named-stream-01",
  "rec-ollama-qwen35-trunchermes-required-stream-01",
  "rec-vllm-qwen-aheadhermes-auto-body-01",
  "rec-vllm-qwen-aheadhermes-auto-stream-01",
];
