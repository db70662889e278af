import { type JsonValue, parseJson } from "../json.ts";

/** How much a repair may change what was meant: nothing, something that was lost anyway, or the meaning. */
export type RepairSafety = "lossless" | "lossy" | "semantic";

/** One named repair of damaged JSON text; null where there is nothing of its kind to mend. */
interface TextRepair {
  readonly name: string;
  readonly safety: RepairSafety;
  apply(text: string): string | null;
}

/** Rewrites the parts of a JSON-like text outside its strings; the strings themselves stay as they are. */
function outsideStrings(text: string, rewrite: (part: string) => string): string {
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"|[^"]+/g, (part) => (part.startsWith('"') ? part : rewrite(part)));
}

function insideStrings(text: string, rewrite: (part: string) => string): string {
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, rewrite);
}

/** True where the text ends inside a string: nothing may be closed then, because the value's end is unknown. */
export function endsInsideString(text: string): boolean {
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString && character === "\\") index++;
    else if (character === '"') inString = !inString;
  }
  return inString;
}

function missingClosers(text: string): string | null {
  const closers: string[] = [];
  for (const part of text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, '""')) {
    if (part === "{") closers.push("}");
    else if (part === "[") closers.push("]");
    else if (part === "}" || part === "]") {
      if (closers.pop() !== part) return null;
    }
  }
  return closers.length === 1 ? (closers[0] ?? null) : null;
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f" };

/** Tried in this order, each on the result of those before it. None of them ever closes an open string. */
const textRepairs: readonly TextRepair[] = [
  {
    name: "raw_control_characters",
    safety: "lossless",
    apply: (text) =>
      insideStrings(text, (part) =>
        part.replace(
          /[\u0000-\u001f]/g,
          (character) => escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
        ),
      ),
  },
  {
    name: "invalid_escapes",
    safety: "lossless",
    apply: (text) =>
      insideStrings(text, (part) =>
        part.replace(/\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)/g, (match, valid) => (valid === undefined ? "\\\\" : match)),
      ),
  },
  {
    name: "trailing_comma",
    safety: "lossless",
    apply: (text) => outsideStrings(text, (part) => part.replace(/,(\s*[}\]])/g, "$1")),
  },
  {
    name: "python_literals",
    safety: "lossless",
    apply: (text) =>
      outsideStrings(text, (part) =>
        part.replace(/\b(?:True|False|None)\b/g, (word) =>
          word === "True" ? "true" : word === "False" ? "false" : "null",
        ),
      ),
  },
  {
    name: "missing_outer_brace",
    safety: "lossless",
    apply: (text) => {
      if (endsInsideString(text)) return null;
      const closer = missingClosers(text);
      return closer === null ? null : text + closer;
    },
  },
  {
    name: "extra_outer_brace",
    safety: "lossless",
    apply: (text) =>
      /[}\]]\s*[}\]]\s*$/.test(text) && missingClosers(text.replace(/[}\]]\s*$/, "")) === null
        ? text.replace(/[}\]]\s*$/, "")
        : null,
  },
];

/** A value read from damaged JSON with the names of the repairs that it took; null where they do not suffice. */
export function repairJson(text: string): { readonly value: JsonValue; readonly repairs: readonly string[] } | null {
  const strict = parseJson(text);
  if (strict !== undefined) return { value: strict, repairs: [] };
  let current = text.trim();
  const repairs: string[] = [];
  for (const repair of textRepairs) {
    const mended = repair.apply(current);
    if (mended === null || mended === current) continue;
    current = mended;
    repairs.push(repair.name);
    const value = parseJson(current);
    if (value !== undefined) return { value, repairs };
  }
  return null;
}
