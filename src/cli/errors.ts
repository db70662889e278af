/** What the program ends with; `lab gate` adds 4. `below`: a bar that was asked for is not reached; `found`: a fault. */
export const exitCodes = {
  ok: 0,
  below: 1,
  found: 1,
  misuse: 2,
  notMeasured: 3,
  internal: 70,
  interrupted: 130,
} as const;

/**
 * Something the user can mend: one line that says what, where and what to do. `problems` holds further lines of the same
 * kind (a file with several mistakes). Exit code 2 where no request was sent yet, 3 from the first request on.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly exitCode: 2 | 3;
  readonly problems: readonly string[];

  constructor(message: string, options: { exitCode?: 2 | 3; problems?: readonly string[]; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.exitCode = options.exitCode ?? exitCodes.misuse;
    this.problems = options.problems ?? [];
  }
}

/** The message of anything thrown, on one line. */
export function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*[\r\n]+\s*/g, " ").trim();
}
