import type { ShellWord } from "./read-command.ts";

/** A word that bash, dash, zsh and fish all take as it stands. */
const plain = /^[A-Za-z0-9_./,:@+-][A-Za-z0-9_./,:@+=-]*$/;

/**
 * The command as text for a shell, quoted anew from the checked words. What runs is thereby what was checked: a difference between
 * our reading of the user's text and a shell's reading of it cannot matter.
 */
export function renderCommand(words: readonly ShellWord[]): string {
  return words.map(renderWord).join(" ");
}

function renderWord(word: ShellWord): string {
  if (!word.home) return quote(word.text);
  // The tilde and its slash stay bare, or no shell replaces them.
  const rest = word.text.slice(2);
  return rest === "" ? word.text : `~/${quote(rest)}`;
}

function quote(text: string): string {
  return plain.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
