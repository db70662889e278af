import type { RunRecord, TargetRecord } from "../capture/run-record.ts";
import type { Diagnosis } from "../diagnose/diagnosis.ts";
import { wilson } from "../stats/proportions.ts";
import type { Cell, Rate, Summary } from "../stats/summary.ts";

/** Why a model is out, in the order in which it is looked at: what no prompt can mend comes first. */
export type Exclusion =
  | { readonly kind: "not_met"; readonly line: string }
  | { readonly kind: "tools_refused" }
  | { readonly kind: "tools_not_in_prompt" }
  | { readonly kind: "no_call_came"; readonly of: number; readonly diagnosis: Diagnosis | null }
  | { readonly kind: "context_too_small"; readonly tokens: number; readonly minimum: number }
  | { readonly kind: "context_cut"; readonly minimum: number }
  | { readonly kind: "context_refused"; readonly minimum: number }
  | { readonly kind: "not_measured"; readonly what: "tools" | "context" | "language" };

/** One model of a choice. `rank` from 1 among those that are not out. */
export interface Candidate {
  readonly target: string;
  readonly model: string;
  readonly rank: number | null;
  readonly exclusion: Exclusion | null;
  /** Calls that came through, over all languages. */
  readonly calls: Rate | null;
  /** Tokens that the server shows. */
  readonly contextLength: number | null;
  /** Conversations in Japanese that came to what they should. */
  readonly japanese: Rate | null;
}

/** The order of a choice: tools, then context, then Japanese. */
export interface ModelChoice {
  readonly minContext: number | null;
  readonly candidates: readonly Candidate[];
}

/** Ranks the targets of a run of the suite choice; null where the run is none. Pure. */
export function chooseModel(record: RunRecord, summary: Summary): ModelChoice | null {
  const { choice } = record.plan;
  if (choice === undefined) return null;
  const names = [...new Set([...record.targets.map(({ name }) => name), ...record.unmet.map(({ target }) => target)])];
  const judged = names.map((name) => candidate(name, record, summary, choice.minContext));
  const fit = judged
    .filter(({ exclusion }) => exclusion === null)
    .sort(
      (one, other) =>
        share(other.japanese) - share(one.japanese) ||
        share(other.calls) - share(one.calls) ||
        (other.contextLength ?? 0) - (one.contextLength ?? 0),
    )
    .map((each, index) => ({ ...each, rank: index + 1 }));
  return {
    minContext: choice.minContext,
    candidates: [...fit, ...judged.filter(({ exclusion }) => exclusion !== null)],
  };
}

function share(rate: Rate | null): number {
  return rate?.rate ?? 0;
}

function candidate(name: string, record: RunRecord, summary: Summary, minContext: number | null): Candidate {
  const target = record.targets.find((each) => each.name === name);
  const cells = summary.cells.filter((cell) => cell.target === name);
  const base = {
    target: name,
    model: target?.model ?? "",
    rank: null,
    calls: null,
    contextLength: null,
    japanese: null,
  };
  if (target === undefined)
    return {
      ...base,
      exclusion: { kind: "not_met", line: record.unmet.find((each) => each.target === name)?.line ?? "" },
    };
  const spoken = cells.filter(({ suite }) => suite === "language");
  const japanese = spoken.filter(({ language }) => language === "ja");
  const calls = pooled(spoken, (cell) => cell.measured - (cell.faults?.call_not_made ?? 0) - lost(cell));
  return {
    ...base,
    calls,
    contextLength: target.facts.contextLength,
    japanese: pooled(japanese, ({ delivered }) => delivered),
    exclusion:
      withoutTools(
        target,
        cells,
        calls,
        summary.diagnoses.filter((each) => each.target === name),
      ) ??
      withoutContext(target, cells, minContext) ??
      (japanese.every(({ measured }) => measured === 0) ? { kind: "not_measured", what: "language" } : null),
  };
}

/** Conversations that failed without a fault of their own: their call was lost on the way. */
function lost(cell: Cell): number {
  const named = Object.values(cell.faults ?? {}).reduce((sum, count) => sum + count, 0);
  return Math.max(0, cell.measured - cell.delivered - cell.undecidable - named);
}

function pooled(cells: readonly Cell[], count: (cell: Cell) => number): Rate | null {
  const of = cells.reduce((sum, { measured }) => sum + measured, 0);
  return of === 0
    ? null
    : wilson(
        Math.max(
          0,
          cells.reduce((sum, cell) => sum + count(cell), 0),
        ),
        of,
      );
}

const callFaults: ReadonlySet<string> = new Set([
  "parser_mismatch",
  "parser_missing",
  "server_fails_on_output",
  "format_drift",
]);

function withoutTools(
  { facts }: TargetRecord,
  cells: readonly Cell[],
  calls: Rate | null,
  diagnoses: readonly Diagnosis[],
): Exclusion | null {
  const tools = cells.filter(({ suite, arm }) => suite === "capability" && arm === "v1-tools");
  if (tools.some(({ counts }) => (counts.config_error ?? 0) > 0)) return { kind: "tools_refused" };
  if (facts.toolsInPrompt === "missing") return { kind: "tools_not_in_prompt" };
  if (calls === null) return { kind: "not_measured", what: "tools" };
  return calls.count > 0
    ? null
    : { kind: "no_call_came", of: calls.of, diagnosis: diagnoses.find(({ code }) => callFaults.has(code)) ?? null };
}

/** What the server shows is not what it does: a prompt of the wanted length was sent, too. */
function withoutContext({ facts }: TargetRecord, cells: readonly Cell[], minContext: number | null): Exclusion | null {
  if (minContext === null) return null;
  if (facts.contextLength !== null && facts.contextLength < minContext)
    return { kind: "context_too_small", tokens: facts.contextLength, minimum: minContext };
  const tried = cells.filter(({ suite }) => suite === "context");
  const any = (code: "context_cut_silently" | "context_refused_early"): boolean =>
    tried.some(({ faults }) => (faults?.[code] ?? 0) > 0);
  if (any("context_cut_silently")) return { kind: "context_cut", minimum: minContext };
  if (any("context_refused_early") || tried.some(({ facts: seen }) => (seen?.["refused"] ?? 0) > 0))
    return { kind: "context_refused", minimum: minContext };
  return tried.every(({ measured }) => measured === 0) ? { kind: "not_measured", what: "context" } : null;
}
