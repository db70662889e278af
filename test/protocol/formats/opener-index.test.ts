import { expect, it } from "vitest";
import { toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { indexOpeners } from "../../../src/protocol/formats/opener-index.ts";
import { scanText } from "../../../src/protocol/formats/scanner.ts";

const forms = toolCallFormats.flatMap((format) => (format.residue === undefined ? [format] : [format, format.residue]));
const literals = [...new Set(forms.flatMap((form) => [...form.openers, ...(form.nameThen ?? [])]))];
const { marks } = indexOpeners(toolCallFormats);

it.each(literals)("a text with the opener %j holds a mark", (literal) => {
  expect(marks.some((mark) => literal.includes(mark))).toBe(true);
});

it("no mark says what another one says", () => {
  for (const mark of marks) expect(marks.filter((other) => mark.includes(other))).toEqual([mark]);
});

it("prose holds none", () => {
  const prose =
    "A keeper climbed the stairs at dusk; “trim the wick”, he said: 3 × 4 = 12, don’t wait!\n\n灯台は、夜ごとの約束。";
  expect(marks.filter((mark) => prose.includes(mark))).toEqual([]);
  expect(scanText(toolCallFormats, prose)).toEqual([{ kind: "text", start: 0, end: prose.length }]);
  expect(scanText(toolCallFormats, "")).toEqual([]);
});
