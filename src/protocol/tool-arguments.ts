import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { RE2JS } from "re2js";
import type { Tool } from "./chat.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "./json.ts";

/** What is wrong with one argument; `path` is a JSON pointer into the arguments, "" for the whole. */
export interface ArgumentProblem {
  readonly problem:
    | "not_an_object"
    | "missing_required"
    | "unknown_argument"
    | "wrong_type"
    | "not_in_enum"
    | "constraint"
    | "schema_unusable";
  readonly path: string;
  readonly message: string;
}

const circular = "its references lead in a circle";
const largestSchema = 256 * 1024;
const deepestSchema = 64;
const cachedValidators = 256;

type Validator =
  | { readonly kind: "ready"; readonly validate: ValidateFunction }
  | { readonly kind: "unusable"; readonly reason: string };

/** Compiled validators by schema text, oldest first. A fresh Ajv per schema: schemas of different tools may share `$id`s. */
const validators = new Map<string, Validator>();

/** A pattern in linear time; one that needs backtracking is not checked, because it could block the process for seconds. */
function linearPattern(source: string): { test(text: string): boolean } {
  try {
    const pattern = RE2JS.compile(source);
    return { test: (text) => pattern.matcher(text).find() };
  } catch {
    return { test: () => true };
  }
}

function depthOf(value: JsonValue | undefined, limit: number): number {
  if (limit === 0 || typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const item of Object.values(value)) deepest = Math.max(deepest, depthOf(item as JsonValue, limit - 1));
  return deepest + 1;
}

function compile(schema: JsonObject, text: string): Validator {
  if (text.length > largestSchema) return { kind: "unusable", reason: `schema of ${text.length} characters` };
  if (depthOf(schema, deepestSchema + 1) > deepestSchema)
    return { kind: "unusable", reason: `schema nested deeper than ${deepestSchema}` };
  try {
    const regExp = Object.assign((source: string) => linearPattern(source), { code: "linearPattern" });
    const { $schema: _dialect, ...body } = schema;
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false, code: { regExp } });
    return { kind: "ready", validate: ajv.compile(body) };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "unusable", reason: circular };
    return { kind: "unusable", reason: error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error) };
  }
}

function validatorFor(schema: JsonObject): Validator {
  const text = JSON.stringify(schema);
  const known = validators.get(text);
  if (known !== undefined) return known;
  const validator = compile(schema, text);
  if (validators.size >= cachedValidators) {
    const oldest = validators.keys().next();
    if (!oldest.done) validators.delete(oldest.value);
  }
  validators.set(text, validator);
  return validator;
}

function describe(error: ErrorObject): ArgumentProblem {
  const path = error.instancePath;
  const message = error.message ?? error.keyword;
  switch (error.keyword) {
    case "required":
      return { problem: "missing_required", path: `${path}/${String(error.params["missingProperty"])}`, message };
    case "additionalProperties":
    case "unevaluatedProperties":
      return {
        problem: "unknown_argument",
        path: `${path}/${String(error.params["additionalProperty"] ?? "")}`,
        message,
      };
    case "type":
      return { problem: "wrong_type", path, message };
    case "enum":
    case "const":
      return { problem: "not_in_enum", path, message };
    default:
      return { problem: "constraint", path, message };
  }
}

/**
 * Checks decoded arguments against the tool's schema (JSON Schema, draft-07 dialect) and returns every problem, none for
 * fitting ones. A schema that cannot be used is one `schema_unusable` problem: the arguments are then not checked.
 */
export function checkArguments(tool: Tool, value: JsonValue): readonly ArgumentProblem[] {
  if (!isJsonObject(value)) return [{ problem: "not_an_object", path: "", message: "arguments are no JSON object" }];
  const schema = tool.function.parameters;
  if (schema === undefined) return [];
  const validator = validatorFor(schema);
  if (validator.kind === "unusable") return [{ problem: "schema_unusable", path: "", message: validator.reason }];
  try {
    if (validator.validate(value)) return [];
  } catch {
    // References that lead in a circle compile, and overflow the stack on the first value that follows them.
    return [{ problem: "schema_unusable", path: "", message: circular }];
  }
  return (validator.validate.errors ?? []).map(describe);
}

