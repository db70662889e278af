import { isJsonObject, type JsonValue, spacedJson } from "../json.ts";
import { createBareReader, glanceAtKeys } from "./bare-json.ts";
import { createFencedReader } from "./fenced-json.ts";
import type { ReaderStep, ScannedCall, ToolCallFormat } from "./format.ts";
import { toolNamePattern } from "./json-call.ts";
import { takeArguments } from "./json-reading.ts";
import { takeClosers } from "./named-json.ts";
import { brokenStep, callStep, createReader, cutStep, noStep } from "./reader-steps.ts";
import { endsInside, peek, type Reading, type Steps, takeBlanks, takeOne, takeUpTo } from "./reading.ts";

const thought = "Thought:";
const action = "Action:";
const input = "Action Input:";

/** How far a thought is followed in search of its action. */
const longestThought = 2000;
const longestInput = 4096;

/** Goes to the `Action:` line that follows a thought; false where the thought leads elsewhere. */
function* passThought(reading: Reading): Steps<boolean> {
  const from = reading.at;
  while (reading.at - from < longestThought) {
    if ((yield* takeUpTo(reading, "\n", longestThought)) === null) return false;
    yield* takeBlanks(reading);
    const word = yield* takeOne(reading, [action, thought, "Observation:", "Final Answer:", "Answer:"]);
    if (word !== null) return word === action;
  }
  return false;
}

function* readAction(reading: Reading): Steps<ReaderStep> {
  const first = yield* takeOne(reading, [thought, action]);
  if (first === null || (first === thought && !(yield* passThought(reading)))) return noStep;
  const name = (yield* takeUpTo(reading, "\n{<`"))?.trim() ?? null;
  if (name === null || !toolNamePattern.test(name)) return noStep;
  yield* takeBlanks(reading);
  if ((yield* takeOne(reading, [input])) === null) {
    const open = reading.at < reading.buffer.length && endsInside(reading, [input]);
    return open ? cutStep(reading, [], name) : noStep;
  }
  const start = reading.at;
  yield* takeBlanks(reading);
  const fence = yield* takeOne(reading, ["```json", "```", ""]);
  if (fence !== "") yield* takeBlanks(reading);
  if ((yield* peek(reading)) === "{") {
    const read = yield* takeArguments(reading, name);
    if (read.kind === "damaged") return brokenStep([], read);
    if (fence !== "") yield* takeClosers(reading, [["```"]]);
    return callStep(reading, [read.call]);
  }
  reading.at = start;
  // Plain text to the end of its line: which parameter it is, the schema says.
  const line = yield* takeUpTo(reading, "\n", longestInput);
  if (line === null && !reading.ended) return brokenStep([], { end: reading.at, reason: "malformed", name });
  if (line === null) reading.at = reading.buffer.length;
  const text = reading.buffer.slice(start, reading.at).trim();
  if (text === "") return cutStep(reading, [], name);
  return callStep(reading, [{ name, arguments: text, argumentsText: text, untyped: true }]);
}

/** `Thought:`, `Action: NAME`, `Action Input: …`: a JSON object, or plain text. The thought is part of it. */
export const react: ToolCallFormat = {
  name: "react",
  openers: [thought, action],
  opensAt: "sentence",
  bare: false,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": [] },
  models: "models under ReAct prompts",
  openReader: (meter) => createReader(meter, readAction),
  render: (calls) => calls.map((call) => `${action} ${call.name}\n${input} ${spacedJson(call.arguments)}`).join("\n"),
};

const blobKeys: ReadonlySet<string> = new Set(["action", "action_input", "thought"]);

/** The call of `{"action", "action_input"}`; null for a final answer, whose action is no tool. */
function readBlob(value: JsonValue): readonly ScannedCall[] | null {
  if (!isJsonObject(value) || !("action_input" in value)) return null;
  const { action: name, action_input: given } = value;
  if (typeof name !== "string" || !toolNamePattern.test(name) || given === undefined) return null;
  const plain = typeof given === "string";
  return [{ name, arguments: given, argumentsText: plain ? given : JSON.stringify(given), untyped: plain }];
}

/** The same of JSON that does not parse. */
function readDamagedBlob(text: string): { readonly name: string; readonly argumentsText: string } | null {
  const name = /"action"\s*:\s*"([^"\\]{1,128})"/.exec(text)?.[1];
  const input = /"action_input"\s*:\s*/.exec(text);
  return name === undefined || input === null || !toolNamePattern.test(name)
    ? null
    : { name, argumentsText: text.slice(input.index + input[0].length) };
}

/** `{"action": NAME, "action_input": …}`, bare or in the fence behind `Action:`. */
export const reactJson: ToolCallFormat = {
  name: "react_json",
  openers: ["{"],
  bare: true,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": [] },
  models: "models under LangChain's structured chat prompt",
  glance: glanceAtKeys(blobKeys),
  openReader: (meter) => createBareReader(meter, { readCalls: readBlob, readDamage: readDamagedBlob }),
  residue: {
    openers: [action],
    opensAt: "sentence",
    bare: true,
    openReader: (meter) =>
      createFencedReader(meter, { before: action, glance: glanceAtKeys(blobKeys), readCalls: readBlob }),
  },
  render: (calls) => calls.map((call) => spacedJson({ action: call.name, action_input: call.arguments })).join("\n"),
};
