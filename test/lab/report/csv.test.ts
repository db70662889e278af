import { describe, expect, it } from "vitest";
import { guardedCell } from "../../../src/lab/report/csv.ts";
import { rendered } from "./rendered.ts";
import { tellRun } from "./sample-run.ts";

describe("csv report", () => {
  it("has one record a sample, as the golden file has it", async () => {
    const text = Buffer.from(await rendered("csv")).toString();
    await expect(text).toMatchFileSnapshot("../../golden/samples.csv");
    expect(text.match(/\r\n/g)).toHaveLength(tellRun().captureList.length + 1);
  });

  it("begins with a byte order mark, so that spreadsheets read Japanese", async () => {
    expect((await rendered("csv")).startsWith("\uFEFFid,target,")).toBe(true);
  });

  it("keeps a model's formula from being one", async () => {
    const text = await rendered("csv");
    expect(text).toContain(`"'=HYPERLINK(""http://127.0.0.1/"",""click"")"`);
    expect(text).not.toMatch(/(^|,)"?=/m);
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"])("guards %j", (value) => {
    expect(guardedCell(value)).toBe(`'${value}`);
  });

  it.each(["a=1", "", "計算", 0, -5])("leaves %j as it is", (value) => {
    expect(guardedCell(value)).toBe(value);
  });
});
