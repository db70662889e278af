import type { RequestKind } from "../../src/adapter/intent/request-kind.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../src/protocol/json.ts";
import type { FinishedProgram } from "../../src/testbed/processes/run-program.ts";
import type { Place } from "./client-run.ts";

/** A command that a client says it ran. */
export interface RanCommand {
  readonly command: string;
  readonly exitCode: number | null;
  readonly output: string;
}

/** One run of an agent, by its own account. */
export interface AgentRun {
  readonly finished: FinishedProgram;
  readonly events: readonly JsonObject[];
  readonly commands: readonly RanCommand[];
  /** What it said last. */
  readonly message: string;
}

/** A command line agent, and how it is used and read. */
export interface Agent {
  readonly name: string;
  /** Its shell tool. */
  readonly shell: { readonly tool: string; call(command: string): JsonObject };
  /** Addresses that it asks for by itself, whatever it is told; the proxy refuses them. Null: none. */
  readonly wants: RegExp | null;
  /** What it may leave running behind the end of a short run, by a mark in its command line; it is ended. Null: nothing. */
  readonly leaves: RegExp | null;
  /** What it asks beside a user's turn in every run, as the adapter names it; such a request repeats the user's words. */
  readonly errands: readonly RequestKind[];
  /** Runs it once, with the configuration of the README, against the adapter at `url`. */
  run(prompt: string, url: string, place: Place): Promise<AgentRun>;
}

/** The JSON objects of an output that has one a line; other lines are left out. */
export function jsonLines(text: string): readonly JsonObject[] {
  return text
    .split("\n")
    .map((line) => parseJson(line))
    .filter((value) => isJsonObject(value));
}

/** The object at a path of keys; an empty one where there is none. */
export function objectAt(value: JsonValue | undefined, ...keys: readonly string[]): JsonObject {
  let found: JsonValue | undefined = value;
  for (const key of keys) found = isJsonObject(found) ? found[key] : undefined;
  return isJsonObject(found) ? found : {};
}
