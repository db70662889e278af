import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import type { z } from "zod";
import { suggestion } from "./nearest.ts";
import { keysAt } from "./schema-keys.ts";

/** A value read from YAML, or everything that is wrong with the text, one line each: `file:line:column: what`. */
export type YamlResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] };

// Commands that read no YAML, as an adapter that serves for days, need not hold the parser in memory.
const require = createRequire(import.meta.url);
let loaded: typeof Yaml | undefined;
function yaml(): typeof Yaml {
  loaded ??= require("yaml") as typeof Yaml;
  return loaded;
}

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;
interface Problem {
  readonly path: Path;
  readonly text: string;
  /** The problem sits on the key itself, not on its value. */
  readonly onKey: boolean;
}

/**
 * Reads one YAML document (JSON is YAML) and checks it against `schema`, then with `check`, whose problems begin with the path
 * of what they are about. Never throws on bad text. `file` is only shown.
 */
export function readYaml<T>(
  text: string,
  file: string,
  schema: z.ZodType<T>,
  check: (value: T) => readonly string[] = () => [],
): YamlResult<T> {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}: `;
  };
  // What follows the first mistake in the syntax is mostly its echo.
  const [syntax] = [...document.errors, ...document.warnings];
  if (syntax !== undefined) {
    const what =
      syntax.code === "MULTIPLE_DOCS" ? "holds more than one document; keep one, without lines of ---" : syntax.message;
    return { ok: false, problems: [`${at(syntax.pos[0])}${oneLine(what)}`] };
  }

  let data: unknown;
  try {
    data = document.toJS();
  } catch (error) {
    // An alias bomb: the library stops resolving it and throws.
    return { ok: false, problems: [`${at(0)}${oneLine(error instanceof Error ? error.message : String(error))}`] };
  }
  if (data === null || data === undefined) return { ok: false, problems: [`${at(0)}is empty`] };

  const result = schema.safeParse(data);
  if (result.success) {
    const problems = check(result.data).map(
      (problem) => `${at(offsetOf(document, pathIn(data, problem), false))}${problem}`,
    );
    return problems.length === 0 ? { ok: true, value: result.data } : { ok: false, problems };
  }
  const problems = explain(result.error.issues, data, schema).map((problem) => ({
    offset: offsetOf(document, problem.path, problem.onKey),
    text: problem.text,
  }));
  problems.sort((left, right) => left.offset - right.offset);
  return { ok: false, problems: [...new Set(problems.map(({ offset, text: what }) => `${at(offset)}${what}`))] };
}

/** One problem for each mistake of the writer: a misspelt key is not reported a second time as a missing one. */
function explain(issues: readonly Issue[], data: unknown, schema: z.core.$ZodType): readonly Problem[] {
  const flat = issues.flatMap((issue) => flatten(issue, []));
  const unknownKeys: Problem[] = [];
  const others: Problem[] = [];
  const mendedByRename = new Set<string>();
  for (const issue of flat) {
    if (issue.code !== "unrecognized_keys") continue;
    const owner = valueAt(data, issue.path);
    const present = typeof owner === "object" && owner !== null ? Object.keys(owner) : [];
    const known = keysAt(schema, issue.path).filter((key) => !present.includes(key));
    for (const key of issue.keys) {
      const hint = suggestion(key, known);
      const meant = /did you mean "(.*)"\?/.exec(hint)?.[1];
      if (meant !== undefined) mendedByRename.add(pathName([...issue.path, meant]));
      unknownKeys.push({ path: [...issue.path, key], text: `unknown key ${quote(key)}${hint}`, onKey: true });
    }
  }
  for (const issue of flat) {
    if (issue.code === "unrecognized_keys") continue;
    const missing = missingKey(data, issue.path);
    if (missing === null) {
      others.push({ path: issue.path, text: describe(issue, valueAt(data, issue.path)), onKey: false });
    } else if (!mendedByRename.has(pathName(missing))) {
      const where = missing.length > 1 ? ` in ${quote(pathName(missing.slice(0, -1)))}` : "";
      const text = `missing key ${quote(String(missing.at(-1)))}${where}`;
      others.push({ path: missing.slice(0, -1), text, onKey: true });
    }
  }
  return [...unknownKeys, ...others];
}

/** A failed union is told by the alternative that came nearest: the one with the fewest issues that are not about its whole. */
function flatten(issue: Issue, prefix: Path): readonly Issue[] {
  const path = [...prefix, ...issue.path];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [{ ...issue, path }];
  const wrongWhole = (issues: readonly Issue[]) =>
    issues.some((inner) => inner.path.length === 0 && inner.code === "invalid_type");
  const ranked = [...issue.errors].sort(
    (left, right) => Number(wrongWhole(left)) - Number(wrongWhole(right)) || left.length - right.length,
  );
  const best = ranked[0] ?? [];
  if (!wrongWhole(best)) return best.flatMap((inner) => flatten(inner, path));
  const expected = issue.errors.flatMap((issues) =>
    issues.flatMap((inner) =>
      inner.code === "invalid_type" && inner.path.length === 0 ? [typeName(inner.expected)] : [],
    ),
  );
  return [{ code: "custom", path, message: `must be ${[...new Set(expected)].join(" or ")}`, input: undefined }];
}

function describe(issue: Issue, value: unknown): string {
  const name = issue.path.length > 0 ? quote(pathName(issue.path)) : "the file";
  if (issue.code === "invalid_type") {
    // `user: {{nonce}}` is a mapping in YAML, and hardly what was meant.
    const hint =
      issue.expected === "string" && valueName(value) === "a mapping"
        ? '; a text that begins with "{" needs quotes'
        : "";
    return `${name} must be ${typeName(issue.expected)}, not ${valueName(value)}${hint}`;
  }
  if (issue.code === "invalid_value" || (issue.code === "invalid_union" && "options" in issue)) {
    const options = (issue.code === "invalid_value" ? issue.values : (issue["options"] as readonly unknown[])).map(
      String,
    );
    const hint = typeof value === "string" ? suggestion(value, options) : "";
    const known = hint.startsWith(" (did") ? ` (one of ${options.join(", ")})` : "";
    if (typeof value === "string") return `${name} cannot be ${quote(value)}${hint}${known}`;
    return `${name} must be one of ${options.join(", ")}, not ${valueName(value)}`;
  }
  if (issue.code === "custom") return `${name} ${issue.message}`;
  if (issue.code === "too_small" || issue.code === "too_big")
    return `${name} ${beyond(issue)}, not ${valueName(value)}`;
  return `${name}: ${oneLine(issue.message)}`;
}

function beyond(issue: Extract<Issue, { code: "too_small" | "too_big" }>): string {
  const small = issue.code === "too_small";
  const limit = String(small ? issue.minimum : issue.maximum);
  const inclusive = issue.inclusive !== false;
  switch (issue.origin) {
    case "string":
      return small && limit === "1"
        ? "must not be empty"
        : `must have ${small ? "at least" : "at most"} ${limit} characters`;
    case "array":
    case "set":
    case "map":
      return `must hold ${small ? "at least" : "at most"} ${limit}`;
    default:
      return `must be ${small ? (inclusive ? "at least" : "above") : inclusive ? "at most" : "below"} ${limit}`;
  }
}

/** The longest path that a text begins with, written as `a.b[0]`; keys may hold dots themselves. */
function pathIn(data: unknown, text: string): Path {
  if (typeof data !== "object" || data === null) return [];
  const keys: PropertyKey[] = Array.isArray(data) ? [...data.keys()] : Object.keys(data);
  const paths = keys.flatMap((key): readonly Path[] => {
    const written = typeof key === "number" ? `[${key}]` : String(key);
    if (!text.startsWith(written)) return [];
    const rest = text.slice(written.length);
    if (rest !== "" && !/^[.[:]/.test(rest)) return [];
    return [[key, ...pathIn(valueAt(data, [key]), rest.replace(/^\./, ""))]];
  });
  return paths.reduce<Path>((best, path) => (path.length > best.length ? path : best), []);
}

/** The path up to the first key that the data lacks, or null where the path leads to a value. */
function missingKey(data: unknown, path: Path): Path | null {
  let value = data;
  for (const [index, key] of path.entries()) {
    if (typeof value !== "object" || value === null) return null;
    if (!Object.hasOwn(value, key)) return path.slice(0, index + 1);
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return null;
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    data,
  );
}

/** Where in the text a path stands: its key or its value, or the nearest thing above that the text holds. */
function offsetOf(document: Yaml.Document, path: Path, onKey: boolean): number {
  const { isMap, isPair, isScalar } = yaml();
  for (let length = path.length; length > 0; length--) {
    const key = path[length - 1];
    const owner = document.getIn(path.slice(0, length - 1), true);
    if (isMap(owner)) {
      const pair = owner.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      const node = isPair(pair) ? (onKey || !hasPlace(pair.value) ? pair.key : pair.value) : undefined;
      if (hasPlace(node)) return node.range[0];
    }
    const node = document.getIn(path.slice(0, length), true);
    if (hasPlace(node)) return node.range[0];
  }
  return hasPlace(document.contents) ? document.contents.range[0] : 0;
}

function hasPlace(node: unknown): node is Yaml.Node & { readonly range: readonly [number, number, number] } {
  return yaml().isNode(node) && Array.isArray(node.range);
}

function pathName(path: Path): string {
  return path.reduce<string>(
    (name, key) => (typeof key === "number" ? `${name}[${key}]` : name === "" ? String(key) : `${name}.${String(key)}`),
    "",
  );
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping of keys to values",
  record: "a mapping of keys to values",
  null: "null",
};
function typeName(expected: string): string {
  return typeNames[expected] ?? expected;
}

function valueName(value: unknown): string {
  if (value === null || value === undefined) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value === "string") return `the text ${quote(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  return String(value);
}

/** Quoted with control characters escaped: keys and values may come from anywhere and are shown on a terminal. */
function quote(text: string): string {
  return JSON.stringify(text);
}

function oneLine(message: string): string {
  return message.replace(/\s*\n\s*/g, " ").trim();
}
