import { isJsonObject, type JsonObject } from "../../protocol/json.ts";
import { budgetOf, choiceWordOf, readChatBody, seedOf } from "../chat-body.ts";
import { renderPrompt } from "../prompt.ts";
import type { Question } from "../question.ts";
import { countTokens } from "../tokens.ts";
import { chatAnswer, generatedAnswer, type OllamaExchange } from "./ollama-answer.ts";
import { findModel, goTime, nativeReply, type OllamaModel, type OllamaServer, ollamaError } from "./ollama-server.ts";

/** Answers a chat request of either API. */
export function chatAsOllama(ollama: OllamaServer, fields: JsonObject, native: boolean, signal: AbortSignal): Response {
  const body = readChatBody(fields);
  const options = isJsonObject(fields["options"]) ? fields["options"] : {};
  const modelName = body.model ?? "";
  if (!native && body.messages !== null && body.messages.length === 0)
    return ollamaError(false, 400, "[] is too short - 'messages'");
  if (modelName === "") return ollamaError(native, 400, "model is required");
  const model = findModel(ollama, modelName);
  if (model === undefined) return ollamaError(native, 404, `model '${modelName}' not found`);
  const { template } = model;
  const messages = body.messages ?? [];
  if (body.tools.length > 0 && !template.capabilities.includes("tools")) {
    return ollamaError(native, 400, `registry.ollama.ai/library/${model.fullName} does not support tools`);
  }
  if (asksForThinking(fields) && !template.capabilities.includes("thinking")) {
    return ollamaError(native, 400, `"${modelName}" does not support thinking`);
  }
  const prompt = renderPrompt(messages, body.tools, template.prompt);
  if (fields["_debug_render_only"] === true) {
    return nativeReply({
      model: modelName,
      created_at: goTime(ollama.context.now()),
      message: { role: "", content: "" },
      done: false,
      _debug_info: { rendered_template: prompt },
    });
  }
  if (template.native && body.logprobs && body.tools.length > 0) {
    return ollamaError(
      native,
      400,
      nested({ code: 400, message: "logprobs is not supported with tools + stream", type: "invalid_request_error" }),
    );
  }
  const fitted = fitContext(ollama, model, countTokens(prompt), native);
  if (fitted instanceof Response) return fitted;
  // The native API streams unless it is told not to.
  const stream = native ? fields["stream"] !== false : body.stream;
  const question: Question = {
    model: model.key,
    messages,
    tools: body.tools,
    // Without effect here, but arms that send another word keep decks of their own.
    choice: choiceWordOf(body.toolChoice) ?? "auto",
    namedTool: null,
    stream,
    seed: native ? seedOf(options["seed"]) : body.seed,
    // What is left of a prompt that was cut is all that the model has.
    prompt: cutPrompt(prompt, fitted),
  };
  const limit = budgetOf(native ? options : fields, native ? ["num_predict"] : ["max_tokens"]) ?? ollama.contextLength;
  const answer = ollama.context.answer(question, { limit, splitThinking: fields["think"] !== false });
  ollama.loaded.add(model.key);
  const exchange: OllamaExchange = {
    ollama,
    model,
    modelName,
    native,
    answer,
    promptTokens: fitted,
    logprobs: body.logprobs,
    includeUsage: body.includeUsage,
    signal,
  };
  return chatAnswer(exchange, stream);
}

/** `/api/generate`: with `raw` the text as generated, without template or parser; else a chat of one message. */
export function generateAsOllama(ollama: OllamaServer, fields: JsonObject, signal: AbortSignal): Response {
  const modelName = typeof fields["model"] === "string" ? fields["model"] : "";
  const model = findModel(ollama, modelName);
  if (model === undefined) return ollamaError(true, 404, `model '${modelName}' not found`);
  const options = isJsonObject(fields["options"]) ? fields["options"] : {};
  const asked = typeof fields["prompt"] === "string" ? fields["prompt"] : "";
  const system = typeof fields["system"] === "string" ? [{ role: "system", content: fields["system"] }] : [];
  const messages = [...system, { role: "user", content: asked }];
  const prompt = fields["raw"] === true ? asked : renderPrompt(messages, [], model.template.prompt);
  const question: Question = {
    model: model.key,
    messages,
    tools: [],
    choice: "auto",
    namedTool: null,
    stream: fields["stream"] !== false,
    seed: seedOf(options["seed"]),
    prompt,
  };
  const answer = ollama.context.answer(question, {
    limit: budgetOf(options, ["num_predict"]) ?? ollama.contextLength,
    raw: true,
  });
  ollama.loaded.add(model.key);
  const exchange: OllamaExchange = {
    ollama,
    model,
    modelName,
    native: true,
    answer,
    promptTokens: countTokens(prompt),
    logprobs: fields["logprobs"] === true,
    includeUsage: false,
    signal,
  };
  return generatedAnswer(exchange, question.stream);
}

function asksForThinking(fields: JsonObject): boolean {
  const effort = fields["reasoning_effort"];
  return fields["think"] === true || (typeof effort === "string" && effort !== "none");
}

/** Prompt tokens that are left: one long message loses its middle without a word, the native path answers 400. */
function fitContext(
  ollama: OllamaServer,
  model: OllamaModel,
  promptTokens: number,
  native: boolean,
): number | Response {
  const { contextLength } = ollama;
  if (promptTokens <= contextLength) return promptTokens;
  if (!model.template.native) return Math.floor(contextLength / 2) + 2;
  return ollamaError(
    native,
    400,
    nested({
      code: 400,
      message: `request (${promptTokens} tokens) exceeds the available context size (${contextLength} tokens), try increasing it`,
      type: "exceed_context_size_error",
      n_prompt_tokens: promptTokens,
      n_ctx: contextLength,
    }),
  );
}

/** The beginning is kept, then half of the window is freed: what stood after it is gone. */
function cutPrompt(prompt: string, tokens: number): string {
  const points = [...prompt];
  if (points.length <= tokens) return prompt;
  return [...points.slice(0, 4), ...points.slice(points.length - tokens + 4)].join("");
}

/** An error of the llama-server behind Ollama, which passes it on as JSON inside the message. */
function nested(error: Record<string, unknown>): string {
  return JSON.stringify({ error });
}
