import { z } from "zod";
import { toolChoiceWord, toolSchema } from "../../protocol/chat.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../protocol/json.ts";
import { readReply } from "../../protocol/read-reply.ts";
import { serverRecord } from "../../protocol/servers/index.ts";
import type { ServerKind } from "../../protocol/servers/server.ts";
import { schemaProblem } from "../../protocol/tool-arguments.ts";
import { headlines } from "./classification.ts";
import type { RawEvidence, ReplyInput, Source } from "./reply-input.ts";

const json: z.ZodType<JsonValue> = z.json() as z.ZodType<JsonValue>;
const jsonObject = z.record(z.string(), json) as unknown as z.ZodType<JsonObject>;
const callList = z.array(z.looseObject({ name: z.string(), arguments: json }));
/** Case files put a direct answer under non_call, and know nothing of transport. */
const verdict = z.enum(headlines.filter((word) => word !== "direct_answer" && word !== "transport_error"));

const caseMessage = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.null(), z.array(jsonObject)]).optional(),
  tool_calls: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
});

const caseSchema = z.looseObject({
  id: z.string().optional(),
  fault: z.string().optional(),
  server: z.union([z.string(), z.null(), jsonObject]).optional(),
  recorded: z.looseObject({ server: z.string() }).optional(),
  request: z.looseObject({
    messages: z.array(caseMessage).min(1),
    tool_choice: z
      .union([
        z.enum(["auto", "required", "none"]),
        z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: z.string() }) }),
      ])
      .nullish(),
    stream: z.boolean().nullish(),
    max_tokens: z.number().nullish(),
  }),
  tools: z.array(toolSchema).nullish(),
  response: jsonObject,
  expected: z
    .looseObject({
      verdict,
      verdictWithoutRaw: verdict.optional(),
      acceptVerdicts: z.array(verdict).optional(),
      validity: z.enum(["valid", "repairable", "invalid_args", "hallucinated_tool"]).nullish(),
      calls: callList.optional(),
      acceptAlso: z.array(callList).optional(),
      leakFormat: z.string().nullish(),
      residualContent: z.string().nullish(),
    })
    .optional(),
});

/** A labelled reply as its file holds it; `id` is the file's name without its ending. */
export type CaseFile = z.infer<typeof caseSchema> & { readonly id: string };

/** A case, or one line that says what its file lacks. `notes` are things that do not keep it from being judged. */
export type CaseReading =
  | { readonly kind: "case"; readonly file: CaseFile; readonly notes: readonly string[] }
  | { readonly kind: "problem"; readonly id: string; readonly message: string };

/** Reads the text of a case file. Never throws. */
export function readCase(id: string, text: string): CaseReading {
  const value = parseJson(text.startsWith("\uFEFF") ? text.slice(1) : text);
  if (value === undefined) return { kind: "problem", id, message: jsonFault(text) };
  const read = caseSchema.safeParse(value);
  if (!read.success) return { kind: "problem", id, message: firstFault(read.error, value) };
  const file = { ...read.data, id };
  const shape = responseFault(file.response);
  if (shape !== null) return { kind: "problem", id, message: shape };
  return { kind: "case", file, notes: notesOn(file, text) };
}

/** Why JSON.parse refused: the one thing people cannot see in an editor is named. */
function jsonFault(text: string): string {
  if (text.trim() === "") return "is empty; a case is one JSON object";
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.exec(text);
  if (control !== null)
    return `is no JSON: a raw control character (${codePoint(control[0])}) at character ${control.index}; write it as \\u${control[0].charCodeAt(0).toString(16).padStart(4, "0")}`;
  try {
    JSON.parse(text);
    return "is no JSON";
  } catch (error) {
    return `is no JSON: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`;
  }
}

function codePoint(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function firstFault(error: z.ZodError, value: JsonValue): string {
  const [issue] = error.issues;
  if (issue === undefined) return "is no case file";
  const path = issue.path.join(".");
  const there = issue.path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    value,
  );
  if (path === "") return "is no JSON object with request and response";
  if (there === undefined) return `lacks the key ${path}`;
  return `${path}: ${issue.message.slice(0, 300)}${typeof there === "string" ? `, not ${JSON.stringify(there.slice(0, 60))}` : ""}`;
}

