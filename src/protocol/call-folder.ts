import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { excerpt, type ProblemList } from "./problems.ts";
import type { ServedCall, WireFault } from "./reply.ts";
import type { StreamEvent } from "./stream-event.ts";

/** How calls come: whole or in fragments, and by which API's rules. */
export interface CallShape {
  /** Each entry is a complete call (bodies, Ollama native). */
  readonly whole: boolean;
  /** Ollama's own API: arguments are an object and ids are optional. */
  readonly native: boolean;
  /** The entry stood in the old `function_call` field, which has no id. */
  readonly legacy: boolean;
}

/** Puts the calls of one choice together from what a server sends of them. */
export interface CallFolder {
  /** Takes the entries of one `tool_calls` list. */
  fold(entries: readonly JsonValue[], shape: CallShape, events: StreamEvent[]): void;
  /** Ends every open call and gives all calls in the order they began. */
  end(events: StreamEvent[]): readonly ServedCall[];
}

interface OpenCall {
  readonly number: number;
  id: string | null;
  name: string;
  argumentsText: string;
  readonly extent: ObjectExtent;
  announced: boolean;
  ended: boolean;
  readonly native: boolean;
  readonly faults: Set<WireFault>;
}

/**
 * A folder for one choice. Servers number calls carelessly, so at one index a new id, a new name or a further argument object
 * behind a complete one begins another call. An entry without any name is debris of a stream merge and no call.
 */
export function createCallFolder(choice: number, problems: ProblemList): CallFolder {
  const calls: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();
  const byId = new Map<string, OpenCall>();

  function begin(index: number | null, native: boolean): OpenCall {
    const call: OpenCall = {
      number: calls.length,
      id: null,
      name: "",
      argumentsText: "",
      extent: createObjectExtent(),
      announced: false,
      ended: false,
      native,
      faults: new Set(),
    };
    calls.push(call);
    if (index !== null) byIndex.set(index, call);
    return call;
  }

  function openCall(index: number | null, id: string | null): OpenCall | undefined {
    if (index !== null) return byIndex.get(index);
    return (id === null ? undefined : byId.get(id)) ?? calls.at(-1);
  }

  function endCall(call: OpenCall, events: StreamEvent[]): void {
    if (call.ended) return;
    call.ended = true;
    if (call.announced) events.push({ kind: "call-end", choice, call: call.number, served: served(call) });
    else problems.add(`a tool call without a name was left out, arguments ${excerpt(call.argumentsText)}`);
  }

  function foldEntry(entry: JsonObject, shape: CallShape, events: StreamEvent[]): void {
    const { whole, native } = shape;
    const body = isJsonObject(entry["function"]) ? entry["function"] : entry;
    const id = nonEmpty(entry["id"]);
    const name = nonEmpty(body["name"]);
    const argumentsText = readArguments(body["arguments"]);
    if (name === null && argumentsText === "" && (id === null || whole)) return;
    const index = whole ? null : (integer(entry["index"]) ?? integer(body["index"]));
    const open = whole ? undefined : openCall(index, id);
    let call = open;
    if (call === undefined || call.ended || beginsAnother(call, id, name, argumentsText)) {
      if (call !== undefined) endCall(call, events);
      call = begin(index, native);
      if (open !== undefined) call.faults.add("index_reused");
      if (shape.legacy) call.faults.add("legacy_field");
      // A bare argument object behind a complete one repeats the call that it follows.
      if (name === null && id === null && open !== undefined) call.name = open.name;
    }
    if (call.id === null && id !== null) {
      const owner = byId.get(id);
      if (owner !== undefined && owner !== call) call.faults.add("same_id");
      call.id = id;
      byId.set(id, call);
    }
    const given = body["arguments"];
    if (!native && isJsonObject(given)) call.faults.add("arguments_as_object");
    if (native && typeof given === "string") call.faults.add("arguments_as_text");
    if (call.name === "" && name !== null) call.name = name;
    call.argumentsText += argumentsText;
    if (!whole) call.extent.push(argumentsText);
    announce(call, argumentsText, events);
    if (whole) endCall(call, events);
  }

  function announce(call: OpenCall, fragment: string, events: StreamEvent[]): void {
    if (call.name === "") return;
    const first = !call.announced;
    if (first) {
      call.announced = true;
      events.push({ kind: "call-start", choice, call: call.number, id: call.id, name: call.name });
    }
    // Fragments that came before the name go out with it.
    const text = first ? call.argumentsText : fragment;
    if (text !== "") events.push({ kind: "call-delta", choice, call: call.number, argumentsText: text });
  }

  return {
    fold(entries, shape, events) {
      for (const entry of entries) if (isJsonObject(entry)) foldEntry(entry, shape, events);
    },
    end(events) {
      for (const call of calls) endCall(call, events);
      return calls.filter((call) => call.announced).map(served);
    },
  };
}

function served(call: OpenCall): ServedCall {
  const { id, name, argumentsText } = call;
  const faults = [...call.faults];
  if (id === null && !call.native && !call.faults.has("legacy_field")) faults.push("no_id");
  return faults.length === 0 ? { id, name, argumentsText } : { id, name, argumentsText, faults };
}

function beginsAnother(open: OpenCall, id: string | null, name: string | null, argumentsText: string): boolean {
  const opensObject = /^\s*\{/.test(argumentsText);
  if (name !== null && open.name !== "" && name !== open.name) return true;
  // Some servers draw a new id for every fragment: one that cannot open an object continues the unfinished one.
  const continues = argumentsText !== "" && !opensObject && open.argumentsText !== "" && !open.extent.complete();
  if (id !== null && open.id !== null && id !== open.id && !continues) return true;
  if (!opensObject || !open.extent.complete()) return false;
  return name !== null || isCompleteObject(argumentsText);
}

/** Arguments as JSON text: null and absent are "", an object (Ollama native) is serialised. */
function readArguments(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.parse accepts nesting that JSON.stringify cannot walk.
    return "";
  }
}

function nonEmpty(value: JsonValue | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function integer(value: JsonValue | undefined): number | null {
  return typeof value === "number" && Number.isInteger(value) ? value : null;
}

interface ObjectExtent {
  push(text: string): void;
  /** True where the text so far is one object by its braces, with nothing but white space around it. */
  complete(): boolean;
}

/** Follows braces and strings from fragment to fragment: parsing the text again for each fragment would be quadratic. */
function createObjectExtent(): ObjectExtent {
  let state: "before" | "inside" | "complete" | "other" = "before";
  let depth = 0;
  let inString = false;
  let escaped = false;

  function read(character: number): void {
    const isSpace = character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
    if (state === "inside") {
      if (inString) {
        if (escaped) escaped = false;
        else if (character === 0x5c) escaped = true;
        else if (character === 0x22) inString = false;
      } else if (character === 0x22) inString = true;
      else if (character === 0x7b || character === 0x5b) depth += 1;
      else if (character === 0x7d || character === 0x5d) {
        depth -= 1;
        if (depth === 0) state = "complete";
      }
    } else if (!isSpace) {
      if (state === "before" && character === 0x7b) {
        state = "inside";
        depth = 1;
      } else state = "other";
    }
  }

  return {
    push(text) {
      for (let index = 0; index < text.length && state !== "other"; index++) read(text.charCodeAt(index));
    },
    complete: () => state === "complete",
  };
}

function isCompleteObject(text: string): boolean {
  const extent = createObjectExtent();
  extent.push(text);
  return extent.complete();
}
