// Not measured: the contract of the OpenAI API itself, for a hosted endpoint that parses its own model's calls.
import { both, type Row, type SetUp } from "./outcome.ts";

const forced = both("forced_call");

function row(auto: Row["auto"], none: Row["none"]): Row {
  return { ...(auto && { auto }), required: forced, named: forced, ...(none && { none, no_tools: none }) };
}

/** A generic endpoint that reads calls in `ownFormat`; calls in any other format are text to it. */
export function openaiSetUp(ownFormat: string, formats: readonly string[]): SetUp {
  const raw = both("leaked");
  const text = both("text");
  return {
    name: "openai",
    cells: {
      ...Object.fromEntries(formats.map((format) => [format, row(format === ownFormat ? both("call") : raw, raw)])),
      marker: row(text, text),
      text: row(text, text),
    },
    thinking: "text",
    nativeFormat: ownFormat,
    undeclared: "as_declared",
    failsAt: "start",
    afterCall: { body: "dropped", stream: "dropped" },
    cutCall: { body: "lost", stream: "partial" },
    trims: false,
    argumentsStyle: "compact",
    forcedCalls: { named: 1 },
  };
}
