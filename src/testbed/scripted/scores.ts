import type { Automaton } from "./automaton.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** What the last token and the script each add to the logit of a next token. A scripted step sums up to its own logit. */
export interface Scores {
  /** What most last tokens say of a next one. */
  anyToken(to: number): number;
  /** What those say that say something else of it. */
  fromTokens(to: number): ReadonlyMap<number, number>;
  script(to: number, script: number): number;
}

/**
 * What counts against a next token: no script steps to it from here; this script never writes it (an end a little less, lest
 * a call that a grammar forced is followed by others).
 */
const unlikely = { step: -120, script: -40, end: -37 } as const;
/** What a step by the token alone outweighs: that its script does not favour the next token. */
const byToken = 40;
/** Where a grammar forbids the end of a script, a call is opened: likelier than all that is not scripted, at its last token only. */
const opening = { token: -16, script: -20 } as const;

/**
 * What is written where a grammar forbids every scripted way: values that end things soon, white space last. Without them
 * the sampler falls among equals and prints one byte for ever. By printed text.
 */
const preferences: ReadonlyMap<string, number> = new Map([
  ["\n</parameter>", 62],
  ["<|im_end|>", 60],
  // In an open string a quote ends it, where a brace would go on for ever.
  ['"', 56],
  ["}", 54],
  ["]", 52],
  ["0", 40],
  ["\u2581", -5],
  [" ", -5],
  ["\n", -6],
  ["\t", -6],
]);

/** The scores that make a model walk an automaton. */
export function scoresOf(
  automaton: Automaton,
  vocabulary: Vocabulary,
  { scripts, openers }: { readonly scripts: number; readonly openers: readonly number[] },
): Scores {
  const size = vocabulary.texts.length;
  const preferred = new Float64Array(size);
  for (const [text, preference] of preferences) {
    const token = vocabulary.find(text);
    if (token !== undefined) preferred[token] = preference;
  }
  /** By next token: the last tokens that say something of it. */
  const special = Array.from({ length: size }, () => new Map<number, number>());
  const byScript = Array.from({ length: scripts }, () => new Map<number, number>());
  const openings: { readonly opener: number; readonly from: number }[] = [];
  for (const { script, from, to, logit, carrier } of automaton.steps) {
    special[to]?.set(from, carrier === "token" ? byToken : 0);
    // A branch's first token is written nowhere else in its script, so its probability can stand with the script.
    if (carrier === "both") byScript[script]?.set(to, logit);
    // A script that ends inside a call of its own has no use for another.
    if (!vocabulary.ends.includes(to) || openers.some((opener) => automaton.writes(script, opener))) continue;
    for (const opener of openers) {
      openings.push({ opener, from });
      byScript[script]?.set(opener, opening.script);
    }
  }
  // What a script says itself counts before what a grammar may force.
  for (const { opener, from } of openings) {
    const row = special[opener];
    if (row !== undefined && !row.has(from)) row.set(from, opening.token);
  }
  const strange = (to: number): number => (vocabulary.ends.includes(to) ? unlikely.end : unlikely.script);
  const none: ReadonlyMap<number, number> = new Map();
  return {
    anyToken: (to) => unlikely.step + (preferred[to] ?? 0),
    fromTokens: (to) => special[to] ?? none,
    script: (to, script) => byScript[script]?.get(to) ?? strange(to),
  };
}
