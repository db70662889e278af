/** The values that one trial puts in place of placeholders. */
export interface TrialValues {
  /** A made-up word that no other trial of the run has. */
  readonly nonce: string;
  /** A whole number with low <= n <= high; the same bounds give the same number within a trial. */
  number(low: number, high: number): number;
  /** Three letters and four digits, "KRT-4821"; the same name gives the same code within a trial. */
  code(name: string): string;
}

const placeholderPattern = /\{\{(?:nonce|filler|number:(\d{1,16})-(\d{1,16})|code:([a-z]{1,16}))\}\}/g;

/** What the values of `{{code:…}}` look like, for those who look for one that nobody gave. */
export const codeShape = /\b[A-Z]{3}-\d{4}\b/g;

/** The placeholders of a text, as written, in order, each once. Markers such as `{{PYTHON: …}}` are none. */
export function placeholders(text: string): readonly string[] {
  return [...new Set(text.match(placeholderPattern) ?? [])];
}

/** Puts the trial's values in place of `{{nonce}}`, `{{number:LOW-HIGH}}` and `{{code:NAME}}`; everything else stands as written. */
export function fillTemplate(text: string, values: TrialValues): string {
  return text.replace(
    placeholderPattern,
    (whole: string, low: string | undefined, high: string | undefined, name: string | undefined) => {
      if (whole === "{{filler}}") return whole;
      if (name !== undefined) return values.code(name);
      return low === undefined || high === undefined ? values.nonce : String(values.number(Number(low), Number(high)));
    },
  );
}

/** What is wrong with the placeholders of a text: bounds the wrong way round, or a name that is no placeholder. */
export function placeholderProblems(text: string): readonly string[] {
  const problems: string[] = [];
  for (const [whole, low, high] of text.matchAll(placeholderPattern)) {
    if (low !== undefined && high !== undefined && !boundsHold(low, high, Number.MAX_SAFE_INTEGER)) {
      problems.push(`has a placeholder whose bounds do not hold: ${whole} needs LOW < HIGH`);
    }
  }
  for (const [whole] of text.replace(placeholderPattern, "").matchAll(/\{\{\s*[a-z][^{}]*\}\}/g)) {
    problems.push(`has an unknown placeholder ${whole} (known: {{nonce}}, {{number:LOW-HIGH}}, {{code:NAME}})`);
  }
  return problems;
}

/** True for a text that is one `{{number:LOW-HIGH}}` and nothing else, with LOW < HIGH <= max. */
export function isNumberPlaceholder(text: string, max: number): boolean {
  const match = /^\{\{number:(\d{1,16})-(\d{1,16})\}\}$/.exec(text);
  return match?.[1] !== undefined && match[2] !== undefined && boundsHold(match[1], match[2], max);
}

function boundsHold(low: string, high: string, max: number): boolean {
  return Number(low) < Number(high) && Number(high) <= max;
}