/** What the response lacks to be one of the forms of a case; null where it is one. */
function responseFault(response: JsonObject): string | null {
  const { stream, ollama, http, choices, error } = response;
  if (stream !== undefined) return Array.isArray(stream) ? null : "response.stream is no list of chunks";
  if (ollama !== undefined) return isJsonObject(ollama) ? null : "response.ollama is no object";
  if (http !== undefined)
    return isJsonObject(http) && Number.isInteger(http["status"]) && "body" in http
      ? null
      : "response.http lacks a whole status or a body";
  return Array.isArray(choices) || error !== undefined
    ? null
    : "response is neither a chat completion nor one of stream, ollama, http";
}

function notesOn(file: CaseFile, text: string): readonly string[] {
  const notes = (file.tools ?? []).flatMap((tool) => {
    const problem = schemaProblem(tool);
    return problem === null ? [] : [`the schema of ${tool.function.name} is not checked in full: ${problem}`];
  });
  const lone =
    /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}/.exec(
      text,
    );
  if (lone !== null)
    notes.push(`holds a lone surrogate (${lone[0]}), which no text on the wire can; judged as it stands`);
  return notes;
}

interface Body {
  readonly text: string;
  readonly status: number;
  readonly contentType: string;
  readonly streamed: boolean;
}

function bodyOf(response: JsonObject): Body {
  const whole = { status: 200, contentType: "application/json", streamed: false };
  const { stream, ollama, http, ended } = response;
  if (Array.isArray(stream)) {
    const lines = stream.map((chunk: JsonValue) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
    const done = ended === "no_done" ? "" : "data: [DONE]\n\n";
    return { text: lines + done, status: 200, contentType: "text/event-stream", streamed: true };
  }
  if (ollama !== undefined) return { ...whole, text: JSON.stringify(ollama) };
  if (isJsonObject(http)) {
    const { status, body } = http;
    return {
      ...whole,
      text: typeof body === "string" ? body : JSON.stringify(body),
      status: typeof status === "number" ? status : 0,
    };
  }
  const { raw: _raw, ended: _ended, ...body } = response;
  return { ...whole, text: JSON.stringify(body) };
}

function kindOf(file: CaseFile): ServerKind {
  const name = (file.recorded?.server ?? JSON.stringify(file.server ?? "")).toLowerCase();
  if (/\bvllm\b/.test(name)) return "vllm";
  if (name.includes("sglang")) return "sglang";
  if (name.includes("ollama")) return "ollama";
  return name.includes("llama-server") || name.includes("llama.cpp") ? "llama-server" : "openai";
}

function textOf(content: z.infer<typeof caseMessage>["content"]): string {
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? content.map((part) => (typeof part["text"] === "string" ? part["text"] : "")).join("")
    : "";
}

function rawOf(response: JsonObject): RawEvidence | null {
  const { raw } = response;
  if (!isJsonObject(raw) || typeof raw["text"] !== "string") return null;
  const grade = raw["sameGeneration"] === true ? "in_band" : "same_seed_replay";
  return { text: raw["text"], grade, exchange: 1, habit: false };
}

/** What a run would have had of this reply. Without tools, a `{{NAME: …}}` in the system message is the marker contract. */
export function caseInput(file: CaseFile, withRaw: boolean): ReplyInput {
  const { text, status, contentType, streamed } = bodyOf(file.response);
  const { request } = file;
  const tools = file.tools ?? [];
  const choice = request.tool_choice ?? "auto";
  const sources = request.messages.map(
    (message): Source => ({
      role: message.role,
      text: textOf(message.content),
      ...(message.tool_calls === undefined
        ? {}
        : {
            calls: message.tool_calls.map(({ function: called }) => ({
              name: called.name,
              text: JSON.stringify(called),
            })),
          }),
    }),
  );
  const system = sources.filter((source) => source.role === "system").map((source) => source.text);
  const marker = tools.length === 0 ? /\{\{([A-Z_]+):/.exec(system.join("\n"))?.[1] : undefined;
  return {
    exchange: 0,
    status,
    end: { kind: "complete" },
    body: text,
    reply: readReply({ body: text, contentType, status, streamed }),
    request: {
      choice: toolChoiceWord(choice),
      namedTool: typeof choice === "string" ? null : choice.function.name,
      stream: streamed || request.stream === true,
      maxTokens: request.max_tokens ?? null,
      sources,
    },
    expectation: {
      tools,
      contract: marker === undefined ? "native" : "marker",
      wanted: null,
      markerRule: marker === undefined ? null : { name: marker },
      memorizable: false,
      oracle: [],
      nonce: null,
      judge: "any_call",
    },
    raw: withRaw ? rawOf(file.response) : null,
    server: serverRecord(kindOf(file)),
    toolParser: "unknown",
    toolsInPrompt: "unknown",
  };
}
