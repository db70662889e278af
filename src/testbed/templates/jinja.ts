/** Chat templates in Jinja, as the model families have them: what a server reads to find the format of calls. */

const chatmlMessages = `
{%- for message in messages %}
    {%- if message.role == "system" and not loop.first %}
        {{- "<|im_start|>system\\n" + message.content + "<|im_end|>\\n" }}
    {%- elif message.role == "user" or (message.role == "assistant" and not message.tool_calls) %}
        {{- "<|im_start|>" + message.role + "\\n" + message.content + "<|im_end|>\\n" }}`;

const toolResults = `
    {%- elif message.role == "tool" %}
        {{- "<|im_start|>user\\n<tool_response>\\n" + message.content + "\\n</tool_response><|im_end|>\\n" }}
    {%- endif %}
{%- endfor %}`;

const generationPrompt = `
{%- if add_generation_prompt %}
    {{- "<|im_start|>assistant\\n" }}
{%- endif %}`;

/** ChatML with tools in a system turn and calls as JSON in `<tool_call>` (Qwen2.5, Hermes). */
export const hermesTemplate = `{%- if tools %}
    {{- "<|im_start|>system\\n" }}
    {%- if messages[0].role == "system" %}
        {{- messages[0].content + "\\n\\n" }}
    {%- endif %}
    {{- "# Tools\\n\\nYou may call one or more functions to assist with the user query.\\n\\nYou are provided with function signatures within <tools></tools> XML tags:\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools>\\n\\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\\n<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args-json-object>}\\n</tool_call><|im_end|>\\n" }}
{%- elif messages[0].role == "system" %}
    {{- "<|im_start|>system\\n" + messages[0].content + "<|im_end|>\\n" }}
{%- endif %}${chatmlMessages}
    {%- elif message.role == "assistant" %}
        {{- "<|im_start|>assistant" }}
        {%- if message.content %}
            {{- "\\n" + message.content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {{- "\\n<tool_call>\\n{\\"name\\": \\"" + tool_call.function.name + "\\", \\"arguments\\": " }}
            {{- tool_call.function.arguments | tojson }}
            {{- "}\\n</tool_call>" }}
        {%- endfor %}
        {{- "<|im_end|>\\n" }}${toolResults}${generationPrompt}
`;

/** The same with thinking set apart in `<think>` (Qwen3). */
export const hermesThinkTemplate = hermesTemplate.replace(
  `{{- "<|im_start|>assistant" }}
        {%- if message.content %}`,
  `{{- "<|im_start|>assistant" }}
        {%- if message.reasoning_content %}
            {{- "\\n<think>\\n" + message.reasoning_content + "\\n</think>\\n" }}
        {%- endif %}
        {%- if message.content %}`,
);

/** The same for a model that always thinks: the prompt opens the thinking, and a reply begins inside it. */
export const openThinkTemplate = hermesThinkTemplate.replace(
  `{{- "<|im_start|>assistant\\n" }}
{%- endif %}`,
  `{{- "<|im_start|>assistant\\n<think>\\n" }}
{%- endif %}`,
);

/** Mistral (Nemo): tools before the last question, calls as one JSON array behind `[TOOL_CALLS]`, each with an id of nine. */
export const mistralTemplate = `{%- if messages[0].role == "system" %}
    {%- set system_message = messages[0].content %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message.role == "user" %}
        {%- if tools and message == user_messages[-1] %}
            {{- "[AVAILABLE_TOOLS][" }}
            {%- for tool in tools %}
                {{- tool | tojson }}
                {%- if not loop.last %}{{- ", " }}{%- endif %}
            {%- endfor %}
            {{- "][/AVAILABLE_TOOLS]" }}
        {%- endif %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST]" + system_message + "\\n\\n" + message.content + "[/INST]" }}
        {%- else %}
            {{- "[INST]" + message.content + "[/INST]" }}
        {%- endif %}
    {%- elif message.tool_calls is defined and message.tool_calls %}
        {{- "[TOOL_CALLS][" }}
        {%- for tool_call in message.tool_calls %}
            {%- set out = tool_call.function | tojson %}
            {{- out[:-1] + ', "id": "' + tool_call.id + '"}' }}
            {%- if not loop.last %}{{- ", " }}{%- else %}{{- "]" + eos_token }}{%- endif %}
        {%- endfor %}
    {%- elif message.role == "assistant" %}
        {{- message.content + eos_token }}
    {%- elif message.role == "tool" %}
        {{- '[TOOL_RESULTS]{"content": ' + message.content | string + ', "call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' }}
    {%- endif %}
{%- endfor %}
`;

