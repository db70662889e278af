import type { JsonValue } from "../../protocol/json.ts";
import type { RepairName } from "../../protocol/repair/repair.ts";
import type { WireFault } from "../../protocol/reply.ts";
import type { EvidenceGrade, RefusalSubject } from "../../protocol/servers/server.ts";

/** What is wrong with a call, beside its tool and arguments. */
export type CallProblem =
  | WireFault
  | "not_json"
  | "not_an_object"
  | "missing_required"
  | "unknown_argument"
  | "wrong_type"
  | "not_in_enum"
  | "constraint"
  | "escaped_twice"
  | "undeclared_tool"
  | "schema_unusable"
  /** Markup, a namespace or a repetition stood in the name. */
  | "name_residue"
  /** Several calls came as one. */
  | "merged_calls"
  /** The same call again. */
  | "repeated"
  /** The text does not say which argument, or which tool, is meant. */
  | "two_readings"
  | "too_many"
  | "too_few";

export type Validity = "valid" | "repairable" | "invalid_args" | "hallucinated_tool";

/** A stretch of text in one exchange, in UTF-16 units of the assembled field. */
export interface Span {
  readonly exchange: number;
  readonly choice: number;
  readonly field: "content" | "reasoning" | "raw" | "arguments" | "error";
  readonly start: number;
  readonly end: number;
}

/** A call as judged. `arguments` is null where no object could be read. */
export interface JudgedCall {
  readonly name: string;
  readonly arguments: JsonValue | null;
  readonly validity: Validity;
  readonly problems: readonly CallProblem[];
  /** Repairs that would make it usable; absent where it needs none or none helps. */
  readonly repairs?: readonly RepairName[] | undefined;
}

/** What became of a tool call: exactly one of these for each reply that could be measured. */
export type CallAxis =
  | { readonly kind: "structured"; readonly validity: Validity; readonly calls: readonly JudgedCall[] }
  | { readonly kind: "marker"; readonly grade: "as_asked" | "present"; readonly span: Span }
  | {
      readonly kind: "leaked";
      readonly format: string;
      readonly where: "content" | "reasoning";
      readonly bare: boolean;
      readonly validity: Validity;
      readonly calls: readonly JudgedCall[];
      readonly span: Span;
    }
  | {
      readonly kind: "swallowed";
      readonly format: string;
      readonly grade: EvidenceGrade;
      readonly validity: Validity;
      readonly calls: readonly JudgedCall[];
      readonly span: Span;
    }
  | {
      readonly kind: "reasoning_only";
      readonly format: string;
      readonly validity: Validity;
      readonly calls: readonly JudgedCall[];
      readonly span: Span;
    }
  | {
      readonly kind: "truncated";
      readonly format: string | null;
      readonly where: "content" | "reasoning" | "raw" | "arguments";
      readonly cause: "budget" | "stream" | "model";
      readonly span: Span;
    }
  | {
      readonly kind: "server_error";
      readonly status: number | null;
      readonly message: string;
      /** Whether the model's own call was whole, where the raw text shows it. */
      readonly modelCall: "whole" | "broken" | "none" | "unknown";
      /** In which format that call was written, by the raw text, the message or what came before; null where none is known. */
      readonly format: string | null;
    }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly message: string;
      readonly about: RefusalSubject;
    }
  | { readonly kind: "none" };
export type AxisKind = CallAxis["kind"];

/** Who answers for a fault. */
export const owners = [
  "model",
  "template",
  "server_parser",
  "server_option",
  "server_limit",
  "adapter",
  "network",
  "budget",
  "scorer",
  "none",
] as const;
export type Owner = (typeof owners)[number];

export type FindingKind =
  | "value_ahead"
  | "provenance_claim"
  | "quoted_call"
  | "prose_command"
  | "choice_violated"
  | "finish_reason_wrong"
  | "direct_answer"
  | "swallow_suspected"
  | "context_cut"
  | "stream_incomplete"
  | "duplicate_call"
  | "answer_repeated"
  | "leaked_beside"
  | "swallowed_beside"
  | "truncated_beside"
  | "grammar_steered"
  | "empty_reply"
  | "reasoning_only_reply"
  | "two_readings"
  | "unreadable_part";

/** Something seen beside what became of the call; `owner` is set where it is a fault. */
export interface Finding {
  readonly kind: FindingKind;
  readonly owner: Owner | null;
  readonly spans: readonly Span[];
  /** The words that were seen, or the value, for people. */
  readonly text: string;
}

