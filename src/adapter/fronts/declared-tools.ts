import type { Tool } from "../../protocol/chat.ts";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../../protocol/json.ts";
import type { TraceEntry } from "../../protocol/trace.ts";
import type { DroppedText } from "../trace.ts";
import type { DeclaredTool } from "../turn.ts";

export interface ToolReading {
  readonly tools: readonly DeclaredTool[];
  readonly entries: readonly TraceEntry[];
}

/** Longest name that every server takes. */
const longestName = 64;

/**
 * Reads declared tools of either API: function, custom (freeform) and namespaces of them become function tools; tools that run on
 * the service's side are left out and noted, because no local server has them.
 */
export function declareTools(given: readonly JsonValue[], dropped: DroppedText[]): ToolReading {
  const tools: DeclaredTool[] = [];
  const entries: TraceEntry[] = [];
  const byName = new Map<string, DeclaredTool>();

  function add(tool: DeclaredTool): void {
    const before = byName.get(tool.name);
    if (before === undefined) {
      byName.set(tool.name, tool);
      tools.push(tool);
      return;
    }
    const same = canonicalJson(asJson(before.tool)) === canonicalJson(asJson(tool.tool));
    entries.push({
      stage: "front",
      decision: "tool_declared_twice",
      reason: same ? "both declarations say the same" : "the first declaration counts",
      before: tool.name,
    });
    if (!same) leave(asJson(tool.tool), `a tool named ${tool.name} is declared already`);
  }

  function leave(entry: JsonValue, reason: string): void {
    dropped.push({ stage: "front", reason, text: JSON.stringify(entry) });
  }

  function read(entry: JsonValue, namespace: string | null): void {
    if (!isJsonObject(entry)) {
      leave(entry, "no tool definition");
      return;
    }
    const { type } = entry;
    if (type === "namespace" && typeof entry["name"] === "string" && Array.isArray(entry["tools"])) {
      const { name, description } = entry;
      if (typeof description === "string" && description !== "")
        leave(description, `description of the namespace ${name}`);
      for (const inner of entry["tools"]) read(inner, name);
      return;
    }
    const body = type === "custom" && isJsonObject(entry["custom"]) ? entry["custom"] : entry["function"];
    const definition = isJsonObject(body) ? body : entry;
    const { name } = definition;
    if ((type === "function" || type === "custom") && typeof name === "string" && name !== "")
      add(type === "custom" ? customTool(definition, name, namespace) : functionTool(definition, name, namespace));
    else leave(entry, `a tool of type ${JSON.stringify(type ?? null)} runs on the service's side`);
  }

  for (const entry of given) read(entry, null);
  return { tools, entries };
}

function functionTool(definition: JsonObject, name: string, namespace: string | null): DeclaredTool {
  const chatName = chatNameOf(name, namespace);
  const { description, parameters, strict } = definition;
  return {
    name: chatName,
    kind: "function",
    namespace,
    clientName: name,
    tool: {
      type: "function",
      function: {
        name: chatName,
        ...(typeof description === "string" ? { description } : {}),
        parameters: isJsonObject(parameters) ? parameters : { type: "object", properties: {} },
        ...(strict === true ? { strict } : {}),
      },
    },
  };
}

/** A freeform tool as a function with one text; its grammar is told in words, because no chat API has a place for it. */
function customTool(definition: JsonObject, name: string, namespace: string | null): DeclaredTool {
  const chatName = chatNameOf(name, namespace);
  const format = isJsonObject(definition["format"]) ? definition["format"] : {};
  const grammar =
    typeof format["definition"] === "string"
      ? `\n\nThe input must follow this ${String(format["syntax"] ?? "")} grammar:\n${format["definition"]}`
      : "";
  const description = `${typeof definition["description"] === "string" ? definition["description"] : ""}${grammar}`;
  return {
    name: chatName,
    kind: "custom",
    namespace,
    clientName: name,
    tool: {
      type: "function",
      function: {
        name: chatName,
        description,
        parameters: {
          type: "object",
          properties: { input: { type: "string", description: "The tool's whole input, as plain text" } },
          required: ["input"],
          additionalProperties: false,
        },
      },
    },
  };
}

/** `namespace__name`, shortened in its namespace where servers would refuse the length. */
export function chatNameOf(name: string, namespace: string | null): string {
  if (namespace === null || namespace === "") return name;
  const joined = `${namespace}__${name}`;
  return joined.length <= longestName
    ? joined
    : `${namespace.slice(0, Math.max(1, longestName - name.length - 2))}__${name}`;
}

function asJson(tool: Tool): JsonObject {
  return tool as unknown as JsonObject;
}
