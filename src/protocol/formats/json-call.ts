import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../json.ts";
import type { ScannedCall } from "./format.ts";

/** Keys under which models write a tool's name, and its arguments. The first that is present counts. */
const nameKeys = ["name", "tool_name", "function", "tool"] as const;
const argumentKeys = ["arguments", "parameters", "args", "input"] as const;

/** Keys with which a JSON call may begin; any other first key rules a bare candidate out at once. */
export const firstCallKeys: ReadonlySet<string> = new Set([...nameKeys, ...argumentKeys, "type", "id", "tool_call_id"]);

/** A tool's name as models and servers write it: no blanks, no quotes. */
export const toolNamePattern = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/-]{0,127}$/u;

function callName(value: JsonObject): string | null {
  for (const key of nameKeys) {
    const candidate = value[key];
    if (typeof candidate === "string") return candidate;
    if (key === "function" && isJsonObject(candidate) && typeof candidate["name"] === "string")
      return candidate["name"];
  }
  return null;
}

/** A JSON Schema of an object under a parameters key: that is a tool's definition, not a call of it. */
function isSchema(value: JsonValue): boolean {
  return isJsonObject(value) && value["type"] === "object" && isJsonObject(value["properties"]);
}

/**
 * Reads a decoded JSON object as a call, or null where it has no name. `key` tells under which word the arguments stood;
 * it is null where there were none, which some models leave out for tools without parameters.
 */
export function readJsonCall(
  value: JsonValue,
): { call: ScannedCall; key: (typeof argumentKeys)[number] | null } | null {
  if (!isJsonObject(value)) return null;
  const name = callName(value);
  if (name === null || !toolNamePattern.test(name)) return null;
  const holder = isJsonObject(value["function"]) ? value["function"] : value;
  for (const key of argumentKeys) {
    const given = holder[key];
    if (given === undefined) continue;
    if (isSchema(given)) return null;
    // Inside OpenAI's `function` object arguments are JSON text by rule; anywhere else text is a fault and stays visible.
    const decoded = typeof given === "string" && holder !== value ? parseJson(given) : given;
    const argumentsValue = isJsonObject(decoded) ? decoded : given;
    return {
      call: {
        name,
        arguments: argumentsValue,
        argumentsText: typeof given === "string" ? given : JSON.stringify(given),
        untyped: false,
      },
      key,
    };
  }
  return { call: { name, arguments: {}, argumentsText: "", untyped: false }, key: null };
}

/** A key of calls in text that is JSON but for a fault: in either kind of quotes, or in none. */
function damagedKey(keys: readonly string[]): string {
  return `(?:"(?:${keys.join("|")})"|'(?:${keys.join("|")})'|(?<=[{,\\s])(?:${keys.join("|")}))\\s*[:：]\\s*`;
}
const damagedName = new RegExp(`${damagedKey(nameKeys)}(?:"([^"\\\\]{1,128})"|'([^'\\\\]{1,128})')`);
const damagedArguments = new RegExp(damagedKey(argumentKeys));
/** The name and the key of the arguments stand at the beginning; further in, the same words are data. */
const lookedAt = 4096;

/** The name in the beginning of a JSON call that does not parse (cut or damaged), if it can still be read. */
export function nameInDamagedJson(text: string): string | null {
  const match = damagedName.exec(text.slice(0, lookedAt));
  return match?.[1] ?? match?.[2] ?? null;
}

/** The arguments' text in a JSON call that does not parse: from the value of its arguments key on. */
export function argumentsInDamagedJson(text: string): string {
  const match = damagedArguments.exec(text.slice(0, lookedAt));
  return match === null ? "" : text.slice(match.index + match[0].length);
}
