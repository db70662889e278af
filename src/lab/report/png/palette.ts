import type { Outcome } from "../messages/messages.ts";

/** The report's light colours: a picture has no dark side. */
export const ink = "#1b2126";
export const muted = "#5b656e";
export const line = "#dfe1dc";
export const blank = "#f1f2ee";

/** Colours by meaning, as on the page: reached, lost on the way, swallowed, the model's own doing, settings. */
export const outcomeColours: Readonly<Record<Outcome, string>> = {
  delivered: "#1d9a86",
  served: "#5b9fca",
  undelivered: "#8f78d6",
  leaked: "#eda63c",
  swallowed: "#cf5a44",
  reasoning_only: "#9a5200",
  truncated: "#1d5f8f",
  failed: "#a8321f",
  refused: "#7a1f12",
  no_call: "#d4d8d1",
};

/** From nothing delivered to all: a pale red by way of sand to a pale green, so that dark text stays readable on each. */
export function rateColour(rate: number): string {
  const stops = [
    [245, 205, 196],
    [252, 236, 205],
    [190, 228, 219],
  ] as const;
  const at = Math.min(1, Math.max(0, rate)) * 2;
  const index = Math.min(1, Math.floor(at));
  const [from, to] = [stops[index] ?? stops[0], stops[index + 1] ?? stops[2]];
  const mixed = from.map((channel, place) => Math.round(channel + ((to[place] ?? channel) - channel) * (at - index)));
  return `rgb(${mixed.join(", ")})`;
}
