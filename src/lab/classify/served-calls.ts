import type { Tool } from "../../protocol/chat.ts";
import { isJsonObject, type JsonValue, parseJson } from "../../protocol/json.ts";
import { repairArguments } from "../../protocol/repair/arguments.ts";
import { endsInsideString, repairJson } from "../../protocol/repair/json-text.ts";
import { argumentsFit, checkArguments, typeArguments } from "../../protocol/tool-arguments.ts";
import type { CallProblem, JudgedCall, Validity } from "./classification.ts";

/** The order in which validities are preferred when a reply holds several calls: the best one names the reply. */
const order: readonly Validity[] = ["valid", "repairable", "invalid_args", "hallucinated_tool"];

/** The best validity among calls; a reply is as good as its best call. */
export function bestValidity(calls: readonly JudgedCall[]): Validity {
  return order.find((validity) => calls.some((call) => call.validity === validity)) ?? "invalid_args";
}

/**
 * Judges a call against the declared tools. `given` is JSON text or an already decoded value; `untyped` marks raw texts of
 * XML-like formats, which get the schema's types first.
 */
export function judgeCall(name: string, given: JsonValue, tools: readonly Tool[], untyped = false): JudgedCall {
  const strict = typeof given === "string" ? (given.trim() === "" ? undefined : parseJson(given)) : given;
  const tool = tools.find((candidate) => candidate.function.name === name);
  if (tool === undefined) {
    const value = strict ?? null;
    return {
      name,
      arguments: isJsonObject(value) ? value : null,
      validity: "hallucinated_tool",
      problems: ["undeclared_tool"],
    };
  }
  const typed = untyped && strict !== undefined ? typeArguments(tool, strict) : strict;
  if (isJsonObject(typed)) {
    const found = checkArguments(tool, typed);
    if (argumentsFit(found))
      return { name, arguments: typed, validity: "valid", problems: unknownArguments(tool, typed) };
  }
  const problems: CallProblem[] = [];
  if (strict === undefined) problems.push("not_json");
  else if (typeof strict === "string") problems.push("escaped_twice");
  else if (!isJsonObject(typed)) problems.push("not_an_object");
  else problems.push(...checkArguments(tool, typed).map((problem) => problem.problem));
  const repaired = repairArguments(tool, typed ?? (typeof given === "string" ? given : null));
  return {
    name,
    arguments: repaired.value ?? (isJsonObject(typed) ? typed : null),
    validity: repaired.value === null ? "invalid_args" : "repairable",
    problems: [...new Set(problems)],
  };
}

/** Arguments that the schema does not mention but tolerates: a fault worth naming, not one that invalidates the call. */
function unknownArguments(tool: Tool, value: Readonly<Record<string, JsonValue>>): CallProblem[] {
  const properties = tool.function.parameters?.["properties"];
  if (!isJsonObject(properties)) return [];
  return Object.keys(value).some((key) => !(key in properties)) ? ["unknown_argument"] : [];
}

/** True where JSON text of arguments stops in the middle: a string or bracket is open and nothing is wrong before. */
export function argumentsAreCut(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed === "" || parseJson(trimmed) !== undefined) return false;
  if (!trimmed.startsWith("{") && !trimmed.startsWith("[")) return false;
  return (
    endsInsideString(trimmed) ||
    repairJson(trimmed)?.repairs.includes("missing_outer_brace") === true ||
    /[:,{[]\s*$/.test(trimmed)
  );
}
