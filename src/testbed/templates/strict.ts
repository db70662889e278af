import { hermesTemplate, llama3Template, qwen3CoderTemplate } from "./jinja.ts";

/**
 * Refuses what any template of the families refuses: a system message that is not the first, two user or two assistant messages in a
 * row, a call without its result behind it, a result without its call, unknown roles.
 */
function strict(more: string): string {
  return `{%- set ns = namespace(previous="", open=0) %}
{%- for message in messages %}
    {%- if message.role == "system" %}
        {%- if not loop.first %}{{- raise_exception("the system message must come first") }}{%- endif %}
    {%- elif message.role == "user" %}
        {%- if ns.previous == "user" %}{{- raise_exception("user and assistant must alternate") }}{%- endif %}
        {%- if ns.open != 0 %}{{- raise_exception("a call has no result") }}{%- endif %}
    {%- elif message.role == "assistant" %}
        {%- if ns.previous == "assistant" %}{{- raise_exception("user and assistant must alternate") }}{%- endif %}
        {%- if ns.open != 0 %}{{- raise_exception("a call has no result") }}{%- endif %}
        {%- if message.tool_calls %}
            {%- set ns.open = message.tool_calls | length %}
            {%- for tool_call in message.tool_calls %}${more}{%- endfor %}
        {%- endif %}
    {%- elif message.role == "tool" %}
        {%- if ns.open == 0 %}{{- raise_exception("a result has no call") }}{%- endif %}
        {%- set ns.open = ns.open - 1 %}
    {%- else %}{{- raise_exception("unknown role " + message.role) }}
    {%- endif %}
    {%- set ns.previous = message.role %}
{%- endfor %}
{%- if ns.open != 0 %}{{- raise_exception("a call has no result") }}{%- endif %}
`;
}

const oneCall = `{%- if message.tool_calls | length != 1 %}{{- raise_exception("only one tool call at once") }}{%- endif %}`;
const shortIds = `{%- if tool_call.id | length != 9 %}{{- raise_exception("tool call ids must have nine letters and digits") }}{%- endif %}`;

/** Mistral: tools in front of the last user message, calls and results in brackets. */
const mistralTemplate = `{{- "<s>" }}
{%- for message in messages %}
    {%- if message.role == "user" or message.role == "system" %}
        {%- if loop.last and tools %}
            {{- "[AVAILABLE_TOOLS] " + (tools | tojson) + "[/AVAILABLE_TOOLS]" }}
        {%- endif %}
        {{- "[INST] " + message.content + "[/INST]" }}
    {%- elif message.role == "tool" %}
        {{- "[TOOL_RESULTS] " + message.content + "[/TOOL_RESULTS]" }}
    {%- elif message.tool_calls %}
        {{- message.content }}
        {%- for tool_call in message.tool_calls %}
            {{- "[TOOL_CALLS] [{\\"name\\": \\"" + tool_call.function.name + "\\", \\"arguments\\": " }}
            {{- tool_call.function.arguments | tojson }}
            {{- ", \\"id\\": \\"" + tool_call.id + "\\"}]</s>" }}
        {%- endfor %}
    {%- else %}
        {{- message.content + "</s>" }}
    {%- endif %}
{%- endfor %}
`;

/** Templates of four families that refuse what is out of order, each with its family's own further conditions. */
export const strictTemplates = {
  hermes: strict("") + hermesTemplate,
  "qwen3-coder": strict("") + qwen3CoderTemplate,
  llama3: strict(oneCall) + llama3Template,
  mistral: strict(shortIds) + mistralTemplate,
} as const;
