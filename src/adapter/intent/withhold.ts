import type { AdapterCall, AdapterEvent } from "../events.ts";
import type { EventTransform } from "../stage.ts";

/** What becomes of a call: it goes on, goes on with other arguments, or is withheld with a sentence for the user. */
export type CallVerdict =
  | { readonly kind: "pass"; readonly call: AdapterCall }
  | { readonly kind: "withhold"; readonly sentence: string };

/** A transform that lets calls go on as judged, and says at the end of the reply which ones were withheld, each sentence once. */
export function withholdCalls(judge: (call: AdapterCall) => CallVerdict): EventTransform {
  const sentences = new Set<string>();
  let said = false;
  return (event): readonly AdapterEvent[] => {
    switch (event.kind) {
      case "call": {
        const verdict = judge(event.call);
        if (verdict.kind === "pass")
          return [verdict.call === event.call ? event : { kind: "call", call: verdict.call }];
        sentences.add(verdict.sentence);
        return [];
      }
      case "text":
        if (event.text.trim() !== "") said = true;
        return [event];
      case "end":
      case "failed": {
        if (sentences.size === 0) return [event];
        const text = `${said ? "\n\n" : ""}${[...sentences].join("\n")}`;
        sentences.clear();
        return [{ kind: "text", text }, event];
      }
      case "reasoning":
      case "activity":
        return [event];
      default:
        return event satisfies never;
    }
  };
}
