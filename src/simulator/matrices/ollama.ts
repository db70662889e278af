// Measured on Ollama 0.34.2 (temperature 0, /v1 and /api, streamed and not). tool_choice had no effect in 616 comparisons.
import { anyChoice, both, type Cells, type SetUp, split } from "./outcome.ts";

const text = both("text");
const raw = both("leaked");

// The Go template's generic parser starts at the tag that the template itself writes; what it cannot read there is gone.
const goTemplateCells: Cells = {
  hermes: anyChoice(both("call"), raw),
  qwen3_coder: anyChoice(both("swallowed"), raw),
  llama3_json: anyChoice(raw, raw),
  bare_json: anyChoice(raw, raw),
  marker: anyChoice(text, text),
  text: anyChoice(text, text),
};

export const ollamaHermes: SetUp = {
  name: "ollama, template hermes",
  cells: goTemplateCells,
  thinking: "text",
  nativeFormat: "hermes",
  undeclared: "swallowed",
  failsAt: "start",
  afterCall: { body: "dropped", stream: "dropped" },
  cutCall: { body: "lost", stream: "lost" },
  trims: false,
  argumentsStyle: "compact",
  forcedCalls: {},
};

// A builtin parser also works without tools in the request: its calls are dropped from a body and served in a stream.
const builtinCells: Cells = {
  hermes: anyChoice(both("parse_error"), both("parse_error")),
  qwen3_coder: anyChoice(both("call"), split("swallowed", "call")),
  llama3_json: anyChoice(raw, raw),
  bare_json: anyChoice(raw, raw),
  marker: anyChoice(text, text),
  text: anyChoice(text, text),
};

const { afterCall: _afterCall, ...unmeasuredAfterCall } = ollamaHermes;

export const ollamaQwen3Coder: SetUp = {
  ...unmeasuredAfterCall,
  name: "ollama, template qwen3-coder",
  cells: builtinCells,
  undeclared: "as_declared",
  trims: true,
};

const reasoning = anyChoice(both("reasoning"), both("reasoning"));

/** The qwen3.5 pair thinks by default: a reply that never closes its thinking is all reasoning. */
export const ollamaQwen35: SetUp = {
  ...ollamaQwen3Coder,
  name: "ollama, template qwen3.5",
  cells: { ...builtinCells, llama3_json: reasoning, bare_json: reasoning, marker: reasoning, text: reasoning },
  thoughtCells: {
    hermes: builtinCells["hermes"] ?? {},
    qwen3_coder: builtinCells["qwen3_coder"] ?? {},
    text: builtinCells["text"] ?? {},
    marker: builtinCells["marker"] ?? {},
  },
  thinking: "trimmed",
  afterCall: { body: "kept", stream: "kept" },
};

/** The GGUF's own Jinja template, parsed by the llama-server behind Ollama; cells that contradict its grammar were artefacts. */
export const ollamaNative: SetUp = {
  ...unmeasuredAfterCall,
  name: "ollama, template native",
  cells: {
    hermes: anyChoice(both("call"), raw),
    qwen3_coder: { no_tools: raw },
    llama3_json: anyChoice(raw, raw),
    bare_json: anyChoice(raw, raw),
    marker: anyChoice(text, text),
    text: anyChoice(text, text),
  },
  undeclared: "steered",
  cutCall: { body: "failed", stream: "failed" },
};

const refused = both("refused");

/** A template without tools: every request that declares some is refused. */
export const ollamaNoTools: SetUp = {
  ...ollamaHermes,
  name: "ollama, template notools",
  cells: {
    hermes: anyChoice(refused, raw),
    qwen3_coder: anyChoice(refused, raw),
    llama3_json: anyChoice(refused, raw),
    bare_json: anyChoice(refused, raw),
    marker: anyChoice(refused, text),
    text: anyChoice(refused, text),
  },
};
