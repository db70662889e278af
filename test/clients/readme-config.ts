import { readFileSync } from "node:fs";

/** Where the README has the adapter, and what it calls the model. */
const shownUrl = "http://127.0.0.1:8484";
export const shownModel = "local-model";

/** The configuration that the README gives to copy behind a line that begins with `lead`, for an adapter at `url`; nothing else is changed. */
export function readmeConfig(lead: string, url: string): string {
  const text = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const line = text.split("\n").findIndex((candidate) => candidate.startsWith(lead));
  const block = /^```\w+\n([\s\S]*?)^```$/m.exec(text.split("\n").slice(line).join("\n"))?.[1];
  if (line === -1 || block === undefined) throw new Error(`README.md has no configuration behind "${lead}"`);
  if (block.includes("8484") && (!block.includes(shownUrl) || !block.includes(shownModel)))
    throw new Error(`the configuration behind "${lead}" names neither ${shownUrl} nor ${shownModel}`);
  return block.replaceAll(shownUrl, url);
}
