import { findSetUp, ollamaTemplateName } from "../matrices/find-set-up.ts";
import { hexDigest } from "../random.ts";
import { textResponse } from "../responses.ts";
import type { ServerContext } from "../server-context.ts";
import { type OllamaTemplate, ollamaTemplates } from "./ollama-templates.ts";

/** A model as Ollama knows it. */
export interface OllamaModel {
  /** Name in the profile. */
  readonly key: string;
  /** Name with its tag, as Ollama lists it. */
  readonly fullName: string;
  readonly template: OllamaTemplate;
  readonly digest: string;
}

/** What all routes of one Ollama share. */
export interface OllamaServer {
  readonly context: ServerContext;
  readonly version: string;
  /** num_ctx of every model. */
  readonly contextLength: number;
  readonly started: number;
  readonly models: readonly OllamaModel[];
  /** Models that have answered, in order: /api/ps shows them. */
  readonly loaded: Set<string>;
}

const defaultContext = 4096;

export function createOllamaServer(context: ServerContext): OllamaServer {
  const { server, models } = context.profile;
  return {
    context,
    version: String(server.version ?? "0.34.2"),
    contextLength: server.contextLength ?? defaultContext,
    started: context.now(),
    models: Object.entries(models).map(([key, model]) => {
      const choice = model.template === undefined ? server : { ...server, template: model.template };
      const setUp = findSetUp(choice, model.format);
      const template = typeof setUp === "string" ? undefined : ollamaTemplates[ollamaTemplateName(choice)];
      if (template === undefined) throw new Error(typeof setUp === "string" ? setUp : `no template for ${setUp.name}`);
      const fullName = key.includes(":") ? key : `${key}:latest`;
      return { key, fullName, template, digest: hexDigest(`${key}\u0000${template.modelfile}`, 64) };
    }),
    loaded: new Set(),
  };
}

/** The model of that name, with or without its tag. */
export function findModel(ollama: OllamaServer, name: string): OllamaModel | undefined {
  return ollama.models.find((model) => model.key === name || model.fullName === name || `${model.key}:latest` === name);
}

/** JSON as Go writes it: `<`, `>` and `&` are escaped. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** A JSON reply of the native API. */
export function nativeReply(body: unknown, status = 200): Response {
  return textResponse(goJson(body), status, { "content-type": "application/json; charset=utf-8" });
}

/** A JSON reply of the OpenAI API. */
export function openaiReply(body: unknown, status = 200): Response {
  return textResponse(goJson(body), status, { "content-type": "application/json" });
}

/** An error in the envelope of the API that was asked. */
export function ollamaError(native: boolean, status: number, message: string): Response {
  if (native) return nativeReply({ error: message }, status);
  const type = status === 400 ? "invalid_request_error" : status === 404 ? "not_found_error" : "api_error";
  return openaiReply({ error: { message, type, param: null, code: null } }, status);
}

/** A point in time as Go prints it. */
export function goTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000000Z");
}
