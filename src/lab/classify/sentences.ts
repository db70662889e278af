import { rememberLast } from "../../protocol/remember-last.ts";

/** A stretch of a text, with its words. */
export interface TextFinding {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Sentences with their offsets; line breaks and the sentence marks of Japanese, Chinese and English end one. */
export function sentences(text: string): readonly TextFinding[] {
  const found: TextFinding[] = [];
  // Closing marks and emoji behind the end still belong to the sentence that they close.
  const pattern = /[^。！？!?\n]*?(?:[。！？!?\n]+|\.(?=\s|$)|$)(?:[」』”）)♪〜~]|\p{Extended_Pictographic}\uFE0F?)*/gu;
  let from = 0;
  while (from < text.length) {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    const end = match === null || match[0].length === 0 ? text.length : from + match[0].length;
    const sentence = text.slice(from, end);
    const blanks = sentence.length - sentence.trimStart().length;
    if (blanks < sentence.length) found.push({ start: from + blanks, end, text: sentence.slice(blanks) });
    from = end;
  }
  return found;
}

const quotationOpener = /`{3}|[`「『“]/g;
const quotationClosers: Readonly<Record<string, string>> = { "```": "```", "`": "`", "「": "」", "『": "』", "“": "”" };

/**
 * Text with quotations, code spans and fenced blocks blanked out (same length), so that quoted words claim nothing. Looks at
 * each character a few times at most, whatever is left open.
 */
export function withoutQuotations(text: string): string {
  let visible = "";
  let from = 0;
  const unclosed = new Set<string>();
  quotationOpener.lastIndex = 0;
  for (let match = quotationOpener.exec(text); match !== null; match = quotationOpener.exec(text)) {
    const [opener] = match;
    const closer = quotationClosers[opener] ?? opener;
    const bodyStart = match.index + opener.length;
    const at = unclosed.has(closer) ? -1 : text.indexOf(closer, bodyStart);
    if (at === -1) unclosed.add(closer);
    // A fence without an end runs to the end of the text; a code span stays on its line.
    if (at === -1 && opener !== "```") continue;
    if (opener === "`" && text.slice(bodyStart, at).includes("\n")) continue;
    const end = at === -1 ? text.length : at + closer.length;
    visible += text.slice(from, match.index) + text.slice(match.index, end).replace(/[^\n]/g, " ");
    from = end;
    quotationOpener.lastIndex = end;
  }
  visible += text.slice(from);
  return visible.includes(">") ? visible.replace(/^>.*$/gm, (line) => " ".repeat(line.length)) : visible;
}

/** What a text says in its own words: its quotations are blanked, so that offsets are those of the text. */
export interface Speech {
  readonly visible: string;
  readonly sentences: readonly TextFinding[];
}

/** A text without its quotations, as a whole and by sentences. */
export const speechIn = rememberLast((text): Speech => {
  const visible = withoutQuotations(text);
  return { visible, sentences: sentences(visible) };
});

/**
 * The sentences in which one of some words stands, in order. `words` is a global pattern that needs nothing beyond the sentence:
 * the text is searched once, whatever the number of its sentences.
 */
export function* sentencesWith({ visible, sentences: all }: Speech, words: RegExp): Generator<TextFinding> {
  let index = 0;
  for (words.lastIndex = 0; words.test(visible); ) {
    while ((all[index]?.end ?? Number.POSITIVE_INFINITY) < words.lastIndex) index += 1;
    const sentence = all[index];
    if (sentence === undefined) return;
    words.lastIndex = sentence.end;
    yield sentence;
    words.lastIndex = sentence.end;
  }
}

/** The clause a match stands in: a plan in the neighbouring clause does not undo the claim. */
export function clauseAround(sentence: string, start: number, end: number): string {
  const separators = /[、，,；;]|(?:けど|が、|ので、|\bbut\b|\band\b)/gi;
  let from = 0;
  let to = sentence.length;
  for (const match of sentence.matchAll(separators)) {
    if (match.index + match[0].length <= start) from = match.index + match[0].length;
    else if (match.index >= end) {
      to = match.index;
      break;
    }
  }
  return sentence.slice(from, to);
}
