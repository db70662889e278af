/** Go templates, as Modelfiles have them: what Ollama shows the model, and where its generic parser finds the tag of calls. */

const head = `{{- if or .System .Tools }}<|im_start|>system
{{- if .System }}
{{ .System }}
{{- end }}
{{- if .Tools }}

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{{- range .Tools }}
{{ . }}
{{- end }}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>
{{- end }}<|im_end|>
{{ end }}`;

const turns = `
{{- range $i, $_ := .Messages }}
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
{{- else if eq .Role "tool" }}<|im_start|>user
<tool_response>
{{ .Content }}
</tool_response><|im_end|>
{{ end }}
{{- if and (ne .Role "assistant") $last }}<|im_start|>assistant
{{ end }}
{{- end }}`;

/** Hermes: tools in the system turn, calls as JSON in `<tool_call>`. */
export const hermesGoTemplate = head + turns;

/** The same with a branch for thinking, which makes Ollama set it apart. */
export const hermesThinkGoTemplate = hermesGoTemplate.replace(
  "{{ if .Content }}{{ .Content }}",
  `{{ if .Thinking }}<think>
{{ .Thinking }}
</think>
{{ end }}{{ if .Content }}{{ .Content }}`,
);

/** The same with the line that prints each tool in Go syntax: the model sees `<nil>` and `map[` where JSON should be. */
export const damagedToolsGoTemplate = hermesGoTemplate.replace(
  "{{ . }}\n{{- end }}\n</tools>",
  '{"type": "function", "function": {{ .Function }}}\n{{- end }}\n</tools>',
);

/** Tools or the system prompt, never both: with tools the persona is gone. */
export const exclusiveGoTemplate = hermesGoTemplate.replace(
  head,
  `{{- if .Tools }}<|im_start|>system
# Tools

<tools>
{{- range .Tools }}
{{ . }}
{{- end }}
</tools>
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
{{ else if .System }}<|im_start|>system
{{ .System }}<|im_end|>
{{ end }}`,
);

/** ChatML without a word of tools: Ollama refuses requests that have some. */
export const plainGoTemplate = `{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
`;
