// Measured on Ollama 0.34.2, streamed and not. tool_choice has no effect; the calibration shows it cell by cell.
import { measured } from "./measured.ts";
import type { SetUp } from "./outcome.ts";

// The Go template's generic parser starts at the tag that the template itself writes; what it cannot read there is gone.
export const ollamaHermes: SetUp = {
  name: "ollama, template hermes",
  cells: measured["ollama hermes"].cells,
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

/** As hermes, with tools printed in Go syntax: the prompt is damaged, the parser is not. */
export const ollamaDamagedTools: SetUp = {
  ...ollamaHermes,
  name: "ollama, template hermesfunction",
  cells: measured["ollama damaged-tools"].cells,
};

/** As hermes, with tools or the system prompt, never both. */
export const ollamaExclusive: SetUp = {
  ...ollamaHermes,
  name: "ollama, template exclusive",
  cells: measured["ollama exclusive"].cells,
};

const { afterCall: _afterCall, ...unmeasuredAfterCall } = ollamaHermes;

// A builtin parser also works without tools in the request: its calls are dropped from a body and served in a stream.
export const ollamaQwen3Coder: SetUp = {
  ...unmeasuredAfterCall,
  name: "ollama, template qwen3-coder",
  cells: measured["ollama qwen3-coder"].cells,
  undeclared: "as_declared",
  trims: true,
};

/** The builtin parser of one family behind the template of another. */
export const ollamaParserOnly: SetUp = {
  ...ollamaQwen3Coder,
  name: "ollama, template parseronly",
  cells: measured["ollama hermes-under-qwen3-coder"].cells,
};

/** The qwen3.5 pair thinks by default: a reply that never closes its thinking is all reasoning. */
export const ollamaQwen35: SetUp = {
  ...ollamaQwen3Coder,
  name: "ollama, template qwen3.5",
  cells: measured["ollama qwen3.5"].cells,
  thoughtCells: measured["ollama qwen3.5"].thoughtCells,
  thinking: "trimmed",
  afterCall: { body: "kept", stream: "kept" },
};

const { qwen3_coder: foreign, ...nativeCells } = measured["ollama native"].cells;

/** The GGUF's own Jinja template, parsed by the llama-server behind Ollama. */
export const ollamaNative: SetUp = {
  ...unmeasuredAfterCall,
  name: "ollama, template native",
  cells: {
    ...nativeCells,
    // A scripted model contradicts the grammar there: what comes of it is no measurement but without tools.
    qwen3_coder: { no_tools: foreign.no_tools },
  },
  undeclared: "steered",
  cutCall: { body: "failed", stream: "failed" },
};

/** A template without tools: every request that declares some is refused. */
export const ollamaNoTools: SetUp = {
  ...ollamaHermes,
  name: "ollama, template notools",
  cells: measured["ollama no-tools"].cells,
};
