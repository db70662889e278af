import type { JsonValue } from "../json.ts";
import { llamaServer } from "./llama-server.ts";
import { ollama } from "./ollama.ts";
import { type Inspection, numberAt, type ServerProbe, stringAt, unknownParser } from "./probe.ts";
import type { ServerRecord } from "./server.ts";
import { sglang } from "./sglang.ts";
import { vllm } from "./vllm.ts";

/** One of the known servers often stands behind an endpoint that hides its kind, so all their error texts count here. */
const behind = [vllm, ollama, llamaServer, sglang];

export const openai: ServerRecord = {
  kind: "openai",
  title: "OpenAI-compatible endpoint",
  tried: true,
  defaultPort: null,
  ignoredChoices: [],
  callFinishReasons: { auto: ["tool_calls"], required: ["tool_calls"], named: ["stop", "tool_calls"], none: [] },
  grammarChoices: ["required", "named"],
  grammarAfterTrigger: false,
  builtinParsesWithoutTools: false,
  requiredAllowsText: false,
  inBandRaw: { body: [], stream: [] },
  sideRaw: { body: [], stream: [] },
  rawAfterError: [],
  fingerprintMarksSetUp: false,
  requestExtras: {},
  templateFixes: { system: null, results: null },
  reasoningFix: null,
  ignoredTemplateFix: null,
  nativeChat: null,
  contextFix: () => null,
  thinkingOff: null,
  refusals: behind.flatMap((record) => record.refusals),
  parseFailures: behind.flatMap((record) => record.parseFailures),
  cutsSilently: false,
  contextErrors: [
    ...behind.flatMap((record) => record.contextErrors),
    { statuses: [400, 413], message: /context[_ ]length[_ ]exceeded|context window/i },
  ],
  unavailableErrors: behind.flatMap((record) => record.unavailableErrors),
  requestErrors: behind.flatMap((record) => record.requestErrors),
  missingModel:
    /\bmodel\b.*(?:does not exist|not found|not available|unknown|no such|invalid model)|(?:unknown|no such|invalid) model/is,
  silentStreamFailure: null,
  lossSignatures: [],
  recognition: null,
  modelNames: "open",
  acceptedToolsProveParser: false,
  sameModel: (asked, listed) => asked === listed,
  inspect,
  renderPrompt: async () => ({ kind: "unavailable", why: "an endpoint of unknown kind shows no rendered prompt" }),
  rawCompletion: null,
  parserFix: () => null,
};

async function inspect(probe: ServerProbe): Promise<Inspection> {
  const entry = probe.models.entries?.find((item) => stringAt(item, "id") === probe.model);
  const contextLength = numberAt(entry, "max_model_len") ?? numberAt(entry, "context_length") ?? null;
  const identity: Record<string, JsonValue> = {};
  const owner = stringAt(entry, "owned_by");
  if (owner !== undefined) identity["owned_by"] = owner;
  if (contextLength !== null) identity["context_length"] = contextLength;
  return {
    identity,
    incidental: {},
    toolParser: unknownParser,
    reasoningParser: unknownParser,
    contextLength,
    statements: [],
  };
}
