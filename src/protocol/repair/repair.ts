/**
 * How much a repair may change of what was meant. `lossless`: one reading only, nothing is given up. `lossy`: something that
 * was written is dropped or read as something else, and no other reading is left. `semantic`: a guess at what was meant; the
 * project makes none, so that no repair has this safety.
 */
export type RepairSafety = "lossless" | "lossy" | "semantic";

/** Every repair the project knows, with its safety. A repair is pure and named; nothing is mended without one of these names. */
export const repairSafety = {
  // Text that is nearly JSON.
  raw_control_characters: "lossless",
  invalid_escapes: "lossless",
  trailing_comma: "lossless",
  json_comments: "lossless",
  python_literals: "lossless",
  single_quotes: "lossless",
  unquoted_keys: "lossless",
  fullwidth_punctuation: "lossless",
  missing_outer_brace: "lossless",
  extra_outer_brace: "lossless",
  fence_word: "lossless",
  markup_behind: "lossless",
  text_behind: "lossy",
  unescaped_quotes: "lossy",
  // Arguments that are JSON and not what the schema wants.
  empty_arguments: "lossless",
  escaped_twice: "lossless",
  types_by_schema: "lossless",
  number_as_text: "lossy",
  null_dropped: "lossy",
  unwrapped_list: "lossless",
  single_parameter: "lossless",
  newlines_escaped_twice: "lossy",
  // Names and whole calls.
  namespace_in_name: "lossless",
  marker_in_name: "lossless",
  doubled_name: "lossless",
  merged_calls: "lossless",
  unclosed_call: "lossless",
  lost_delimiter: "lossy",
  duplicate_dropped: "lossy",
} as const satisfies Readonly<Record<string, RepairSafety>>;

export type RepairName = keyof typeof repairSafety;

/** A repair that was made, with the evidence: the words it changed and what they were read as, each shortened for people. */
export interface AppliedRepair {
  readonly name: RepairName;
  readonly safety: RepairSafety;
  readonly before: string;
  readonly after: string;
}

const longestEvidence = 60;

function shortened(text: string): string {
  return text.length <= longestEvidence ? text : `${text.slice(0, longestEvidence)}…`;
}

/** Notes a repair with its evidence. */
export function applied(name: RepairName, before: string, after: string): AppliedRepair {
  return { name, safety: repairSafety[name], before: shortened(before), after: shortened(after) };
}
