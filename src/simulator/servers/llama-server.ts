import { isJsonObject, type JsonObject, parseJson } from "../../protocol/json.ts";
import { budgetOf, choiceWordOf, readChatBody } from "../chat-body.ts";
import { llamaTemplateName } from "../matrices/find-set-up.ts";
import { renderPrompt } from "../prompt.ts";
import type { Question } from "../question.ts";
import { alphanumeric } from "../random.ts";
import type { CreateDialect, DialectRequest, ServerContext } from "../server-context.ts";
import { countTokens, textOfIds, tokenIds } from "../tokens.ts";
import { answerAsLlamaServer, type LlamaServer, llamaError, llamaReply } from "./llama-server-chat.ts";
import { defaultParameters } from "./llama-server-settings.ts";
import { type LlamaTemplate, llamaTemplates } from "./llama-templates.ts";

const defaultContext = 8192;

/** llama-server: routes, bodies and errors as recorded from b10434. A wrong model name is no error, a named choice counts as auto. */
export const createLlamaServer: CreateDialect = (context) => {
  const { server } = context.profile;
  const alias = context.modelNames[0] ?? "";
  const llama: LlamaServer = {
    context,
    alias,
    build: String(server.version ?? "b1-7e4c0a9"),
    contextLength: server.contextLength ?? defaultContext,
  };
  const mediaMarker = `<__media_${context.random.text(32, alphanumeric)}__>`;
  return (request) => route(llama, mediaMarker, request);
};

function route(llama: LlamaServer, mediaMarker: string, request: DialectRequest): Response {
  const { method, path, body } = request;
  switch (`${method} ${path}`) {
    case "GET /health":
    case "GET /v1/health":
      return llamaReply({ status: "ok" });
    case "GET /props":
      return llamaReply(properties(llama, mediaMarker));
    case "GET /models":
    case "GET /v1/models":
      return llamaReply(modelList(llama));
    case "GET /metrics":
      return llamaError(
        501,
        "This server does not support metrics endpoint. Start it with `--metrics`",
        "not_supported_error",
      );
    case "POST /apply-template":
      return withBody(body, (fields) => applyTemplate(llama, fields));
    case "POST /tokenize":
      return withBody(body, tokenize);
    case "POST /detokenize":
      return withBody(body, (fields) =>
        llamaReply({ content: textOfIds(Array.isArray(fields["tokens"]) ? fields["tokens"] : []) }),
      );
    case "POST /chat/completions":
    case "POST /v1/chat/completions":
      return withBody(body, (fields) => chat(llama, fields, request.signal));
    default:
      return llamaReply({ error: { message: "File Not Found", type: "not_found_error", code: 404 } }, 404);
  }
}

function withBody(body: string, handle: (fields: JsonObject) => Response): Response {
  const fields = parseJson(body);
  if (isJsonObject(fields)) return handle(fields);
  return llamaError(
    500,
    "[json.exception.parse_error.101] parse error at line 1, column 1: syntax error while parsing value - invalid literal",
    "server_error",
  );
}

/** The model that answers: single-model servers ignore the name that is asked for. */
function modelOf(llama: LlamaServer, name: string | null): string {
  return name !== null && llama.context.profile.models[name] !== undefined ? name : llama.alias;
}

function templateOf(context: ServerContext, model: string): LlamaTemplate {
  const { server, models } = context.profile;
  const own = models[model]?.template;
  const name = llamaTemplateName(own === undefined ? server : { ...server, template: own });
  const template = llamaTemplates[name];
  if (template === undefined) throw new Error(`no template ${name}`);
  return template;
}

