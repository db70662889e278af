import picocolors from "picocolors";

/** Styles of a terminal; each returns its text unchanged where colour is not allowed. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** Styles that colour, or that do nothing. */
export function createColors(allowed: boolean): Colors {
  return picocolors.createColors(allowed);
}
