import type { Handler } from "../../protocol/handler.ts";
import type { ConformanceOutcome, KnownTruth, TruthReader } from "../../protocol/known-truth.ts";
import { scriptedMessages, scriptedTool } from "./scripted-scenarios.ts";

/** What a parser made of a script, whole and as one streamed chunk; null where the server would not say. */
export interface ParserCell {
  readonly script: string;
  readonly whole: ConformanceOutcome | null;
  readonly streamed: ConformanceOutcome | null;
}

/**
 * Asks vLLM's own parser what it makes of every script (`/derender`), without a model: `vllm launch render` is enough. It
 * shows the parser alone: no grammar, and a stream in a single chunk.
 */
export async function askParser({
  handler,
  model,
  scripts,
  truth,
}: {
  readonly handler: Handler;
  readonly model: string;
  readonly scripts: readonly KnownTruth[];
  readonly truth: TruthReader;
}): Promise<readonly ParserCell[]> {
  const post = async (path: string, body: unknown): Promise<{ readonly status: number; readonly value: unknown }> => {
    const response = await handler(
      new Request(`http://calibrated.invalid${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    const text = await response.text();
    try {
      return { status: response.status, value: JSON.parse(text) as unknown };
    } catch {
      return { status: response.status, value: null };
    }
  };
  const tokensOf = async (prompt: string): Promise<readonly number[]> => {
    const { value } = await post("/tokenize", { model, prompt, add_special_tokens: false });
    return (value as { readonly tokens?: readonly number[] } | null)?.tokens ?? [];
  };
  const chatRequest = { model, messages: scriptedMessages(""), tools: [scriptedTool], tool_choice: "auto" };
  const promptTokens = await tokensOf("<|im_start|>assistant\n");
  const cells: ParserCell[] = [];
  for (const script of scripts.filter(({ text }) => text !== "")) {
    const choices = [{ index: 0, finish_reason: "stop", token_ids: await tokensOf(script.text) }];
    const generated = { request_id: script.script, model, choices };
    const whole = await post("/v1/chat/completions/derender", {
      model,
      generate_response: generated,
      prompt_tokens: promptTokens.length,
      chat_request: chatRequest,
    });
    const streamed = await post("/v1/chat/completions/derender", {
      model,
      stream: true,
      generate_chunk: generated,
      prompt_token_ids: promptTokens,
      chat_request: { ...chatRequest, stream: true },
    });
    const chunk = (streamed.value as { readonly chunk?: unknown } | null)?.chunk ?? streamed.value;
    cells.push({
      script: script.script,
      whole: outcome(script, whole.status, whole.value),
      streamed: outcome(script, streamed.status, chunk),
    });
  }
  return cells;

  function outcome(script: KnownTruth, status: number, value: unknown): ConformanceOutcome | null {
    if (value === null) return null;
    return truth.outcomeOf(script, truth.observe(status, JSON.stringify(value), false));
  }
}