/** Why a tool's schema, or a part of it, cannot be checked; null where all of it is. */
export function schemaProblem(tool: Tool): string | null {
  const schema = tool.function.parameters;
  if (schema === undefined) return null;
  const validator = validatorFor(schema);
  if (validator.kind === "unusable") return validator.reason;
  const unchecked = patternsOf(schema, deepestSchema).find((pattern) => !isLinear(pattern));
  if (unchecked !== undefined) return `the pattern ${JSON.stringify(unchecked.slice(0, 60))} needs backtracking`;
  const probe = checkArguments(tool, {});
  return probe.find((problem) => problem.problem === "schema_unusable")?.message ?? null;
}

function isLinear(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}

function patternsOf(value: JsonValue | undefined, depth: number): readonly string[] {
  if (depth === 0 || typeof value !== "object" || value === null) return [];
  const own = isJsonObject(value) && typeof value["pattern"] === "string" ? [value["pattern"]] : [];
  return [...own, ...Object.values(value).flatMap((item) => patternsOf(item as JsonValue, depth - 1))];
}

/** True where every problem leaves the arguments usable: a schema nobody can check is not the model's fault. */
export function argumentsFit(problems: readonly ArgumentProblem[]): boolean {
  return problems.every((problem) => problem.problem === "schema_unusable");
}

/** How many references and alternatives are followed on the way to a type: schemas may refer to themselves. */
const deepestReference = 8;

function schemaTypes(schema: JsonValue | undefined, root: JsonObject, depth = deepestReference): readonly string[] {
  if (!isJsonObject(schema) || depth === 0) return [];
  const { type, $ref: reference } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((item): item is string => typeof item === "string");
  if (typeof reference === "string") return schemaTypes(pointedAt(root, reference), root, depth - 1);
  for (const key of ["anyOf", "oneOf", "allOf"] as const) {
    const options = schema[key];
    if (Array.isArray(options)) return options.flatMap((option: JsonValue) => schemaTypes(option, root, depth - 1));
  }
  return [];
}

/** What a reference within the schema (`#/$defs/Name`) points at; undefined for any other. */
function pointedAt(root: JsonObject, reference: string): JsonValue | undefined {
  if (!reference.startsWith("#/")) return undefined;
  let at: JsonValue | undefined = root;
  for (const step of reference.slice(2).split("/")) {
    const key = step.replace(/~1/g, "/").replace(/~0/g, "~");
    at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** Properties that the tool's schema declares; empty where it declares none. */
export function declaredProperties(tool: Tool | undefined): JsonObject {
  const properties = tool?.function.parameters?.["properties"];
  return isJsonObject(properties) ? properties : {};
}

/** Types that the schema allows for a property, references within the schema followed; empty where it says nothing. */
export function propertyTypes(tool: Tool | undefined, property: string): readonly string[] {
  const properties = declaredProperties(tool);
  if (!Object.hasOwn(properties, property)) return [];
  return schemaTypes(properties[property], tool?.function.parameters ?? {});
}

/** Properties that a call must give. */
export function requiredProperties(tool: Tool): readonly string[] {
  const required = tool.function.parameters?.["required"];
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

/** A raw text as the first of the schema's types that it can be; the text itself where none fits. */
function typed(text: string, types: readonly string[]): JsonValue {
  if (types.length === 0 || types.includes("string")) {
    if (!(types.includes("null") && text.trim() === "null")) return text;
  }
  const trimmed = text.trim();
  for (const type of types) {
    switch (type) {
      case "integer":
        if (/^[+-]?\d+(?:\.0+)?$/.test(trimmed)) return Number(trimmed);
        break;
      case "number":
        if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed)) return Number(trimmed);
        break;
      case "boolean":
        if (/^true$/i.test(trimmed)) return true;
        if (/^false$/i.test(trimmed)) return false;
        break;
      case "null":
        if (/^(?:null|none)$/i.test(trimmed)) return null;
        break;
      case "array":
      case "object": {
        const value = parseJson(trimmed);
        if (type === "array" ? Array.isArray(value) : isJsonObject(value)) return value as JsonValue;
        break;
      }
    }
  }
  return text;
}

/**
 * Gives raw parameter texts (XML-like formats) the types of the tool's schema: "30" becomes 30 for an integer and stays
 * text for a string. Text that fits no declared type is left alone, so that the check names it.
 */
export function typeArguments(tool: Tool | undefined, value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === "string" ? typed(item, propertyTypes(tool, key)) : item,
    ]),
  );
}