function chat(llama: LlamaServer, fields: JsonObject, signal: AbortSignal): Response {
  const body = readChatBody(fields);
  if (fields["messages"] === undefined) return llamaError(400, "'messages' is required", "invalid_request_error");
  if (body.messages === null) return llamaError(400, "Expected 'messages' to be an array", "invalid_request_error");
  const choice = choiceWordOf(body.toolChoice);
  if (choice === null && !isJsonObject(body.toolChoice)) {
    return llamaError(400, `Invalid tool_choice: ${String(body.toolChoice)}`, "invalid_request_error");
  }
  const given = fields["tools"];
  if (given !== undefined && given !== null && (!Array.isArray(given) || given.length !== body.tools.length)) {
    return llamaError(
      500,
      `Failed to parse tools: Missing tool function; tools = ${JSON.stringify(given)}`,
      "server_error",
    );
  }
  if (body.logprobs && body.tools.length > 0 && body.stream) {
    return llamaError(400, "logprobs is not supported with tools + stream", "invalid_request_error");
  }
  const model = modelOf(llama, body.model);
  const template = templateOf(llama.context, model);
  const prompt = renderPrompt(body.messages, body.tools, template.prompt);
  const promptTokens = countTokens(prompt);
  if (promptTokens > llama.contextLength) {
    return llamaReply(
      {
        error: {
          code: 400,
          message: `request (${promptTokens} tokens) exceeds the available context size (${llama.contextLength} tokens), try increasing it`,
          type: "exceed_context_size_error",
          n_prompt_tokens: promptTokens,
          n_ctx: llama.contextLength,
        },
      },
      400,
    );
  }
  const question: Question = {
    model,
    messages: body.messages,
    tools: body.tools,
    choice: choice ?? "named",
    // An object is logged as a wrong type and ignored, so no grammar knows which tool was named.
    namedTool: null,
    stream: body.stream,
    seed: body.seed,
    prompt,
  };
  const room = llama.contextLength - promptTokens;
  const limit = Math.min(room, budgetOf(fields, ["max_completion_tokens", "max_tokens", "n_predict"]) ?? room);
  const answer = llama.context.answer(question, { limit, splitThinking: fields["reasoning_format"] !== "none" });
  return answerAsLlamaServer(llama, { body, question, answer, promptTokens, limit, template, signal });
}

function applyTemplate(llama: LlamaServer, fields: JsonObject): Response {
  const body = readChatBody(fields);
  if (body.messages === null) return llamaError(400, "'messages' is required", "invalid_request_error");
  const template = templateOf(llama.context, modelOf(llama, body.model));
  return llamaReply({ prompt: renderPrompt(body.messages, body.tools, template.prompt) });
}

function tokenize(fields: JsonObject): Response {
  const ids = tokenIds(typeof fields["content"] === "string" ? fields["content"] : "");
  const pieces = fields["with_pieces"] === true;
  return llamaReply({ tokens: pieces ? ids.map((id) => ({ id, piece: textOfIds([id]) })) : ids });
}

function properties(llama: LlamaServer, mediaMarker: string): unknown {
  const template = templateOf(llama.context, llama.alias);
  return {
    default_generation_settings: { params: defaultParameters(), n_ctx: llama.contextLength },
    total_slots: 1,
    model_alias: llama.alias,
    model_ftype: "Q4_K - Medium",
    model_path: "model.gguf",
    modalities: { vision: false, video: false, audio: false },
    media_marker: mediaMarker,
    endpoint_slots: true,
    endpoint_props: false,
    endpoint_metrics: false,
    ui: false,
    ui_settings: {},
    chat_template: template.jinja,
    chat_template_caps: {
      supports_object_arguments: template.supportsTools,
      supports_parallel_tool_calls: template.supportsTools && template.prompt.callFormat !== "llama3_json",
      supports_preserve_reasoning: false,
      supports_reasoning_effort: false,
      supports_string_content: true,
      supports_system_role: true,
      supports_tool_calls: template.supportsTools,
      supports_tools: template.supportsTools,
      supports_typed_content: false,
    },
    bos_token: "<s>",
    eos_token: "<|im_end|>",
    build_info: llama.build,
    is_sleeping: false,
    cors_proxy_enabled: false,
  };
}

function modelList(llama: LlamaServer): unknown {
  const created = Math.floor(llama.context.now() / 1000);
  const meta = {
    vocab_type: 1,
    n_vocab: 0x110001,
    n_ctx: llama.contextLength,
    n_ctx_train: 131_072,
    n_embd: 4096,
    n_params: 8_030_261_248,
    size: 4_912_898_304,
    ftype: "Q4_K - Medium",
  };
  const details = {
    parent_model: "",
    format: "gguf",
    family: "",
    families: [""],
    parameter_size: "",
    quantization_level: "",
  };
  return {
    models: llama.context.modelNames.map((name) => ({
      name,
      model: name,
      modified_at: "",
      size: "",
      digest: "",
      type: "model",
      description: "",
      tags: [""],
      capabilities: ["completion"],
      parameters: "",
      details,
    })),
    object: "list",
    data: llama.context.modelNames.map((id) => ({
      id,
      aliases: [id],
      tags: [],
      object: "model",
      created,
      owned_by: "llamacpp",
      meta,
    })),
  };
}
