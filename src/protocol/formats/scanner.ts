import { holdsAny } from "../holds-any.ts";
import type { CallReader, Meter, Piece, ReaderStep, ToolCallFormat } from "./format.ts";
import { indexOpeners, type Opener, type OwnedForm, type SentenceEnd } from "./opener-index.ts";
import { mayBecome } from "./text-cursor.ts";

/** Splits text into pieces. `push` may be called with any chunks: pieces come out the same but for where text is split. */
export interface Scanner {
  push(text: string): Piece[];
  /** Says that no more text follows; everything held back comes out. */
  end(): Piece[];
  /** Characters looked at so far. */
  steps(): number;
}

interface Candidate {
  readonly reader: CallReader;
  readonly owned: OwnedForm;
  decided: Exclude<ReaderStep, { kind: "more" }> | null;
}

const no = { kind: "no" } as const;

/**
 * A candidate of this length is read again only when a sixteenth of it has come anew, or the text has ended: putting every small
 * chunk of a stream behind a long candidate would copy the candidate each time.
 */
const longCandidate = 65_536;

/** A tool's name at the beginning of a call without markers. */
const name = /[A-Za-z_][\w.-]{0,63}/y;

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * One scanner for all formats, for streams and whole text alike. At each opener the readers of every form that owns it
 * read side by side; the body decides. Text leaves at once unless it may be the beginning of an opener.
 */
