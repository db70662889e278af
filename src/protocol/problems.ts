/** Collects what was wrong with one body, each thing once and not without end: a hostile body must not fill the report. */
export interface ProblemList {
  add(problem: string): void;
  list(): readonly string[];
}

/** A list that keeps the first `limit` distinct problems and counts the rest. */
export function createProblemList(limit = 12): ProblemList {
  const kept = new Set<string>();
  let more = 0;
  return {
    add(problem) {
      if (kept.has(problem)) return;
      if (kept.size < limit) kept.add(problem);
      else more += 1;
    },
    list: () => (more === 0 ? [...kept] : [...kept, `${more} more problems of the same kinds`]),
  };
}

/** The start of a text as one quoted line, control characters escaped. */
export function excerpt(text: string, length = 80): string {
  return text.length <= length ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, length))}…`;
}
