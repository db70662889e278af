import { askedWords, type Calibration } from "../../calibration/calibration.ts";
import { createColors } from "../console/colors.ts";
import { cell, tableLines } from "../console/table.ts";
import { wrap } from "../console/terminal-layout.ts";
import type { RenderOptions } from "../report.ts";
import { visibleText } from "../terminal-text.ts";
import { accuracyRows, accuracyTable, conformanceView, missLines, pairWord } from "./view.ts";
import { calibrationWords } from "./words.ts";

/** Misses that a terminal shows; all stand in the file. */
const shownMisses = 40;

/** A calibration for a terminal: a matrix for each set-up, then how often the lab was right, and where not. */
export function calibrationConsole(calibration: Calibration, options: RenderOptions): string {
  const words = calibrationWords(options.lang);
  const colors = createColors(options.colour);
  const title = (text: string) => colors.bold(text);
  const lines: string[] = [title(words.title), ...wrap(words.lead, options.width), ""];
  for (const setUp of calibration.setUps) {
    const version = setUp.version === null ? "" : ` ${setUp.version}`;
    lines.push(title(visibleText(`${setUp.setUp.server}${version}  ${setUp.setUp.id}`)));
    if (setUp.unmet !== null) {
      lines.push(...wrap(visibleText(setUp.unmet), options.width), "");
      continue;
    }
    const view = conformanceView(setUp, calibration.scripts, words);
    const head = [words.format, ...askedWords.map((asked) => words.asked[asked])];
    const rows = view.rows.map(({ label, cells }) => [label, ...askedWords.map((asked) => pairWord(cells[asked]))]);
    lines.push(
      ...tableLines(
        [head.map((text) => cell(text, colors.dim)), ...rows.map((row) => row.map((text) => cell(text)))],
        2,
      ),
    );
    lines.push("");
    const answers = view.behaviours.map(({ label, answer }) => [cell(label), cell(visibleText(pairWord(answer)))]);
    lines.push(...tableLines(answers, 2), ...wrap(`  ${view.differences}`, options.width), "");
  }
  // Where nothing was measured there is nothing that the lab was right or wrong about.
  if (calibration.setUps.every(({ unmet }) => unmet !== null)) return `${lines.join("\n")}\n`;
  lines.push(colors.dim(words.howToRead), "", title(words.accuracyTitle), words.accuracyLead);
  const { head, rows } = accuracyTable(accuracyRows(calibration, words), words);
  lines.push(
    ...tableLines([head.map((text) => cell(text, colors.dim)), ...rows.map((row) => row.map((text) => cell(text)))], 2),
    "",
  );
  const misses = missLines(calibration, words);
  lines.push(words.misses(misses.length));
  for (const miss of misses.slice(0, shownMisses)) {
    const [first = "", ...rest] = wrap(visibleText(miss), options.width - 4);
    lines.push(`  ${first}`, ...rest.map((line) => `    ${line}`));
  }
  return `${lines.join("\n")}\n`;
}
