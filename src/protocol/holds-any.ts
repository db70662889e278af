/**
 * True where one of the literals stands in the text. Asked before a pattern that matches nothing without one of them: a literal is
 * found ten times as fast.
 */
export function holdsAny(text: string, literals: readonly string[]): boolean {
  for (const literal of literals) if (text.includes(literal)) return true;
  return false;
}
