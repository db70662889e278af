import type { Place } from "../../protocol/call-position.ts";
import { toolCallFormats } from "../../protocol/formats/index.ts";
import { scanText } from "../../protocol/formats/scanner.ts";
import type { AppliedRepair } from "../../protocol/repair/repair.ts";
import { readWritten, type WrittenContext, type WrittenStretch } from "../../protocol/written-calls.ts";
import type { JudgedCall } from "./classification.ts";
import { judgeFitted, namesOf } from "./served-calls.ts";

/** A call, or the beginning of one, that the model wrote as text at a place where calls stand. */
export interface TextAttempt {
  readonly format: string;
  readonly bare: boolean;
  readonly start: number;
  readonly end: number;
  /** `whole`: it could be read to its end; `cut`: the text ends inside it; `broken`: it is damaged in itself. */
  readonly state: "whole" | "cut" | "broken";
  /** Whole calls, and what a safe repair makes of a damaged one. */
  readonly calls: readonly JudgedCall[];
  /** Name of the call that was cut or damaged, where readable. */
  readonly name: string | null;
  /** True where a cut or damaged call could not be mended. */
  readonly lost: boolean;
}

/** Attempts in a text and the stretches that look like calls and only speak of them. */
export interface TextCalls {
  readonly attempts: readonly TextAttempt[];
  readonly quoted: readonly {
    readonly start: number;
    readonly end: number;
    readonly format: string;
    readonly place: Place;
  }[];
  readonly stretches: readonly WrittenStretch[];
}

/** A call that took a repair to read is repairable at best. */
function lowered(given: JudgedCall, read: readonly AppliedRepair[]): JudgedCall {
  if (read.length === 0) return given;
  const call = { ...given, repairs: [...new Set([...namesOf(read), ...(given.repairs ?? [])])] };
  return call.validity === "valid"
    ? { ...call, validity: "repairable", problems: [...new Set([...call.problems, "not_json" as const])] }
    : call;
}

/** Finds what the model wrote as calls in one text (a field of the reply without its reasoning, or a raw text). */
export function findTextCalls(text: string, context: WrittenContext): TextCalls {
  const { tools } = context;
  const stretches = readWritten(text, scanText(toolCallFormats, text), context);
  const attempts: TextAttempt[] = [];
  const quoted: TextCalls["quoted"][number][] = [];
  for (const stretch of stretches) {
    const { format, bare, start, end, place, state, name } = stretch;
    if (place.kind === "quoted") {
      if (place.reason !== "undeclared") quoted.push({ start, end, format, place });
      continue;
    }
    const calls = stretch.entries.flatMap((entry) =>
      entry.fitted.map((fitted) => lowered(judgeFitted(fitted, entry.given, tools), entry.readRepairs)),
    );
    attempts.push({ format, bare, start, end, state, calls, name, lost: stretch.lost });
  }
  return { attempts, quoted, stretches };
}
