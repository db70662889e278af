import type { PromptTemplate } from "../prompt.ts";

/** A llama-server template as /props shows it and as the simulator renders it. */
export interface LlamaTemplate {
  readonly prompt: PromptTemplate;
  readonly jinja: string;
  readonly supportsTools: boolean;
  /** What starts the lazy grammar; null where nothing does. */
  readonly trigger: string | null;
}

const tools =
  "{%- if tools %}{{- '<|im_start|>system\\nTools:\\n' }}{%- for t in tools %}{{- t | tojson }}{{- '\\n' }}{%- endfor %}{{- '<|im_end|>\\n' }}{%- endif %}";
const thinking =
  "{%- if m.reasoning_content %}{{- '<think>\\n' + m.reasoning_content + '\\n</think>\\n\\n' }}{%- endif %}";
const hermesCalls =
  "{%- for c in m.tool_calls %}{{- '<tool_call>\\n' }}{\"name\": \"{{ c.function.name }}\", \"arguments\": {{ c.function.arguments | tojson }}}{{- '\\n</tool_call>' }}{%- if not loop.last %}{{- '\\n' }}{%- endif %}{%- endfor %}";
const qwen3CoderCalls =
  "{%- for c in m.tool_calls %}{{- '<tool_call>\\n<function=' + c.function.name + '>\\n' }}{%- for k, v in c.function.arguments | items %}{{- '<parameter=' + k + '>\\n' }}{{- v if v is string else v | tojson }}{{- '\\n</parameter>\\n' }}{%- endfor %}{{- '</function>\\n</tool_call>' }}{%- if not loop.last %}{{- '\\n' }}{%- endif %}{%- endfor %}";
const llama3Calls =
  '{%- set c = m.tool_calls[0] %}{"name": "{{ c.function.name }}", "parameters": {{ c.function.arguments | tojson }}}';
const mistralCalls =
  '{{- \'[TOOL_CALLS][\' }}{%- for c in m.tool_calls %}{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}, "id": "{{ c.id }}"}{%- if not loop.last %}{{- \', \' }}{%- endif %}{%- endfor %}{{- \']\' }}';

function jinja(calls: string | null, thinks = false): string {
  return [
    calls === null ? "" : tools,
    "{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' }}",
    thinks ? thinking : "",
    "{%- if m.content %}{{- m.content }}{%- endif %}",
    calls === null ? "" : `{%- if m.tool_calls %}{%- if m.content %}{{- '\\n' }}{%- endif %}${calls}{%- endif %}`,
    "{{- '<|im_end|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}",
  ].join("");
}

function template(callFormat: string, text: string, trigger: string | null): LlamaTemplate {
  return { prompt: { family: "own_turn", callFormat, json: "spaced" }, jinja: text, supportsTools: true, trigger };
}

/** By the names that a profile uses. */
export const llamaTemplates: Readonly<Record<string, LlamaTemplate>> = {
  hermes: template("hermes", jinja(hermesCalls), "<tool_call>\n"),
  "hermes-think": template("hermes", jinja(hermesCalls, true), "<tool_call>\n"),
  qwen3coder: template("qwen3_coder", jinja(qwen3CoderCalls), "<tool_call>"),
  llama3: template("llama3_json", jinja(llama3Calls), null),
  mistral: template("mistral", jinja(mistralCalls), "[TOOL_CALLS]"),
  plain: {
    prompt: { family: "plain", callFormat: "hermes", json: "spaced" },
    jinja: jinja(null),
    supportsTools: false,
    trigger: null,
  },
};
