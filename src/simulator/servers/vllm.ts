import type { Tool } from "../../protocol/chat.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../protocol/json.ts";
import { budgetOf, type ChatBody, choiceWordOf, namedToolOf, readChatBody } from "../chat-body.ts";
import { given } from "../matrices/find-set-up.ts";
import type { ProfileModel } from "../profile-schema.ts";
import { type PromptTemplate, renderPrompt } from "../prompt.ts";
import type { Question } from "../question.ts";
import { hexDigest, uuidTail } from "../random.ts";
import { textResponse } from "../responses.ts";
import type { CreateDialect, DialectRequest } from "../server-context.ts";
import { countTokens, textOfIds, tokenIds } from "../tokens.ts";
import { answerAsVllm } from "./vllm-chat.ts";
import { createParserMetrics } from "./vllm-metrics.ts";
import { type VllmServer, vllmError, vllmReply } from "./vllm-server.ts";

const defaultContext = 8192;
const scaleOutRoutes = new Set([
  "/v1/chat/completions/render",
  "/v1/completions/render",
  "/v1/chat/completions/derender",
  "/inference/v1/generate",
]);

/** vLLM: routes, bodies and errors as recorded from 0.32.0. */
export const createVllm: CreateDialect = (context) => {
  const { server } = context.profile;
  const version = String(server.version ?? "0.32.0");
  const parser = given(server.parser);
  const reasoningParser = given(server.reasoningParser);
  const started = context.now();
  const vllm: VllmServer = {
    context,
    version,
    contextLength: server.contextLength ?? defaultContext,
    fingerprint: `vllm-${version}-${hexDigest(JSON.stringify([version, parser, reasoningParser, server.contextLength ?? null]), 8)}`,
    parser,
    reasoningParser,
    metrics: createParserMetrics(context.modelNames, started),
  };
  return (request) => route(vllm, request);
};

function route(vllm: VllmServer, request: DialectRequest): Response {
  const { method, path } = request;
  const get = getRoutes[path];
  if (get !== undefined) return method === "GET" ? get(vllm) : methodNotAllowed();
  if (scaleOutRoutes.has(path)) {
    return method === "POST"
      ? vllmError(
          403,
          "PermissionDeniedError",
          "Scale-out endpoints are disabled. Restart vllm serve with --enable-scale-out to enable them.",
        )
      : methodNotAllowed();
  }
  const post = postRoutes[path];
  if (post === undefined) return vllmReply({ detail: "Not Found" }, 404);
  if (method !== "POST") return methodNotAllowed();
  const fields = parseJson(request.body);
  if (!isJsonObject(fields)) {
    return vllmError(
      400,
      "Bad Request",
      "1 validation error:\n  {'type': 'json_invalid', 'loc': ('body', 0), 'msg': 'JSON decode error'}",
      "body.0",
    );
  }
  return post(vllm, fields, request);
}

const getRoutes: Readonly<Record<string, (vllm: VllmServer) => Response>> = {
  "/version": (vllm) => vllmReply({ version: vllm.version }),
  "/health": () => empty(),
  "/ping": () => empty(),
  "/load": () => vllmReply({ server_load: 0 }),
  "/v1/models": listModels,
  "/metrics": (vllm) =>
    textResponse(vllm.metrics.text(vllm.parser !== null), 200, {
      "content-type": "text/plain; version=1.0.0; charset=utf-8",
      server: "uvicorn",
    }),
};

const postRoutes: Readonly<
  Record<string, (vllm: VllmServer, fields: JsonObject, request: DialectRequest) => Response>
> = {
  "/tokenize": tokenize,
  "/detokenize": (_vllm, fields) =>
    vllmReply({ prompt: textOfIds(Array.isArray(fields["tokens"]) ? fields["tokens"] : []) }),
  "/v1/chat/completions": chat,
};

/** The chat template belongs to the model, so its family is the model's own format. */
export function vllmTemplate(model: ProfileModel): PromptTemplate {
  const family = model.format === "qwen3_coder" ? "qwen3_coder" : model.format === "llama3_json" ? "llama3" : "hermes";
  return { family, callFormat: model.format, json: "spaced" };
}

function chat(vllm: VllmServer, fields: JsonObject, request: DialectRequest): Response {
  const body = readChatBody(fields);
  const refusal = refuse(vllm, body);
  if (refusal !== null) return refusal;
  const name = body.model ?? vllm.context.modelNames[0] ?? "";
  const model = vllm.context.profile.models[name];
  if (model === undefined) return unknownModel(vllm, name);
  const messages = body.messages ?? [];
  const prompt = renderPrompt(messages, body.tools, vllmTemplate(model));
  const promptTokens = countTokens(prompt);
  const budget = budgetOf(fields, ["max_completion_tokens", "max_tokens"]);
  const overflow = contextOverflow(vllm, promptTokens, budget);
  if (overflow !== null) return overflow;
  const question: Question = {
    model: name,
    messages,
    tools: body.tools,
    choice: choiceWordOf(body.toolChoice) ?? "auto",
    namedTool: namedToolOf(body.toolChoice),
    stream: body.stream,
    seed: body.seed,
    prompt,
  };
  const limit = budget ?? vllm.contextLength - promptTokens;
  const answer = vllm.context.answer(question, { limit });
  if (answer.refused) return noParser(body);
  return answerAsVllm(vllm, { body, question, answer, promptTokens, signal: request.signal });
}

