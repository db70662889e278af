import { distance } from "fastest-levenshtein";

/** The candidate nearest in spelling, or undefined where none is near enough to be a slip of the pen. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(name.length / 2.5));
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= limit && edits < candidate.length)
    .sort((left, right) => left.edits - right.edits);
  return ranked[0]?.candidate;
}

/** For the end of a line about an unknown name: ` (did you mean "x"?)`, or the names there are, or nothing. */
export function suggestion(name: string, candidates: readonly string[]): string {
  const near = nearest(name, candidates);
  if (near !== undefined) return ` (did you mean "${near}"?)`;
  if (candidates.length === 0) return "";
  const shown = candidates.slice(0, 12).join(", ");
  return ` (known: ${shown}${candidates.length > 12 ? ", …" : ""})`;
}
