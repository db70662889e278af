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

/** Text with quotations, code spans and fenced blocks blanked out (same length), so that quoted words claim nothing. */
export function withoutQuotations(text: string): string {
  const blank = (match: string): string => match.replace(/[^\n]/g, " ");
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/「[^」]*」|『[^』]*』|“[^”]*”/g, blank)
    .replace(/^>.*$/gm, blank);
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
