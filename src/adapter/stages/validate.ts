import type { AdapterCall, AdapterEvent } from "../events.ts";
import type { Stage } from "../stage.ts";
import type { Turn } from "../turn.ts";

/**
 * The last look before a reply leaves, own answers included: ids are there and unique, names are the client's, a reply is never
 * silence. What the client could not read is withheld, logged, and said in words.
 */
export const validate: Stage = {
  name: "validate",
  summary: "what the client could not read is withheld and said in words instead",
  seesOwnAnswers: true,
  open(turn) {
    const names = new Set(turn.tools.map((tool) => tool.name));
    return {
      onResponse() {
        const ids = new Set<string>();
        let calls = 0;
        let spoke = false;
        return (event) => {
          switch (event.kind) {
            case "text":
              spoke ||= event.text.trim() !== "";
              return event.text === "" ? [] : [event];
            case "reasoning":
              return event.text === "" ? [] : [event];
            case "call": {
              const problem = problemOf(event.call, names);
              if (problem !== null) {
                spoke = true;
                return [withheld(event.call, problem, turn)];
              }
              calls++;
              return [{ kind: "call", call: withUniqueId(event.call, ids, turn) }];
            }
            case "end":
              if (calls > 0 || spoke || event.finishReason === "length" || event.finishReason === "content_filter")
                return [event];
              return [...silence(turn), event];
            case "failed":
            case "activity":
              return [event];
            default:
              return event satisfies never;
          }
        };
      },
    };
  },
};

function problemOf(call: AdapterCall, names: ReadonlySet<string>): string | null {
  if (call.name === "") return "it has no name";
  if (!names.has(call.name)) return `the client has no tool ${JSON.stringify(call.name)}`;
  return null;
}

function withheld(call: AdapterCall, problem: string, turn: Turn): AdapterEvent {
  turn.trace({
    stage: "validate",
    decision: "withheld",
    reason: problem,
    before: { name: call.name, arguments: call.argumentsText },
  });
  return {
    kind: "text",
    text: `[The model called ${call.name === "" ? "a tool" : call.name}, which was withheld: ${problem}. Trace ${turn.id}]`,
  };
}

function withUniqueId(call: AdapterCall, ids: Set<string>, turn: Turn): AdapterCall {
  const id = call.id === "" || ids.has(call.id) ? turn.newCallId() : call.id;
  ids.add(id);
  return id === call.id ? call : { ...call, id };
}

/** Clients show an empty answer as nothing at all, or try again; a model's silence is worth a word. */
function silence(turn: Turn): readonly AdapterEvent[] {
  turn.trace({ stage: "validate", decision: "empty_reply", reason: "the model answered with nothing" });
  return [{ kind: "text", text: `[The model answered with nothing. Trace ${turn.id}]` }];
}