export function createScanner(formats: readonly ToolCallFormat[]): Scanner {
  const meter: Meter = { steps: 0 };
  const index = indexOpeners(formats);
  const hasWords = index.words.size + index.names.length > 0;
  /** Text not yet given out; `base` is the offset of its first character in the whole input. */
  let buffer = "";
  let base = 0;
  let cursor = 0;
  /** Text that came while a long candidate was being read. */
  let waiting: string[] = [];
  let waitingLength = 0;
  /** Where a sentence begins that has not been looked at yet, counted in the buffer; -1 for nowhere. */
  let sentenceAt = hasWords ? 0 : -1;
  /** What ended the text before it; white space behind a `spaced` end makes it free. */
  let sentenceEnd: SentenceEnd = "free";
  let candidates: Candidate[] | null = null;
  let ended = false;

  const drop = (upTo: number): void => {
    buffer = buffer.slice(upTo);
    base += upTo;
    cursor = 0;
    sentenceAt = sentenceAt < upTo ? -1 : sentenceAt - upTo;
  };
  const release = (pieces: Piece[], upTo: number): void => {
    if (upTo > 0) pieces.push({ kind: "text", start: base, end: base + upTo });
    drop(upTo);
  };

  /** Forms found at the place looked at, and whether more text has to tell of others. */
  let owners: OwnedForm[] = [];
  let hold = false;

  /** Adds the forms of an opener whose literal ends the search, unless they rule themselves out at a glance. */
  const consider = (opener: Opener, at: number, byName: boolean): void => {
    for (const owned of opener.forms) {
      if (owners.includes(owned) || (byName && sentenceEnd === "spaced" && owned.form.nameMayJoin !== true)) continue;
      const glance = owned.form.glance?.(buffer, at, meter) ?? "in";
      if (glance === "in") owners.push(owned);
      else if (glance === "more" && !ended) hold = true;
    }
  };

  /** Looks for the literals of openers at `literalAt`, for calls that begin at `at`. */
  const look = (openers: readonly Opener[], literalAt: number, at: number): void => {
    for (const opener of openers) {
      meter.steps++;
      if (buffer.startsWith(opener.literal, literalAt)) consider(opener, at, literalAt > at);
      else if (!ended && mayBecome(opener.literal, buffer, literalAt)) hold = true;
    }
  };

  /** Finds the forms that can begin at `at`; true where there are some, or where more text has to tell. */
  const opensAt = (at: number, atSentence: boolean): boolean => {
    owners = [];
    hold = false;
    const first = buffer.charCodeAt(at);
    const bySecond = index.anywhere.get(first);
    if (bySecond !== undefined) {
      if (at + 1 < buffer.length) {
        const openers = bySecond.get(buffer.charCodeAt(at + 1));
        if (openers !== undefined) look(openers, at, at);
        const any = bySecond.get(-1);
        if (any !== undefined) look(any, at, at);
      } else for (const openers of bySecond.values()) look(openers, at, at);
    }
    if (atSentence) {
      const words = index.words.get(first);
      if (words !== undefined) look(words, at, at);
      name.lastIndex = at;
      if (index.names.length > 0 && name.test(buffer)) {
        meter.steps += name.lastIndex - at;
        look(index.names, name.lastIndex, at);
      }
    }
    return hold || owners.length > 0;
  };

  /** The next place from the cursor at which a call may begin, or from which text has to be held back; -1 for none. */
  const findOpener = (): number => {
    for (let stop = -1; ; ) {
      if (stop < cursor) {
        index.stops.lastIndex = cursor;
        stop = index.stops.test(buffer) ? index.stops.lastIndex - 1 : buffer.length;
        meter.steps += stop - cursor + 1;
      }
      while (sentenceAt !== -1 && sentenceAt < stop && isBlank(buffer.charCodeAt(sentenceAt))) {
        if (sentenceEnd === "joined") sentenceAt = -1;
        else {
          sentenceAt++;
          sentenceEnd = "free";
        }
      }
      const atSentence = sentenceAt !== -1 && sentenceAt <= stop;
      const at = atSentence ? sentenceAt : stop;
      if (at === buffer.length) {
        cursor = at;
        return -1;
      }
      if (opensAt(at, atSentence)) return at;
      if (atSentence) sentenceAt = -1;
      if (at < stop) continue;
      const end = index.sentenceEnds.get(buffer.charCodeAt(at));
      if (end !== undefined) {
        sentenceAt = at + 1;
        sentenceEnd = end;
      }
      cursor = at + 1;
    }
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
        at = findOpener();
        if (at === -1 || hold) {
          release(pieces, at === -1 ? buffer.length : at);
          return pieces;
        }
        candidates = owners.map((owned) => ({ owned, reader: owned.form.openReader(meter), decided: null }));
      }
      const step = decide(candidates, at);
      if (step === null) {
        release(pieces, at);
        return pieces;
      }
      const owner = candidates.find((candidate) => candidate.decided === step)?.owned;
      candidates = null;
      if (step.kind === "no") {
        if (sentenceAt === at) sentenceAt = -1;
        cursor = at + 1;
        continue;
      }
      const end = at + step.end;
      if (step.kind === "text") {
        cursor = end;
      } else {
        release(pieces, at);
        const stretch = { format: owner?.format ?? "", bare: owner?.bare ?? false, start: base, end: base + step.end };
        const { calls } = step;
        if (step.kind === "call") pieces.push({ kind: "call", ...stretch, calls });
        else {
          const { reason, name: damaged, argumentsText } = step;
          pieces.push({ kind: "broken", ...stretch, reason, calls, name: damaged, argumentsText });
        }
        drop(step.end);
      }
      // Behind what was read, a sentence may begin.
      if (hasWords) sentenceAt = cursor;
      sentenceEnd = "free";
    }
  };

  const take = (): void => {
    buffer += waiting.join("");
    waiting = [];
    waitingLength = 0;
  };

  return {
    push(text) {
      waiting.push(text);
      waitingLength += text.length;
      if (candidates !== null && buffer.length > longCandidate && waitingLength < buffer.length / 16) return [];
      take();
      return drain();
    },
    end() {
      ended = true;
      take();
      const pieces = drain();
      release(pieces, buffer.length);
      return pieces;
    },
    // Not an accessor: an object literal with one has a hidden class of its own, which keeps what its closure holds until a full
    // collection. So have the other readers here.
    steps: () => meter.steps,
  };
}

/** Scans a whole text; neighbouring text pieces are joined. */
export function scanText(formats: readonly ToolCallFormat[], text: string): readonly Piece[] {
  // Most replies are prose: a call that is not begun need not be looked for place by place.
  if (text !== "" && !holdsAny(text, indexOpeners(formats).marks))
    return [{ kind: "text", start: 0, end: text.length }];
  const scanner = createScanner(formats);
  const pieces: Piece[] = [];
  for (const piece of [...scanner.push(text), ...scanner.end()]) {
    const last = pieces.at(-1);
    if (piece.kind === "text" && last?.kind === "text") pieces[pieces.length - 1] = { ...last, end: piece.end };
    else pieces.push(piece);
  }
  return pieces;
}
