import type { Tool } from "../../protocol/chat.ts";
import { callKey } from "../../protocol/hand-on.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../protocol/json.ts";
import { type FittedCall, fitCall, type GivenCall } from "../../protocol/repair/fit-call.ts";
import { endsInsideString, repairJson } from "../../protocol/repair/json-text.ts";
import type { RepairName } from "../../protocol/repair/repair.ts";
import type { ServedCall } from "../../protocol/reply.ts";
import { argumentsFit, checkArguments, declaredProperties } from "../../protocol/tool-arguments.ts";
import type { CallProblem, JudgedCall, Validity } from "./classification.ts";

/** From the best to the worst that can be said of a call. */
const order: readonly Validity[] = ["valid", "repairable", "invalid_args", "hallucinated_tool"];

/** What can be said of a reply's calls together: no more than of the worst of them. */
export function commonValidity(calls: readonly JudgedCall[]): Validity {
  return order.findLast((validity) => calls.some((call) => call.validity === validity)) ?? "invalid_args";
}

/** What can be said of the best among calls: whether any of them was worth delivering. */
export function bestValidity(calls: readonly JudgedCall[]): Validity {
  return order.find((validity) => calls.some((call) => call.validity === validity)) ?? "invalid_args";
}

/** What a repair says about the call as it came. Repairs of JSON text are named by what the strict reading met. */
const problemOfRepair: Partial<Record<RepairName, CallProblem>> = {
  namespace_in_name: "name_residue",
  marker_in_name: "name_residue",
  doubled_name: "merged_calls",
  merged_calls: "merged_calls",
  escaped_twice: "escaped_twice",
  newlines_escaped_twice: "escaped_twice",
  empty_arguments: "not_json",
};

/** Judges a call against the declared tools; several come of one that a stream ran together. */
export function judgeCall(given: GivenCall, tools: readonly Tool[]): readonly JudgedCall[] {
  return fitCall(given, tools).map((fitted) => judgeFitted(fitted, given, tools));
}

/** Judges what `fitCall` made of a call. */
export function judgeFitted(fitted: FittedCall, given: GivenCall, tools: readonly Tool[]): JudgedCall {
  const { name } = fitted;
  switch (fitted.kind) {
    case "fits": {
      const found = fitted.repairs.length === 0 ? [] : strictProblems(given, name, tools);
      const named = fitted.repairs.flatMap((repair) => problemOfRepair[repair.name] ?? []);
      return {
        name,
        arguments: fitted.arguments,
        validity: fitted.repairs.length === 0 ? "valid" : "repairable",
        problems: [...new Set([...found, ...named, ...unknownArguments(name, fitted.arguments, tools)])],
        ...(fitted.repairs.length === 0 ? {} : { repairs: namesOf(fitted.repairs) }),
      };
    }
    case "undeclared":
      return { name, arguments: fitted.arguments, validity: "hallucinated_tool", problems: ["undeclared_tool"] };
    case "unfit":
      return { name, arguments: fitted.arguments, validity: "invalid_args", problems: [...new Set(fitted.problems)] };
    case "ambiguous":
      return { name, arguments: null, validity: "invalid_args", problems: ["two_readings"] };
    default:
      return fitted satisfies never;
  }
}

/** Names of repairs, each once, in order. */
export function namesOf(repairs: readonly { readonly name: RepairName }[]): readonly RepairName[] {
  return [...new Set(repairs.map(({ name }) => name))];
}

/** What a strict reader meets in arguments that took a repair. */
function strictProblems(given: GivenCall, name: string, tools: readonly Tool[]): CallProblem[] {
  const strict = typeof given.arguments === "string" ? parseJson(given.arguments) : given.arguments;
  if (strict === undefined) return ["not_json"];
  if (typeof strict === "string") return ["escaped_twice"];
  if (!isJsonObject(strict)) return ["not_an_object"];
  const tool = tools.find((candidate) => candidate.function.name === name);
  const problems = tool === undefined ? [] : checkArguments(tool, strict);
  return argumentsFit(problems) ? [] : problems.map((problem) => problem.problem);
}

/** Arguments that the schema does not mention but tolerates: a fault worth naming, not one that invalidates the call. */
function unknownArguments(name: string, value: JsonObject, tools: readonly Tool[]): CallProblem[] {
  const tool = tools.find((candidate) => candidate.function.name === name);
  const properties = declaredProperties(tool);
  if (tool?.function.parameters?.["properties"] === undefined) return [];
  return Object.keys(value).some((key) => !Object.hasOwn(properties, key)) ? ["unknown_argument"] : [];
}

/** A served call with its judgement. `cut`: it stops before its end, or before its arguments began. */
export interface JudgedServedCall {
  readonly call: JudgedCall;
  readonly argumentsText: string;
  readonly cut: boolean;
}

/**
 * Judges the calls that the API served. Faults of the wire make a call repairable at best: a client has to mend them. `spent`:
 * the budget was used up or the stream lost, so that the last call may lack its arguments although what is there looks whole.
 */
export function judgeServed(
  served: readonly ServedCall[],
  tools: readonly Tool[],
  spent: boolean,
): readonly JudgedServedCall[] {
  const judged: JudgedServedCall[] = [];
  const known = new Set<string>();
  for (const [index, { name, argumentsText, faults = [] }] of served.entries()) {
    const isLast = index === served.length - 1;
    const cut =
      argumentsAreCut(argumentsText, spent) || (spent && isLast && lacksArguments(name, argumentsText, tools));
    for (const call of judgeCall(
      { name, arguments: argumentsText, untyped: false, stopped: !spent, jsonText: true },
      tools,
    )) {
      const again = call.arguments !== null && known.has(callKey(call));
      known.add(callKey(call));
      const problems: CallProblem[] = [...call.problems, ...faults, ...(again ? (["repeated"] as const) : [])];
      const irregular = faults.length > 0 || again;
      judged.push({
        call: { ...call, problems, validity: irregular && call.validity === "valid" ? "repairable" : call.validity },
        argumentsText,
        cut,
      });
    }
  }
  return judged;
}

/** Nothing, or an empty object, for a tool that has something to be told. */
function lacksArguments(name: string, argumentsText: string, tools: readonly Tool[]): boolean {
  const tool = tools.find((candidate) => candidate.function.name === name);
  return (
    /^\s*(?:\{\s*\})?\s*$/.test(argumentsText) &&
    (tool === undefined || Object.keys(declaredProperties(tool)).length > 0)
  );
}

/**
 * True where JSON text of arguments stops in the middle: inside a string, behind a comma or colon, or with its brackets open. One
 * bracket missing at the end of a reply that ended by itself is a slip, no cut.
 */
function argumentsAreCut(text: string, spent: boolean): boolean {
  const trimmed = text.trim();
  if (trimmed === "" || parseJson(trimmed) !== undefined) return false;
  if (!trimmed.startsWith("{") && !trimmed.startsWith("[")) return false;
  if (repairJson(trimmed, { behind: "text" }) !== null) return false;
  const lacksOnlyCloser = repairJson(trimmed, { stopped: true }) !== null;
  return lacksOnlyCloser ? spent : endsInsideString(trimmed) || /[:,{[]\s*$/.test(trimmed);
}

/** The arguments of a call for texts that are compared: canonical enough for a search, never for display. */
export function argumentTexts(calls: readonly JudgedCall[]): readonly string[] {
  return calls.map((call) => JSON.stringify(call.arguments satisfies JsonValue | null));
}
