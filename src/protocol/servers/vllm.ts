import { TransportError } from "../handler.ts";
import type { JsonValue } from "../json.ts";
import {
  answerObject,
  errorMessage,
  type Inspection,
  listAt,
  numberAt,
  type ParserState,
  type RenderedPrompt,
  type RenderInput,
  type ServerProbe,
  type Statement,
  stringAt,
  unknownParser,
} from "./probe.ts";
import type { ServerRecord } from "./server.ts";

const parserMetric = "vllm:tool_call_parser_invocations";
/** First release line in which the counter is known to exist with a parser and to be missing without one. */
const metricSince = [0, 28] as const;

export const vllm: ServerRecord = {
  kind: "vllm",
  title: "vLLM",
  tried: true,
  defaultPort: 8000,
  ignoredChoices: [],
  callFinishReasons: { auto: ["tool_calls"], required: ["tool_calls"], named: ["stop", "tool_calls"], none: [] },
  grammarChoices: ["required", "named"],
  grammarAfterTrigger: false,
  builtinParsesWithoutTools: false,
  requiredAllowsText: false,
  inBandRaw: { body: ["token_ids"], stream: ["token_ids"] },
  // Builds before August 2025 have no token ids; log-probabilities list every token there too.
  sideRaw: { body: ["logprobs_replay"], stream: ["logprobs_replay"] },
  rawAfterError: [],
  fingerprintMarksSetUp: true,
  requestExtras: {},
  templateFixes: {
    system: {
      kind: "flag",
      option: "--chat-template FILE (one that writes the system message also when tools are given)",
    },
    results: { kind: "flag", option: "--chat-template FILE (one that writes messages of the role tool)" },
  },
  reasoningFix: { kind: "flag", option: "--reasoning-parser NAME (that of the model's family)" },
  ignoredTemplateFix: null,
  nativeChat: null,
  contextFix: (tokens) => ({ kind: "flag", option: `--max-model-len ${tokens}` }),
  thinkingOff: { keys: { chat_template_kwargs: { enable_thinking: false } }, onlyWhereThinking: false },
  refusals: [
    { statuses: [400], message: /tool choice requires --enable-auto-tool-choice/, about: "parser_option" },
    { statuses: [400], message: /^tool_choice=.+ requires --tool-call-parser to be set/s, about: "parser_option" },
    { statuses: [400, 500], message: /could not locate .*tokens?(?:\(s\))? in the tokenizer/i, about: "tokenizer" },
  ],
  parseFailures: [
    // A parser's ValueError becomes a 400: Python's JSON decoder speaking of what the model wrote, not of the request.
    {
      statuses: [400, 500],
      message:
        /^(?:Expecting (?:value|property name|',' delimiter|':' delimiter)|Unterminated string|Extra data|Invalid control character|Invalid \\)[^\n]*: line \d+ column \d+/,
    },
  ],
  cutsSilently: false,
  contextErrors: [
    { statuses: [400], message: /maximum context length is \d+ tokens/ },
    { statuses: [400], message: /cannot be greater than max_model_len/ },
    { statuses: [400], message: /longer than the maximum model length/ },
  ],
  unavailableErrors: [/EngineCore encountered an issue|EngineDeadError/],
  requestErrors: [],
  missingModel: /^The model .+ does not exist/s,
  silentStreamFailure: null,
  lossSignatures: [
    { format: "qwen3_coder", body: "leaked", stream: "swallowed", parser: "hermes" },
    { format: "hermes", body: "swallowed", stream: "swallowed", parser: "qwen3_coder" },
  ],
  recognition: {
    paths: ["/version"],
    recognise: (answer, models) => {
      const version = stringAt(answerObject(answer) ?? undefined, "version");
      if (version === undefined) return null;
      // Many programs answer /version; where a list of models can be read, it must not say another owner.
      const foreign = models.entries?.some((entry) => stringAt(entry, "owned_by") !== "vllm") ?? false;
      return foreign ? null : { version };
    },
    ownedBy: /^vllm$/,
    serverHeader: null,
  },
  modelNames: "listed",
  acceptedToolsProveParser: true,
  sameModel: (asked, listed) => asked === listed,
  inspect,
  renderPrompt,
  rawCompletion: null,
  parserFix: (_format, parserNames, parserActive) => {
    const name = parserNames[0];
    if (name === undefined) return null;
    const option = `--tool-call-parser ${name}`;
    return { kind: "flag", option: parserActive ? option : `--enable-auto-tool-choice ${option}` };
  },
};

