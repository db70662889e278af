import type { KnownSetUp, KnownTruth } from "../../protocol/known-truth.ts";
import type { RunTarget } from "../run-options.ts";
import { scriptedMaxTokens, scriptedMessages, scriptedTool } from "./scripted-scenarios.ts";

/** One exchange as bytes: what was asked in which way, and what came. */
export interface WireExchange {
  readonly script: string;
  readonly choice: "auto" | "required" | "none";
  readonly stream: boolean;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const choices = ["auto", "required", "none"] as const;

/** Scripts of which the bytes are kept, and how they are asked for: calls, a marker, an answer, and two calls. */
const recorded: Readonly<Record<string, readonly WireExchange["choice"][]>> = {
  hermes: choices,
  xml: choices,
  direct: choices,
  llama3: ["auto"],
  mistral: ["auto"],
  marker: ["auto"],
  "two-hermes": ["auto"],
};

/** Asks a server as a plain client does, without any of the lab's extras, and keeps its very bytes. */
export async function recordWire({
  target,
  scripts,
  marker,
}: {
  readonly target: RunTarget;
  readonly setUp: KnownSetUp;
  readonly scripts: readonly KnownTruth[];
  readonly marker: (script: string) => string;
}): Promise<readonly WireExchange[]> {
  const exchanges: WireExchange[] = [];
  for (const { script } of scripts) {
    for (const choice of recorded[script] ?? []) {
      for (const stream of [false, true]) {
        const response = await target.handler(
          new Request(`http://calibrated.invalid${target.apiPrefix}/chat/completions`, {
            method: "POST",
            headers: { "content-type": "application/json", ...target.headers },
            body: JSON.stringify(wireRequest(target.model, marker(script), choice, stream)),
          }),
        );
        exchanges.push({
          script,
          choice,
          stream,
          status: response.status,
          contentType: response.headers.get("content-type") ?? "",
          body: await response.text(),
        });
      }
    }
  }
  return exchanges;
}

/** The request of a recorded exchange. */
export function wireRequest(model: string, marker: string, choice: WireExchange["choice"], stream: boolean) {
  return {
    model,
    messages: scriptedMessages(marker),
    tools: [scriptedTool],
    tool_choice: choice,
    temperature: 0,
    max_tokens: scriptedMaxTokens,
    stream,
  };
}
