import { askedWords } from "../../calibration/calibration.ts";
import { asCalibrated, type CalibrationTable } from "./table.ts";
import { accuracyTable, conformanceView, pairWord } from "./view.ts";
import { calibrationWords } from "./words.ts";

/** The page "what each server really does with each format", from kept calibrations. */
export function serversPage(tables: readonly CalibrationTable[]): string {
  const words = calibrationWords("en");
  const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
    [head, head.map(() => "---"), ...rows]
      .map((row) => `| ${row.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`)
      .join("\n");
  const sections = tables.map(({ scripts, setUps, parsers = [] }) => {
    const [first] = setUps;
    const title = `## ${first?.setUp.server ?? "server"} ${first?.version ?? ""}`.trimEnd();
    const parts = setUps.map((setUp) => {
      const view = conformanceView(asCalibrated(setUp), scripts, words);
      return [
        `### ${setUp.setUp.server}: ${setUp.setUp.id}`,
        `${words.startedWith} \`${setUp.start}\`.`,
        table(
          [words.format, ...askedWords.map((asked) => words.asked[asked])],
          view.rows.map(({ label, cells }) => [label, ...askedWords.map((asked) => pairWord(cells[asked]))]),
        ),
        table(
          [words.question, words.whole, words.streamed],
          view.behaviours.map(({ label, answer }) => [label, answer.whole ?? "–", answer.streamed ?? "–"]),
        ),
        view.differences,
      ].join("\n\n");
    });
    const formats = new Map<string, string>();
    for (const { script, format, holds } of scripts) {
      if (holds === "call" && format !== null && !formats.has(format)) formats.set(format, script);
    }
    const word = (text: string | undefined): string => {
      const [whole = "–", streamed = whole] = (text ?? "–")
        .split("/")
        .map((each) => (each in words.outcomes ? words.outcomes[each as keyof typeof words.outcomes] : "–"));
      return pairWord({ whole, streamed });
    };
    const alone =
      parsers.length === 0
        ? []
        : [
            `### ${first?.setUp.server}: every parser by itself`,
            "What `--tool-call-parser NAME` reads, asked of `vllm launch render` without a model: no grammar, and the stream in one chunk.",
            table(
              ["parser", ...formats.keys()],
              parsers.map(({ parser, cells }) => [
                `\`${parser}\``,
                ...[...formats.values()].map((script) => word(cells[script])),
              ]),
            ),
          ];
    return [title, ...parts, ...alone].join("\n\n");
  });
  const accuracy = tables.flatMap((each) => each.accuracy.filter(({ label }) => label !== words.all));
  const sum = (of: (row: (typeof accuracy)[number]) => number): number =>
    accuracy.reduce((total, row) => total + of(row), 0);
  const all = {
    label: words.all,
    samples: sum((row) => row.samples),
    distinct: sum((row) => row.distinct),
    axis: sum((row) => row.axis),
    owner: sum((row) => row.owner),
    findings: sum((row) => row.findings),
    findingsOf: sum((row) => row.findingsOf),
  };
  const right = accuracyTable([...accuracy, all], words);
  const misses = tables.flatMap((each) => each.misses);
  return `# What each server really does with each format

Made by \`npm run docs\` from the calibrations in \`docs/calibration\`, which \`npm run calibrate:servers\` makes anew on real servers;
\`npm run check:docs\` says whether this page is current. A scripted model wrote each reply, so what the model wrote is known and
what the server made of it is seen. ${words.howToRead}

${table(
  ["word", "what came back"],
  [
    [words.outcomes.call, "the calls that the model wrote, whole and unchanged"],
    [words.outcomes.leaked, "the call as text in the content"],
    [words.outcomes.swallowed, "neither the call nor its text"],
    [words.outcomes.mangled, "calls with another name, other arguments, or in another number"],
    [words.outcomes.forced, "a call that the model did not write; a grammar did"],
    [words.outcomes.quoted, "a call made of one that the model only quoted"],
    [words.outcomes.reasoning, "everything as reasoning, nothing as content"],
    [words.outcomes.text, "the text, unharmed"],
    [words.outcomes.lost_text, "an answer without a call of which nothing came"],
    [words.outcomes.refused, "an error: no tools for this model"],
    [words.outcomes.error, "an error on what the model wrote"],
  ],
)}

Where a grammar goes on from what the model wrote (llama-server behind a trigger and under \`required\`, vLLM under \`required\` and a
named tool), the call is the grammar's: whether its arguments happen to be the model's own decides between "${words.outcomes.call}" and "${words.outcomes.mangled}" there.

Your own server: \`lab calibrate --base-url URL\`, or \`lab calibrate --spawn llama-server\`.

${sections.join("\n\n")}

## ${words.accuracyTitle}

${words.accuracyLead} A cell is a set-up, a script, a suite and an arm; streamed and whole count as one cell.

${table(right.head, right.rows)}

${words.misses(misses.length)}
${misses.length === 0 ? "" : `\n${misses.map((line) => `- ${line.replace(/[<>]/g, (sign) => `\\${sign}`)}`).join("\n")}\n`}`;
}