/** What vLLM says before it looks at the model, in its own order. */
function refuse(vllm: VllmServer, body: ChatBody): Response | null {
  const { fields, messages, tools, toolChoice } = body;
  if (messages === null) {
    return vllmError(
      400,
      "Bad Request",
      "1 validation error:\n  {'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required'}",
    );
  }
  if (Array.isArray(fields["tools"]) && fields["tools"].length === 0) {
    return badRequest(
      "`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.",
      "tools",
    );
  }
  if (Array.isArray(fields["tools"]) && tools.length !== fields["tools"].length) {
    return vllmError(
      400,
      "Bad Request",
      "1 validation error:\n  {'type': 'missing', 'loc': ('body', 'tools', 0, 'function', 'name'), 'msg': 'Field required'}",
    );
  }
  if (typeof fields["temperature"] === "number" && fields["temperature"] < 0) {
    return badRequest(`temperature must be non-negative, got ${fields["temperature"]}.`, "temperature");
  }
  if (toolChoice !== undefined && toolChoice !== "none") {
    if (tools.length === 0) return badRequest("When using `tool_choice`, `tools` must be set.", "tool_choice");
    const word = choiceWordOf(toolChoice);
    if (word === null) {
      const shown = typeof toolChoice === "string" ? toolChoice : JSON.stringify(toolChoice);
      return badRequest(
        `Invalid value for \`tool_choice\`: ${shown}! Only named tools, "none", "auto" or "required" are supported.`,
        "tool_choice",
      );
    }
    if (word === "named" && !isDeclared(tools, namedToolOf(toolChoice))) {
      return badRequest(
        "The tool specified in `tool_choice` does not match any of the specified `tools`",
        "tool_choice",
      );
    }
  }
  if (body.model !== null && vllm.context.profile.models[body.model] === undefined)
    return unknownModel(vllm, body.model);
  if (messages.length === 0) return badRequest("Cannot apply chat template to an empty conversation.", "messages");
  return null;
}

function isDeclared(tools: readonly Tool[], name: string | null): boolean {
  return tools.some((tool) => tool.function.name === name);
}

function contextOverflow(vllm: VllmServer, promptTokens: number, budget: number | null): Response | null {
  const context = vllm.contextLength;
  if (budget !== null && budget > context) {
    return badRequest(
      `max_tokens=${budget} cannot be greater than max_model_len=${context}. Please request fewer output tokens.`,
      "max_tokens",
    );
  }
  if (promptTokens > context) {
    return inputTooLong(
      `This model's maximum context length is ${context} tokens. However, your prompt contains at least ${context + 1} input tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input prompt.`,
      context + 1,
    );
  }
  if (budget !== null && promptTokens + budget > context) {
    const least = context - budget + 1;
    return inputTooLong(
      `This model's maximum context length is ${context} tokens. However, you requested ${budget} output tokens and your prompt contains at least ${least} input tokens, for a total of at least ${context + 1} tokens. Please reduce the length of the input prompt or the number of requested output tokens.`,
      least,
    );
  }
  return null;
}

function noParser(body: ChatBody): Response {
  const word = choiceWordOf(body.toolChoice);
  const flag = "requires --tool-call-parser to be set";
  if (word === "required") return badRequest(`tool_choice="required" ${flag}`, null);
  if (word === "named") return badRequest(`tool_choice=function "${namedToolOf(body.toolChoice) ?? ""}" ${flag}`, null);
  return badRequest('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', null);
}

function tokenize(vllm: VllmServer, fields: JsonObject): Response {
  const body = readChatBody(fields);
  const name = body.model ?? vllm.context.modelNames[0] ?? "";
  const model = vllm.context.profile.models[name];
  if (model === undefined) return unknownModel(vllm, name);
  let text: string;
  if (typeof fields["prompt"] === "string") text = fields["prompt"];
  else if (body.messages !== null) text = renderPrompt(body.messages, body.tools, vllmTemplate(model));
  else
    return vllmError(
      400,
      "Bad Request",
      "1 validation error:\n  {'type': 'missing', 'loc': ('body', 'prompt'), 'msg': 'Field required'}",
    );
  const tokens = tokenIds(text);
  const strings = fields["return_token_strs"] === true ? tokens.map((id) => textOfIds([id])) : null;
  return vllmReply({ count: tokens.length, max_model_len: vllm.contextLength, tokens, token_strs: strings });
}

function listModels(vllm: VllmServer): Response {
  const created = Math.floor(vllm.context.now() / 1000);
  return vllmReply({
    object: "list",
    data: vllm.context.modelNames.map((id) => ({
      id,
      object: "model",
      created,
      owned_by: "vllm",
      root: id,
      parent: null,
      max_model_len: vllm.contextLength,
      permission: [
        {
          id: `modelperm-${uuidTail(vllm.context.random)}`,
          object: "model_permission",
          created,
          allow_create_engine: false,
          allow_sampling: true,
          allow_logprobs: true,
          allow_search_indices: false,
          allow_view: true,
          allow_fine_tuning: false,
          organization: "*",
          group: null,
          is_blocking: false,
        },
      ],
    })),
  });
}

function unknownModel(vllm: VllmServer, name: string): Response {
  const aliases = vllm.context.modelNames.join(", ");
  return vllmError(404, "NotFoundError", `The model \`${name}\` does not exist. Valid aliases: ${aliases}.`, "model");
}

function badRequest(message: string, param: string | null): Response {
  return vllmError(
    400,
    "BadRequestError",
    param === "tool_choice" ? `${message} (parameter=tool_choice)` : message,
    param,
  );
}

function inputTooLong(message: string, value: number): Response {
  return vllmError(400, "BadRequestError", `${message} (parameter=input_tokens, value=${value})`, "input_tokens");
}

function methodNotAllowed(): Response {
  return vllmReply({ detail: "Method Not Allowed" }, 405);
}

function empty(): Response {
  return textResponse("", 200, { server: "uvicorn" });
}
