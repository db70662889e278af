import type { Handler } from "../../src/protocol/handler.ts";
import { checkProfile, profileSchema } from "../../src/simulator/profile.ts";
import { createSimulator } from "../../src/simulator/simulator.ts";

export const now = 1_796_034_218_000;

/** A simulator of a profile that has been checked, as the CLI makes one. */
export function simulate(profile: unknown, seed = "test"): Handler {
  const parsed = profileSchema.parse(profile);
  const problems = checkProfile(parsed);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return createSimulator({ profile: parsed, seed, now: () => now });
}

export async function post(handler: Handler, path: string, body: unknown): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return handler(new Request(`http://simulated${path}`, { method: "POST", body: text }));
}

export async function get(handler: Handler, path: string): Promise<Response> {
  return handler(new Request(`http://simulated${path}`));
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** JSON events of a stream: server-sent data (with "[DONE]" as a string) or one JSON object a line. */
export function eventsOf(text: string): Json[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (line.startsWith("data: ") ? line.slice(6) : line))
    .map((data) => (data === "[DONE]" ? data : (JSON.parse(data) as Json)));
}

/** Keys in order and types of values; lists of numbers count as one number, so that lengths do not matter. */
export function shapeOf(value: Json): unknown {
  if (value === null) return "null";
  if (Array.isArray(value)) {
    const shapes = value.map(shapeOf);
    const same = shapes.every((shape) => JSON.stringify(shape) === JSON.stringify(shapes[0]));
    return same ? ["list", ...shapes.slice(0, 1)] : ["list", ...shapes];
  }
  if (typeof value === "object") return Object.entries(value).map(([key, item]) => [key, shapeOf(item)]);
  return value === "[DONE]" ? value : typeof value;
}

/** The grammar of a stream: shapes of its events, with runs of equal ones as one. */
export function grammarOf(text: string): string[] {
  const shapes = eventsOf(text).map((event) => JSON.stringify(shapeOf(event)));
  return shapes.filter((shape, index) => shape !== shapes[index - 1]);
}

/** What a reader makes of a stream or body: texts joined, arguments joined by call. */
export interface Folded {
  content: string;
  reasoning: string;
  calls: { name: string; arguments: string }[];
  finish: string | null;
  done: boolean;
  error: string | null;
}

interface Part {
  content?: string | null;
  reasoning?: string | null;
  reasoning_content?: string | null;
  thinking?: string;
  tool_calls?: { index?: number; function: { index?: number; name?: string; arguments?: string | object } }[];
}

export function foldReply(text: string): Folded {
  const folded: Folded = { content: "", reasoning: "", calls: [], finish: null, done: false, error: null };
  for (const event of eventsOf(text)) {
    if (event === "[DONE]") folded.done = true;
    else foldEvent(event as never, folded);
  }
  return folded;
}

function foldEvent(
  event: {
    error?: string | { message: string };
    done?: boolean;
    done_reason?: string;
    message?: Part;
    choices?: { message?: Part; delta?: Part; finish_reason: string | null }[];
  },
  folded: Folded,
): void {
  if (event.error !== undefined) {
    folded.error = typeof event.error === "string" ? event.error : event.error.message;
    return;
  }
  if (event.done === true) folded.done = true;
  const choice = event.choices?.[0];
  const part = choice?.delta ?? choice?.message ?? event.message ?? {};
  folded.finish = choice?.finish_reason ?? event.done_reason ?? folded.finish;
  folded.content += part.content ?? "";
  folded.reasoning += part.reasoning ?? part.reasoning_content ?? part.thinking ?? "";
  for (const [position, call] of (part.tool_calls ?? []).entries()) {
    const index = call.index ?? call.function.index ?? position;
    folded.calls[index] ??= { name: "", arguments: "" };
    const held = folded.calls[index];
    if (held === undefined) continue;
    held.name += call.function.name ?? "";
    const given = call.function.arguments ?? "";
    held.arguments += typeof given === "string" ? given : JSON.stringify(given);
  }
}

export const runPython = tool("run_python", { task: { type: "string" } }, ["task"]);
export const readFile = tool("read_file", { path: { type: "string" }, max_lines: { type: "integer" } }, ["path"]);
export const searchNotes = tool(
  "search_notes",
  { query: { type: "string" }, tags: { type: "array", items: { type: "string" } }, limit: { type: "integer" } },
  ["query"],
);
export const setThermostat = tool(
  "set_thermostat",
  { room: { type: "string" }, celsius: { type: "number" }, dry_run: { type: "boolean" } },
  ["room", "celsius"],
);

function tool(name: string, properties: object, required: string[]): object {
  return {
    type: "function",
    function: { name, description: name, parameters: { type: "object", properties, required } },
  };
}
