/**
 * The public library: judge replies, scan texts, measure servers, from your own code.
 * @module
 */
export { type Listener, listen } from "./http/listen.ts";
export { type Upstream, type UpstreamOptions, upstream } from "./http/upstream.ts";
export type { Capture, Exchange } from "./lab/capture/capture.ts";
export { openRun, type StoredRun } from "./lab/capture/open-run.ts";
export type { RunRecord, TargetRecord } from "./lab/capture/run-record.ts";
export { createRunStore, type RunStore } from "./lab/capture/store.ts";
export { checkScenarios } from "./lab/check-scenarios.ts";
export type {
  CallAxis,
  Classification,
  Finding,
  Headline,
  Owner,
  ReplyJudgement,
  Span,
} from "./lab/classify/classification.ts";
export { classifyCapture } from "./lab/classify/classify-capture.ts";
export { classifyReply } from "./lab/classify/classify-reply.ts";
export type { ReplyInput } from "./lab/classify/reply-input.ts";
export type { Diagnosis } from "./lab/diagnose/diagnosis.ts";
export { compareForView } from "./lab/gate/comparison-view.ts";
export { decide, type GateInput } from "./lab/gate/decide.ts";
export { measuredVerdict } from "./lab/gate/measured.ts";
export { defaultPolicy, type GatePolicy, policySchema } from "./lab/gate/policy.ts";
export type { MeasurementProof, RunSide } from "./lab/gate/run-side.ts";
export type { SwapCard } from "./lab/gate/swap-card.ts";
export { type ComparisonView, exitCodeOf, type GateVerdict, type Verdict } from "./lab/gate/verdict.ts";
export { rejudge } from "./lab/rejudge.ts";
export { type Route, type RunOptions, type RunResult, type RunTarget, run } from "./lab/run.ts";
export { type LoadedScenarios, loadScenarios } from "./lab/scenario/load.ts";
export type { Scenario } from "./lab/scenario/scenario.ts";
export { fisherExact, stratifiedExact } from "./lab/stats/exact-tests.ts";
export { holm } from "./lab/stats/holm.ts";
export { wilson } from "./lab/stats/proportions.ts";
export type { Cell, Rate, Summary } from "./lab/stats/summary.ts";
export { openSide } from "./lab/stored-side.ts";
export type { ChatMessage, ChatRequest, Tool, ToolChoice } from "./protocol/chat.ts";
export type { Piece, ScannedCall, ToolCall, ToolCallFormat } from "./protocol/formats/format.ts";
export { findFormat, toolCallFormats } from "./protocol/formats/index.ts";
export { createScanner, type Scanner, scanText } from "./protocol/formats/scanner.ts";
export { type HandOn, handOn } from "./protocol/hand-on.ts";
export { type Handler, TransportError, type TransportPhase } from "./protocol/handler.ts";
export { readReply } from "./protocol/read-reply.ts";
export type { ChatReply, ReadReply } from "./protocol/reply.ts";
export { type Fingerprint, fingerprintDifferences } from "./protocol/servers/fingerprint.ts";
export { serverRecord, serverRecords } from "./protocol/servers/index.ts";
export type { ServerKind, ServerRecord, TargetFacts } from "./protocol/servers/server.ts";
export { checkProfile, profileSchema, type SimulatorProfile } from "./simulator/profile.ts";
export { createSimulator } from "./simulator/simulator.ts";
