import type { Messages } from "./messages/messages.ts";
import type { CellView } from "./tally.ts";

/** What must be said beside delivered/measured: attempts where they differ, what was undecidable, what was not measured. */
export function tallyNotes(view: CellView & { readonly kind: "rated" | "unrated" }, messages: Messages): string[] {
  const { tally } = view;
  const notes: string[] = [];
  if (view.kind === "rated" && tally.attempted.count !== tally.delivered.count) {
    notes.push(messages.words.attemptedOf(tally.attempted.count, tally.attempted.of));
  }
  if (tally.undecidable > 0) notes.push(messages.words.undecidable(tally.undecidable));
  if (tally.measured < tally.planned)
    notes.push(messages.words.counted(tally.planned - tally.measured, messages.words.notMeasured));
  return notes;
}

/** The words for a cell that has no rate. */
export function plainView(view: Exclude<CellView, { readonly kind: "rated" }>, messages: Messages): string {
  switch (view.kind) {
    case "unrated":
      return messages.words.notRated;
    case "not_testable":
      return messages.words.notTestable;
    case "not_measured":
      return messages.words.notMeasured;
    case "not_asked":
      return messages.words.notAsked;
  }
  return view satisfies never;
}
