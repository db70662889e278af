import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Observed } from "./agent-scenarios.ts";

const folder = fileURLToPath(new URL("../../reports/clients/", import.meta.url));

/** Writes what a client reported, and the adapter's traces beside it, to `reports/clients/NAME.txt`. */
export async function writeTranscript(name: string, title: string, { events, traces }: Observed): Promise<void> {
  const turns = traces().flatMap((trace) => [
    `${trace.id}  ${trace.front}, ${trace.client}, ${trace.outcome}, ${trace.upstreamRequests} upstream request(s), ${trace.ms.toFixed(1)} ms`,
    ...trace.entries.map(
      ({ stage, decision, reason, before, after }) =>
        `  ${stage}: ${decision} (${reason})${shown("before", before)}${shown("after", after)}`,
    ),
    ...trace.dropped.map(
      ({ stage, reason, text }) => `  ${stage} left out ${text.length} characters of the client's: ${reason}`,
    ),
  ]);
  const text = [
    title,
    "",
    "== the client's events",
    ...events.map((event) => JSON.stringify(event)),
    "",
    "== the adapter's trace",
    ...turns,
  ];
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.txt`), `${text.join("\n")}\n`);
}

function shown(word: string, value: unknown): string {
  return value === undefined
    ? ""
    : `\n      ${word}: ${typeof value === "string" ? value.replaceAll("\n", "\\n") : JSON.stringify(value)}`;
}
