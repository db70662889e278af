import type { Handler } from "../../src/protocol/handler.ts";
import type { JsonObject } from "../../src/protocol/json.ts";
import { checkProfile } from "../../src/simulator/profile.ts";
import { type ProfileCall, type ProfileCard, profileSchema } from "../../src/simulator/profile-schema.ts";
import { createSimulator } from "../../src/simulator/simulator.ts";
import { shownModel } from "./readme-config.ts";

/** What a simulated model writes. Its server reads calls in the form of llama3_json, and takes all others for text. */
export interface SimulatedModel {
  /** To a user who offers it the tool. */
  readonly first: ProfileCard;
  /** To a tool's result. */
  readonly afterResult?: string | ProfileCard;
  /** The tool that `first` needs; without it, and to anything else, the model says `otherwise`. */
  readonly tool?: string;
  readonly otherwise?: string;
}

/** A server that has this model under the name that the README gives it. */
export function simulate({ first, afterResult, tool, otherwise = "Nothing to add." }: SimulatedModel): Handler {
  const profile = profileSchema.parse({
    server: { kind: "openai", contextLength: 1_000_000, chunk: 7 },
    models: {
      [shownModel]: {
        format: "llama3_json",
        rules: [
          ...(afterResult === undefined
            ? []
            : [
                {
                  when: { last: "tool" },
                  cards: [typeof afterResult === "string" ? { text: afterResult } : afterResult],
                },
              ]),
          { when: tool === undefined ? { last: "user" } : { last: "user", tools: `^${tool}$` }, cards: [first] },
        ],
        default: { text: otherwise },
      },
    },
  });
  const problems = checkProfile(profile);
  if (problems.length > 0) throw new Error(problems.join("; "));
  return createSimulator({ profile, seed: "clients", now: Date.now });
}

/** A call that the model writes in a format which its server does not read. */
export function leakedCall(format: "hermes" | "qwen3_coder", tool: string, given: JsonObject): ProfileCall {
  return { tool, arguments: given as ProfileCall["arguments"], format };
}

/** A reply with one such call. */
export function leaked(...call: Parameters<typeof leakedCall>): ProfileCard {
  return { before: "Let me look.\n", call: leakedCall(...call) };
}
