import type { ChatRequest, Tool } from "../protocol/chat.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { ServerKind } from "../protocol/servers/server.ts";
import type { TraceEntry } from "../protocol/trace.ts";
import type { AdapterConfig } from "./config.ts";

/** The two APIs that clients speak to the adapter. */
export type FrontName = "chat" | "responses";

/** Programs whose habits are known; `unknown` is any other. */
export type ClientName = "codex" | "opencode" | "qwen-code" | "openai" | "ai-sdk" | "unknown";

/** What the request's head and metadata say about who sent it and why. Absent words are null: older clients send fewer. */
export interface ClientHints {
  readonly name: ClientName;
  readonly version: string | null;
  /** Codex's x-codex-turn-metadata (header, else client_metadata in the body), parsed: request_kind, thread_source … */
  readonly turnMetadata: JsonObject | null;
  /** Lower-case names; credentials are left out. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A tool as the client declared it, beside the function tool that stands for it in the chat-shaped request. */
export interface DeclaredTool {
  /** The name in chat requests and calls, unique in the request: the client's own, or `namespace__name`. */
  readonly name: string;
  /** `custom`: freeform text instead of JSON; its chat form has the one string parameter `input`. */
  readonly kind: "function" | "custom";
  readonly namespace: string | null;
  /** The name within the namespace; equal to `name` for a plain tool. */
  readonly clientName: string;
  readonly tool: Tool;
}

/** A key under which one stage leaves typed data for later ones; see {@link slot}. */
export interface Slot<T> {
  readonly name: string;
  readonly type?: T;
}

/** Makes a slot. Declare it beside the type that it carries, once, in the file of the stage that fills it. */
export function slot<T>(name: string): Slot<T> {
  return { name };
}

/** Reaches the world for the web tools; injected by the command line, absent where the web is off. Never follows a redirect. */
export interface PinnedFetch {
  /** Every address that a host name has now. */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Sends a GET for `url` over a connection to exactly `address`, whatever the name says. The body is not decompressed. */
  fetch(
    url: string,
    options: {
      readonly address: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly signal: AbortSignal;
    },
  ): Promise<Response>;
}

/** What is known of the upstream server; found once, when somebody first asks. */
export interface UpstreamFacts {
  /** False where nothing answered, so that nothing is known. */
  readonly reached: boolean;
  readonly kind: ServerKind;
  readonly version: string | null;
  /** Did the rendered prompt hold the tools whole? `unknown` where no route shows it. */
  readonly toolsInPrompt: "whole" | "damaged" | "missing" | "unknown";
}

/**
 * One request's life, from the client's bytes to the last event. The adapter keeps nothing between turns; what a stage has to
 * know of earlier ones it reads from the history that the client sends again.
 */
export interface Turn {
  /** Trace id; also in the response's head. */
  readonly id: string;
  readonly front: FrontName;
  readonly client: ClientHints;
  readonly config: AdapterConfig;
  /**
   * What the client asked, in chat shape, before any stage: call ids unique, each result behind its call, leading
   * instructions as system messages, later ones with the role `developer`. User messages are as many as the client sent.
   */
  readonly original: ChatRequest;
  /** The client's own tools, in its order. */
  readonly tools: readonly DeclaredTool[];
  /** Milliseconds since the epoch. */
  now(): number;
  /** In [0, 1). */
  random(): number;
  readonly web: PinnedFetch | null;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** Lets all else that waits go on first, for work that takes long. Rejects where the client has left. */
  pause(): Promise<void>;
  /** Finds out what the upstream is; asks it at most once in the adapter's life. */
  upstreamFacts(): Promise<UpstreamFacts>;
  /** Declares a tool of the adapter's own, so that `scan`, `repair` and `guard` know its calls; the stage that adds it takes them out. */
  addTool(tool: Tool): void;
  /** Every tool a call may name: the client's and the adapter's own. */
  callable(): readonly Tool[];
  /** A fresh call id, unique in this turn; `mark` (letters, digits, "_") is kept at its end for later turns to read. */
  newCallId(mark?: string): string;
  /** The id itself where it is free in this turn and its history, else a fresh one. */
  takeCallId(id: string | null): string;
  /** Leaves data for later stages. */
  put<T>(key: Slot<T>, value: T): void;
  /** What an earlier stage left; undefined where it did not run or had nothing to say. */
  get<T>(key: Slot<T>): T | undefined;
  /** Writes one line of the turn's trace. */
  trace(entry: TraceEntry): void;
  /** Notes text of the client that does not reach the upstream, with the reason, so that nothing disappears unseen. */
  drop(stage: string, reason: string, text: string): void;
}
