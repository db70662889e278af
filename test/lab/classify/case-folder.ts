import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type CaseFile, readCase } from "../../../src/lab/classify/case-file.ts";

/** All cases of a folder under test/fixtures, in order of name. Fails on a file that is no case. */
export function readCaseFolder(name: string): readonly CaseFile[] {
  const folder = fileURLToPath(new URL(`../../fixtures/${name}/`, import.meta.url));
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => {
      const read = readCase(file.slice(0, -".json".length), readFileSync(`${folder}${file}`, "utf8"));
      if (read.kind === "problem") throw new Error(`${name}/${file} ${read.message}`);
      return read.file;
    });
}
