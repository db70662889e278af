import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** The code blocks of a README, without comments and blank ends of lines. */
function blocks(file: string): readonly string[] {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", block = ""]) =>
    [
      language,
      ...block
        .split("\n")
        .map((line) => line.replace(/(?:^|\s+)#.*$/, ""))
        .filter(Boolean),
    ].join("\n"),
  );
}

it("gives the same commands and configurations in both languages", () => {
  const english = blocks("README.md");
  expect(english.length).toBeGreaterThan(5);
  expect(blocks("README.ja.md")).toEqual(english);
});
