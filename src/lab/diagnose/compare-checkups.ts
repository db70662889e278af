import { type Checkup, type Topic, topics } from "./checkup-statement.ts";

/** Is the second check-up of a server better than the first? */
export interface Comparison {
  readonly outcome: "better" | "same" | "worse" | "unknown";
  /** Topics that are in order now and were not, and the other way round. */
  readonly mended: readonly Topic[];
  readonly broken: readonly Topic[];
  /** Calls delivered under `auto` of those asked for, before and now. */
  readonly before: Tally;
  readonly now: Tally;
}
export interface Tally {
  readonly delivered: number;
  readonly of: number;
}

/** Compares a check-up with an earlier one of the same server. */
export function compareCheckups(before: Checkup, now: Checkup): Comparison {
  const faulty = (of: Checkup): ReadonlySet<Topic> =>
    new Set(of.statements.filter(({ state }) => state === "fault").map(({ topic }) => topic));
  const [was, is] = [faulty(before), faulty(now)];
  const mended = topics.filter((topic) => was.has(topic) && !is.has(topic) && isKnown(now, topic));
  const broken = topics.filter((topic) => is.has(topic) && !was.has(topic));
  const tallies = { before: tally(before), now: tally(now) };
  const rate = ({ delivered, of }: Tally): number => (of === 0 ? 0 : delivered / of);
  const gain = rate(tallies.now) - rate(tallies.before);
  const outcome = ((): Comparison["outcome"] => {
    if (now.verdict === "unmeasured" || before.verdict === "unmeasured") return "unknown";
    // What users get decides; faults beside it decide between equals.
    if (gain !== 0) return gain > 0 ? "better" : "worse";
    if (mended.length !== broken.length) return mended.length > broken.length ? "better" : "worse";
    return "same";
  })();
  return { outcome, mended, broken, ...tallies };
}

function isKnown(of: Checkup, topic: Topic): boolean {
  return of.statements.some((each) => each.topic === topic && each.state !== "unknown");
}

function tally({ statements }: Checkup): Tally {
  const calls = statements.filter(({ topic }) => topic === "auto" || topic === "streamed");
  const sum = (key: string): number => calls.reduce((total, { details }) => total + Number(details[key] ?? 0), 0);
  return { delivered: sum("delivered"), of: sum("of") };
}
