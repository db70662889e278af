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
  for (const { script, from, logits } of ways.values()) {
    const [only] = logits.keys();
    const best = only === undefined ? 0 : logits.size > 1 ? 0 : scores.token(only, from) + scores.script(only, script);
    for (let to = 0; to < vocabulary.texts.length; to++) {
      const score = scores.token(to, from) + scores.script(to, script);
      const wanted = logits.get(to);
      const right = wanted === undefined ? score < best - margin : logits.size === 1 || Math.abs(score - wanted) < 1e-9;
      if (right) continue;
      const [state, next] = [vocabulary.texts[from] ?? "", vocabulary.texts[to] ?? ""];
      throw new ScriptedModelError(
        `script "${scripts[script]?.name ?? script}" is ambiguous after ${JSON.stringify(state)}: ${JSON.stringify(next)} is as likely as its own text`,
      );
    }
  }
}
