import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReplyInput } from "../../../src/lab/classify/reply-input.ts";
import type { ChatMessage, Tool, ToolChoice } from "../../../src/protocol/chat.ts";
import { messageText, toolChoiceWord } from "../../../src/protocol/chat.ts";
import type { JsonObject, JsonValue } from "../../../src/protocol/json.ts";
import { readReply } from "../../../src/protocol/read-reply.ts";
import { serverRecord } from "../../../src/protocol/servers/index.ts";
import type { ServerKind } from "../../../src/protocol/servers/server.ts";

/** A labelled reply as its file holds it. */
export interface CaseFile {
  readonly id: string;
  readonly server?: string;
  readonly recorded?: { readonly server: string };
  readonly request: {
    readonly messages: readonly ChatMessage[];
    readonly tool_choice?: ToolChoice;
    readonly stream?: boolean;
    readonly max_tokens?: number;
  };
  readonly tools?: readonly Tool[];
  readonly response: {
    readonly stream?: readonly JsonValue[];
    readonly ollama?: JsonValue;
    readonly http?: { readonly status: number; readonly body: JsonValue };
    readonly raw?: { readonly text: string; readonly sameGeneration: boolean };
    readonly ended?: string;
  } & JsonObject;
  readonly expected: {
    readonly verdict: string;
    readonly verdictWithoutRaw?: string;
    readonly acceptVerdicts?: readonly string[];
    readonly validity?: string;
    readonly calls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
    readonly acceptAlso?: readonly (readonly { readonly name: string; readonly arguments: JsonObject }[])[];
    readonly leakFormat: string | null;
  };
}

export function readCases(folder: URL): readonly CaseFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => ({
      ...(JSON.parse(readFileSync(join(folder.pathname, name), "utf8")) as CaseFile),
      id: name.slice(0, -".json".length),
    }));
}

interface Body {
  readonly text: string;
  readonly status: number;
  readonly contentType: string;
  readonly streamed: boolean;
}

function bodyOf({ response }: CaseFile): Body {
  const json = { status: 200, contentType: "application/json", streamed: false };
  if (response.stream !== undefined) {
    const lines = response.stream.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
    const done = response.ended === "no_done" ? "" : "data: [DONE]\n\n";
    return { text: lines + done, status: 200, contentType: "text/event-stream", streamed: true };
  }
  if (response.ollama !== undefined) return { ...json, text: JSON.stringify(response.ollama) };
  if (response.http !== undefined) {
    const { status, body } = response.http;
    return { ...json, text: typeof body === "string" ? body : JSON.stringify(body), status };
  }
  const { raw: _raw, ended: _ended, ...body } = response;
  return { ...json, text: JSON.stringify(body) };
}

function kindOf(file: CaseFile): ServerKind {
  const name = (file.recorded?.server ?? file.server ?? "").toLowerCase();
  if (name.includes("vllm")) return "vllm";
  if (name.includes("ollama")) return "ollama";
  return name.includes("llama") ? "llama-server" : "openai";
}

/** What a run would have had of this reply. */
export function caseInput(file: CaseFile, withRaw: boolean): ReplyInput {
  const { text, status, contentType, streamed } = bodyOf(file);
  const { request, response } = file;
  const tools = file.tools ?? [];
  const choice = request.tool_choice ?? "auto";
  const system = request.messages
    .filter((message) => message.role === "system")
    .map(messageText)
    .join("\n");
  const marker = tools.length === 0 ? /\{\{([A-Z_]+):/.exec(system)?.[1] : undefined;
  const raw = withRaw ? response.raw : undefined;
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
      sources: request.messages.map((message) => ({ role: message.role, text: messageText(message) })),
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
    raw:
      raw === undefined
        ? null
        : { text: raw.text, grade: raw.sameGeneration ? "in_band" : "same_seed_replay", exchange: 1, habit: false },
    server: serverRecord(kindOf(file)),
    toolParser: "unknown",
    toolsInPrompt: "unknown",
  };
}
