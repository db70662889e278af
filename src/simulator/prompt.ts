import { type ChatMessage, messageText, type Tool } from "../protocol/chat.ts";
import { findFormat } from "../protocol/formats/index.ts";
import { isJsonObject, type JsonObject, parseJson, spacedJson } from "../protocol/json.ts";

/**
 * How a chat template shows tools: in the manner of a family, in a system turn of their own (`own_turn`), instead of the
 * system text (`exclusive`), as Go's own print of a struct (`go_syntax`), or not at all (`plain`).
 */
export type TemplateFamily = "hermes" | "qwen3_coder" | "llama3" | "own_turn" | "exclusive" | "go_syntax" | "plain";

/** A chat template as the simulator needs it. `callFormat`: how calls of the history are written. */
export interface PromptTemplate {
  /** False for a template that has no place for messages of the role tool. */
  readonly showsResults?: boolean;
  readonly family: TemplateFamily;
  readonly callFormat: string;
  /** Tools printed by Python's json.dumps or by Go. */
  readonly json: "spaced" | "compact";
}

const assistantTurn = "<|im_start|>assistant\n";

/** The prompt as the model reads it: ChatML turns, with the tools where the template puts them. */
export function renderPrompt(
  messages: readonly ChatMessage[],
  tools: readonly Tool[],
  template: PromptTemplate,
): string {
  const system = messages
    .filter((message) => message.role === "system" || message.role === "developer")
    .map(messageText)
    .join("\n\n");
  const shown = template.family === "plain" ? [] : tools;
  const head = systemTurns(system, shown, template);
  const turns = messages.filter((message) => message.role !== "system" && message.role !== "developer");
  return `${head}${turns.map((message) => messageTurn(message, template)).join("")}${assistantTurn}`;
}

function systemTurns(system: string, tools: readonly Tool[], template: PromptTemplate): string {
  if (tools.length === 0) return system === "" ? "" : turn("system", system);
  if (template.family === "exclusive")
    return turn("system", `Tools: [${tools.map((tool) => toolJson(tool, template)).join(",")}]`);
  if (template.family === "own_turn") {
    const list = turn("system", `Tools:\n${tools.map((tool) => `${toolJson(tool, template)}\n`).join("")}`);
    return `${list}${system === "" ? "" : turn("system", system)}`;
  }
  const block = toolBlock(tools, template);
  return turn("system", system === "" ? block : `${system}\n\n${block}`);
}

function toolBlock(tools: readonly Tool[], template: PromptTemplate): string {
  if (template.family === "qwen3_coder") {
    return [
      "# Tools\n\nYou have access to the following functions:\n\n<tools>",
      ...tools.map(toolXml),
      "</tools>\n\nIf you choose to call a function ONLY reply in the following format with NO suffix:\n",
      "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n</function>\n</tool_call>",
    ].join("\n");
  }
  const list = tools
    .map((tool) => (template.family === "go_syntax" ? toolInGoSyntax(tool) : toolJson(tool, template)))
    .join("\n");
  if (template.family === "llama3") {
    return `Given the following functions, please respond with a JSON for a function call with its proper arguments.\n\nRespond in the format {"name": function name, "parameters": dictionary of argument name and its value}. Do not use variables.\n\n${list}`;
  }
  return `# Tools\n\nYou may call one or more functions to assist with the user query.\n<tools>\n${list}\n</tools>\n\nFor each function call, return a json object within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>`;
}

function toolJson(tool: Tool, template: PromptTemplate): string {
  const value = tool as unknown as JsonObject;
  return template.json === "spaced" ? spacedJson(value) : JSON.stringify(value);
}

/** `{{ .Function }}` in a Go template prints the struct, not JSON; the damage is the point. */
function toolInGoSyntax(tool: Tool): string {
  const { name, description = "", parameters = {} } = tool.function;
  const required = Array.isArray(parameters["required"]) ? parameters["required"].join(" ") : "";
  const properties = JSON.stringify(parameters["properties"] ?? {});
  return `{"type": "function", "function": {${name} ${description} {object <nil> <nil> [${required}] ${properties}}}}`;
}

function toolXml(tool: Tool): string {
  const { name, description = "", parameters = {} } = tool.function;
  const properties = isJsonObject(parameters["properties"]) ? parameters["properties"] : {};
  const list = Object.entries(properties).map(([key, schema]) => {
    const fields = isJsonObject(schema) ? schema : {};
    const type = typeof fields["type"] === "string" ? `\n<type>${fields["type"]}</type>` : "";
    const about =
      typeof fields["description"] === "string" ? `\n<description>${fields["description"]}</description>` : "";
    return `<parameter>\n<name>${key}</name>${type}${about}\n</parameter>\n`;
  });
  const required = Array.isArray(parameters["required"])
    ? `<required>${JSON.stringify(parameters["required"])}</required>\n`
    : "";
  return `<function>\n<name>${name}</name>\n<description>${description}</description>\n<parameters>\n${list.join("")}${required}</parameters>\n</function>`;
}

function messageTurn(message: ChatMessage, template: PromptTemplate): string {
  const text = messageText(message);
  if (message.role === "tool" && template.showsResults === false) return "";
  if (message.role === "tool") return turn("user", `<tool_response>\n${text}\n</tool_response>`);
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  if (message.role !== "assistant" || calls.length === 0) return turn(message.role, text);
  const written = findFormat(template.callFormat)?.render(
    calls.map((call) => ({
      name: String(call?.function?.name ?? ""),
      arguments: historyArguments(call?.function?.arguments),
    })),
  );
  return turn("assistant", [text, written ?? ""].filter((part) => part !== "").join("\n"));
}

/** Arguments of an earlier call: JSON text on /v1, an object on Ollama's own route. */
function historyArguments(value: unknown): JsonObject {
  const parsed = typeof value === "string" ? parseJson(value) : value;
  return isJsonObject(parsed) ? parsed : {};
}

function turn(role: string, text: string): string {
  return `<|im_start|>${role}\n${text}<|im_end|>\n`;
}
