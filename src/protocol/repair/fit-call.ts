import type { Tool } from "../chat.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../json.ts";
import { type ArgumentFault, fitArguments } from "./arguments.ts";
import { resolveName } from "./call-name.ts";
import { readObjectRun } from "./json-text.ts";
import { type AppliedRepair, applied } from "./repair.ts";

/** A call as it was written or served, before it is held against the tools. */
export interface GivenCall {
  readonly name: string;
  /** JSON text, or a decoded value. */
  readonly arguments: JsonValue;
  readonly untyped: boolean;
  /** The writer ended the text by itself. */
  readonly stopped: boolean;
  /** JSON text is the rule for the arguments (calls of the API). */
  readonly jsonText: boolean;
}

/** A call held against the declared tools. Several come of one where a stream ran them together. */
export type FittedCall =
  | {
      readonly kind: "fits";
      readonly name: string;
      readonly arguments: JsonObject;
      /** What it took; empty for a call that fits as it stands. */
      readonly repairs: readonly AppliedRepair[];
    }
  | { readonly kind: "undeclared"; readonly name: string; readonly arguments: JsonObject | null }
  | {
      readonly kind: "unfit";
      readonly name: string;
      readonly arguments: JsonObject | null;
      readonly problems: readonly ArgumentFault[];
    }
  /** Several readings stand: which argument is meant is not said. */
  | { readonly kind: "ambiguous"; readonly name: string };

/** Ids that clients and servers mint; where one stands in place of a name, the text does not say which tool is meant. */
const mintedId = /^(?:call|tool|toolu|chatcmpl-tool|fc)[_-](?=[\w-]*\d)[\w-]{4,}$/i;

/** Holds a call against the declared tools, mending by safe named repairs only. Gives at least one fitted call. */
export function fitCall(call: GivenCall, tools: readonly Tool[]): readonly FittedCall[] {
  const resolved = resolveName(call.name, tools);
  if (resolved === null) {
    return mintedId.test(call.name)
      ? [{ kind: "ambiguous", name: call.name }]
      : [{ kind: "undeclared", name: call.name, arguments: readableObject(call.arguments) }];
  }
  const { names } = resolved;
  const [first = call.name] = names;

  const run =
    typeof call.arguments === "string" && parseJson(call.arguments) === undefined
      ? readObjectRun(call.arguments)
      : null;
  if (run !== null && run.length > 1) {
    const paired = names.length === run.length ? names : run.map(() => first);
    const merged = applied("merged_calls", `${call.name} ${String(call.arguments)}`, `${run.length} calls`);
    return run.flatMap((value, index) =>
      fitOne({ ...call, name: paired[index] ?? first, arguments: value }, tools, [...resolved.repairs, merged]),
    );
  }
  return fitOne({ ...call, name: first }, tools, resolved.repairs);
}

function fitOne(call: GivenCall, tools: readonly Tool[], nameRepairs: readonly AppliedRepair[]): readonly FittedCall[] {
  const { name } = call;
  const tool = tools.find((candidate) => candidate.function.name === name);
  if (tool === undefined) return [{ kind: "undeclared", name, arguments: readableObject(call.arguments) }];
  const fitted = fitArguments(tool, call.arguments, call);
  switch (fitted.kind) {
    case "fits":
      return [{ kind: "fits", name, arguments: fitted.value, repairs: [...nameRepairs, ...fitted.repairs] }];
    case "unfit":
      return [{ kind: "unfit", name, arguments: fitted.value, problems: fitted.problems }];
    case "ambiguous":
      return [{ kind: "ambiguous", name }];
    default:
      return fitted satisfies never;
  }
}

function readableObject(given: JsonValue): JsonObject | null {
  const value = typeof given === "string" ? parseJson(given) : given;
  return isJsonObject(value) ? value : null;
}
