// npm run docs, second half: writes src/simulator/matrices/measured.ts from the calibrations in docs/calibration; with --check, says
// whether it is what these give. Run through tsx, which reads the sources.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cellsOf } from "../src/lab/report/calibration/table.ts";

const folder = fileURLToPath(new URL("../docs/calibration/", import.meta.url));
const target = fileURLToPath(new URL("../src/simulator/matrices/measured.ts", import.meta.url));

/** The script that stands for each row of a matrix, alone and behind a closed thinking part. */
const rows = {
  hermes: "hermes",
  qwen3_coder: "xml",
  llama3_json: "llama3",
  bare_json: "bare-arguments",
  mistral: "mistral",
  marker: "marker-alone",
  text: "direct",
};
const thoughtRows = { hermes: "think-hermes", qwen3_coder: "think-xml", marker: "think-marker", text: "think-answer" };
const askedWords = ["auto", "required", "named", "none", "no_tools"];

const setUps = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .sort()
  .flatMap((name) => JSON.parse(readFileSync(folder + name, "utf8")).setUps);

/** What a simulated server does, from what came back of a script that a model of `form` wrote. */
function outcomeOf({ setUp }, form, asked, { outcome, beside }) {
  const forced = asked === "required" || asked === "named";
  const byGrammar = forced && setUp.grammar === "forced";
  // llama-server alone heeds `required`, by forbidding the end of the text: then the model writes on, to a call or to max_tokens.
  const endless = setUp.server === "llama-server" && setUp.grammar === "after_trigger" && asked === "required";
  switch (outcome) {
    case "refused":
      return "refused";
    case "error":
      return "parse_error";
    case "reasoning":
      return byGrammar ? "reasoning_unforced" : "reasoning";
    case "swallowed":
    case "lost_text":
      return "swallowed";
    case "call":
    case "mangled":
    case "forced":
      if (byGrammar) return "forced_call";
      if (form === setUp.format && outcome === "call") return "call";
      if (endless && beside) return "text_then_call";
      return outcome === "forced" ? "forced_call" : "converted_call";
    case "leaked":
    case "text":
      return endless ? "text_then_call" : outcome;
    default:
      return null;
  }
}

function cellsFor(setUp, scripts) {
  const cells = cellsOf(setUp);
  const matrix = {};
  for (const [form, script] of Object.entries(scripts)) {
    const row = {};
    for (const asked of askedWords) {
      const [body, stream] = [false, true].map((streamed) => {
        const cell = cells.find((each) => each.script === script && each.asked === asked && each.stream === streamed);
        // Behind a thinking part what stands beside a call is mostly that part.
        const beside = cell?.beside === true && scripts === rows;
        return cell === undefined ? null : outcomeOf(setUp, form, asked, { ...cell, beside });
      });
      if (body != null && stream != null) row[asked] = [body, stream];
    }
    if (Object.keys(row).length > 0) matrix[form] = row;
  }
  return matrix;
}

const written = (matrix) =>
  Object.entries(matrix)
    .map(([form, row]) => {
      const entries = Object.entries(row).map(([asked, [body, stream]]) =>
        body === stream ? `${asked}: both("${body}")` : `${asked}: split("${body}", "${stream}")`,
      );
      return `      ${form}: {\n${entries.map((entry) => `        ${entry},\n`).join("")}      },\n`;
    })
    .join("");

/** llama-server parses behind a thinking part as anywhere; elsewhere that is another matrix. */
const thoughtCellsOf = (setUp) =>
  setUp.setUp.server === "llama-server" ? "" : `    thoughtCells: {\n${written(cellsFor(setUp, thoughtRows))}    },\n`;

const entries = setUps.map((setUp) => {
  const name = `${setUp.setUp.server} ${setUp.setUp.id}`;
  return `  // ${setUp.setUp.server} ${setUp.version ?? ""}: ${setUp.start.slice(0, 100)}\n  "${name}": {\n    cells: {\n${written(cellsFor(setUp, rows))}    },\n${thoughtCellsOf(setUp)}  },\n`;
});
const text = `// Made by npm run docs from docs/calibration; npm run check:docs says whether it is current.
import { both, type Cells, split } from "./outcome.ts";

/** What calibrated servers did with each format, by server and set-up: alone, and behind a closed thinking part. */
export const measured = {
${entries.join("")}} as const satisfies Readonly<Record<string, { readonly cells: Cells; readonly thoughtCells?: Cells }>>;
`;

if (process.argv.includes("--check")) {
  let there = "";
  try {
    there = readFileSync(target, "utf8");
  } catch {
    // Missing is as stale as outdated.
  }
  if (there !== text) {
    console.error("src/simulator/matrices/measured.ts is not what the calibrations give: run npm run docs");
    process.exit(1);
  }
} else writeFileSync(target, text);
