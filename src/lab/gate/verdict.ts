/** What a gate can say: closed, each with its exit code. */
export const exitCodeOf = { pass: 0, regression: 1, invalid: 3, inconclusive: 4 } as const;

/** A gate's word and one sentence a person can act on. */
export interface Verdict {
  readonly schemaVersion: 1;
  readonly kind: keyof typeof exitCodeOf;
  readonly sentence: string;
}
