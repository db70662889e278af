import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "./json.ts";
import type { ServerErrorBody } from "./reply.ts";

/** How deep a message may hold further JSON: Ollama passes on its runner's error body as text inside its own. */
const maxNesting = 3;

/**
 * Reads the error object of a body in any server's shape: nested `{error:{message}}`, flat `{object:"error"}`, `{error:"text"}`,
 * `{detail}`, `{message}`, `{errors:[…]}`, also as the first entry of a list. Null where the text is no such JSON. Never throws.
 */
export function readErrorBody(body: string): ServerErrorBody | null {
  const value = parseJson(body);
  const first = Array.isArray(value) ? value[0] : value;
  return isJsonObject(first) ? readErrorObject(first) : null;
}

/** Reads the error out of a parsed object; null where it holds none. An object with choices and no error is none. */
export function readErrorObject(object: JsonObject): ServerErrorBody | null {
  return readObject(object, 0);
}

function readObject(object: JsonObject, depth: number): ServerErrorBody | null {
  const { error } = object;
  if (isJsonObject(error)) return fromFields(error, depth);
  if (typeof error === "string")
    return unwrap({ message: error, type: text(object["type"]), code: code(object["code"]) }, depth);
  if (error === true || Array.isArray(error)) {
    return { message: text(object["message"]) ?? compact(object), type: null, code: code(object["code"]) };
  }
  if ("choices" in object || typeof object["done"] === "boolean") return null;
  if (object["object"] === "error" || typeof object["message"] === "string") return fromFields(object, depth);
  if (Array.isArray(object["errors"]) && isJsonObject(object["errors"][0]))
    return fromFields(object["errors"][0], depth);
  return fromDetail(object["detail"]);
}

function fromFields(fields: JsonObject, depth: number): ServerErrorBody {
  const message = text(fields["message"]) ?? text(fields["msg"]) ?? text(fields["error"]) ?? compact(fields);
  return unwrap({ message, type: text(fields["type"]), code: code(fields["code"]) }, depth);
}

/** FastAPI: a text, or a list of validation findings with a message and a place each. */
function fromDetail(detail: JsonValue | undefined): ServerErrorBody | null {
  if (typeof detail === "string") return { message: detail, type: null, code: null };
  if (isJsonObject(detail)) return fromFields(detail, 0);
  if (!Array.isArray(detail) || detail.length === 0) return null;
  const findings = detail.map((finding: JsonValue) => {
    if (!isJsonObject(finding)) return compact(finding);
    const place = Array.isArray(finding["loc"]) ? ` (${finding["loc"].join(".")})` : "";
    return `${text(finding["msg"]) ?? compact(finding)}${place}`;
  });
  return { message: findings.join("; "), type: null, code: null };
}

/** A message that is itself an error body as JSON text gives way to what stands inside; its outer type and code fill gaps. */
function unwrap(outer: ServerErrorBody, depth: number): ServerErrorBody {
  if (depth >= maxNesting || !outer.message.trimStart().startsWith("{")) return outer;
  const value = parseJson(outer.message);
  const inner = isJsonObject(value) ? readObject(value, depth + 1) : null;
  return inner === null
    ? outer
    : { message: inner.message, type: inner.type ?? outer.type, code: inner.code ?? outer.code };
}

function text(value: JsonValue | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function code(value: JsonValue | undefined): string | number | null {
  return typeof value === "string" || typeof value === "number" ? value : null;
}

function compact(value: JsonValue): string {
  try {
    return JSON.stringify(value).slice(0, 500);
  } catch {
    // JSON.parse accepts nesting that JSON.stringify cannot walk.
    return "an error object nested too deeply to show";
  }
}
