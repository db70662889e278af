import { TransportError } from "../handler.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import {
  answerObject,
  errorMessage,
  type Inspection,
  numberAt,
  objectAt,
  type ParserState,
  type RenderedPrompt,
  type RenderInput,
  type ServerProbe,
  stringAt,
  unknownParser,
  valueAt,
} from "./probe.ts";
import type { ServerRecord } from "./server.ts";
import { readTemplate } from "./template-reading.ts";

/** Sampling defaults that decide what the model writes; the other ~40 parameters in /props are bookkeeping. */
const samplingKeys = [
  "temperature",
  "dynatemp_range",
  "top_k",
  "top_p",
  "min_p",
  "typical_p",
  "repeat_penalty",
  "presence_penalty",
  "frequency_penalty",
  "dry_multiplier",
  "xtc_probability",
  "mirostat",
  "samplers",
] as const;

export const llamaServer: ServerRecord = {
  kind: "llama-server",
  title: "llama-server",
  tried: true,
  defaultPort: 8080,
  // A named choice is logged as a wrong type and treated as auto.
  ignoredChoices: ["named"],
  callFinishReasons: { auto: ["tool_calls"], required: ["tool_calls"], named: ["tool_calls"], none: [] },
  grammarChoices: ["required"],
  grammarAfterTrigger: true,
  builtinParsesWithoutTools: false,
  requiredAllowsText: true,
  inBandRaw: { body: ["verbose"], stream: [] },
  sideRaw: { body: ["none_twin"], stream: ["verbose_replay", "none_twin"] },
  // The replay would fail the same way and shows no text; only the twin without a parser says what the model tends to write.
  rawAfterError: [{ channel: "none_twin", stream: false }],
  fingerprintMarksSetUp: false,
  // With the prompt cache, temperature 0 and a seed do not repeat.
  requestExtras: { cache_prompt: false },
  templateFixes: {
    system: {
      kind: "flag",
      option: "--chat-template-file FILE (one that writes the system message also when tools are given)",
    },
    results: { kind: "flag", option: "--chat-template-file FILE (one that writes messages of the role tool)" },
  },
  // `auto` is the default, and finds no thinking where the template writes none.
  reasoningFix: {
    kind: "flag",
    option: "--reasoning-format auto --chat-template-file FILE (the template of the model's own family)",
  },
  ignoredTemplateFix: null,
  nativeChat: null,
  contextFix: (tokens) => ({ kind: "flag", option: `-c ${tokens}` }),
  thinkingOff: { keys: { chat_template_kwargs: { enable_thinking: false } }, onlyWhereThinking: false },
  refusals: [
    { statuses: [500], message: /^(?:tools|tool_choice) param requires --jinja flag/, about: "parser_option" },
    // Builds from before tool support.
    { statuses: [400, 500], message: /^Unsupported param: (?:tools|tool_choice)\b/, about: "version" },
    // A template that raises an exception about tools has none.
    {
      statuses: [400, 500],
      message: /Error: Jinja Exception: (?=[^\n]*\btools?\b)[^\n]*(?:\bnot support|\bunsupported)/i,
      about: "template",
    },
    // The same words with a schema's fault, or a template's exception, behind them speak of the request, not of the template.
    {
      statuses: [400],
      message:
        /^(?![\s\S]*(?:JSON schema conversion failed|Error: Jinja Exception: ))Unable to generate parser for this template/,
      about: "template",
    },
    { statuses: [400], message: /Grammar trigger word should be marked as preserved token/, about: "tokenizer" },
  ],
  parseFailures: [
    { statuses: [500], message: /The model produced output that does not match the expected/ },
    { statuses: [500], message: /Failed to parse input at pos/ },
    { statuses: [500], message: /Unexpected empty grammar stack/ },
  ],
  cutsSilently: false,
  contextErrors: [{ statuses: [400], message: /exceeds the available context size/ }],
  unavailableErrors: [/^Loading model/],
  requestErrors: [
    /^Failed to parse (?:tools|messages|tool call arguments as JSON)/,
    /^\[json\.exception/,
    /^Unknown reasoning format/,
    /JSON schema conversion failed/,
    // What a strict template does not take: roles out of turn, results without calls, ids of the wrong length.
    /Error: Jinja Exception: /,
  ],
  missingModel: /^model .*not found/is,
  silentStreamFailure: null,
  lossSignatures: [],
  recognition: {
    paths: ["/props"],
    recognise: (answer) => {
      const body = answerObject(answer);
      if (body === null) return null;
      const build = stringAt(body, "build_info");
      if (build === undefined && objectAt(body, "default_generation_settings") === undefined) return null;
      return { version: build ?? null };
    },
    ownedBy: /^llamacpp$/,
    serverHeader: /^llama\.cpp$/i,
  },
  modelNames: "any",
  acceptedToolsProveParser: false,
  sameModel: (asked, listed) => asked === listed,
  inspect,
  renderPrompt,
  rawCompletion: null,
  parserFix: () => ({
    kind: "template",
    option: "--jinja --chat-template-file FILE (the tool template of the model's own family)",
  }),
};

async function inspect(probe: ServerProbe): Promise<Inspection> {
  const answer = await probe.ask({ path: "/props" });
  const props = answerObject(answer);
  const reference = TransportError.is(answer) ? null : answer.reference;
  const identity: Record<string, JsonValue> = {};
  const incidental: Record<string, JsonValue> = {};
  const meta = objectAt(probe.models.entries?.[0], "meta");
  for (const key of ["n_params", "size", "ftype", "n_vocab"]) {
    const value = valueAt(meta, [key]);
    if (value !== undefined) identity[key] = value;
  }
  if (props === null) {
    return {
      identity,
      incidental,
      toolParser: unknownParser,
      reasoningParser: unknownParser,
      contextLength: numberAt(meta, "n_ctx") ?? null,
      statements: [{ text: "/props is not readable, so template and parser are not known.", reference }],
    };
  }
  const build = stringAt(props, "build_info");
  if (build !== undefined) incidental["build"] = build;
  // The folder is the machine's, not the model's.
  const file = stringAt(props, "model_path")?.split(/[\\/]/).at(-1);
  if (file !== undefined) identity["model_file"] = file;
  for (const [key, name] of [
    ["chat_template", "template"],
    ["chat_template_tool_use", "tool_template"],
  ] as const) {
    const template = stringAt(props, key);
    if (template !== undefined) identity[name] = probe.hash(template);
  }
  const contextLength = numberAt(props, "default_generation_settings", "n_ctx") ?? numberAt(meta, "n_ctx") ?? null;
  if (contextLength !== null) identity["context_length"] = contextLength;
  const slots = numberAt(props, "total_slots");
  if (slots !== undefined) incidental["slots"] = slots;
  const sampling = samplingDefaults(objectAt(props, "default_generation_settings", "params"));
  if (sampling !== null) identity["sampling"] = sampling;

  const caps = objectAt(props, "chat_template_caps");
  const toolParser = parserFromCaps(caps);
  const template = stringAt(props, "chat_template_tool_use") ?? stringAt(props, "chat_template");
  const claimed = caps?.["supports_tools"];
  return {
    claims: {
      tools: typeof claimed === "boolean" ? claimed : null,
      template: template === undefined ? null : readTemplate(template),
      templateIgnored: false,
    },
    identity,
    incidental,
    toolParser,
    reasoningParser: unknownParser,
    contextLength,
    statements: [{ text: describeParser(toolParser), reference }],
  };
}

function samplingDefaults(params: JsonObject | undefined): JsonObject | null {
  if (params === undefined) return null;
  return Object.fromEntries(
    samplingKeys.flatMap((key) => (params[key] === undefined ? [] : [[key, params[key]]])),
  ) as JsonObject;
}

function parserFromCaps(caps: JsonObject | undefined): ParserState {
  if (caps === undefined) return unknownParser;
  const reads = caps["supports_tools"] === true || caps["supports_tool_calls"] === true;
  return { state: reads ? "active" : "none", name: null, source: "template" };
}

function describeParser(parser: ParserState): string {
  switch (parser.state) {
    case "active":
      return "Calls are read by a parser that the server derives from the chat template.";
    case "none":
      return "The chat template knows no tools: they do not reach the prompt and nothing reads calls.";
    case "unknown":
      return "This build does not say what its chat template can do.";
    default:
      return parser.state satisfies never;
  }
}

async function renderPrompt(probe: Pick<ServerProbe, "ask" | "model">, input: RenderInput): Promise<RenderedPrompt> {
  const answer = await probe.ask({
    path: "/apply-template",
    body: {
      messages: input.messages as unknown as JsonValue,
      ...(input.tools.length > 0 ? { tools: input.tools as unknown as JsonValue } : {}),
    },
  });
  if (TransportError.is(answer)) return { kind: "unavailable", why: "/apply-template did not answer" };
  const body = answerObject(answer);
  if (body === null) {
    if (answer.status !== 400 && answer.status !== 500)
      return { kind: "unavailable", why: `/apply-template answers ${answer.status}` };
    return { kind: "refused", status: answer.status, message: errorMessage(answer.text), reference: answer.reference };
  }
  const text = stringAt(body, "prompt");
  return text === undefined
    ? { kind: "unavailable", why: "/apply-template gives no prompt" }
    : { kind: "text", text, reference: answer.reference };
}
