import type { Quote } from "../quotes.ts";
import { visibleText } from "../terminal-text.ts";
import type { Colors } from "./colors.ts";
import { columns, cutToWidth } from "./terminal-layout.ts";

/** Columns of text kept on each side of the evidence, where there is text. */
const context = 12;

/** A quote on one line of at most `width` columns, its evidence set off: inverse in colour, >>so<< without. */
export function quoteLine(quote: Quote, width: number, colors: Colors): string {
  const [open, close] = colors.isColorSupported ? ["", ""] : [">>", "<<"];
  const room = width - columns(open + close) - 2;
  const around =
    Math.min(context, columns(visibleText(quote.before))) + Math.min(context, columns(visibleText(quote.after)));
  const marked = cutToWidth(visibleText(quote.marked), room - around);
  const before = tail(
    visibleText(quote.before),
    quote.cutBefore,
    Math.max(context, Math.floor((room - columns(marked)) / 2)),
  );
  const left = room - columns(before) - columns(marked);
  const after = left < 4 ? "" : cutToWidth(visibleText(quote.after) + (quote.cutAfter ? "..." : ""), left);
  return `"${before}${open}${colors.inverse(marked)}${close}${after}"`;
}

/** The end of a text in at most `width` columns, with "..." where its start is missing. */
function tail(text: string, cut: boolean, width: number): string {
  if (!cut && columns(text) <= width) return text;
  const characters = Array.from(text);
  while (characters.length > 0 && columns(characters.join("")) > width - 3) characters.shift();
  return width < 4 ? "" : `...${characters.join("")}`;
}
