import type { ChatMessage, Tool } from "../chat.ts";
import { readErrorBody } from "../error-body.ts";
import { TransportError } from "../handler.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../json.ts";
import type { TemplateReading } from "./template-reading.ts";

/** A whole response as a probe sees it. `reference` names the stored exchange that shows it, where one is kept. */
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly reference: number | null;
}

/** A request of a probe; with a body it is a POST of JSON. */
export interface Question {
  readonly path: string;
  readonly body?: JsonValue | undefined;
}

/** Asks a server one thing. A transport failure is a value: one dead route says little about the others. */
export type Ask = (question: Question) => Promise<Answer | TransportError>;

/** What was concluded, for people, with the exchange that shows it. */
export interface Statement {
  readonly text: string;
  readonly reference: number | null;
}

/** The models a server lists; `entries` is null when no list could be read. */
export interface ListedModels {
  readonly entries: readonly JsonObject[] | null;
  readonly names: readonly string[];
  readonly answer: Answer | TransportError;
}

/** Everything a server record needs to look at one model on one server. */
export interface ServerProbe {
  readonly ask: Ask;
  readonly model: string;
  /** Path prefix of the OpenAI API, "/v1" as a rule. */
  readonly apiPrefix: string;
  readonly version: string | null;
  readonly models: ListedModels;
  /** Short, stable digest of a text; injected because this layer has no crypto. */
  hash(text: string): string;
}

/** What a server shows of its set-up; see Fingerprint for the meaning of the two parts. */
export interface Inspection {
  readonly identity: Readonly<Record<string, JsonValue>>;
  readonly incidental: Readonly<Record<string, JsonValue>>;
  readonly toolParser: ParserState;
  readonly reasoningParser: ParserState;
  readonly contextLength: number | null;
  /** What the server says of its template and of the model; absent where it says nothing. */
  readonly claims?: SetUpClaims | undefined;
  readonly statements: readonly Statement[];
}

/** What a server says of a model, which need not be so. */
export interface SetUpClaims {
  /** Whether it says that the model takes tools; null where it does not say. */
  readonly tools: boolean | null;
  /** The template as its text reads; null where it is not shown. */
  readonly template: TemplateReading | null;
  /** A template of the user's own stands beside a built-in renderer, which is used in its place. */
  readonly templateIgnored: boolean;
}

/** A conversation whose rendering is to be looked at. */
export interface RenderInput {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
}

/**
 * What a server made of a conversation: the prompt's text; or only its length in tokens; or a refusal; or nothing, because
 * it has no route for that.
 */
export type RenderedPrompt =
  | { readonly kind: "text"; readonly text: string; readonly reference: number | null }
  | { readonly kind: "tokens"; readonly count: number; readonly reference: number | null }
  | { readonly kind: "refused"; readonly status: number; readonly message: string; readonly reference: number | null }
  | { readonly kind: "unavailable"; readonly why: string };

/** Whether a parser is at work, its name where the server shows one, and how that is known. */
export interface ParserState {
  readonly state: "active" | "none" | "unknown";
  readonly name: string | null;
  readonly source: "flag" | "builtin" | "template" | "metric" | "error" | "unknown";
}

export const unknownParser: ParserState = { state: "unknown", name: null, source: "unknown" };

/** The answer's body as a JSON object; null for anything else, also for a status that is not a success. */
export function answerObject(answer: Answer | TransportError): JsonObject | null {
  if (TransportError.is(answer) || answer.status < 200 || answer.status > 299) return null;
  const value = parseJson(answer.text);
  return isJsonObject(value) ? value : null;
}

/** A string, number or object at a path of keys; undefined where the path or the type does not fit. */
export function stringAt(value: JsonValue | undefined, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === "string" ? found : undefined;
}

export function numberAt(value: JsonValue | undefined, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, path);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

export function objectAt(value: JsonValue | undefined, ...path: readonly string[]): JsonObject | undefined {
  const found = valueAt(value, path);
  return isJsonObject(found) ? found : undefined;
}

export function listAt(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] | undefined {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : undefined;
}

export function valueAt(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let current = value;
  for (const key of path) {
    if (!isJsonObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

/** The error message in a body of any of the known shapes; the whole text, shortened, where there is none. */
export function errorMessage(text: string): string {
  return readErrorBody(text)?.message ?? text.trim().slice(0, 300);
}
