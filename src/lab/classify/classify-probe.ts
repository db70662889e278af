import { messageText } from "../../protocol/chat.ts";
import { readErrorBody } from "../../protocol/error-body.ts";
import { asOneMessage } from "../../protocol/one-message.ts";
import { serverRecord } from "../../protocol/servers/index.ts";
import type { TargetFacts } from "../../protocol/servers/server.ts";
import { bodyText } from "../capture/body.ts";
import type { Capture } from "../capture/capture.ts";
import { rawText } from "../capture/raw-text.ts";
import { nextTurn } from "../scenario/dialogue.ts";
import type { Probe, TurnReply } from "../scenario/probe.ts";
import type { Classification, NotMeasured, ReplyJudgement } from "./classification.ts";
import { judgeProbe } from "./probes/judge-probe.ts";
import type { Turn } from "./probes/probe-view.ts";
import { readAndJudge } from "./read-and-judge.ts";
import type { Source } from "./reply-input.ts";

/**
 * Judges a conversation from its capture: each reply by itself, then all of them by the suite's own judgement. What was sent
 * after the first request is retraced from the replies, so nothing else has to be stored.
 */
export function classifyProbe(capture: Capture, probe: Probe, facts: TargetFacts): Classification {
  const { turns, handedBack } = retraced(capture, probe, facts);
  const replies = turns.map(({ judgement }) => judgement);
  const base = { schemaVersion: 1 as const, id: capture.id, replies };
  const lost = turns.findIndex((turn, index) => saysNothing(probe, turn, index));
  const reply = replies[lost];
  if (turns.length === 0 || (reply !== undefined && !reply.measured)) {
    return {
      ...base,
      measured: false,
      reason: reply?.measured === false ? reply.reason : "transport",
      headline: reply?.headline ?? "transport_error",
      owner: reply?.owner ?? "network",
      delivered: "no",
      attempted: "no",
      latency: { firstByteMs: null, totalMs: null },
      // Who reads the last reply for the reason finds the one that was lost.
      replies: reply === undefined ? replies : [...replies.slice(0, lost), reply],
    };
  }
  const result = judgeProbe({
    probe,
    turns,
    facts,
    server: serverRecord(facts.kind),
    handedBack,
    inPrompt: (text) => inRenderedPrompt(capture, text),
  });
  const telling = tellingReply(replies, result.blocked);
  const exchanges = capture.exchanges.filter(({ hop }) => hop === "subject");
  const totalMs = exchanges.reduce((sum, { timing }) => sum + timing.endMs, 0);
  return {
    ...base,
    measured: true,
    reason: null,
    headline: telling?.measured === true ? telling.headline : "non_call",
    owner: result.faults[0]?.owner ?? (result.blocked ? (telling?.owner ?? "none") : "none"),
    delivered: result.passed,
    attempted: result.passed,
    latency: { firstByteMs: exchanges[0]?.timing.firstByteMs ?? null, totalMs: Math.round(totalMs * 100) / 100 },
    probe: result,
  };
}

/** The reply by which people know the sample: the one that was lost, else the last one that was measured. */
function tellingReply(replies: readonly ReplyJudgement[], blocked: boolean): ReplyJudgement | undefined {
  const lost = blocked
    ? replies.find((each) => each.measured && each.axis.kind !== "structured" && each.axis.kind !== "none")
    : undefined;
  return lost ?? replies.findLast((each) => each.measured);
}

/** Refusals that are a result of the suite itself, and not a reason to count a sample as not measured. */
function saysNothing(probe: Probe, { judgement }: Turn, index: number): boolean {
  if (judgement.measured) return false;
  const refusal: readonly NotMeasured[] = ["bad_request"];
  switch (probe.judgement) {
    case "context":
      return index === 0 || judgement.reason !== "context_invalid";
    case "history":
      return !refusal.includes(judgement.reason);
    case "final_answer":
      return !refusal.includes(judgement.reason);
    case "parity":
      return true;
    default:
      return index === 0 || !refusal.includes(judgement.reason);
  }
}

function retraced(
  capture: Capture,
  probe: Probe,
  facts: TargetFacts,
): { readonly turns: readonly Turn[]; readonly handedBack: readonly string[] } {
  const handedBack: string[] = [];
  const last = new Map<number, number>();
  capture.exchanges.forEach(({ hop, turn }, index) => {
    if (hop === "subject") last.set(turn, index);
  });
  const turns: Turn[] = [];
  const replies: TurnReply[] = [];
  let sources: readonly Source[] = capture.request.sources;
  let stream = capture.stream;
  let { choice } = capture.request;
  for (const [number, index] of [...last].sort(([left], [right]) => left - right)) {
    const wantsCall = number === 1 || probe.judgement === "parity";
    const read = readAndJudge(capture, index, facts, {
      request: { ...capture.request, choice, stream, sources },
      expectation: wantsCall ? capture.expectation : { ...capture.expectation, wanted: null, judge: "no_call" },
    });
    if (read === null) break;
    const { judgement } = read;
    const reply = asOneMessage(read.reply.replies) ?? null;
    const exchange = capture.exchanges[index];
    const status = exchange?.status ?? null;
    const raw = rawText(capture.exchanges, index, read.reply);
    const error =
      reply?.error?.message ??
      (status === null || status >= 400 || !judgement.measured
        ? (readErrorBody(read.body)?.message ?? (judgement.measured ? `HTTP ${status}` : judgement.detail))
        : null);
    turns.push({
      judgement,
      reply,
      error,
      status,
      stream,
      raw: raw !== null && raw.grade === "in_band" ? raw.text : null,
    });
    replies.push({
      status,
      content: reply?.content ?? "",
      calls: reply?.calls ?? [],
      error,
      promptTokens: reply?.usage?.promptTokens ?? null,
    });
    const next = nextTurn(probe, replies, facts.contextLength);
    if (next === null) continue;
    handedBack.push(...next.append.filter(({ role }) => role === "tool").map(messageText));
    sources = [...sources, ...next.append.map(sourceOf)];
    stream = next.stream ?? stream;
    choice = next.choice ?? choice;
  }
  return { turns, handedBack };
}

function sourceOf(message: Parameters<typeof messageText>[0]): Source {
  const calls = message.tool_calls?.map(({ function: { name, arguments: text } }) => ({ name, text }));
  return { role: message.role, text: messageText(message), ...(calls === undefined ? {} : { calls }) };
}

/** Whether the prompt that the server shows of the last request holds a text; null where it shows none. */
function inRenderedPrompt(capture: Capture, text: string): boolean | null {
  const shown = capture.exchanges.filter(({ purpose, status }) => purpose === "render" && status === 200);
  const bodies = shown
    .map(({ body }) => bodyText(body))
    .filter((body) => /"(?:prompt|rendered_template)"\s*:/.test(body));
  if (bodies.length === 0) return null;
  // Codes are plain letters, digits and a hyphen, which no JSON escapes.
  const plain = JSON.stringify(text).slice(1, -1);
  return bodies.some((body) => body.includes(plain));
}
