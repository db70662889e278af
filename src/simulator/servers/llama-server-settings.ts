import { isJsonObject, type JsonObject, type JsonValue } from "../../protocol/json.ts";
import type { Question } from "../question.ts";
import type { LlamaTemplate } from "./llama-templates.ts";

const sampling: JsonObject = {
  dynatemp_range: 0,
  dynatemp_exponent: 1,
  top_k: 40,
  top_p: 0.949999988079071,
  min_p: 0.05000000074505806,
  top_n_sigma: -1,
  xtc_probability: 0,
  xtc_threshold: 0.10000000149011612,
  typical_p: 1,
  repeat_last_n: 64,
  repeat_penalty: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  dry_multiplier: 0,
  dry_base: 1.75,
  dry_allowed_length: 2,
  dry_penalty_last_n: 64,
};
const mirostat: JsonObject = {
  mirostat: 0,
  mirostat_tau: 5,
  mirostat_eta: 0.10000000149011612,
  adaptive_target: -1,
  adaptive_decay: 0.8999999761581421,
};
const samplers = ["penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature"];
const ending: JsonObject = {
  samplers,
  "speculative.types": "none",
  timings_per_token: false,
  post_sampling_probs: false,
  backend_sampling: false,
  lora: [],
};
const unseeded = 4_294_967_295;
const defaultTemperature = 0.800000011920929;

/** `default_generation_settings.params` of /props. */
export function defaultParameters(): JsonObject {
  return {
    seed: unseeded,
    temperature: defaultTemperature,
    ...sampling,
    ...mirostat,
    max_tokens: -1,
    n_predict: -1,
    n_keep: 0,
    n_discard: 0,
    ignore_eos: false,
    stream: false,
    n_probs: 0,
    min_keep: 0,
    chat_format: "Content-only",
    reasoning_format: "none",
    reasoning_in_content: false,
    generation_prompt: "",
    ...ending,
  };
}

/** `generation_settings` of one request, with the grammar that was at work. */
export function generationSettings(
  question: Question,
  fields: JsonObject,
  template: LlamaTemplate,
  limit: number,
): JsonObject {
  const grammar = grammarOf(question, template);
  const lazy = grammar !== "" && question.choice !== "required";
  return {
    seed: numberOr(fields["seed"], unseeded),
    temperature: numberOr(fields["temperature"], defaultTemperature),
    ...sampling,
    dry_sequence_breakers: ["\n", ":", '"', "*"],
    ...mirostat,
    stop: [],
    max_tokens: limit,
    n_predict: limit,
    n_keep: 0,
    n_discard: 0,
    ignore_eos: false,
    stream: question.stream,
    logit_bias: [],
    n_probs: 0,
    min_keep: 0,
    grammar,
    grammar_lazy: lazy,
    grammar_triggers: lazy && template.trigger !== null ? [{ type: 1, value: template.trigger }] : [],
    preserved_tokens: [],
    chat_format: "peg-native",
    reasoning_format: fields["reasoning_format"] === "none" ? "none" : "deepseek",
    reasoning_in_content: false,
    generation_prompt: "<|im_start|>assistant\n",
    ...ending,
  };
}

/** The outline of the grammar that llama-server builds from the tools: free text may come first even where a call is required. */
function grammarOf(question: Question, template: LlamaTemplate): string {
  if (question.tools.length === 0 || question.choice === "none" || !template.supportsTools) return "";
  const names = question.tools.map((tool) => `tool-${tool.function.name.replace(/[^a-zA-Z0-9]+/g, "-")}`);
  const root =
    question.choice === "required"
      ? 'root ::= "<|im_start|>assistant\\n" space until? tool-calls'
      : "root ::= tool-call | tool-calls";
  const opener = template.trigger === null ? "" : `${JSON.stringify(template.trigger)} `;
  const rules = question.tools.map((tool, index) => {
    const properties = tool.function.parameters?.["properties"];
    const keys = isJsonObject(properties) ? Object.keys(properties) : [];
    return `${names[index] ?? ""} ::= ${JSON.stringify(tool.function.name)} ${keys.map((key) => JSON.stringify(key)).join(" ")}`.trimEnd();
  });
  return `${root}\ntool-call ::= ${opener}space (${names.join(" | ")})\ntool-calls ::= (tool-call space)+\n${rules.join("\n")}\n`;
}

function numberOr(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
