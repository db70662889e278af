import type { FindingKind } from "../classify/classification.ts";
import type { SampleRow } from "./sample-row.ts";
import type { SampleView, TextView } from "./sample-view.ts";

/** What a quoted reply shows. */
export type QuoteKind = "leaked" | "swallowed" | "provenance_claim" | "value_ahead" | "prose_command";

/** A short piece of one reply around its evidence; `before`, `marked` and `after` joined are text of the model, unescaped. */
export interface Quote {
  readonly kind: QuoteKind;
  readonly id: string;
  readonly before: string;
  readonly marked: string;
  readonly after: string;
  /** True where the reply goes on outside the quote, at its start and at its end. */
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/** How many replies of a kind are worth quoting for one target. */
const quoted: Readonly<Record<QuoteKind, number>> = {
  leaked: 1,
  swallowed: 1,
  provenance_claim: 2,
  value_ahead: 2,
  prose_command: 1,
};
export const quoteKinds = Object.keys(quoted) as readonly QuoteKind[];

const before = 60;
const after = 160;
const longestMark = 200;

/** Chooses quotable samples of one target while a run streams by. */
export interface QuotePicker {
  /** Kinds that this sample could still serve; empty where its texts need not be read. */
  wants(row: SampleRow): readonly QuoteKind[];
  take(kinds: readonly QuoteKind[], sample: SampleView): void;
  readonly quotes: readonly Quote[];
}

/** A picker for one target: the first samples of each kind, never one reply twice under one kind. */
export function createQuotePicker(): QuotePicker {
  const quotes: Quote[] = [];
  const left = (kind: QuoteKind) => quoted[kind] - quotes.filter((quote) => quote.kind === kind).length;
  return {
    wants: (row) => quoteKinds.filter((kind) => left(kind) > 0 && shows(row, kind)),
    take(kinds, sample) {
      for (const kind of kinds) {
        const quote = quoteOf(kind, sample);
        const told = quotes.some((earlier) => earlier.kind === kind && earlier.marked === quote?.marked);
        if (quote !== null && !told) quotes.push(quote);
      }
    },
    get quotes() {
      return [...quotes].sort((one, other) => quoteKinds.indexOf(one.kind) - quoteKinds.indexOf(other.kind));
    },
  };
}

function shows(row: SampleRow, kind: QuoteKind): boolean {
  if (kind === "leaked" || kind === "swallowed") return row.rated && row.axis === kind;
  return row.findings.includes(kind);
}

function quoteOf(kind: QuoteKind, sample: SampleView): Quote | null {
  const mark = kind === "leaked" || kind === "swallowed" ? "call" : (kind satisfies FindingKind);
  for (const reply of sample.replies) {
    for (const text of reply.texts) {
      const found = text.marks.find((candidate) => candidate.kind === mark);
      if (found !== undefined) return excerpt(kind, sample.row.id, text, found);
    }
  }
  return null;
}

function excerpt(kind: QuoteKind, id: string, { text }: TextView, mark: { start: number; end: number }): Quote {
  const start = wholeCharacter(text, Math.max(0, mark.start - before));
  const markEnd = wholeCharacter(text, Math.min(mark.end, mark.start + longestMark));
  const end = markEnd < mark.end ? markEnd : wholeCharacter(text, Math.min(text.length, markEnd + after));
  return {
    kind,
    id,
    before: text.slice(start, mark.start),
    marked: text.slice(mark.start, markEnd),
    after: text.slice(markEnd, end),
    cutBefore: start > 0,
    cutAfter: end < text.length,
  };
}

/** An offset that does not part a surrogate pair. */
function wholeCharacter(text: string, offset: number): number {
  const code = text.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff ? offset - 1 : offset;
}
