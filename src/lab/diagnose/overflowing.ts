import type { TargetFacts } from "../../protocol/servers/server.ts";
import type { Classification } from "../classify/classification.ts";
import type { JudgedSample } from "./judged-sample.ts";

/** The count by characters is not exact: only what is clearly beyond the limit is held to be cut. */
const clearly = 1.1;

/**
 * Marks samples of other suites whose prompt the server must have cut, as the suite context saw it do: what the model answered
 * then says nothing. Samples of one target; without a prompt that was cut before our eyes they stay as they are.
 */
export function withoutOverflowing(samples: readonly JudgedSample[], facts: TargetFacts): readonly JudgedSample[] {
  const tried = samples.filter(({ probe }) => probe === "context");
  const cut = tried.flatMap(({ classification: { probe } }) =>
    probe?.faults.some(({ code }) => code === "context_cut_silently") === true ? [probe.facts] : [],
  );
  if (cut.length === 0) return samples;
  const limit = facts.contextLength ?? Math.min(...cut.map((seen) => seen["wantedTokens"] ?? Number.POSITIVE_INFINITY));
  const ratios = new Map<string, number>();
  for (const { language, classification } of tried) {
    const ratio = classification.probe?.facts["tokensPerThousandCharacters"];
    // The lowest of what was seen: a sample is not held to be cut on a guess.
    if (ratio !== undefined) ratios.set(language, Math.min(ratio, ratios.get(language) ?? Number.POSITIVE_INFINITY));
  }
  const usual = Math.min(...ratios.values());
  return samples.map((sample) => {
    if (sample.probe === "context" || !sample.classification.measured) return sample;
    const tokens = Math.round((sample.promptCharacters * (ratios.get(sample.language) ?? usual)) / 1000);
    return tokens <= limit * clearly
      ? sample
      : { ...sample, classification: cutOff(sample.classification, tokens, limit) };
  });
}

function cutOff(classification: Classification, tokens: number, limit: number): Classification {
  const { probe: _probe, ...rest } = classification;
  return {
    ...rest,
    measured: false,
    reason: "context_invalid",
    headline: "config_error",
    owner: "server_option",
    delivered: "no",
    attempted: "no",
    latency: { firstByteMs: null, totalMs: null },
    replies: [
      {
        measured: false,
        exchange: classification.replies[0]?.exchange ?? 0,
        reason: "context_invalid",
        detail: `about ${tokens} tokens were sent, and the suite context saw the server cut at ${limit} without a word`,
        headline: "config_error",
        owner: "server_option",
      },
    ],
  };
}
