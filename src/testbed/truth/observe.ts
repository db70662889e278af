import type { Observation } from "../../protocol/known-truth.ts";

interface Message {
  readonly content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

interface Body {
  readonly error?: { readonly message?: string } | string;
  readonly choices?: readonly {
    readonly message?: Message;
    readonly delta?: Message;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: { readonly completion_tokens?: number } | null;
  readonly __verbose?: { readonly content?: string };
}

function messageOf(error: Body["error"]): string | null {
  if (error === undefined) return null;
  return typeof error === "string" ? error : (error.message ?? "error without words");
}

/**
 * Reads a server's answer by the plainest means: this is one side of the comparison with the lab, so it uses nothing of the
 * lab's own readers. Bytes that are no JSON are an error of the server's.
 */
export function observe(status: number | null, body: string, streamed: boolean): Observation {
  const isStream = streamed && (status ?? 500) < 400 && !body.trimStart().startsWith("{");
  const lines = isStream
    ? body.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []))
    : [body];
  const done = !isStream || lines.includes("[DONE]");
  let error: string | null = null;
  let content = "";
  let reasoning = "";
  let finish: string | null = null;
  let completionTokens: number | null = null;
  let generated: string | null = null;
  const calls: { name: string; argumentsText: string }[] = [];
  for (const line of lines) {
    if (line === "[DONE]") continue;
    const part = parsed(line);
    if (part === null) {
      error ??= "unreadable answer";
      continue;
    }
    error ??= messageOf(part.error);
    generated = part.__verbose?.content ?? generated;
    completionTokens = part.usage?.completion_tokens ?? completionTokens;
    const choice = part.choices?.[0];
    const message = choice?.message ?? choice?.delta ?? {};
    content += message.content ?? "";
    reasoning += message.reasoning_content ?? message.reasoning ?? "";
    finish = choice?.finish_reason ?? finish;
    for (const [position, call] of (message.tool_calls ?? []).entries()) {
      const index = call.index ?? position;
      const known = calls[index] ?? { name: "", argumentsText: "" };
      calls[index] = {
        name: known.name + (call.function?.name ?? ""),
        argumentsText: known.argumentsText + (call.function?.arguments ?? ""),
      };
    }
  }
  return {
    status,
    error,
    content,
    reasoning,
    calls: calls.filter((call) => call !== undefined),
    finish,
    completionTokens,
    done,
    generated: generated === "" ? null : generated,
  };
}

function parsed(line: string): Body | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Body) : null;
  } catch {
    return null;
  }
}