/** Why a reply says nothing about model or harness. */
export type NotMeasured =
  | "transport"
  | "server_unavailable"
  | "wrong_key"
  | "model_missing"
  | "unreadable"
  | "context_invalid"
  | "bad_request";

/** The one word for people; derived from axis and findings by the precedence in headline.ts. */
export const headlines = [
  "transport_error",
  "config_error",
  "server_parse_error",
  "truncated_call",
  "value_ahead",
  "tool_choice_ignored",
  "structured_call",
  "marker_call",
  "leaked_call",
  "swallowed_call",
  "reasoning_only_call",
  "fabricated_provenance",
  "prose_command",
  "empty_reply",
  "reasoning_only_reply",
  "direct_answer",
  "non_call",
  "undecidable",
] as const;
export type Headline = (typeof headlines)[number];

export type YesNo = "yes" | "no" | "undecidable";

/** A call that a careful adapter would hand on. */
export interface HandedOn {
  readonly name: string;
  readonly arguments: JsonValue;
  /** Repairs that it took; absent where it stood as it was meant. */
  readonly repairs?: readonly RepairName[] | undefined;
}

/** The judgement of one reply. */
export type ReplyJudgement =
  | {
      readonly measured: true;
      readonly exchange: number;
      readonly axis: CallAxis;
      readonly findings: readonly Finding[];
      readonly headline: Headline;
      readonly owner: Owner;
      /** Calls that a careful adapter would hand on. */
      readonly handedOn: readonly HandedOn[];
      /** Text the user should still see; null where that is the content as it came, but for blanks around it. */
      readonly residual: string | null;
    }
  | {
      readonly measured: false;
      readonly exchange: number;
      readonly reason: NotMeasured;
      readonly detail: string;
      readonly headline: Headline;
      readonly owner: Owner;
    };

/** What a conversation may show, beside what its single replies show. */
export const probeFaultCodes = [
  "call_not_made",
  "wrong_tool_chosen",
  "lost_among_tools",
  "called_against_word",
  "called_without_need",
  "followup_refused",
  "result_not_in_prompt",
  "result_ignored",
  "result_invented",
  "step_not_carried",
  "call_loop",
  "call_ids_broken",
  "final_answer_missing",
  "final_answer_unfounded",
  "prose_under_required",
  "required_refused",
  "replies_differ_streamed",
  "history_refused",
  "history_poisons",
  "system_prompt_unseen",
  "context_cut_silently",
  "context_refused_early",
  "context_recall",
  "relay_wrong",
  "warning_relayed",
  "language_left_for_other",
  "persona_lost",
  "thinking_in_text",
] as const;
export type ProbeFaultCode = (typeof probeFaultCodes)[number];

/** One thing that went wrong in a conversation. `shown` where bytes show it, else concluded from what was said. */
export interface ProbeFault {
  readonly code: ProbeFaultCode;
  readonly owner: Owner;
  /** The words that were seen, or the value, for people. */
  readonly text: string;
  readonly certainty: "shown" | "inferred";
}

/** What a conversation came to. `blocked`: a reply was lost, cut or refused, so that what the suite is about was never reached. */
export interface ProbeResult {
  readonly passed: YesNo;
  readonly blocked: boolean;
  readonly faults: readonly ProbeFault[];
  /** Numbers that were seen: tokens, turns. */
  readonly facts: Readonly<Record<string, number>>;
}

/** What the model server answered behind an adapter, judged as if the client had got it: what was lost after it, the adapter lost. */
export interface BehindAdapter {
  /** Requests that the adapter sent for this sample. */
  readonly requests: number;
  /** Of the last answer; null where the server was not asked, or answered nothing that can be measured. */
  readonly headline: Headline | null;
  readonly delivered: YesNo | null;
  readonly attempted: YesNo | null;
}

/** The judgement of one sample, one line of classifications.jsonl. */
export interface Classification {
  readonly schemaVersion: 1;
  readonly id: string;
  readonly measured: boolean;
  readonly reason: NotMeasured | null;
  readonly headline: Headline;
  readonly owner: Owner;
  /** A valid structured call of the wanted tool, or the marker as asked. */
  readonly delivered: YesNo;
  /** Did the model try: every axis value but `none` and `refused`. */
  readonly attempted: YesNo;
  /** Milliseconds to the first byte and to the end of the measured exchange; null where not measured. */
  readonly latency: { readonly firstByteMs: number | null; readonly totalMs: number | null };
  readonly replies: readonly ReplyJudgement[];
  /** Where the sample is a conversation. */
  readonly probe?: ProbeResult | undefined;
  /** Absent where the sample travelled without an adapter. */
  readonly behind?: BehindAdapter | undefined;
}