/** ChatML with calls as XML in `<tool_call>` (Qwen3-Coder). */
export const qwen3CoderTemplate = `{%- if messages[0].role == "system" %}
    {{- "<|im_start|>system\\n" + messages[0].content }}
{%- elif tools %}
    {{- "<|im_start|>system\\nYou are a helpful assistant." }}
{%- endif %}
{%- if tools %}
    {{- "\\n\\n# Tools\\n\\nYou have access to the following functions:\\n\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n<function>\\n<name>" + tool.function.name + "</name>" }}
        {%- if tool.function.description %}
            {{- "\\n<description>" + tool.function.description + "</description>" }}
        {%- endif %}
        {{- "\\n<parameters>" }}
        {%- for name, schema in tool.function.parameters.properties | items %}
            {{- "\\n<parameter>\\n<name>" + name + "</name>\\n<type>" + schema.type + "</type>\\n</parameter>" }}
        {%- endfor %}
        {{- "\\n</parameters>\\n</function>" }}
    {%- endfor %}
    {{- "\\n</tools>\\n\\nIf you choose to call a function ONLY reply in the following format with NO suffix:\\n\\n<tool_call>\\n<function=example_function_name>\\n<parameter=example_parameter_1>\\nvalue_1\\n</parameter>\\n</function>\\n</tool_call>" }}
{%- endif %}
{%- if messages[0].role == "system" or tools %}
    {{- "<|im_end|>\\n" }}
{%- endif %}${chatmlMessages}
    {%- elif message.role == "assistant" %}
        {{- "<|im_start|>assistant" }}
        {%- if message.content %}
            {{- "\\n" + message.content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {{- "\\n<tool_call>\\n<function=" + tool_call.function.name + ">\\n" }}
            {%- for name, value in tool_call.function.arguments | items %}
                {{- "<parameter=" + name + ">\\n" }}
                {{- value if value is string else value | tojson }}
                {{- "\\n</parameter>\\n" }}
            {%- endfor %}
            {{- "</function>\\n</tool_call>" }}
        {%- endfor %}
        {{- "<|im_end|>\\n" }}${toolResults}${generationPrompt}
`;

/** Llama 3.x: tools in the first user turn, calls as bare JSON with `parameters`, no tag that announces them. */
export const llama3Template = `{%- if messages[0].role == "system" %}
    {%- set system_message = messages[0].content %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if tools %}
    {{- "Environment: ipython\\n" }}
{%- endif %}
{{- system_message + "<|eot_id|>" }}
{%- if tools %}
    {%- set first_user_message = messages[0].content %}
    {%- set messages = messages[1:] %}
    {{- "<|start_header_id|>user<|end_header_id|>\\n\\nGiven the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.\\n\\nRespond in the format {\\"name\\": function name, \\"parameters\\": dictionary of argument name and its value}. Do not use variables.\\n\\n" }}
    {%- for tool in tools %}
        {{- tool | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
    {{- first_user_message + "<|eot_id|>" }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == "tool" %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" + message.content + "<|eot_id|>" }}
    {%- elif message.tool_calls %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- "<|start_header_id|>assistant<|end_header_id|>\\n\\n{\\"name\\": \\"" + tool_call.name + "\\", \\"parameters\\": " }}
        {{- tool_call.arguments | tojson }}
        {{- "}<|eot_id|>" }}
    {%- else %}
        {{- "<|start_header_id|>" + message.role + "<|end_header_id|>\\n\\n" + message.content + "<|eot_id|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- "<|start_header_id|>assistant<|end_header_id|>\\n\\n" }}
{%- endif %}
`;

/** ChatML that knows no tools. */
export const plainTemplate = `{%- for message in messages %}
    {{- "<|im_start|>" + message.role + "\\n" + message.content + "<|im_end|>\\n" }}
{%- endfor %}${generationPrompt}
`;
