/** A command line that a shell reads back as these words. */
export function shellCommand(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** The words as typed, with the values of headers and credentials in URLs left out: command lines end up in logs. */
export function withoutSecrets(words: readonly string[]): readonly string[] {
  let inHeaders = false;
  return words.map((word) => {
    const joined = /^--header=/.test(word);
    if (word.startsWith("--")) inHeaders = word === "--header";
    if (joined || (inHeaders && !word.startsWith("--"))) return word.replace(/:.*$/s, ": …");
    return word.replace(/:\/\/[^/@\s]*@/, "://…@");
  });
}
