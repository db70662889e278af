/**
 * Characters that act instead of being seen: controls, escapes, direction and zero-width marks, line separators, lone
 * surrogates, blank fillers. A terminal, and a reader, can be fooled with each of them.
 */
export const unseenCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]/gu;

/**
 * Text of a model or server made safe to print: what a terminal would obey is written out (`\x1b`, `\u202e`, `\n`), so
 * the result is one line. The only way such text may reach a terminal.
 */
export function visibleText(text: string): string {
  return text.replace(unseenCharacters, escapeCharacter);
}

/** A remedy on one line: lines of a file stand side by side there. */
export function oneLineOption(option: string): string {
  return visibleText(option.replaceAll("\n", ", "));
}

/** One unseen character written out. */
export function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