async function inspect(probe: ServerProbe): Promise<Inspection> {
  const entry = probe.models.entries?.find((item) => stringAt(item, "id") === probe.model);
  const contextLength = numberAt(entry, "max_model_len") ?? null;
  const { parser, statement } = await readParserMetric(probe);
  const identity: Record<string, JsonValue> = {};
  const root = stringAt(entry, "root");
  const parent = stringAt(entry, "parent");
  if (root !== undefined) identity["root"] = root;
  if (parent !== undefined) identity["parent"] = parent;
  if (contextLength !== null) identity["context_length"] = contextLength;
  if (parser.state !== "unknown") identity["tool_parser"] = parser.state;
  return {
    identity,
    incidental: probe.version === null ? {} : { version: probe.version },
    toolParser: parser,
    reasoningParser: unknownParser,
    contextLength,
    statements: [statement],
  };
}

async function readParserMetric(probe: ServerProbe): Promise<{ parser: ParserState; statement: Statement }> {
  const answer = await probe.ask({ path: "/metrics" });
  if (TransportError.is(answer) || answer.status !== 200 || !answer.text.includes("vllm:")) {
    const reference = TransportError.is(answer) ? null : answer.reference;
    return {
      parser: unknownParser,
      statement: {
        text: "The metrics are not readable, so whether a tool parser is set is not known from them.",
        reference,
      },
    };
  }
  if (answer.text.includes(parserMetric)) {
    return {
      parser: { state: "active", name: null, source: "metric" },
      statement: {
        text: "A tool-call parser is set: its counter is in the metrics. vLLM does not show which one.",
        reference: answer.reference,
      },
    };
  }
  if (atLeast(probe.version, metricSince)) {
    return {
      parser: { state: "none", name: null, source: "metric" },
      statement: {
        text: "No tool-call parser is set: the metrics have no counter for one.",
        reference: answer.reference,
      },
    };
  }
  return {
    parser: unknownParser,
    statement: { text: "This version has no counter for tool-call parsers.", reference: answer.reference },
  };
}

function atLeast(version: string | null, [major, minor]: readonly [number, number]): boolean {
  const match = /^v?(\d+)\.(\d+)/.exec(version ?? "");
  if (match === null) return false;
  const [, seenMajor, seenMinor] = match.map(Number);
  return (seenMajor ?? 0) > major || ((seenMajor ?? 0) === major && (seenMinor ?? 0) >= minor);
}

/** `/tokenize` renders messages and tools to ids, `/detokenize` shows their text, control tokens included. */
async function renderPrompt(probe: Pick<ServerProbe, "ask" | "model">, input: RenderInput): Promise<RenderedPrompt> {
  const answer = await probe.ask({
    path: "/tokenize",
    body: {
      model: probe.model,
      messages: input.messages as unknown as JsonValue,
      ...(input.tools.length > 0 ? { tools: input.tools as unknown as JsonValue } : {}),
      add_generation_prompt: true,
    },
  });
  if (TransportError.is(answer)) return { kind: "unavailable", why: "/tokenize did not answer" };
  const body = answerObject(answer);
  if (body === null) {
    if (answer.status !== 400 && answer.status !== 500)
      return { kind: "unavailable", why: `/tokenize answers ${answer.status}` };
    return { kind: "refused", status: answer.status, message: errorMessage(answer.text), reference: answer.reference };
  }
  const tokens = listAt(body, "tokens");
  const count = numberAt(body, "count") ?? tokens?.length;
  if (count === undefined) return { kind: "unavailable", why: "/tokenize gives neither tokens nor their number" };
  if (tokens !== undefined) {
    const shown = await probe.ask({ path: "/detokenize", body: { model: probe.model, tokens } });
    const text = TransportError.is(shown) ? undefined : stringAt(answerObject(shown) ?? undefined, "prompt");
    if (!TransportError.is(shown) && text !== undefined && text !== "")
      return { kind: "text", text, reference: shown.reference };
  }
  return { kind: "tokens", count, reference: answer.reference };
}
