import type { CaseComparison, LineComparison } from "../../gate/compare.ts";
import { fewScenarios } from "../../gate/compare.ts";
import type { SwapLight } from "../../gate/swap-card.ts";
import type { VerdictKind } from "../../gate/verdict.ts";
import { gateWordsEnglish } from "../../gate/words/english.ts";
import { chance, type GateWords, percent } from "../../gate/words/gate-words.ts";
import { gateWordsJapanese } from "../../gate/words/japanese.ts";
import type { Lang, Messages } from "../messages/messages.ts";

const catalogue: Readonly<Record<Lang, GateWords>> = { en: gateWordsEnglish, ja: gateWordsJapanese };

/** What gate and comparison say, in one language. */
export function gateWordsFor(lang: Lang): GateWords {
  return catalogue[lang];
}

/** One line of a comparison as cells of text, the same in every report. */
export interface LineRow {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly change: string;
  readonly chance: string;
  readonly open: string;
  readonly detectable: string;
  readonly scenarios: string;
}

/** The texts of a line. `several`: more than one target is shown, so each is named. */
export function lineRow(line: LineComparison, words: GateWords, several: boolean): LineRow {
  const { place, delivered, drop } = line;
  return {
    name: [
      ...(several ? [place.target] : []),
      place.suite,
      place.arm,
      ...(place.shape === "agent" ? ["agent"] : []),
      ...(place.route === "direct" ? [] : [place.route]),
    ].join(" / "),
    before: counted(delivered.before),
    after: counted(delivered.after),
    change: drop === null ? "-" : signed(-drop.estimate),
    chance: chance(line.adjustedChance),
    open: drop === null ? "-" : `-${Math.max(0, Math.round(line.notRuledOut * 100))}`,
    detectable: line.detectable === null ? "-" : `-${Math.round(line.detectable * 100)}`,
    scenarios:
      line.scenarios < fewScenarios ? `${line.scenarios} (${words.titles.theseItems})` : String(line.scenarios),
  };
}

/** A case that changed, as cells of text. */
export function caseRow(
  { place, before, after, fisher, fisherAdjusted }: CaseComparison,
  several: boolean,
  streamed: string,
) {
  return {
    name: [
      ...(several ? [place.target] : []),
      place.suite,
      place.scenario,
      place.arm,
      ...(place.stream ? [streamed] : []),
      ...(place.shape === "agent" ? ["agent"] : []),
    ].join(" / "),
    before: `${before.count}/${before.of}`,
    after: `${after.count}/${after.of}`,
    fisher: chance(fisher),
    adjusted: chance(fisherAdjusted),
  };
}

/** Net flows of a line as one text; null where nothing moved. */
export function flowText({ flows }: LineComparison, messages: Messages): string | null {
  if (flows.length === 0) return null;
  return flows
    .slice(0, 4)
    .map(({ from, to, share }) => `${messages.headlines[from]} → ${messages.headlines[to]} ${percent(share)}`)
    .join(", ");
}

/** True where a comparison is of more than one target. */
export function severalTargets(lines: readonly LineComparison[]): boolean {
  return new Set(lines.map(({ place }) => place.target)).size > 1;
}

/** How a verdict or a light is coloured. */
export type GateTone = "good" | "bad" | "open";

/** The colour of a verdict. */
export function verdictTone(kind: VerdictKind): GateTone {
  if (kind === "pass") return "good";
  return kind === "inconclusive" ? "open" : "bad";
}

/** The colour of a swap's light. */
export function lightTone(light: SwapLight): GateTone {
  if (light === "safe") return "good";
  return light === "not_safe" ? "bad" : "open";
}

function counted({ count, of }: { readonly count: number; readonly of: number }): string {
  return of === 0 ? "-" : `${count}/${of} ${percent(count / of)}`;
}

function signed(share: number): string {
  const points = Math.round(share * 100);
  return points > 0 ? `+${points}` : String(points);
}
