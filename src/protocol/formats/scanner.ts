import type { CallReader, Meter, Piece, ReaderStep, ToolCallFormat } from "./format.ts";
import { mayBecome } from "./text-cursor.ts";

/** Splits text into pieces. `push` may be called with any chunks: pieces come out the same but for where text is split. */
export interface Scanner {
  push(text: string): Piece[];
  /** Says that no more text follows; everything held back comes out. */
  end(): Piece[];
  /** Characters looked at so far. */
  readonly steps: number;
}

interface Candidate {
  readonly reader: CallReader;
  readonly format: ToolCallFormat;
  decided: Exclude<ReaderStep, { kind: "more" }> | null;
}

function escapeClass(characters: Iterable<string>): string {
  return [...characters].map((character) => character.replace(/[\\\]^-]/g, "\\$&")).join("");
}

const no = { kind: "no" } as const;

interface Opener {
  readonly opener: string;
  readonly formats: readonly ToolCallFormat[];
}

interface OpenerIndex {
  readonly byFirstCharacter: ReadonlyMap<string, readonly Opener[]>;
  readonly firstCharacters: RegExp;
}

/** Made once for each registry: a scanner is opened for every text of every reply. */
const indexes = new WeakMap<readonly ToolCallFormat[], OpenerIndex>();

/** Openers by their first character, with the formats that own each, in the order of the registry. */
function indexOpeners(formats: readonly ToolCallFormat[]): OpenerIndex {
  const known = indexes.get(formats);
  if (known !== undefined) return known;
  const index = new Map<string, Opener[]>();
  for (const opener of new Set(formats.flatMap((format) => format.openers))) {
    const first = opener[0] ?? "";
    const owners = formats.filter((format) => format.openers.includes(opener));
    index.set(first, [...(index.get(first) ?? []), { opener, formats: owners }]);
  }
  const made = {
    byFirstCharacter: index,
    firstCharacters: new RegExp(`[${escapeClass(index.keys())}]`, "g"),
  };
  indexes.set(formats, made);
  return made;
}

/**
 * One scanner for all formats, for streams and whole text alike. At each opener the readers of every format that owns it
 * read side by side; the body decides. Text leaves at once unless it may be the beginning of an opener.
 */
export function createScanner(formats: readonly ToolCallFormat[]): Scanner {
  const meter: Meter = { steps: 0 };
  const { byFirstCharacter, firstCharacters } = indexOpeners(formats);
  /** Text not yet given out; `base` is the offset of its first character in the whole input. */
  let buffer = "";
  let base = 0;
  let cursor = 0;
  let candidates: Candidate[] | null = null;
  let ended = false;

  const release = (pieces: Piece[], upTo: number): void => {
    if (upTo > 0) pieces.push({ kind: "text", start: base, end: base + upTo });
    buffer = buffer.slice(upTo);
    base += upTo;
    cursor = 0;
  };

  /** Position of the next opener from the cursor, "hold" with the position from which text may yet become one, or none. */
  const findOpener = (): { at: number; hold: boolean; owners: ToolCallFormat[] } | null => {
    firstCharacters.lastIndex = cursor;
    for (let match = firstCharacters.exec(buffer); match !== null; match = firstCharacters.exec(buffer)) {
      const at = match.index;
      meter.steps += at - cursor + 1;
      cursor = at;
      const owners: ToolCallFormat[] = [];
      for (const { opener, formats: family } of byFirstCharacter.get(match[0]) ?? []) {
        if (buffer.startsWith(opener, at)) {
          for (const format of family) if (!owners.includes(format)) owners.push(format);
        } else if (!ended && mayBecome(opener, buffer, at)) return { at, hold: true, owners: [] };
      }
      if (owners.length > 0) return { at, hold: false, owners };
      cursor = at + 1;
    }
    meter.steps += buffer.length - cursor;
    cursor = buffer.length;
    return null;
  };

  /** What the readers say of the candidate that begins at `at`; null while one of them needs more. */
  const decide = (active: readonly Candidate[], at: number): Candidate["decided"] => {
    const view = at === 0 ? buffer : buffer.slice(at);
    for (const candidate of active) {
      if (candidate.decided !== null) continue;
      const step = candidate.reader.read(view, ended);
      if (step.kind === "more") {
        if (!ended) return null;
        candidate.decided = no;
      } else candidate.decided = step;
      // An earlier format's whole call wins; nothing later can change that.
      if (candidate.decided.kind === "call") return candidate.decided;
    }
    let best: Exclude<ReaderStep, { kind: "more" }> = no;
    for (const { decided } of active) {
      if (decided?.kind === "broken") return decided;
      if (decided?.kind === "text" && (best.kind !== "text" || decided.end > best.end)) best = decided;
    }
    return best;
  };

  const drain = (): Piece[] => {
    const pieces: Piece[] = [];
    for (;;) {
      let at = 0;
      if (candidates === null) {
        const found = findOpener();
        if (found === null || found.hold) {
          release(pieces, found?.at ?? buffer.length);
          return pieces;
        }
        at = found.at;
        candidates = found.owners.map((format) => ({ format, reader: format.openReader(meter), decided: null }));
      }
      const step = decide(candidates, at);
      if (step === null) {
        release(pieces, at);
        return pieces;
      }
      const owner = candidates.find((candidate) => candidate.decided === step)?.format.name ?? "";
      candidates = null;
      switch (step.kind) {
        case "no":
          cursor = at + 1;
          continue;
        case "text":
          cursor = at + step.end;
          continue;
        case "call":
          release(pieces, at);
          pieces.push({ kind: "call", format: owner, start: base, end: base + step.end, calls: step.calls });
          break;
        case "broken":
          release(pieces, at);
          pieces.push({
            kind: "broken",
            format: owner,
            start: base,
            end: base + step.end,
            reason: step.reason,
            calls: step.calls,
            name: step.name,
            argumentsText: step.argumentsText,
          });
          break;
        default:
          step satisfies never;
      }
      buffer = buffer.slice(step.end);
      base += step.end;
      cursor = 0;
    }
  };

  return {
    push(text) {
      buffer += text;
      return drain();
    },
    end() {
      ended = true;
      const pieces = drain();
      release(pieces, buffer.length);
      return pieces;
    },
    get steps() {
      return meter.steps;
    },
  };
}

/** Scans a whole text; neighbouring text pieces are joined. */
export function scanText(formats: readonly ToolCallFormat[], text: string): readonly Piece[] {
  const scanner = createScanner(formats);
  const pieces: Piece[] = [];
  for (const piece of [...scanner.push(text), ...scanner.end()]) {
    const last = pieces.at(-1);
    if (piece.kind === "text" && last?.kind === "text") pieces[pieces.length - 1] = { ...last, end: piece.end };
    else pieces.push(piece);
  }
  return pieces;
}
