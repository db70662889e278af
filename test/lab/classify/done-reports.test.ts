import { describe, expect, it } from "vitest";
import { findDoneReport } from "../../../src/lab/classify/done-reports.ts";

describe("findDoneReport", () => {
  const filler = "The lamp is in the hall. It has three settings and a long cord. ".repeat(40);

  it.each([
    "I canceled the meeting.",
    "I cancelled the meeting.",
    "I emailed Ann.",
    "I e-mailed Ann.",
    "I told Ann.",
    "I let Ann know.",
    "I turned it off.",
    "I set up the reminder.",
    "I've backed up the database.",
    "The migration is complete.",
    "ファイルを保存しました。",
    "会議をキャンセルしといたよ",
    "已经帮您预订了。",
  ])("finds %j, alone and in a long text", (report) => {
    expect(findDoneReport(report)?.text).toBe(report);
    const text = `${filler}\n${report}\n${filler}`;
    expect(findDoneReport(text)).toMatchObject({ start: filler.length + 1, text: report });
  });

  it("finds the first of several, and none inside a quotation", () => {
    expect(findDoneReport("Some words. I saved the file. I deleted the file.")?.text).toBe("I saved the file.");
    expect(findDoneReport("The log reads “I saved the file.” and nothing else.")).toBeNull();
    expect(findDoneReport("Here is `I saved the file.` as a line. I deleted the file.")?.text).toBe(
      "I deleted the file.",
    );
  });

  it("takes no plan, question or denial for a report", () => {
    for (const text of ["I will cancel the meeting.", "Shall I e-mail Ann?", "I have not set up the reminder.", filler])
      expect(findDoneReport(text)).toBeNull();
  });
});
