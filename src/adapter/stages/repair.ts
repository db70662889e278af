import { isJsonObject, parseJson } from "../../protocol/json.ts";
import { type FittedCall, fitCall } from "../../protocol/repair/fit-call.ts";
import { schemaProblem } from "../../protocol/tool-arguments.ts";
import type { AdapterCall, AdapterEvent } from "../events.ts";
import type { Stage } from "../stage.ts";
import type { Turn } from "../turn.ts";
import { repairsText } from "./scan.ts";

/**
 * Mends calls by safe named repairs only: broken JSON, types that the schema wants otherwise, names with markup around them. A call
 * that no safe repair makes fit goes on as it came: its client tells the model what is wrong, which is more than a guess can.
 */
export const repair: Stage = {
  name: "repair",
  summary: "broken tool calls are mended where there is only one way to read them",
  open(turn) {
    turn.put(repairsText, true);
    return {
      onResponse: () => (event) =>
        event.kind === "call" && event.call.origin === "native" ? mend(event.call, turn) : [event],
    };
  },
};

function mend(call: AdapterCall, turn: Turn): readonly AdapterEvent[] {
  noteUncheckable(call.name, turn);
  const given = { name: call.name, arguments: call.argumentsText, untyped: false, stopped: true, jsonText: true };
  const fitted = fitCall(given, turn.callable());
  const usable = fitted.filter((one) => one.kind === "fits");
  if (usable.length === 0 || usable.length < fitted.length)
    return [{ kind: "call", call: asItCame(call, fitted, turn) }];
  return usable.map((one, index): AdapterEvent => {
    if (one.repairs.length === 0) return { kind: "call", call };
    for (const { name, safety, before, after } of one.repairs)
      turn.trace({ stage: "repair", decision: `repaired:${name}`, reason: safety, before, after });
    const id = index === 0 ? call.id : turn.newCallId();
    return { kind: "call", call: { ...call, id, name: one.name, argumentsText: JSON.stringify(one.arguments) } };
  });
}

/** A schema that nobody can check is the client's; its tool is called all the same, and the trace says why nothing was checked. */
function noteUncheckable(name: string, turn: Turn): void {
  const tool = turn.callable().find((candidate) => candidate.function.name === name);
  const problem = tool === undefined ? null : schemaProblem(tool);
  if (problem !== null)
    turn.trace({
      stage: "repair",
      decision: "schema_unusable",
      reason: `arguments of ${name} are not checked: ${problem}`,
    });
}

function asItCame(call: AdapterCall, fitted: readonly FittedCall[], turn: Turn): AdapterCall {
  const [first] = fitted;
  const reason =
    first?.kind === "unfit"
      ? `the arguments do not fit: ${first.problems.join(", ")}`
      : first?.kind === "undeclared"
        ? "the tool is not declared"
        : "it can be read in more than one way";
  turn.trace({
    stage: "repair",
    decision: "left_as_it_came",
    reason,
    before: { name: call.name, arguments: call.argumentsText },
  });
  // Empty arguments are no JSON in any client; an empty object says the same.
  return call.argumentsText.trim() === "" ? { ...call, argumentsText: "{}" } : normalised(call);
}

/** Arguments that are a JSON object inside a JSON text are that object for every client. */
function normalised(call: AdapterCall): AdapterCall {
  const value = parseJson(call.argumentsText);
  const inner = typeof value === "string" ? parseJson(value) : undefined;
  return isJsonObject(inner) ? { ...call, argumentsText: JSON.stringify(inner) } : call;
}
