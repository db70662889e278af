import type { Tool } from "../protocol/chat.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../protocol/json.ts";

const deepest = 6;

/** The least arguments that a tool's schema allows: required properties only, strings filled with `text`. */
export function minimalArguments(tool: Tool, text: string): JsonObject {
  const schema = tool.function.parameters;
  const value = schema === undefined ? {} : minimalValue({ type: "object", ...schema }, text, schema, 0);
  return isJsonObject(value) ? value : {};
}

function minimalValue(schema: JsonValue | undefined, text: string, root: JsonObject, depth: number): JsonValue {
  if (!isJsonObject(schema) || depth > deepest) return text;
  if (schema["const"] !== undefined) return schema["const"];
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return schema["enum"][0] as JsonValue;
  if (schema["default"] !== undefined) return schema["default"];
  if (typeof schema["$ref"] === "string")
    return minimalValue(resolveReference(schema["$ref"], root), text, root, depth + 1);
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const choices = schema[key];
    if (Array.isArray(choices) && choices.length > 0)
      return minimalValue(choices[0] as JsonValue, text, root, depth + 1);
  }
  switch (typeOf(schema)) {
    case "object": {
      const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
      const required = Array.isArray(schema["required"])
        ? schema["required"].filter((key) => typeof key === "string")
        : [];
      return Object.fromEntries(required.map((key) => [key, minimalValue(properties[key], text, root, depth + 1)]));
    }
    case "array": {
      const least = typeof schema["minItems"] === "number" ? Math.min(schema["minItems"], 8) : 0;
      return Array.from({ length: least }, () => minimalValue(schema["items"], text, root, depth + 1));
    }
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return typeof schema["maxLength"] === "number" ? text.slice(0, schema["maxLength"]) : text;
  }
}

function typeOf(schema: JsonObject): string {
  const type = Array.isArray(schema["type"]) ? schema["type"].find((item) => item !== "null") : schema["type"];
  if (typeof type === "string") return type;
  return isJsonObject(schema["properties"]) ? "object" : "string";
}

function resolveReference(reference: string, root: JsonObject): JsonValue | undefined {
  if (!reference.startsWith("#/")) return undefined;
  let value: JsonValue | undefined = root;
  for (const part of reference.slice(2).split("/")) value = isJsonObject(value) ? value[part] : undefined;
  return value;
}
