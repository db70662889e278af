// npm run docs: writes docs/formats.md from the registry and docs/servers.md from the kept calibrations; with --check, says
// whether the files are what these give.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serversPage } from "../src/lab/report/calibration/markdown.ts";
import { toolCallFormats } from "../src/protocol/formats/index.ts";
import { reasoningWrappers } from "../src/protocol/formats/reasoning.ts";

const folder = fileURLToPath(new URL("../docs/", import.meta.url));
const call = { name: "get_weather", arguments: { city: "Paris", days: 3 } };

const cell = (text) => text.replaceAll("|", "\\|");
const code = (names) => (names.length === 0 ? "–" : names.map((name) => `\`${name}\``).join(", "));
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

/** A fence that is longer than any in the text. */
const fenced = (text) => {
  const fence = "`".repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return `${fence}text\n${text}\n${fence}`;
};

const parserRows = toolCallFormats.map(({ name, parsers, models }) => [
  `[${name}](#${name})`,
  code(parsers.vllm),
  code(parsers.vllm010 ?? parsers.vllm),
  code([...parsers.sglang, ...(parsers.sglangNewer ?? [])]),
  code(parsers.ollama),
  parsers["llama-server"].join(", ") || "–",
  models,
]);

const sections = toolCallFormats.map((format) => {
  const notes = [
    format.readAs === undefined ? "" : `Written like \`${format.readAs}\`, and read under that name.`,
    format.bare ? "Bare: nothing but its place and a declared name make a call of it." : "",
    format.residue === undefined
      ? ""
      : "Also read without its markers, as servers leave it that strip special tokens; bare then.",
  ].filter((note) => note !== "");
  return [`### ${format.name}`, ...notes, fenced(format.render([call]))].join("\n\n");
});

const text = `# Formats of tool calls in text

Made by \`npm run docs\` from \`src/protocol/formats\`; \`npm run check:docs\` says whether it is current. A server can do no more than
its version: vLLM 0.10 is the state of August 2025, the other columns are of summer 2026. "–": no option of that server reads it.

## Which option reads it

${table(["format", "vLLM", "vLLM 0.10", "SGLang", "Ollama `PARSER`", "llama-server", "models"], parserRows)}

## How each is written

The call \`${call.name}(city="Paris", days=3)\` in each format.

${sections.join("\n\n")}

## Thinking in front of a reply

${table(
  ["wrapper", "opening", "end", "opening in the prompt", "models"],
  reasoningWrappers.map(({ name, open, close, opensInPrompt, models }) => [
    name,
    `\`${open.source}\``,
    `\`${close.source}\``,
    opensInPrompt ? "often" : "no",
    models,
  ]),
)}
`;

const calibrations = readdirSync(`${folder}calibration`)
  .filter((name) => name.endsWith(".json"))
  .sort()
  .map((name) => JSON.parse(readFileSync(`${folder}calibration/${name}`, "utf8")));

const pages = [
  { name: "formats.md", text, source: "the registry gives" },
  { name: "servers.md", text: serversPage(calibrations), source: "the calibrations in docs/calibration give" },
];

mkdirSync(folder, { recursive: true });
for (const page of pages) {
  if (!process.argv.includes("--check")) {
    writeFileSync(folder + page.name, page.text);
    continue;
  }
  let written = "";
  try {
    written = readFileSync(folder + page.name, "utf8");
  } catch {
    // Missing is as stale as outdated.
  }
  if (written === page.text) continue;
  console.error(`docs/${page.name} is not what ${page.source}: run npm run docs`);
  process.exitCode = 1;
}
