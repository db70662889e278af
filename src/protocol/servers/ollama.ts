import { TransportError } from "../handler.ts";
import { type JsonObject, type JsonValue, parseJson } from "../json.ts";
import {
  answerObject,
  errorMessage,
  type Inspection,
  listAt,
  numberAt,
  objectAt,
  type ParserState,
  type Question,
  type RenderedPrompt,
  type RenderInput,
  type ServerProbe,
  type Statement,
  stringAt,
  unknownParser,
} from "./probe.ts";
import type { ServerFix, ServerRecord } from "./server.ts";
import { readTemplate } from "./template-reading.ts";

/** Names that exist both as RENDERER and as PARSER; a PARSER without its RENDERER would read what nothing asks for. */
const builtinPairs: ReadonlySet<string> = new Set([
  "cogito",
  "cohere",
  "functiongemma",
  "gemma4",
  "glimmer",
  "glm-4.7",
  "glm-ocr",
  "laguna",
  "lfm2",
  "lfm2-thinking",
  "nemotron-3-nano",
  "nemotron-3.5-nano",
  "olmo3",
  "ornith",
  "poolside-v1",
  "qwen3-coder",
  "qwen3-vl-instruct",
  "qwen3-vl-thinking",
  "qwen3.5",
]);

/** The lines of a Go TEMPLATE that make the generic parser read a format, by format name. */
const templateLines: Readonly<Record<string, string>> = {
  hermes:
    'a TEMPLATE with {{- range .Tools }}{{ . }}{{- end }} and {{ range .ToolCalls }}<tool_call>{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}</tool_call>{{ end }}; no built-in renderer or parser beside it. Or no TEMPLATE line at all, FROM a GGUF whose own chat template shows tools',
  llama3_json:
    'a TEMPLATE with {{- range .Tools }}{{ . }}{{- end }} and {{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "parameters": {{ .Function.Arguments }}}{{ end }}; no built-in renderer or parser beside it. Or no TEMPLATE line at all, FROM a GGUF whose own chat template shows tools',
};

