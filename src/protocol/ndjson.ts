import { createLineSplitter, maxLineLength } from "./lines.ts";
import { createProblemList } from "./problems.ts";
import { createUtf8Decoder } from "./utf8.ts";

/** One line of an NDJSON stream; `terminated` is false where the stream ended without a line break behind it. */
export interface NdjsonLine {
  readonly data: string;
  readonly terminated: boolean;
}

/** Reads NDJSON lines from pieces of any size. Never throws; what could not be read is named in `problems`. */
export interface NdjsonDecoder {
  /** Lines that the piece completed; blank lines are left out. Text is taken as already decoded. */
  push(piece: Uint8Array | string): NdjsonLine[];
  /** The line that the stream left unfinished, if any. */
  end(): NdjsonLine[];
  problems(): readonly string[];
  /** What was dropped for its length: parts of the stream that nobody has read. */
  losses(): readonly string[];
}

/** A decoder for one stream. The lines are not parsed: a broken one is the reader's to judge. */
export function createNdjsonDecoder(options: { limit?: number } = {}): NdjsonDecoder {
  const limit = options.limit ?? maxLineLength;
  const problems = createProblemList();
  const losses = createProblemList();
  const text = createUtf8Decoder();
  const lines = createLineSplitter({ carriageReturn: false, limit });
  let atStart = true;

  function decode(piece: Uint8Array | string): string {
    const decoded = typeof piece === "string" ? piece : text.push(piece);
    if (!atStart || decoded === "") return decoded;
    atStart = false;
    return decoded.startsWith("\uFEFF") ? decoded.slice(1) : decoded;
  }

  function read(completed: readonly (string | null)[], terminated: boolean): NdjsonLine[] {
    const read: NdjsonLine[] = [];
    for (const line of completed) {
      if (line === null) losses.add(`a line is longer than ${limit} characters and was dropped`);
      else if (line.trim() !== "") read.push({ data: line.endsWith("\r") ? line.slice(0, -1) : line, terminated });
    }
    return read;
  }

  return {
    push: (piece) => read(lines.push(decode(piece)), true),
    end() {
      const completed = read(lines.push(text.end()), true);
      const rest = lines.end();
      if (rest !== undefined) completed.push(...read([rest], false));
      if (text.damaged()) problems.add("the body holds bytes that are not UTF-8; they are shown as U+FFFD");
      return completed;
    },
    problems: () => problems.list(),
    losses: () => losses.list(),
  };
}

/** A value as one line on the wire. */
export function encodeNdjsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
