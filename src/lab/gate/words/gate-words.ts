import type { SwapAspect, SwapCard, SwapLight, SwapReason } from "../swap-card.ts";
import type { Check, CheckPlace, GateNote, GateVerdict, VerdictKind } from "../verdict.ts";

/** Everything that gate and comparison say, in one language. */
export interface GateWords {
  readonly kinds: Readonly<Record<VerdictKind, string>>;
  readonly lights: Readonly<Record<SwapLight, string>>;
  readonly aspects: Readonly<Record<SwapAspect, string>>;
  readonly swapTitle: (card: Pick<SwapCard, "before" | "after">) => string;
  swapReason(reason: SwapReason): string;
  place(place: CheckPlace): string;
  check(check: Check): string;
  note(note: GateNote): string;
  /** The sentence of a pass, from the checks that were passed. */
  passed(checks: readonly Check[]): string;
  readonly more: (count: number) => string;
  readonly titles: Readonly<Record<GateTitle, string>>;
}

/** Headings and column titles. */
export type GateTitle =
  | "gate"
  | "comparison"
  | "baseline"
  | "run"
  | "checks"
  | "notes"
  | "proof"
  | "line"
  | "before"
  | "after"
  | "change"
  | "chance"
  | "leftOpen"
  | "detectable"
  | "scenarios"
  | "flows"
  | "cases"
  | "case"
  | "attempted"
  | "delivered"
  | "theseItems"
  | "requests"
  | "fingerprint"
  | "noFlow"
  | "nothingCompared"
  | "reason"
  | "howToRead"
  | "details";

/** The one sentence of a verdict: its gravest check, and how many more there are of that kind. */
export function verdictSentence({ kind, checks }: Pick<GateVerdict, "kind" | "checks">, words: GateWords): string {
  if (kind === "pass") return words.passed(checks);
  const [first, ...others] = checks.filter((check) => check.kind === kind);
  if (first === undefined) return words.kinds[kind];
  return `${words.check(first)}${others.length === 0 ? "" : words.more(others.length)}`;
}

/** A share in whole per cent; below one per cent it is not rounded away. */
export function percent(share: unknown): string {
  if (typeof share !== "number") return "?";
  const hundred = share * 100;
  return hundred > 0 && hundred < 1 ? `${hundred.toFixed(1)} %` : `${Math.round(hundred)} %`;
}

/** A difference of shares in whole points. */
export function points(share: unknown): string {
  return typeof share === "number" ? String(Math.round(share * 100)) : "?";
}

/** A chance for people: two digits, tiny ones as such. */
export function chance(value: unknown): string {
  if (typeof value !== "number") return "?";
  if (value < 1e-6) return "< 0.000001";
  return value < 0.001 ? value.toFixed(6) : value.toFixed(3);
}

/** `12/40` of two facts. */
export function fraction(facts: Check["facts"], count: string, of: string): string {
  return `${String(facts[count] ?? "?")}/${String(facts[of] ?? "?")}`;
}
