import type { Tool } from "../../protocol/chat.ts";
import type { ToolCallFormat } from "../../protocol/formats/format.ts";
import { findFormat } from "../../protocol/formats/index.ts";
import { isJsonObject, type JsonObject, type JsonValue, spacedJson } from "../../protocol/json.ts";
import type { ToolPrompt } from "./tool-prompt.ts";

function toolJson(tool: Tool): string {
  return spacedJson(tool as unknown as JsonObject);
}

function rendererOf(name: string): ToolCallFormat["render"] {
  const format = findFormat(name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  return (calls) => format.render(calls);
}

/** Hermes 2/3 and Qwen2.5, Qwen3: `<tools>`, `<tool_call>`, `<tool_response>`. */
const hermes: ToolPrompt = {
  format: "hermes",
  describe: (tools) =>
    `# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
${tools.map(toolJson).join("\n")}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`,
  renderCalls: rendererOf("hermes"),
  renderResult: (_name, content) => `<tool_response>\n${content}\n</tool_response>`,
};

/** Qwen3-Coder: tools and calls as XML elements. */
const qwen3Coder: ToolPrompt = {
  format: "qwen3_coder",
  describe: (tools) =>
    `# Tools

You have access to the following functions:

<tools>
${tools.map(qwenFunction).join("\n")}
</tools>

If you choose to call a function ONLY reply in the following format with NO suffix:

<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
</tool_call>

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags
- Required parameters MUST be specified
- If there is no function call available, answer the question like normal with your current knowledge
</IMPORTANT>`,
  renderCalls: rendererOf("qwen3_coder"),
  renderResult: (_name, content) => `<tool_response>\n${content}\n</tool_response>`,
};

function qwenFunction({ function: { name, description, parameters } }: Tool): string {
  const properties = isJsonObject(parameters?.["properties"]) ? parameters["properties"] : {};
  const described = Object.entries(properties)
    .map(([key, value]) => qwenParameter(key, value))
    .join("\n");
  const required = Array.isArray(parameters?.["required"])
    ? `\n<required>${spacedJson(parameters["required"])}</required>`
    : "";
  return `<function>
<name>${name}</name>
<description>${description ?? ""}</description>
<parameters>
${described}${required}
</parameters>
</function>`;
}

function qwenParameter(key: string, value: JsonValue): string {
  const schema = isJsonObject(value) ? value : {};
  const { type, description, ...more } = schema;
  const words = typeof type === "string" ? type : type === undefined ? "any" : spacedJson(type);
  const rest = Object.entries(more).map(
    ([name, item]) => `<${name}>${typeof item === "string" ? item : spacedJson(item)}</${name}>`,
  );
  return [
    "<parameter>",
    `<name>${key}</name>`,
    `<type>${words}</type>`,
    ...(typeof description === "string" ? [`<description>${description}</description>`] : []),
    ...rest,
    "</parameter>",
  ].join("\n");
}

/** Llama 3.x: a JSON object with `name` and `parameters`. */
const llama3Json: ToolPrompt = {
  format: "llama3_json",
  describe: (tools) =>
    `You have access to the following functions. To call a function, please respond with JSON for a function call.
Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}. Do not use variables.
Where no function is needed, answer in plain text.

${tools.map(toolJson).join("\n\n")}`,
  renderCalls: rendererOf("llama3_json"),
  renderResult: (name, content) => `The function ${name} returned:\n${content}`,
};

/** Mistral: its brackets, as its templates write them. */
const mistral: ToolPrompt = {
  format: "mistral",
  describe: (tools) =>
    `[AVAILABLE_TOOLS] [${tools.map(toolJson).join(", ")}][/AVAILABLE_TOOLS]

To call tools, answer with [TOOL_CALLS] followed by a JSON list: [TOOL_CALLS] [{"name": <tool-name>, "arguments": <args-json-object>}]`,
  renderCalls: rendererOf("mistral"),
  renderResult: (name, content) => `[TOOL_RESULTS] ${spacedJson({ name, content })}[/TOOL_RESULTS]`,
};

/** The families that were trained on words of their own. */
export const familyPrompts: readonly ToolPrompt[] = [hermes, qwen3Coder, llama3Json, mistral];

/** Any other format: its own call as an example, and tools as JSON. */
export function promptByExample(format: ToolCallFormat): ToolPrompt {
  const example = [{ name: "example_function", arguments: { first_parameter: "value", second_parameter: 2 } }];
  return {
    format: format.name,
    describe: (tools) =>
      `# Tools

You may call these functions:
${tools.map(toolJson).join("\n")}

To call a function, write nothing but the call, exactly in this form:
${format.render(example)}`,
    renderCalls: (calls) => format.render(calls),
    renderResult: (name, content) => `Result of ${name}:\n${content}`,
  };
}
