import { type RepairName, type RepairSafety, repairSafety } from "../../protocol/repair/repair.ts";
import { type CaseFile, caseInput } from "./case-file.ts";
import { classifyReply } from "./classify-reply.ts";
import { type CaseLine, judgeCase, markCase } from "./score-cases.ts";

/** What one repair is good for, over labelled replies: what is handed on with it, and what would be without it. */
export interface RepairEntry {
  readonly repair: RepairName;
  readonly safety: RepairSafety;
  /** Cases in which a call that is handed on took it. */
  readonly cases: number;
  /** Cases in which something is handed on that must not be, and only because of it: the costliest error. */
  readonly unsafe: readonly string[];
  /** Cases in which, because of it, the calls are other ones than the label says. */
  readonly wrong: readonly string[];
  /** Cases whose calls are right with it. */
  readonly right: number;
  /** Of all cases that speak of calls: right with every repair, and right without this one. */
  readonly score: { readonly with: number; readonly without: number; readonly of: number };
}

/** The ledger of all repairs over labelled cases, unsafe ones first, then those that bring most. */
export interface RepairLedger {
  readonly entries: readonly RepairEntry[];
  /** Repairs that no case took. */
  readonly unused: readonly RepairName[];
  /** Calls right with all repairs, and with none. */
  readonly all: { readonly with: number; readonly without: number; readonly of: number };
  /** Cases in which something is handed on that must not be, with all repairs and with none. */
  readonly unsafe: { readonly with: number; readonly without: number; readonly of: number };
}

interface Judged {
  readonly file: CaseFile;
  readonly line: CaseLine;
  readonly repairs: readonly (readonly RepairName[])[];
}

/**
 * Holds each repair against the labels: without it a call that took it is not handed on. Cases whose labels do not speak of
 * calls are left out.
 */
export function repairLedger(files: readonly CaseFile[], withRaw: boolean): RepairLedger {
  const judged = files
    .filter((file) => file.expected?.calls !== undefined)
    .map((file): Judged => {
      const judgement = classifyReply(caseInput(file, withRaw));
      const handedOn = judgement.measured ? judgement.handedOn : [];
      return { file, line: judgeCase(file, withRaw), repairs: handedOn.map(({ repairs = [] }) => repairs) };
    });
  const mark = ({ file, line }: Judged, calls: CaseLine["calls"]) => {
    const marks = markCase(file, { ...line, calls }, withRaw);
    return { right: marks?.calls ?? null, unsafe: marks?.unsafe ?? false };
  };
  const without = (each: Judged, drops: (repairs: readonly RepairName[]) => boolean) =>
    mark(
      each,
      each.line.calls.filter((_, index) => !drops(each.repairs[index] ?? [])),
    );
  const spoken = judged.filter((each) => mark(each, each.line.calls).right !== null);
  const rightWith = spoken.filter((each) => mark(each, each.line.calls).right === true).length;
  const names = Object.keys(repairSafety) as RepairName[];
  const entryOf = (repair: RepairName): RepairEntry => {
    const drops = (repairs: readonly RepairName[]): boolean => repairs.includes(repair);
    const users = judged.filter(({ repairs }) => repairs.some(drops));
    const outcome = users.map((each) => ({
      id: each.file.id,
      now: mark(each, each.line.calls),
      dropped: without(each, drops),
    }));
    return {
      repair,
      safety: repairSafety[repair],
      cases: users.length,
      unsafe: outcome.filter(({ now, dropped }) => now.unsafe && !dropped.unsafe).map(({ id }) => id),
      wrong: outcome.filter(({ now }) => now.right === false).map(({ id }) => id),
      right: outcome.filter(({ now }) => now.right === true).length,
      score: {
        with: rightWith,
        without: spoken.filter((each) => without(each, drops).right === true).length,
        of: spoken.length,
      },
    };
  };
  const entries = names.map(entryOf);
  const none = (repairs: readonly RepairName[]): boolean => repairs.length > 0;
  const forbidden = judged.filter(({ file }) => file.expected?.calls?.length === 0);
  return {
    entries: entries
      .filter(({ cases }) => cases > 0)
      .sort(
        (left, right) =>
          right.unsafe.length - left.unsafe.length ||
          right.wrong.length - left.wrong.length ||
          right.score.with - right.score.without - (left.score.with - left.score.without),
      ),
    unused: entries.filter(({ cases }) => cases === 0).map(({ repair }) => repair),
    all: {
      with: rightWith,
      without: spoken.filter((each) => without(each, none).right === true).length,
      of: spoken.length,
    },
    unsafe: {
      with: forbidden.filter((each) => mark(each, each.line.calls).unsafe).length,
      without: forbidden.filter((each) => without(each, none).unsafe).length,
      of: forbidden.length,
    },
  };
}
