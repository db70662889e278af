import type { ServerKind } from "../../../protocol/servers/server.ts";
import type { Statement, StatementCode, StatementState, Topic } from "../../diagnose/checkup-statement.ts";
import type { Comparison } from "../../diagnose/compare-checkups.ts";

/** What a check-up says, in one language. */
export interface CheckupWords {
  readonly topics: Readonly<Record<Topic, string>>;
  readonly states: Readonly<Record<StatementState, string>>;
  /** One sentence, without how certain it is and what shows it. */
  statement(statement: Statement, server: string): string;
  readonly inferred: string;
  readonly healthy: string;
  readonly unmeasured: (why: string) => string;
  /** Before the one sentence that says what to change. */
  readonly change: (sentence: string) => string;
  readonly noOption: (happened: string) => string;
  /** What mends a fault for which no diagnosis of a run has a remedy. */
  cure(code: StatementCode, kind: ServerKind): string;
  comparison(comparison: Comparison, names: (topics: readonly Topic[]) => string): string;
}

/** A detail of a statement as text; "" where it has none. */
export function text(statement: Statement, key: string): string {
  return String(statement.details[key] ?? "");
}

/** A detail that counts. */
export function number(statement: Statement, key: string): number {
  return Number(statement.details[key] ?? 0);
}
