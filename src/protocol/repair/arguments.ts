import type { Tool } from "../chat.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import {
  type ArgumentProblem,
  argumentsFit,
  checkArguments,
  declaredProperties,
  propertyTypes,
  requiredProperties,
  typeArguments,
} from "../tool-arguments.ts";
import { type JsonRepairOptions, repairJson } from "./json-text.ts";
import { type AppliedRepair, applied } from "./repair.ts";

/** Arguments held against a tool's schema. */
export type FittedArguments =
  | { readonly kind: "fits"; readonly value: JsonObject; readonly repairs: readonly AppliedRepair[] }
  /** No safe repair makes them fit. `value` is what could be read of them. */
  | { readonly kind: "unfit"; readonly value: JsonObject | null; readonly problems: readonly ArgumentFault[] }
  /** They could mean several things, none of which the text prefers. */
  | { readonly kind: "ambiguous" };

/** What was wrong with arguments before any repair. */
export type ArgumentFault = ArgumentProblem["problem"] | "not_json" | "escaped_twice";

export interface ArgumentOptions {
  /** Raw texts per parameter (XML-like formats): they take the schema's types, which is their grammar and no repair. */
  readonly untyped: boolean;
  /** The writer ended the text by itself. */
  readonly stopped: boolean;
  /** JSON text is the rule for these arguments (API calls); elsewhere text in place of an object is one escaping too many. */
  readonly jsonText: boolean;
}

/**
 * Reads the arguments of a call to a declared tool and, where they do not fit as they are, mends them by named repairs: text
 * that is JSON or nearly so, an object inside a string, "30" for an integer, one plain text for a tool with one parameter.
 */
export function fitArguments(tool: Tool, given: JsonValue, options: ArgumentOptions): FittedArguments {
  const repairs: AppliedRepair[] = [];
  const text: JsonRepairOptions = { stopped: options.stopped, behind: "text" };
  let value = given;
  // A served call gives its arguments as JSON text once; a second layer of text is one escaping too many.
  for (let layer = 0; typeof value === "string" && layer < 2; layer++) {
    const raw: string = value;
    if (raw.trim() === "") {
      repairs.push(applied("empty_arguments", raw, "{}"));
      value = {};
      break;
    }
    const read = repairJson(raw, text);
    if (read === null) return plainText(tool, raw, repairs);
    repairs.push(...read.repairs);
    if ((layer > 0 || !options.jsonText) && typeof read.value !== "string")
      repairs.push(applied("escaped_twice", raw, JSON.stringify(read.value)));
    value = read.value;
  }
  if (!isJsonObject(value)) return plainValue(tool, value, repairs);

  const typed = options.untyped ? typeArguments(tool, value) : value;
  const object = isJsonObject(typed) ? typed : value;
  const problems = checkArguments(tool, object);
  if (argumentsFit(problems)) {
    const unescaped = unescapeLineBreaks(tool, object);
    return unescaped === null
      ? { kind: "fits", value: object, repairs }
      : { kind: "fits", value: unescaped.value, repairs: [...repairs, ...unescaped.repairs] };
  }
  const coerced = coerce(tool, object);
  if (coerced !== null && argumentsFit(checkArguments(tool, coerced.value)))
    return { kind: "fits", value: coerced.value, repairs: [...repairs, ...coerced.repairs] };
  return { kind: "unfit", value: object, problems: problems.map((problem) => problem.problem) };
}

/** The one parameter that a plain text can be for; "several" where it might be for more than one, null where for none. */
function onlyParameter(tool: Tool): string | "several" | null {
  const required = requiredProperties(tool);
  const candidates = required.length > 0 ? required : Object.keys(declaredProperties(tool));
  const [first] = candidates;
  if (first === undefined) return null;
  if (candidates.length > 1) return "several";
  const types = propertyTypes(tool, first);
  return types.length === 0 || types.includes("string") ? first : null;
}

