import type { Tool } from "../chat.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../json.ts";
import { argumentsFit, checkArguments, typeArguments } from "../tool-arguments.ts";
import { repairJson } from "./json-text.ts";

/** Arguments brought into the tool's shape, with the names of the repairs; `value` null where that was not possible. */
export interface RepairedArguments {
  readonly value: JsonObject | null;
  readonly repairs: readonly string[];
}

/**
 * Reads and, where needed, repairs the arguments of a call to a declared tool: text that is JSON or nearly so, an object
 * written as a string inside a string, "1000" for an integer, a missing object for a tool that needs none.
 */
export function repairArguments(tool: Tool, given: JsonValue): RepairedArguments {
  const repairs: string[] = [];
  let value: JsonValue = given;
  for (let layer = 0; typeof value === "string" && layer < 2; layer++) {
    const text: string = value;
    if (text.trim() === "") {
      repairs.push("empty_arguments");
      value = {};
      break;
    }
    const read = repairJson(text);
    if (read === null) return { value: null, repairs };
    repairs.push(...read.repairs);
    if (layer > 0) repairs.push("escaped_twice");
    value = read.value;
  }
  if (!isJsonObject(value)) return { value: null, repairs };
  if (argumentsFit(checkArguments(tool, value))) return { value, repairs };

  const coerced = coerce(tool, value);
  if (coerced !== null && argumentsFit(checkArguments(tool, coerced)))
    return { value: coerced, repairs: [...repairs, "types_by_schema"] };
  return { value: null, repairs };
}

function propertyTypes(tool: Tool, key: string): readonly JsonValue[] {
  const properties = tool.function.parameters?.["properties"];
  const schema = isJsonObject(properties) ? properties[key] : undefined;
  const type = isJsonObject(schema) ? schema["type"] : undefined;
  return Array.isArray(type) ? type : type === undefined ? [] : [type];
}

/** Values of the wrong type turned into the declared one where the two mean the same; null where nothing changed. */
function coerce(tool: Tool, value: JsonObject): JsonObject | null {
  let changed = false;
  const typedTexts = typeArguments(tool, value);
  const entries = Object.entries(isJsonObject(typedTexts) ? typedTexts : value).map(([key, item]) => {
    const types = propertyTypes(tool, key);
    if (item !== value[key]) changed = true;
    if (typeof item === "string" && types.includes("object")) {
      const inner = parseJson(item);
      if (isJsonObject(inner)) {
        changed = true;
        return [key, inner] as const;
      }
    }
    if ((typeof item === "number" || typeof item === "boolean") && types.length === 1 && types[0] === "string") {
      changed = true;
      return [key, String(item)] as const;
    }
    return [key, item] as const;
  });
  return changed ? Object.fromEntries(entries) : null;
}