export const ollama: ServerRecord = {
  kind: "ollama",
  title: "Ollama",
  tried: true,
  defaultPort: 11434,
  // tool_choice is not in the API types: the field is dropped without notice, `none` still parses calls.
  ignoredChoices: ["required", "named", "none"],
  callFinishReasons: { auto: ["tool_calls"], required: ["tool_calls"], named: ["tool_calls"], none: ["tool_calls"] },
  grammarChoices: [],
  grammarAfterTrigger: false,
  builtinParsesWithoutTools: true,
  requiredAllowsText: true,
  // Asking for log-probabilities changes the outcome of some streams, so never in the measured request.
  inBandRaw: { body: [], stream: [] },
  sideRaw: { body: ["logprobs_replay", "raw_generate"], stream: ["logprobs_replay", "raw_generate"] },
  // A body would fail again; a stream shows the text up to the token on which the parser gave up, the raw route all of it.
  rawAfterError: [
    { channel: "logprobs_replay", stream: true },
    { channel: "raw_generate", stream: false },
  ],
  fingerprintMarksSetUp: false,
  requestExtras: {},
  templateFixes: {
    system: {
      kind: "template",
      option: "a TEMPLATE in which .System stands beside .Tools, not behind {{ else }}",
    },
    results: {
      kind: "template",
      option: 'in the TEMPLATE, a branch {{ else if eq .Role "tool" }} that writes {{ .Content }}',
    },
  },
  reasoningFix: {
    kind: "modelfile",
    option: "a TEMPLATE that writes {{ .Thinking }}, or the RENDERER and PARSER of the model's family",
  },
  ignoredTemplateFix: {
    kind: "modelfile",
    option:
      "either no RENDERER and PARSER line, or no TEMPLATE; FROM a model file in place of a model that brings them",
  },
  nativeChat: "/api/chat",
  contextFix: (tokens) => ({ kind: "modelfile", option: `PARAMETER num_ctx ${tokens}` }),
  thinkingOff: { keys: { reasoning_effort: "none" }, onlyWhereThinking: true },
  refusals: [{ statuses: [400], message: /does not support tools$/, about: "model_capability" }],
  parseFailures: [
    { statuses: [500], message: /^(?:unexpected )?EOF$/ },
    { statuses: [500], message: /^XML syntax error on line \d+/ },
    { statuses: [500], message: /^failed to parse JSON/ },
    { statuses: [500], message: /^expected element type </ },
    { statuses: [500], message: /^invalid character .+ (?:looking for|in|after) / },
    { statuses: [500], message: /^unexpected end of JSON input$/ },
    { statuses: [500], message: /llama-server returned invalid tool call arguments/ },
    { statuses: [500], message: /^tool '.+' not found$|^empty function name$/ },
    { statuses: [500], message: /error parsing tool call/ },
    { statuses: [500], message: /Unexpected empty grammar stack/ },
    { statuses: [500], message: /The model produced output that does not match the expected/ },
  ],
  cutsSilently: true,
  contextErrors: [
    { statuses: [400], message: /exceeds the available context size/ },
    { statuses: [400], message: /prompt is longer than the context length currently available/ },
    { statuses: [400], message: /input length exceeds the context length/ },
  ],
  unavailableErrors: [
    /model requires more system memory/,
    /llama runner process has terminated/,
    /timed out waiting for (?:llama runner|server)/,
    /server busy, please try again/,
  ],
  requestErrors: [/does not support thinking$/],
  missingModel: /^model ['"].+['"] not found/s,
  silentStreamFailure: /"model":"",[^\n]*"finish_reason":null[^\n]*\s*$/,
  lossSignatures: [],
  recognition: {
    paths: ["/api/version"],
    recognise: (answer) => {
      const body = answerObject(answer);
      const version = stringAt(body ?? undefined, "version");
      // Programs that imitate this route add keys of their own.
      return version !== undefined && Object.keys(body ?? {}).length === 1 ? { version } : null;
    },
    ownedBy: null,
    serverHeader: null,
  },
  modelNames: "listed",
  acceptedToolsProveParser: false,
  sameModel: (asked, listed) => fullName(asked) === fullName(listed),
  inspect,
  renderPrompt,
  rawCompletion,
  parserFix: (format, parserNames): ServerFix => {
    const name = parserNames[0];
    if (name !== undefined && builtinPairs.has(name))
      return { kind: "modelfile", option: `RENDERER ${name}\nPARSER ${name}` };
    return {
      kind: "template",
      option:
        templateLines[format] ??
        "no TEMPLATE line and no built-in renderer or parser, FROM a GGUF whose own chat template shows tools",
    };
  },
};

/** `x` is `x:latest`, and a library model may carry its registry and namespace. */
function fullName(name: string): string {
  const short = name.replace(/^(?:registry\.ollama\.ai\/)?(?:library\/)?/, "");
  return short.slice(short.lastIndexOf("/") + 1).includes(":") ? short : `${short}:latest`;
}

async function inspect(probe: ServerProbe): Promise<Inspection> {
  const show = await probe.ask({ path: "/api/show", body: { model: probe.model } });
  const shown = answerObject(show);
  const tags = answerObject(await probe.ask({ path: "/api/tags" }));
  const running = answerObject(await probe.ask({ path: "/api/ps" }));
  const reference = TransportError.is(show) ? null : show.reference;

  const identity: Record<string, JsonValue> = {};
  const incidental: Record<string, JsonValue> = {};
  const statements: Statement[] = [];
  if (probe.version !== null) incidental["version"] = probe.version;
  const digest = stringAt(named(tags, probe.model), "digest");
  if (digest !== undefined) identity["digest"] = digest;

  const loaded = numberAt(named(running, probe.model), "context_length");
  const asked = numberAt(parseParameter(stringAt(shown ?? undefined, "parameters"), "num_ctx"));
  const contextLength = loaded ?? asked ?? null;
  if (contextLength !== null) identity["context_length"] = contextLength;

  if (shown === null) {
    statements.push({ text: "/api/show does not show this model's set-up.", reference });
    return {
      identity,
      incidental,
      toolParser: unknownParser,
      reasoningParser: unknownParser,
      contextLength,
      statements,
    };
  }
  const modelfile = withoutBlocks(stringAt(shown, "modelfile") ?? "");
  const template = stringAt(shown, "template") ?? "";
  const parser = /^PARSER\s+(\S+)/m.exec(modelfile)?.[1];
  const renderer = /^RENDERER\s+(\S+)/m.exec(modelfile)?.[1];
  const capabilities = listAt(shown, "capabilities")?.filter((item) => typeof item === "string");
  identity["template"] = probe.hash(template);
  const parameters = stringAt(shown, "parameters");
  if (parameters !== undefined) identity["parameters"] = parameters.replace(/[ \t]+/g, " ");
  if (parser !== undefined) identity["parser"] = parser;
  if (renderer !== undefined) identity["renderer"] = renderer;
  if (capabilities !== undefined) identity["capabilities"] = [...capabilities].sort();
  const details = objectAt(shown, "details");
  for (const key of ["family", "parameter_size", "quantization_level"]) {
    const value = stringAt(details, key);
    if (value !== undefined) incidental[key] = value;
  }

  const path = executionPath(parser ?? renderer, template);
  identity["path"] = path;
  const toolParser = toolParserState(parser, path, capabilities?.includes("tools"), template);
  statements.push({ text: describeParser(toolParser, path, renderer), reference });
  if (contextLength !== null) statements.push({ text: `The context holds ${contextLength} tokens.`, reference: null });
  return {
    identity,
    incidental,
    toolParser,
    reasoningParser: reasoningParserState(capabilities?.includes("thinking"), parser),
    contextLength,
    claims: {
      tools: capabilities?.includes("tools") ?? null,
      template: path === "builtin" ? null : readTemplate(template),
      templateIgnored: renderer !== undefined && ownTemplate(stringAt(shown, "modelfile") ?? ""),
    },
    statements,
  };
}

/** Models with a built-in renderer have a TEMPLATE that only hands the prompt through; any other is somebody's own. */
function ownTemplate(modelfile: string): boolean {
  const found = /^TEMPLATE\s+(?:"""([\s\S]*?)"""|(.*))$/m.exec(modelfile);
  const text = (found?.[1] ?? found?.[2] ?? "").trim();
  return text !== "" && !/^"?\{\{-?\s*\.Prompt\s*-?\}\}"?$/.test(text);
}

type ExecutionPath = "builtin" | "go_template" | "native";

function executionPath(builtin: string | undefined, template: string): ExecutionPath {
  if (builtin !== undefined) return "builtin";
  // A model in native mode shows its Jinja text here; Go templates have no {% %}.
  return template.includes("{%") ? "native" : "go_template";
}

function toolParserState(
  parser: string | undefined,
  path: ExecutionPath,
  capable: boolean | undefined,
  template: string,
): ParserState {
  if (capable === false)
    return { state: "none", name: parser ?? null, source: path === "builtin" ? "builtin" : "template" };
  switch (path) {
    case "builtin":
      return parser === undefined
        ? { state: "unknown", name: null, source: "unknown" }
        : { state: "active", name: parser, source: "builtin" };
    case "native":
      return { state: "active", name: null, source: "template" };
    case "go_template":
      return { state: /\.Tools\b|\.ToolCalls\b/.test(template) ? "active" : "none", name: null, source: "template" };
    default:
      return path satisfies never;
  }
}

function reasoningParserState(thinking: boolean | undefined, parser: string | undefined): ParserState {
  if (thinking === undefined) return unknownParser;
  const source = parser === undefined ? "template" : "builtin";
  return thinking ? { state: "active", name: parser ?? null, source } : { state: "none", name: null, source };
}

function describeParser(parser: ParserState, path: ExecutionPath, renderer: string | undefined): string {
  if (parser.state === "none")
    return "This model has no tools on this server: neither its template nor a parser handles them.";
  switch (path) {
    case "builtin":
      return `Calls are read by Ollama's builtin parser ${parser.name ?? "(none named)"}${renderer === undefined ? "" : `, prompts written by renderer ${renderer}`}.`;
    case "native":
      return "Calls are read by the runner, from the chat template inside the model file.";
    case "go_template":
      return "Calls are read by Ollama's generic parser, which takes its tag from the Go template.";
    default:
      return path satisfies never;
  }
}

/** A Modelfile without its triple-quoted texts, in which a line may look like an instruction. */
function withoutBlocks(modelfile: string): string {
  return modelfile.replace(/"""[\s\S]*?"""/g, '""');
}

function parseParameter(parameters: string | undefined, name: string): number | undefined {
  const text = parameters?.split("\n").find((line) => line.split(/\s+/)[0] === name);
  const value = text === undefined ? Number.NaN : Number(text.trim().split(/\s+/)[1]);
  return Number.isFinite(value) ? value : undefined;
}

function named(list: JsonObject | null, model: string): JsonObject | undefined {
  return listAt(list ?? undefined, "models")
    ?.map((item) => objectAt(item))
    .find(
      (item) =>
        item !== undefined && fullName(stringAt(item, "name") ?? stringAt(item, "model") ?? "") === fullName(model),
    );
}

/** `_debug_render_only` makes /api/chat answer with the prompt. A version that does not know it generates one token. */
async function renderPrompt(probe: Pick<ServerProbe, "ask" | "model">, input: RenderInput): Promise<RenderedPrompt> {
  const answer = await probe.ask({
    path: "/api/chat",
    body: {
      model: probe.model,
      messages: input.messages.map(nativeMessage),
      stream: false,
      _debug_render_only: true,
      ...(input.tools.length > 0 ? { tools: input.tools as unknown as JsonValue } : {}),
      options: { num_predict: 1 },
    },
  });
  if (TransportError.is(answer)) return { kind: "unavailable", why: "/api/chat did not answer" };
  const body = answerObject(answer);
  if (body === null)
    return { kind: "refused", status: answer.status, message: errorMessage(answer.text), reference: answer.reference };
  const text = stringAt(body, "_debug_info", "rendered_template");
  return text === undefined
    ? { kind: "unavailable", why: "this version does not show rendered prompts" }
    : { kind: "text", text, reference: answer.reference };
}

/** The native API wants the arguments of earlier calls as objects. */
function nativeMessage(message: RenderInput["messages"][number]): JsonValue {
  if (message.tool_calls === undefined) return message as unknown as JsonValue;
  return {
    ...(message as unknown as JsonObject),
    tool_calls: message.tool_calls.map((call) => ({
      ...(call as unknown as JsonObject),
      function: { name: call.function.name, arguments: parseJson(call.function.arguments) ?? {} },
    })),
  };
}

/** /api/generate with `raw` gives the model's text untouched; what /v1 sets by itself has to be set by hand here. */
function rawCompletion(request: JsonObject, prompt: string): Question {
  const options: Record<string, JsonValue> = { temperature: 1, top_p: 1 };
  for (const key of ["temperature", "top_p", "seed", "stop", "frequency_penalty", "presence_penalty"]) {
    const value = request[key];
    if (value !== undefined && value !== null) options[key] = value;
  }
  const limit = request["max_tokens"];
  if (limit !== undefined && limit !== null) options["num_predict"] = limit;
  return { path: "/api/generate", body: { model: request["model"] ?? "", prompt, raw: true, stream: false, options } };
}
