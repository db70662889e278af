// Measured on llama-server b10434. A named choice is logged as a wrong type and taken as auto; `none` is the raw text; streamed
// and not agree everywhere but in the form of an error.
import { measured } from "./measured.ts";
import { both, type SetUp } from "./outcome.ts";

const hermesCells = measured["llama-server hermes"].cells;

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
  cells: measured["llama-server hermes-think"].cells,
  thoughtCells: hermesCells,
  thinking: "leading_cut",
};

export const llamaQwen3Coder: SetUp = {
  ...llamaHermes,
  name: "llama-server, template qwen3coder",
  cells: measured["llama-server qwen3-coder"].cells,
  nativeFormat: "qwen3_coder",
  argumentsStyle: "compact",
};

const llama3Cells = measured["llama-server llama3"].cells;

/** No trigger: any `{` in the answer that is not a perfect call in the template's own keys is an error, a marker too. */
export const llamaLlama3: SetUp = {
  ...llamaHermes,
  name: "llama-server, template llama3",
  nativeFormat: "llama3_json",
  cells: {
    ...llama3Cells,
    // Of a call only the opening tag is left before the grammar takes over, and of a marker the words ahead of its brace.
    hermes: { ...llama3Cells.hermes, required: both("tag_then_call") },
    marker: { ...llama3Cells.marker, required: both("text_then_call") },
    braced: { ...llama3Cells.marker, required: both("text_then_call") },
  },
};

export const llamaMistral: SetUp = {
  ...llamaHermes,
  name: "llama-server, template mistral",
  cells: measured["llama-server mistral"].cells,
  nativeFormat: "mistral",
};

/** The template has no tools: they are not in the prompt, and `required` is silently ignored. */
export const llamaPlain: SetUp = {
  ...llamaHermes,
  name: "llama-server, template plain",
  cells: measured["llama-server plain"].cells,
  undeclared: "as_declared",
  cutCall: { body: "leaked", stream: "leaked" },
};
