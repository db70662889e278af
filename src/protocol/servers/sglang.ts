import { TransportError } from "../handler.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import {
  answerObject,
  type Inspection,
  numberAt,
  type ParserState,
  type ServerProbe,
  stringAt,
  unknownParser,
} from "./probe.ts";
import type { ServerRecord } from "./server.ts";

export const sglang: ServerRecord = {
  kind: "sglang",
  title: "SGLang",
  tried: false,
  defaultPort: 30000,
  ignoredChoices: [],
  callFinishReasons: { auto: ["tool_calls"], required: ["tool_calls"], named: ["tool_calls"], none: [] },
  grammarChoices: ["required", "named"],
  grammarAfterTrigger: false,
  builtinParsesWithoutTools: false,
  requiredAllowsText: false,
  // No route shows the raw text beside a parsed reply, seeds hold only with a flag, and `none` takes the tools out of the prompt.
  inBandRaw: { body: [], stream: [] },
  sideRaw: { body: [], stream: [] },
  rawAfterError: [],
  fingerprintMarksSetUp: false,
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
  contextFix: (tokens) => ({ kind: "flag", option: `--context-length ${tokens}` }),
  thinkingOff: { keys: { chat_template_kwargs: { enable_thinking: false } }, onlyWhereThinking: false },
  // Without a parser SGLang answers 200 with the call as text; models that need one of their own (gpt-oss) are refused.
  refusals: [{ statuses: [400, 500], message: /^Unsupported tool_call_parser: /, about: "parser_option" }],
  parseFailures: [],
  cutsSilently: false,
  contextErrors: [
    { statuses: [400], message: /is longer than the model's context length/ },
    { statuses: [400], message: /^Requested token count exceeds/ },
  ],
  unavailableErrors: [],
  requestErrors: [],
  missingModel: /^(?:The )?model .*(?:does not exist|not found)/is,
  silentStreamFailure: null,
  lossSignatures: [],
  recognition: {
    paths: ["/server_info", "/get_server_info"],
    recognise: (answer) => {
      const body = answerObject(answer);
      if (body === null || !("tool_call_parser" in body || "model_path" in body)) return null;
      return { version: stringAt(body, "version") ?? null };
    },
    ownedBy: /^sglang$/,
    serverHeader: null,
  },
  modelNames: "open",
  acceptedToolsProveParser: false,
  sameModel: (asked, listed) => asked === listed,
  inspect,
  renderPrompt: async () => ({ kind: "unavailable", why: "SGLang has no route that renders messages and tools" }),
  rawCompletion: null,
  parserFix: (_format, parserNames) =>
    parserNames[0] === undefined ? null : { kind: "flag", option: `--tool-call-parser ${parserNames[0]}` },
};

async function inspect(probe: ServerProbe): Promise<Inspection> {
  const { info, reference } = await serverInfo(probe);
  const entry = probe.models.entries?.find((item) => stringAt(item, "id") === probe.model) ?? probe.models.entries?.[0];
  const contextLength = numberAt(info, "context_length") ?? numberAt(entry, "max_model_len") ?? null;
  if (info === undefined) {
    return {
      identity: contextLength === null ? {} : { context_length: contextLength },
      incidental: {},
      toolParser: unknownParser,
      reasoningParser: unknownParser,
      contextLength,
      statements: [{ text: "The server's arguments are not readable, so its parsers are not known.", reference }],
    };
  }
  const toolParser = flagState(info, "tool_call_parser");
  const reasoningParser = flagState(info, "reasoning_parser");
  const identity: Record<string, JsonValue> = {
    tool_parser: toolParser.name,
    reasoning_parser: reasoningParser.name,
  };
  if (contextLength !== null) identity["context_length"] = contextLength;
  for (const key of ["model_path", "revision", "quantization", "dtype", "kv_cache_dtype", "sampling_defaults"]) {
    const value = info[key];
    if (value !== undefined && value !== null) identity[key] = value;
  }
  const template = stringAt(info, "chat_template");
  if (template !== undefined) identity["template"] = probe.hash(template);
  return {
    identity,
    incidental: probe.version === null ? {} : { version: probe.version },
    toolParser,
    reasoningParser,
    contextLength,
    statements: [
      {
        text:
          toolParser.name === null
            ? "No tool-call parser is set: calls come back as text."
            : `Calls are read by --tool-call-parser ${toolParser.name}.`,
        reference,
      },
    ],
  };
}

function flagState(info: JsonObject, key: string): ParserState {
  if (!(key in info)) return unknownParser;
  const name = stringAt(info, key);
  return name === undefined || name === ""
    ? { state: "none", name: null, source: "flag" }
    : { state: "active", name, source: "flag" };
}

async function serverInfo(probe: ServerProbe): Promise<{ info: JsonObject | undefined; reference: number | null }> {
  let reference: number | null = null;
  for (const path of ["/server_info", "/get_server_info"]) {
    const answer = await probe.ask({ path });
    if (TransportError.is(answer)) continue;
    reference = answer.reference;
    const info = answerObject(answer);
    if (info !== null) return { info, reference };
  }
  return { info: undefined, reference };
}
