import type { Check, GateVerdict } from "../gate/verdict.ts";
import type { GateWords } from "../gate/words/gate-words.ts";
import type { Cell } from "../stats/summary.ts";
import { type CaseOutcome, junitDocument, type TestCase, testSuite } from "./gate/junit-xml.ts";
import { gateWordsFor } from "./gate/rows.ts";
import { messagesFor } from "./messages/catalogue.ts";
import type { Lang, Messages } from "./messages/messages.ts";
import type { ReportModel } from "./model.ts";
import { fraction, interval } from "./numbers.ts";
import type { RenderOptions, Report } from "./report.ts";

/** JUnit XML for a CI server: the gate's checks where the run was gated, and its cells. A rate alone fails nothing. */
export const junitReport = {
  name: "junit",
  fileName: "junit.xml",
  describe: "JUnit XML: the gate's checks, and one case a cell",
  async *render(model: ReportModel, { lang }: RenderOptions) {
    const { record } = model;
    const suites = model.targets.map((target) =>
      testSuite(
        `${target.name}: cells`,
        record.createdAt,
        [
          ["run", record.run],
          ["harness-lab", record.lab.version],
        ],
        cellCases(
          model.summary.cells.filter((cell) => cell.target === target.name),
          messagesFor(lang),
        ),
      ),
    );
    yield junitDocument([...(model.verdict === null ? [] : [gateSuite(model.verdict, lang)]), ...suites]);
  },
} as const satisfies Report;

/** A verdict alone as JUnit XML. */
export function gateJunit(verdict: GateVerdict, lang: Lang): string {
  return junitDocument([gateSuite(verdict, lang)]);
}

function gateSuite(verdict: GateVerdict, lang: Lang): string {
  const words = gateWordsFor(lang);
  const { proof, baseline } = verdict;
  const properties: (readonly [string, string])[] = [
    ["verdict", verdict.kind],
    ["run", verdict.run],
    ...(baseline === null ? [] : [["baseline", `${baseline.name} (${baseline.run})`] as const]),
    ...(proof.run?.requests === null || proof.run?.requests === undefined
      ? []
      : [["requests", `${proof.run.requests.answered} answered of ${proof.run.requests.sent} sent`] as const]),
  ];
  return testSuite(
    `${words.titles.gate}: ${words.kinds[verdict.kind]}`,
    proof.run?.createdAt ?? "",
    properties,
    verdict.checks.map((check) => gateCase(check, verdict, words)),
  );
}

function gateCase(check: Check, verdict: GateVerdict, words: GateWords): TestCase {
  const where = check.place === null ? verdict.run : words.place(check.place);
  const rule = check.facts["counter"] ?? check.facts["pattern"] ?? check.facts["key"] ?? "";
  return {
    group: `harness-lab.gate.${check.place?.target ?? "run"}`,
    name: [check.code, where, String(rule)].filter((part) => part !== "").join(" · "),
    outcome: outcomeOf(check, verdict, words.check(check)),
  };
}

function outcomeOf({ kind }: Check, { onInconclusive }: GateVerdict, message: string): CaseOutcome {
  switch (kind) {
    case "pass":
      return { kind: "passed", note: message };
    case "regression":
      return { kind: "failure", type: "regression", message };
    case "invalid":
      return { kind: "error", type: "invalid", message };
    case "inconclusive":
      return onInconclusive === "warn"
        ? { kind: "skipped", message }
        : { kind: "failure", type: "inconclusive", message };
  }
  return kind satisfies never;
}

function cellCases(cells: readonly Cell[], messages: Messages): readonly TestCase[] {
  return cells.map((cell) => ({
    group: `harness-lab.${cell.target}.${cell.suite}`,
    name: [
      cell.scenario,
      cell.arm,
      cell.stream ? messages.words.streamed : messages.words.whole,
      ...(cell.shape === "small" ? [] : [messages.shapes[cell.shape]]),
      ...(cell.route === "direct" ? [] : [cell.route]),
    ].join(" · "),
    outcome: cellOutcome(cell, messages),
  }));
}

function cellOutcome(cell: Cell, { words }: Messages): CaseOutcome {
  if (cell.notTestable !== null) return { kind: "skipped", message: `${words.notTestable}: ${cell.notTestable}` };
  if (cell.measured < cell.planned) {
    const message = words.counted(cell.planned - cell.measured, words.notMeasured);
    return { kind: "error", type: "not measured", message };
  }
  if (!cell.rated) return { kind: "skipped", message: words.notRated };
  return {
    kind: "passed",
    note: `${words.delivered} ${fraction(cell.deliveredRate)} (${interval(cell.deliveredRate) ?? "-"}), ${words.attempted} ${fraction(cell.attemptedRate)}`,
  };
}
