/** Somewhere text goes. Writing to a pipe that its reader has closed is silently nothing. */
export interface Output {
  write(text: string): void;
  readonly columns: number;
  /** The terminal itself, for things that redraw; null where the text goes to a file or a pipe. */
  readonly terminal: NodeJS.WriteStream | null;
}

/** Everything a command may know of the process it runs in; main.ts makes the real one, tests make their own. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  readonly clock: { now(): number; date(): Date };
  /** Eight hex digits that differ from call to call. */
  randomHex(): string;
  readonly labVersion: string;
  /** Folder of the package: shipped scenarios and profiles are below it. */
  readonly packageFolder: string;
  /** The command line as typed, without node and the program. */
  readonly argv: readonly string[];
}
