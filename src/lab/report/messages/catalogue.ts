import type { DiagnosisFacts } from "./diagnosis-facts.ts";
import { english } from "./english.ts";
import { japanese } from "./japanese.ts";
import type { Lang, Messages } from "./messages.ts";

const catalogue: Readonly<Record<Lang, Messages>> = { en: english, ja: japanese };

/** The texts of one language. */
export function messagesFor(lang: Lang): Messages {
  return catalogue[lang];
}

/** A diagnosis as one text: what happened, what mends it, what is only inferred. */
export function diagnosisSentence(facts: DiagnosisFacts, messages: Messages): string {
  const { happened, fix, caveat } = messages.diagnosisParts(facts);
  return [happened, fix, caveat].filter((part) => part !== null).join(messages.sentenceGlue);
}
