// Measured on llama-server b10434 (and b11434, all 1,848 replies alike). A named choice is logged as a wrong type and taken
// as auto; `none` is the raw text; streamed and not agree everywhere but in the form of an error.
import { both, type Cells, type Row, type SetUp } from "./outcome.ts";

const raw = both("leaked");
const text = both("text");
const call = both("call");

function row(auto: Row["auto"], required: Row["required"], none = raw): Row {
  return { ...(auto && { auto, named: auto }), ...(required && { required }), none, no_tools: none };
}

const hermesCells: Cells = {
  hermes: row(call, call),
  // `<tool_call>` is the trigger whatever follows it: the grammar makes a clean call of it.
  qwen3_coder: row(both("converted_call"), both("converted_call")),
  llama3_json: row(raw, both("text_then_call")),
  bare_json: row(raw, both("text_then_call")),
  marker: row(text, both("text_then_call"), text),
  text: row(text, both("text_then_call"), text),
};

export const llamaHermes: SetUp = {
  name: "llama-server, template hermes",
  cells: hermesCells,
  thinking: "text",
  nativeFormat: "hermes",
  undeclared: "steered",
  failsAt: "brace",
  afterCall: { body: "unwritten", stream: "unwritten" },
  cutCall: { body: "partial_or_tag", stream: "partial_or_tag" },
  trims: false,
  argumentsStyle: "spaced",
  forcedCalls: {},
};

/** As hermes, with a template that knows thinking. */
export const llamaHermesThink: SetUp = {
  ...llamaHermes,
  name: "llama-server, template hermes-think",
  thoughtCells: hermesCells,
  thinking: "leading_cut",
};

export const llamaQwen3Coder: SetUp = {
  ...llamaHermes,
  name: "llama-server, template qwen3coder",
  cells: {
    ...hermesCells,
    hermes: row(both("converted_call"), both("converted_call")),
    qwen3_coder: row(call, call),
  },
  nativeFormat: "qwen3_coder",
  argumentsStyle: "compact",
};

/** No trigger: any `{` in the answer that is not a perfect call in the template's own keys is an error, a marker too. */
export const llamaLlama3: SetUp = {
  ...llamaHermes,
  name: "llama-server, template llama3",
  nativeFormat: "llama3_json",
  cells: {
    hermes: row(both("parse_error"), both("tag_then_call")),
    qwen3_coder: row(raw, both("text_then_call")),
    llama3_json: row(call, call),
    bare_json: row(both("parse_error"), call),
    marker: row(both("parse_error"), both("text_then_call"), text),
    text: row(text, both("text_then_call"), text),
    braced: row(both("parse_error"), both("text_then_call"), text),
  },
};

/** The template has no tools: they are not in the prompt, and `required` is silently ignored. */
export const llamaPlain: SetUp = {
  ...llamaHermes,
  name: "llama-server, template plain",
  cells: {
    hermes: row(raw, raw),
    qwen3_coder: row(raw, raw),
    llama3_json: row(raw, raw),
    bare_json: row(raw, raw),
    marker: row(text, text, text),
    text: row(text, text, text),
  },
  undeclared: "as_declared",
  cutCall: { body: "leaked", stream: "leaked" },
};
