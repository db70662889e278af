import { serverRecord } from "../../protocol/servers/index.ts";
import type { ServerKind } from "../../protocol/servers/server.ts";
import { cureFix } from "../diagnose/checkup.ts";
import type { Checkup, Statement, Topic } from "../diagnose/checkup-statement.ts";
import type { Comparison } from "../diagnose/compare-checkups.ts";
import type { DiagnosisCode } from "../diagnose/diagnosis.ts";
import { createColors } from "./console/colors.ts";
import { columns, pad, wrap } from "./console/terminal-layout.ts";
import { diagnosisViews } from "./diagnosis-view.ts";
import { messagesFor } from "./messages/catalogue.ts";
import { checkupEnglish } from "./messages/checkup-english.ts";
import { checkupJapanese } from "./messages/checkup-japanese.ts";
import type { CheckupWords } from "./messages/checkup-words.ts";
import type { Lang } from "./messages/messages.ts";
import type { RenderOptions } from "./report.ts";
import { oneLineOption, visibleText } from "./terminal-text.ts";

const catalogue: Readonly<Record<Lang, CheckupWords>> = { en: checkupEnglish, ja: checkupJapanese };

/** Diagnoses without an option that mends them, by the topic under which the check-up says what does. */
const mendedByHand: Partial<Readonly<Record<DiagnosisCode, Topic>>> = {
  tools_refused: "auto",
  tools_not_in_prompt: "tools",
  system_prompt_dropped: "system",
};

/** A check-up for a terminal: a line for each statement with what shows it, and one sentence on what to change. */
export function checkupLines(checkup: Checkup, kind: ServerKind, options: RenderOptions): readonly string[] {
  const words = catalogue[options.lang];
  const colors = createColors(options.colour);
  const width = Math.max(60, options.width);
  const stateWidth = Math.max(...Object.values(words.states).map(columns));
  const topicWidth = Math.max(...Object.values(words.topics).map(columns));
  const indent = stateWidth + topicWidth + 6;
  const tone = { good: colors.green, fault: colors.red, caution: colors.yellow, unknown: colors.dim } as const;
  return [
    ...checkup.statements.flatMap((statement) => {
      const [first = "", ...rest] = wrap(visibleText(fullSentence(statement, kind, words)), width - indent);
      const head = `  ${tone[statement.state](pad(words.states[statement.state], stateWidth))}  ${pad(words.topics[statement.topic], topicWidth)}  `;
      return [`${head}${first}`, ...rest.map((line) => `${" ".repeat(indent)}${line}`)];
    }),
    "",
    ...wrap(visibleText(cureSentence(checkup, kind, options.lang)), width).map(colors.bold),
  ];
}

/** Better, the same or worse than an earlier check-up, in one sentence. */
export function comparisonSentence(comparison: Comparison, lang: Lang): string {
  const words = catalogue[lang];
  return words.comparison(comparison, (topics: readonly Topic[]) =>
    topics.map((topic) => words.topics[topic]).join(", "),
  );
}

/** The one sentence that says what to change. */
export function cureSentence(checkup: Checkup, kind: ServerKind, lang: Lang): string {
  const words = catalogue[lang];
  const { cure } = checkup;
  switch (cure.kind) {
    case "nothing":
      return words.healthy;
    case "measure":
      return words.unmeasured(cure.why === "cut" ? "" : cure.why);
    case "fault":
      return words.change(words.cure(cure.code, kind));
    case "diagnosis": {
      const [view] = diagnosisViews([cure.diagnosis], [], kind);
      if (view === undefined) return words.healthy;
      const fix = cureFix(checkup);
      const facts = fix === null ? view.facts : { ...view.facts, fix: { ...fix, option: oneLineOption(fix.option) } };
      const parts = messagesFor(lang).diagnosisParts(facts);
      if (parts.fix !== null) return words.change(parts.fix);
      const topic = mendedByHand[cure.diagnosis.code];
      const fault = checkup.statements.find((each) => each.state === "fault" && each.topic === topic);
      return fault === undefined ? words.noOption(parts.happened) : words.change(words.cure(fault.code, kind));
    }
    default:
      return cure satisfies never;
  }
}

/** A statement with how certain it is and the lines of the run's files that show it. */
function fullSentence(statement: Statement, kind: ServerKind, words: CheckupWords): string {
  const said = words.statement(statement, serverRecord(kind).title);
  const certainty = statement.certainty === "inferred" ? ` (${words.inferred})` : "";
  return `${said}${certainty}${evidence(statement)}`;
}

function evidence({ evidence: lines }: Statement): string {
  if (lines.length === 0) return "";
  const files = ["probes.jsonl", "captures.jsonl"] as const;
  const parts = files.flatMap((file) => {
    const numbers = lines.filter((each) => each.file === file).map(({ line }) => line);
    return numbers.length === 0 ? [] : [`${file}:${numbers.join(",")}`];
  });
  return ` [${parts.join(" ")}]`;
}

/** The object that `lab doctor --json` prints. */
export function checkupJson(
  checkup: Checkup,
  about: { readonly run: string; readonly target: string; readonly kind: ServerKind; readonly lang: Lang },
) {
  const words = catalogue[about.lang];
  const { cure } = checkup;
  return {
    run: about.run,
    target: about.target,
    verdict: checkup.verdict,
    change: cure.kind === "nothing" ? null : cureSentence(checkup, about.kind, about.lang),
    fix: cureFix(checkup)?.option ?? null,
    owner: cure.kind === "diagnosis" ? cure.diagnosis.owner : cure.kind === "fault" ? cure.owner : null,
    statements: checkup.statements.map((statement) => ({
      topic: statement.topic,
      state: statement.state,
      code: statement.code,
      owner: statement.owner,
      remedy: statement.remedy,
      certainty: statement.certainty,
      sentence: words.statement(statement, serverRecord(about.kind).title),
      details: statement.details,
      evidence: statement.evidence,
    })),
  };
}
