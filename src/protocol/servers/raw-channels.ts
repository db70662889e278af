import type { JsonObject, JsonValue } from "../json.ts";
import type { Question } from "./probe.ts";
import type { RawChannel } from "./server.ts";

/** Keys that a request carries to open a raw channel; they replace keys of the same name. */
export function rawRequestKeys(channel: RawChannel): JsonObject {
  switch (channel) {
    case "token_ids":
      return { return_token_ids: true };
    case "verbose":
    case "verbose_replay":
      return { verbose: true };
    case "logprobs_replay":
      return { logprobs: true };
    case "none_twin":
      // Without a reasoning format the thinking stays in the text, where a call inside it can be seen.
      return { tool_choice: "none", reasoning_format: "none" };
    case "raw_generate":
      return {};
    default:
      return channel satisfies never;
  }
}

/** The keys of several channels together, for a request that asks in-band. */
export function inBandKeys(channels: readonly RawChannel[]): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...channels.map(rawRequestKeys));
}

/** The question that turns token ids back into text, control tokens included; vLLM and llama-server share the route. */
export function detokenizeQuestion(
  model: string,
  tokenIds: readonly number[],
): Question & { readonly body: JsonValue } {
  return { path: "/detokenize", body: { model, tokens: tokenIds } };
}
