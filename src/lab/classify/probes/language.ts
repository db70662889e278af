import type { ProbeFault, ProbeResult } from "../classification.ts";
import {
  blocked,
  excerpt,
  failed,
  fault,
  holds,
  isLost,
  type ProbeView,
  refusedFollowUp,
  resultOf,
  servedIn,
  textOf,
  tokenFacts,
  withoutCall,
} from "./probe-view.ts";
import { answerFaults } from "./tool-loop.ts";

/** The same task in another language: is it called for alike, answered in that language, with the persona kept? */
export function judgeLanguage(view: ProbeView): ProbeResult {
  const stopped = withoutCall(view);
  if (stopped !== null) return stopped;
  const { turns, probe } = view;
  const facts = tokenFacts(turns);
  const refused = refusedFollowUp(view);
  if (refused !== null) return failed([refused], facts);
  if (turns.slice(1).some(isLost)) return blocked(facts);
  const last = turns.at(-1);
  if (servedIn(last).length > 0) return failed([fault("call_loop", "model", `${turns.length} turns`)], facts);
  const text = textOf(last);
  const faults: ProbeFault[] = [...answerFaults(view, text)];
  // The sign is written as it is in every language.
  const language = languageOf(probe.sign === null ? text : text.replaceAll(probe.sign, " "));
  if (language !== null && language !== probe.language)
    faults.push(fault("language_left_for_other", "model", `${language}: ${excerpt(text)}`));
  if (probe.sign !== null && !holds(text, probe.sign)) faults.push(fault("persona_lost", "model", excerpt(text)));
  return resultOf(faults, facts);
}

/** The language of a text by its letters: kana are Japanese, Han without kana Chinese; null where there are too few to say. */
export function languageOf(text: string): "ja" | "en" | "zh" | null {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(/\p{Script=Han}/gu);
  // Codes, names of tools and units are Latin in every language.
  const latin = count(/\b[A-Za-z][a-z']+\b/g);
  if (kana >= 2) return "ja";
  if (han >= 4) return "zh";
  return latin >= 3 && han === 0 ? "en" : null;
}
