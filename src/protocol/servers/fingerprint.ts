import { canonicalJson, type JsonValue } from "../json.ts";

/**
 * What a target was, in two parts: `identity` (model digest, chat-template hash, parsers as far as visible, context, sampling
 * defaults) decides whether two runs may be compared; `incidental` (build, version) is only named. A key that the server
 * does not show is absent, not null: "not visible" is not a value.
 */
export interface Fingerprint {
  readonly identity: Readonly<Record<string, JsonValue>>;
  readonly incidental: Readonly<Record<string, JsonValue>>;
}

/** Keys whose values differ, over the union of both sides' keys. */
export function fingerprintDifferences(
  left: Readonly<Record<string, JsonValue>>,
  right: Readonly<Record<string, JsonValue>>,
): readonly string[] {
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  return keys.filter((key) => canonicalJson(left[key]) !== canonicalJson(right[key]));
}
