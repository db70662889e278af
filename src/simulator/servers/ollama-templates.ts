import type { PromptTemplate } from "../prompt.ts";

/** A model of an Ollama server as far as its routes show it. */
export interface OllamaTemplate {
  readonly prompt: PromptTemplate;
  /** What /api/show gives as `template`. */
  readonly template: string;
  /** Lines of the modelfile between FROM and PARAMETER. */
  readonly modelfile: string;
  readonly stops: readonly string[];
  readonly capabilities: readonly string[];
  /** The GGUF's own Jinja template, run by the llama-server behind Ollama. */
  readonly native: boolean;
}

const toolTurn = `{{- else if eq .Role "tool" }}<|im_start|>user
<tool_response>
{{ .Content }}
</tool_response><|im_end|>
{{ end }}`;

const turns = `{{- range $i, $_ := .Messages }}
{{- $last := eq (len (slice $.Messages $i)) 1 -}}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}<|im_end|>
{{ else if eq .Role "assistant" }}<|im_start|>assistant
{{ if .Content }}{{ .Content }}
{{- else if .ToolCalls }}<tool_call>
{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
{{ end }}</tool_call>
{{- end }}{{ if not $last }}<|im_end|>
{{ end }}
${toolTurn}
{{- if and (ne .Role "assistant") $last }}<|im_start|>assistant
{{ end }}
{{- end }}`;

function hermesTemplate(tool: string): string {
  return `{{- if or .System .Tools }}<|im_start|>system
{{- if .System }}
{{ .System }}
{{- end }}
{{- if .Tools }}

# Tools

You may call one or more functions to assist with the user query.
<tools>
{{- range .Tools }}
${tool}
{{- end }}
</tools>

For each function call, return a json object within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>
{{- end }}<|im_end|>
{{ end }}
${turns}`;
}

const exclusiveTemplate = `{{- if .Tools }}<|im_start|>system
Tools: {{ .Tools }}<|im_end|>
{{ else if .System }}<|im_start|>system
{{ .System }}<|im_end|>
{{ end }}
${turns}`;

const plainTemplate = `{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
`;

const jinjaTemplate = `{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}

{% endif %}# Tools

You may call functions.
<tools>{% for t in tools %}
{{ t | tojson }}{% endfor %}
</tools>

Return a call as
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
{% elif messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}{% for m in messages %}{% if m.role == 'user' or (m.role == 'assistant' and not m.tool_calls) %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% elif m.role == 'assistant' %}<|im_start|>assistant
{% if m.content %}{{ m.content }}
{% endif %}{% for c in m.tool_calls %}<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% elif m.role == 'tool' %}<|im_start|>user
<tool_response>
{{ m.content }}
</tool_response><|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

const chatStops = ["<|im_start|>", "<|im_end|>"];

function goTemplate(
  template: string,
  prompt: PromptTemplate,
  capabilities: readonly string[],
  parser = "",
): OllamaTemplate {
  const quoted = parser === "" ? `TEMPLATE """${template}"""\n` : `TEMPLATE """${template}"""\nPARSER ${parser}\n`;
  return { prompt, template, modelfile: quoted, stops: chatStops, capabilities, native: false };
}

function builtin(name: string, capabilities: readonly string[]): OllamaTemplate {
  return {
    prompt: { family: "qwen3_coder", callFormat: "qwen3_coder", json: "compact" },
    template: "{{ .Prompt }}",
    modelfile: `TEMPLATE {{ .Prompt }}\nRENDERER ${name}\nPARSER ${name}\n`,
    stops: [],
    capabilities,
    native: false,
  };
}

const hermesPrompt: PromptTemplate = { family: "hermes", callFormat: "hermes", json: "compact" };
const withTools = ["completion", "tools"];

/** By the names that a profile uses. */
export const ollamaTemplates: Readonly<Record<string, OllamaTemplate>> = {
  hermes: goTemplate(hermesTemplate("{{ . }}"), hermesPrompt, withTools),
  hermesfunction: goTemplate(
    hermesTemplate('{"type": "function", "function": {{ .Function }}}'),
    { ...hermesPrompt, family: "go_syntax" },
    withTools,
  ),
  exclusive: goTemplate(exclusiveTemplate, { ...hermesPrompt, family: "exclusive" }, withTools),
  noresults: goTemplate(
    hermesTemplate("{{ . }}").replace(toolTurn, ""),
    { ...hermesPrompt, showsResults: false },
    withTools,
  ),
  // Says that it takes tools, and has a branch for them in which nothing is written.
  lying: goTemplate(`{{- if .Tools }}{{ end }}${plainTemplate}`, { ...hermesPrompt, family: "plain" }, withTools),
  // A TEMPLATE of the user's own, made FROM a model that brings a built-in pair.
  overridden: {
    ...builtin("qwen3-coder", withTools),
    modelfile: `TEMPLATE """${hermesTemplate("{{ . }}")}"""\nRENDERER qwen3-coder\nPARSER qwen3-coder\n`,
  },
  notools: goTemplate(plainTemplate, { ...hermesPrompt, family: "plain" }, ["completion"]),
  parseronly: goTemplate(hermesTemplate("{{ . }}"), hermesPrompt, withTools, "qwen3-coder"),
  "qwen3-coder": builtin("qwen3-coder", withTools),
  "qwen3.5": builtin("qwen3.5", [...withTools, "thinking"]),
  native: {
    prompt: { ...hermesPrompt, json: "spaced" },
    template: jinjaTemplate,
    modelfile: "TEMPLATE {{ .Prompt }}\n",
    stops: [],
    capabilities: ["tools", "completion"],
    native: true,
  },
};
