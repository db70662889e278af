import { canonicalJson, type JsonValue } from "../../protocol/json.ts";
import { asOneMessage } from "../../protocol/one-message.ts";
import { type CaseFile, caseInput } from "./case-file.ts";
import type { AxisKind, FindingKind, Headline, Owner, ReplyJudgement, Validity } from "./classification.ts";
import { classifyReply } from "./classify-reply.ts";

/** The judgement of one case, as `lab classify --cases` prints it: one JSON line. */
export interface CaseLine {
  readonly id: string;
  /** The headline in the words of case files, where a direct answer is a non-call. */
  readonly verdict: Headline;
  /** Null where nothing was measured. */
  readonly axis: AxisKind | null;
  readonly findings: readonly FindingKind[];
  readonly owner: Owner;
  readonly validity: Validity | null;
  /** Calls that a careful adapter would hand on. */
  readonly calls: readonly { readonly name: string; readonly arguments: JsonValue }[];
  readonly leakFormat: string | null;
  readonly residualContent: string;
}

/** Judges one case. `withRaw`: look at what the file knows of the model's own words. */
export function judgeCase(file: CaseFile, withRaw: boolean): CaseLine {
  const input = caseInput(file, withRaw);
  const content = asOneMessage(input.reply.replies)?.content ?? "";
  return caseLine(file.id, classifyReply(input), content.trim());
}

function caseLine(id: string, judgement: ReplyJudgement, content: string): CaseLine {
  const verdict = judgement.headline === "direct_answer" ? "non_call" : judgement.headline;
  const { owner } = judgement;
  if (!judgement.measured)
    return {
      id,
      verdict,
      axis: null,
      findings: [],
      owner,
      validity: null,
      calls: [],
      leakFormat: null,
      residualContent: "",
    };
  const { axis } = judgement;
  return {
    id,
    verdict,
    axis: axis.kind,
    findings: judgement.findings.map((finding) => finding.kind),
    owner,
    validity: "validity" in axis ? axis.validity : null,
    calls: judgement.handedOn.map((call) => ({ name: call.name, arguments: call.arguments })),
    leakFormat: "format" in axis ? axis.format : null,
    residualContent: judgement.residual ?? content,
  };
}

/** Whether each part of a judgement is as the label says; null where the label is silent. */
export interface CaseMarks {
  readonly verdict: boolean;
  readonly calls: boolean | null;
  /** The costliest error: a call handed on where none may be. */
  readonly unsafe: boolean;
  readonly leakFormat: boolean | null;
  readonly validity: boolean | null;
  readonly residualContent: boolean | null;
  /** The verdict that the label asks for. */
  readonly wanted: Headline;
}

/** Formats that write the same text: which of their names a label uses is a matter of taste. */
const sameWireForm: readonly (readonly string[])[] = [
  ["minimax_m1", "jamba", "hunyuan"],
  ["granite", "hermes"],
];

/** Holds a judgement against its label; null where the file has none. */
export function markCase(file: CaseFile, line: CaseLine, withRaw: boolean): CaseMarks | null {
  const { expected } = file;
  if (expected === undefined) return null;
  const wanted = withRaw ? expected.verdict : (expected.verdictWithoutRaw ?? expected.verdict);
  // Without the raw text a label for what it shows is no label: calls and format are then judged only where the verdict stays.
  const sameLabel = wanted === expected.verdict;
  const { calls, leakFormat, residualContent } = expected;
  const given = canonicalJson(line.calls as JsonValue);
  const callsRight =
    calls === undefined
      ? null
      : [calls, ...(expected.acceptAlso ?? [])].some((list) => canonicalJson(callsOf(list)) === given);
  return {
    wanted,
    verdict: [wanted, ...(expected.acceptVerdicts ?? [])].some((word) => word === line.verdict),
    calls: sameLabel || (callsRight !== null && line.calls.length > 0) ? callsRight : null,
    unsafe: calls !== undefined && calls.length === 0 && line.calls.length > 0 && callsRight === false,
    leakFormat:
      leakFormat === undefined || leakFormat === null || !sameLabel ? null : isSameForm(leakFormat, line.leakFormat),
    validity:
      expected.validity === undefined || expected.validity === null ? null : expected.validity === line.validity,
    residualContent:
      typeof residualContent !== "string" || !sameLabel
        ? null
        : joinedLines(residualContent) === joinedLines(line.residualContent),
  };
}

function callsOf(list: readonly { readonly name: string; readonly arguments: JsonValue }[]): JsonValue {
  return list.map((call) => ({ name: call.name, arguments: call.arguments }));
}

function isSameForm(wanted: string, given: string | null): boolean {
  return (
    wanted === given || sameWireForm.some((forms) => forms.includes(wanted) && given !== null && forms.includes(given))
  );
}

function joinedLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}

/** A count of right ones among those the labels speak of. */
export interface Tally {
  readonly right: number;
  readonly of: number;
}

/** How many judgements agree with their labels. */
export interface CaseScore {
  readonly verdict: Tally;
  /** Of the cases that have calls to hand on. */
  readonly calls: Tally;
  /** Of the cases in which nothing may be handed on: nothing was. */
  readonly handsOnNothing: Tally;
  readonly leakFormat: Tally;
  readonly validity: Tally;
  readonly residualContent: Tally;
  /** By fault class, in order of name; verdicts other than the wanted one with how often they were given. */
  readonly confusion: readonly ConfusionRow[];
}

export interface ConfusionRow {
  readonly fault: string;
  readonly verdict: Tally;
  readonly mistaken: readonly { readonly wanted: Headline; readonly given: Headline; readonly count: number }[];
}

export interface MarkedCase {
  readonly file: CaseFile;
  readonly line: CaseLine;
  readonly marks: CaseMarks;
}

/** Adds up the marks of many cases. */
export function scoreCases(cases: readonly MarkedCase[]): CaseScore {
  const tally = (pick: (marked: MarkedCase) => boolean | null): Tally => {
    const spoken = cases.map(pick).filter((mark) => mark !== null);
    return { right: spoken.filter((mark) => mark).length, of: spoken.length };
  };
  const mayCall = ({ file }: MarkedCase): boolean => (file.expected?.calls?.length ?? 0) > 0;
  return {
    verdict: tally(({ marks }) => marks.verdict),
    calls: tally((marked) => (mayCall(marked) ? marked.marks.calls : null)),
    handsOnNothing: tally((marked) => (marked.file.expected?.calls?.length === 0 ? !marked.marks.unsafe : null)),
    leakFormat: tally(({ marks }) => marks.leakFormat),
    validity: tally(({ marks }) => marks.validity),
    residualContent: tally(({ marks }) => marks.residualContent),
    confusion: confusionOf(cases),
  };
}

function confusionOf(cases: readonly MarkedCase[]): readonly ConfusionRow[] {
  const faults = [...new Set(cases.map(({ file }) => file.fault ?? "none"))].sort();
  return faults.map((fault) => {
    const own = cases.filter(({ file }) => (file.fault ?? "none") === fault);
    const mistaken = new Map<string, { wanted: Headline; given: Headline; count: number }>();
    for (const { line, marks } of own) {
      if (marks.verdict) continue;
      const key = `${marks.wanted} ${line.verdict}`;
      const known = mistaken.get(key) ?? { wanted: marks.wanted, given: line.verdict, count: 0 };
      mistaken.set(key, { ...known, count: known.count + 1 });
    }
    return {
      fault,
      verdict: { right: own.filter(({ marks }) => marks.verdict).length, of: own.length },
      mistaken: [...mistaken.values()].sort((a, b) => b.count - a.count),
    };
  });
}
