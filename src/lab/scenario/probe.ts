/** How the replies of a sample are turned into its result; each has code of its own in classify/probes. */
export const judgements = [
  "round_trip",
  "need",
  "parity",
  "history",
  "system_prompt",
  "context",
  "final_answer",
  "capability",
  "relay",
  "language",
] as const;
export type Judgement = (typeof judgements)[number];

/** A made-up tool result. The first whose `when` occurs in the arguments of a call of `tool` answers it; null fits every call. */
export interface ToolResult {
  readonly tool: string;
  readonly when: string | null;
  readonly text: string;
}

/** How long the prompt of a sample is to be: a share of the server's context, and never more than `most` tokens. */
export interface PromptSize {
  /** Of the context length that the server shows; null = `most` itself. */
  readonly share: number | null;
  readonly most: number;
}

/**
 * A sample of several replies, resolved for one trial and stored with its capture: how the conversation goes on, and what its
 * replies must show. Texts are filled in.
 */
export interface Probe {
  readonly judgement: Judgement;
  /** Results that the conversation hands back for calls. */
  readonly results: readonly ToolResult[];
  /** Tool that the first reply should call; null where it should call none. */
  readonly call: string | null;
  /** Texts that the last reply must contain. */
  readonly answer: readonly string[];
  /** Texts that the last reply must not contain. */
  readonly never: readonly string[];
  /** Text by which a reply shows that the persona was kept; null where there is none. */
  readonly sign: string | null;
  /** Language that the last reply should be in. */
  readonly language: string;
  /** Text that the arguments of a later call must contain: it is known from an earlier result only. */
  readonly carried: string | null;
  /** Requests that one sample may take. */
  readonly mostTurns: number;
  /** What sets the arm apart: the name of its history, else its id. */
  readonly variant: string;
  /** Tools that the request declares. */
  readonly toolCount: number;
  /** What the user says next: the long question with its filler, or the words behind a final answer; null = nothing. */
  readonly followUp: string | null;
  readonly size: PromptSize | null;
  /** Sent to Ollama's own route in place of the OpenAI one. */
  readonly native: boolean;
}

/** A reply as far as the course of a conversation depends on it. */
export interface TurnReply {
  readonly status: number | null;
  readonly content: string;
  readonly calls: readonly { readonly id: string | null; readonly name: string; readonly argumentsText: string }[];
  /** Message of an error, where the reply is one. */
  readonly error: string | null;
  readonly promptTokens: number | null;
}
