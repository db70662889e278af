import { toolCallFormats } from "../../protocol/formats/index.ts";
import type { HandOn } from "../../protocol/hand-on.ts";
import { skipDebris, withoutDebrisAtEnd } from "../../protocol/markup-debris.ts";
import type { Readings } from "./call-axis.ts";
import type { CallAxis, Finding } from "./classification.ts";

/**
 * What the user should still see: the reply's speech without calls, marker and remains of markup, and without what the model
 * invented behind a call.
 */
export function residualOf(readings: Readings, axis: CallAxis, findings: readonly Finding[], fromText: HandOn): string {
  const { text, offset, calls } = readings.content;
  if (axis.kind === "marker") {
    const { start, end } = axis.span;
    return `${text.slice(0, start - offset)}${text.slice(end - offset)}`.trim();
  }
  const lastEnd = calls.attempts.at(-1)?.end;
  const ahead = findings.find((finding) => finding.kind === "value_ahead");
  const isBehind = (start: number): boolean => lastEnd !== undefined && start - offset >= lastEnd;
  if (lastEnd !== undefined && ahead?.spans.some((span) => isBehind(span.start)) === true) {
    const behind = text.slice(lastEnd).trim();
    return fromText.residual.endsWith(behind) ? fromText.residual.slice(0, -behind.length).trim() : fromText.residual;
  }
  if (axis.kind !== "structured") return fromText.residual;
  const said = withoutDebrisAtEnd(fromText.residual);
  return withoutBegunOpener(said.slice(skipDebris(said, 0))).trim();
}

const openers = [...new Set(toolCallFormats.filter((format) => !format.bare).flatMap((format) => format.openers))];

/** A served call may leave the beginning of its own markup behind in the content. */
function withoutBegunOpener(text: string): string {
  const at = Math.max(text.lastIndexOf("<"), text.lastIndexOf("["));
  if (at === -1 || text.length - at < 3) return text;
  const tail = text.slice(at);
  return openers.some((opener) => opener.startsWith(tail) || opener === tail) ? text.slice(0, at).trim() : text;
}
