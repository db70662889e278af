import { expect, it } from "vitest";
import { toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { scanText } from "../../../src/protocol/formats/scanner.ts";
import { callsOf } from "./format-properties.ts";

const reserving = toolCallFormats.filter(({ reservedNames }) => reservedNames !== undefined);

it("some formats keep names for themselves", () => {
  expect(reserving.map(({ name }) => name)).toContain("functionary32");
});

it.each(reserving.map((format) => [format.name, format] as const))(
  "%s calls no tool by a name that it keeps for itself",
  (_name, format) => {
    for (const name of format.reservedNames ?? []) {
      const text = format.render([{ name, arguments: { a: 1 } }]);
      expect(callsOf(scanText(toolCallFormats, text)).map((call) => call.name)).not.toContain(name);
    }
  },
);
