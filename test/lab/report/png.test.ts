import { createCanvas, GlobalFonts, loadImage } from "@napi-rs/canvas";
import { describe, expect, it } from "vitest";
import { chartFont, drawChart } from "../../../src/lab/report/chart.ts";
import { messagesFor } from "../../../src/lab/report/messages/catalogue.ts";
import { buildReportModel } from "../../../src/lab/report/model.ts";
import { matrixDrawing, shortened } from "../../../src/lab/report/png/matrix-drawing.ts";
import { outcomesDrawing } from "../../../src/lab/report/png/outcomes-drawing.ts";
import { rateColour } from "../../../src/lab/report/png/palette.ts";
import { tellRun } from "./sample-run.ts";

async function pixels(png: Uint8Array) {
  const image = await loadImage(Buffer.from(png));
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return { width: image.width, height: image.height, data: context.getImageData(0, 0, image.width, image.height).data };
}

/** Pixels of a colour, within a little. */
function count(
  { data }: { readonly data: Uint8ClampedArray },
  [red, green, blue]: readonly [number, number, number],
): number {
  let found = 0;
  for (let at = 0; at < data.length; at += 4) {
    const near = (channel: number, wanted: number) => Math.abs((data[at + channel] ?? 0) - wanted) < 4;
    if (near(0, red) && near(1, green) && near(2, blue)) found += 1;
  }
  return found;
}

describe("the pictures", () => {
  it("show the matrix at twice its size, in the colours of its rates, on white", async () => {
    const model = await buildReportModel(tellRun());
    const drawing = matrixDrawing(model, messagesFor("en"));
    const image = await pixels(await drawChart(drawing));
    expect([image.width, image.height]).toEqual([drawing.width * 2, drawing.height * 2]);
    // All delivered, none delivered: cells of both are there.
    expect(count(image, [190, 228, 219])).toBeGreaterThan(10_000);
    expect(count(image, [245, 205, 196])).toBeGreaterThan(10_000);
    expect([...image.data.slice(0, 4)]).toEqual([255, 255, 255, 255]);
  });

  it("show where the calls went in the colours of the outcomes", async () => {
    const model = await buildReportModel(tellRun());
    const image = await pixels(await drawChart(outcomesDrawing(model, messagesFor("en"))));
    for (const colour of [
      [29, 154, 134],
      [237, 166, 60],
      [207, 90, 68],
    ] as const)
      expect(count(image, colour)).toBeGreaterThan(500);
  });

  it("bring a font that has Japanese, whatever the machine has", async () => {
    const model = await buildReportModel(tellRun());
    await drawChart(matrixDrawing(model, messagesFor("ja")));
    expect(GlobalFonts.has(chartFont)).toBe(true);
    const context = createCanvas(10, 10).getContext("2d");
    context.font = `20px "${chartFont}"`;
    // A font without them would show the same empty box for both, as wide as for any other missing character.
    const shapes = ["暗", "到"].map((character) => {
      const canvas = createCanvas(24, 24);
      const drawn = canvas.getContext("2d");
      drawn.font = `20px "${chartFont}"`;
      drawn.fillText(character, 0, 20);
      return canvas.toBuffer("image/png").toString("base64");
    });
    expect(shapes[0]).not.toBe(shapes[1]);
  });

  it("can be drawn of a run in which nothing was asked, and of one with very many targets", async () => {
    const run = tellRun();
    const empty = await buildReportModel({ ...run, summary: { ...run.summary, cells: [] } });
    const many = Array.from({ length: 60 }, (_, index) => index);
    const cells = many.flatMap((index) =>
      run.summary.cells.slice(0, 4).map((cell) => ({ ...cell, target: `t${index}` })),
    );
    const crowded = await buildReportModel({ ...run, summary: { ...run.summary, cells } });
    for (const model of [empty, crowded]) {
      const drawing = matrixDrawing(model, messagesFor("en"));
      expect(drawing.width * 2).toBeLessThan(16_000);
      expect((await drawChart(drawing)).length).toBeGreaterThan(1000);
      expect((await drawChart(outcomesDrawing(model, messagesFor("en")))).length).toBeGreaterThan(1000);
    }
  });

  it("cut what is too long", () => {
    expect(shortened("abcdef", 4, (text) => text.length)).toBe("abc…");
    expect(shortened("abcd", 4, (text) => text.length)).toBe("abcd");
    expect(rateColour(0)).not.toBe(rateColour(1));
  });
});
