import type { Mode } from "../matrices/outcome.ts";

/** Counts what the tool parser found: once per reply, and once per delta when streaming. */
export interface ParserMetrics {
  count(model: string, mode: Mode, found: boolean): void;
  /** The exposition text; the counter exists only where a parser is set. */
  text(hasParser: boolean): string;
}

const counter = "vllm:tool_call_parser_invocations";
const help =
  "Total number of ToolParser invocations. Non-streaming increments once per choice; streaming increments once per delta.";

export function createParserMetrics(models: readonly string[], started: number): ParserMetrics {
  const counts = new Map<string, number>();
  const created = (started / 1000).toExponential(16).replace("e+", "e+0");
  const series = models.flatMap((model) =>
    (["streaming", "non_streaming"] as const).flatMap((mode) =>
      (["tool_call", "no_tool_call"] as const).flatMap((outcome) =>
        (["chat_completions", "responses", "other"] as const).map(
          (type) => `{mode="${mode}",model_name="${model}",outcome="${outcome}",request_type="${type}"}`,
        ),
      ),
    ),
  );
  return {
    count(model, mode, found) {
      const labels = `{mode="${mode === "stream" ? "streaming" : "non_streaming"}",model_name="${model}",outcome="${found ? "tool_call" : "no_tool_call"}",request_type="chat_completions"}`;
      counts.set(labels, (counts.get(labels) ?? 0) + 1);
    },
    text(hasParser) {
      const lines = models.flatMap((model) => [
        `vllm:num_requests_running{engine="0",model_name="${model}"} 0.0`,
        `vllm:num_requests_waiting{engine="0",model_name="${model}"} 0.0`,
      ]);
      if (hasParser) {
        lines.push(`# HELP ${counter}_total ${help}`, `# TYPE ${counter}_total counter`);
        for (const labels of series) lines.push(`${counter}_total${labels} ${(counts.get(labels) ?? 0).toFixed(1)}`);
        lines.push(`# HELP ${counter}_created ${help}`, `# TYPE ${counter}_created gauge`);
        for (const labels of series) lines.push(`${counter}_created${labels} ${created}`);
      }
      return `${lines.join("\n")}\n`;
    },
  };
}
