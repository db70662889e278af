import { createRequire } from "node:module";
import type { ChartConfiguration } from "chart.js";

/** A chart ready to be drawn, in pixels of the page; it is drawn at twice that size. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly configuration: ChartConfiguration;
}

/** Family of the font that comes with the package: it has Japanese, whatever the machine has. */
export const chartFont = "Noto Sans JP";

const sharpness = 2;

/**
 * Draws a chart as PNG, without a browser, a compiler or a font of the system. The only place where the canvas is loaded, and
 * only when something is drawn: it costs what a whole run does not.
 */
export async function drawChart({ width, height, configuration }: Drawing): Promise<Uint8Array> {
  const [{ ChartJSNodeCanvas }, { GlobalFonts }] = await Promise.all([
    import("chartjs-node-canvas"),
    import("@napi-rs/canvas"),
  ]);
  if (!GlobalFonts.has(chartFont)) {
    const { resolve } = createRequire(import.meta.url);
    for (const weight of ["400Regular", "700Bold"])
      GlobalFonts.registerFromPath(
        resolve(`@expo-google-fonts/noto-sans-jp/${weight}/NotoSansJP_${weight}.ttf`),
        chartFont,
      );
  }
  const canvas = new ChartJSNodeCanvas({ width, height, backgroundColour: "#ffffff" });
  const options = {
    ...configuration.options,
    animation: false,
    responsive: false,
    devicePixelRatio: sharpness,
  } as const;
  return canvas.renderToBufferSync({ ...configuration, options });
}
