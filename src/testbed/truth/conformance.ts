import type { ConformanceOutcome, KnownPart, KnownTruth, Observation } from "../../protocol/known-truth.ts";
import { isToolRefusal } from "./sample-truth.ts";

type KnownCall = KnownPart & { readonly meaning: Extract<KnownPart["meaning"], { kind: "call" }> };

/** Characters of an opening tag; a server may leave it alone of a call that it swallows. */
const opening = 12;
/** Characters by which a call is recognised where it was cut or, by a simulator, spelled a little otherwise. */
const recognised = 18;

/** What a server made of a script, by comparing its bytes with what the model wrote. */
export function outcomeOf(script: KnownTruth, seen: Observation): ConformanceOutcome {
  if (seen.error !== null && isToolRefusal(seen.error)) return "refused";
  if (seen.status === null || seen.error !== null || (!seen.done && seen.finish === null)) return "error";
  const calls = script.parts.filter((part): part is KnownCall => part.meaning.kind === "call");
  if (seen.calls.length > 0) {
    if (calls.length === 0)
      return script.parts.some(({ meaning }) => meaning.kind === "quotation") ? "quoted" : "forced";
    const unchanged =
      calls.length === seen.calls.length &&
      calls.every(({ meaning }, index) => {
        const served = seen.calls[index];
        return served !== undefined && served.name === meaning.name && sameArguments(meaning, served.argumentsText);
      });
    return unchanged ? "call" : "mangled";
  }
  if (calls.length > 0) {
    const written = calls.map(({ start, end }) => script.text.slice(start, end).trim());
    if (written.some((call) => seen.content.includes(call.slice(0, recognised)))) return "leaked";
    // In the thinking a grammar may have gone on from the opening tag in words of its own.
    return written.some((call) => seen.reasoning.includes(call.slice(0, opening))) ? "reasoning" : "swallowed";
  }
  const said = script.text.replace(/^\s*<think>[\s\S]*?<\/think>/, "").trim();
  if (said === "") return "text";
  // Where a grammar forbids the end, the model goes on after its text; where max_tokens cut it, the beginning is all there is.
  const begins = said.slice(0, 40);
  if (seen.content.includes(begins)) return "text";
  return seen.reasoning.includes(begins) ? "reasoning" : "lost_text";
}

function sameArguments({ arguments: given, state }: KnownCall["meaning"], text: string): boolean {
  if (state !== "whole") return false;
  let served: unknown;
  try {
    served = JSON.parse(text);
  } catch {
    return false;
  }
  // Where the script does not say what the arguments are, any whole ones will do.
  return given === null || canonical(served) === canonical(given);
}

/** JSON with sorted keys: servers print the same arguments in different orders. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  return `{${Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
    .join()}}`;
}