/** Text that is no JSON, in place of an object: the value of the only parameter, or of nobody knows which. */
function plainText(tool: Tool, text: string, repairs: readonly AppliedRepair[]): FittedArguments {
  // What begins as an object was meant as one; its text is not the value of a parameter.
  if (/^\s*(?:[{[]|<)/.test(text)) return { kind: "unfit", value: null, problems: ["not_json"] };
  return forOnlyParameter(tool, text.trim(), repairs) ?? { kind: "unfit", value: null, problems: ["not_json"] };
}

/** A JSON value that is no object: a text or number for the only parameter, a list around the object, a list by position. */
function plainValue(tool: Tool, value: JsonValue, repairs: readonly AppliedRepair[]): FittedArguments {
  const unfit: FittedArguments = { kind: "unfit", value: null, problems: ["not_an_object"] };
  if (Array.isArray(value)) {
    const [first] = value as readonly JsonValue[];
    if (value.length === 1 && isJsonObject(first) && argumentsFit(checkArguments(tool, first)))
      return { kind: "fits", value: first, repairs: [...repairs, applied("unwrapped_list", "[{…}]", "{…}")] };
    if (value.length === 1 && typeof first === "string") return forOnlyParameter(tool, first, repairs) ?? unfit;
    return value.length > 1 &&
      value.every((item: JsonValue) => !isJsonObject(item)) &&
      Object.keys(declaredProperties(tool)).length > 1
      ? { kind: "ambiguous" }
      : unfit;
  }
  return typeof value === "string" ? (forOnlyParameter(tool, value, repairs) ?? unfit) : unfit;
}

function forOnlyParameter(tool: Tool, text: string, repairs: readonly AppliedRepair[]): FittedArguments | null {
  const parameter = onlyParameter(tool);
  if (parameter === null) return null;
  if (parameter === "several") return { kind: "ambiguous" };
  const value = { [parameter]: text };
  return argumentsFit(checkArguments(tool, value))
    ? { kind: "fits", value, repairs: [...repairs, applied("single_parameter", text, `${parameter}: ${text}`)] }
    : null;
}

interface Coerced {
  readonly value: JsonObject;
  readonly repairs: readonly AppliedRepair[];
}

/** Values of the wrong type turned into the declared one where the two mean the same; null where nothing changed. */
function coerce(tool: Tool, value: JsonObject): Coerced | null {
  const required = new Set(requiredProperties(tool));
  const repairs: AppliedRepair[] = [];
  const typed = typeArguments(tool, value);
  const entries: [string, JsonValue][] = [];
  for (const [key, given] of Object.entries(value)) {
    const types = propertyTypes(tool, key);
    let item = isJsonObject(typed) ? (typed[key] ?? given) : given;
    if (typeof item === "string" && types.length > 0 && !types.includes("string")) {
      const inner = repairJson(item)?.value;
      if ((types.includes("object") && isJsonObject(inner)) || (types.includes("array") && Array.isArray(inner)))
        item = inner as JsonValue;
    }
    if (item !== given)
      repairs.push(applied("types_by_schema", `${key}: ${JSON.stringify(given)}`, JSON.stringify(item)));
    if (given === null && types.length > 0 && !types.includes("null") && !required.has(key)) {
      repairs.push(applied("null_dropped", `${key}: null`, ""));
      continue;
    }
    if ((typeof item === "number" || typeof item === "boolean") && types.length === 1 && types[0] === "string") {
      repairs.push(applied("number_as_text", `${key}: ${item}`, JSON.stringify(String(item))));
      item = String(item);
    }
    entries.push([key, item]);
  }
  return repairs.length === 0 ? null : { value: Object.fromEntries(entries), repairs };
}

/** Parameters that hold a program, by the names that tools give them. */
const programParameter = /^(?:code|script|source|source_code|program|python|python_code)$/i;

/**
 * A program on one line with `\n` between its statements instead of line breaks: outside every quoted string a backslash and
 * an n are no program text in any language, so the line breaks were escaped once too often. Null where nothing is of that kind.
 */
function unescapeLineBreaks(tool: Tool, value: JsonObject): Coerced | null {
  const repairs: AppliedRepair[] = [];
  const properties = declaredProperties(tool);
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => {
    if (
      typeof item !== "string" ||
      !Object.hasOwn(properties, key) ||
      !programParameter.test(key) ||
      item.includes("\n")
    )
      return [key, item];
    const mended = item.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\r\\n|\\n|\\t/g, (part) =>
      part === "\\n" || part === "\\r\\n" ? "\n" : part === "\\t" ? "\t" : part,
    );
    if (mended === item || !mended.includes("\n")) return [key, item];
    repairs.push(applied("newlines_escaped_twice", item, JSON.stringify(mended)));
    return [key, mended];
  });
  return repairs.length === 0 ? null : { value: Object.fromEntries(entries), repairs };
}
