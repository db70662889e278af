import type { Automaton } from "./automaton.ts";
import type { Script } from "./cut-scripts.ts";
import type { Scores } from "./scores.ts";
import { ScriptedModelError } from "./scripted-model-error.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** How far every unscripted token must lie below the scripted ones, in nats: never drawn at any temperature in use. */
const margin = 15;

/**
 * Plays every step against the scores and throws {@link ScriptedModelError} where another token comes near: a model that
 * writes anything but its script would make a measurement of truth untrue.
 */
export function checkEmission(
  scripts: readonly Script[],
  automaton: Automaton,
  vocabulary: Vocabulary,
  scores: Scores,
): void {
  // Where one way leads on, only its lead over all others counts; branches must have their very logits.
  const ways = new Map<
    string,
    { readonly script: number; readonly from: number; readonly logits: Map<number, number> }
  >();
  for (const { script, from, to, logit } of automaton.steps) {
    const key = `${script} ${from}`;
    const way = ways.get(key) ?? { script, from, logits: new Map<number, number>() };
    way.logits.set(to, logit);
    ways.set(key, way);
  }
  const size = vocabulary.texts.length;
  const usual = Float64Array.from({ length: size }, (_, to) => scores.anyToken(to));
  const ownOf = scripts.map((_, script) => Float64Array.from({ length: size }, (_, to) => scores.script(to, script)));
  /** By last token: the next tokens of which it says something else. */
  const special = Array.from({ length: size }, () => [] as (readonly [to: number, score: number])[]);
  for (let to = 0; to < size; to++) {
    for (const [from, score] of scores.fromTokens(to)) special[from]?.push([to, score]);
  }
  const row = new Float64Array(size);
  for (const { script, from, logits } of ways.values()) {
    row.set(usual);
    for (const [to, score] of special[from] ?? []) row[to] = score;
    const own = ownOf[script] ?? usual;
    const score = (to: number): number => (row[to] ?? 0) + (own[to] ?? 0);
    const [only] = logits.keys();
    const best = only === undefined || logits.size > 1 ? 0 : score(only);
    for (let to = 0; to < size; to++) {
      if (score(to) < best - margin) continue;
      const wanted = logits.get(to);
      if (wanted !== undefined && (logits.size === 1 || Math.abs(score(to) - wanted) < 1e-9)) continue;
      const [state, next] = [vocabulary.texts[from] ?? "", vocabulary.texts[to] ?? ""];
      throw new ScriptedModelError(
        `script "${scripts[script]?.name ?? script}" is ambiguous after ${JSON.stringify(state)}: ${JSON.stringify(next)} is as likely as its own text`,
      );
    }
    for (const [to, wanted] of logits) {
      if (logits.size > 1 && Math.abs(score(to) - wanted) >= 1e-9)
        throw new ScriptedModelError(`script "${scripts[script]?.name ?? script}": a branch has not its probability`);
    }
  }
}
