import { TransportError } from "../../protocol/handler.ts";
import type { JsonValue } from "../../protocol/json.ts";
import { askOnce } from "../../protocol/servers/ask-through.ts";
import { type Identification, identify } from "../../protocol/servers/identify.ts";
import { serverRecord } from "../../protocol/servers/index.ts";
import type {
  Answer,
  Ask,
  Inspection,
  ParserState,
  RenderInput,
  ServerProbe,
  Statement,
} from "../../protocol/servers/probe.ts";
import { judgeRendering, type RenderFinding } from "../../protocol/servers/render-check.ts";
import type { ServerRecord, TargetFacts } from "../../protocol/servers/server.ts";
import { publicUrl } from "../capture/redact.ts";
import type { NotTestable, TargetEvidence, TargetRecord } from "../capture/run-record.ts";
import type { Line } from "./chat-exchange.ts";
import { neutralChecks } from "./check-request.ts";
import { askUntil, notingDelay, rest, saysLoading, seconds } from "./loading.ts";
import type { MeetOptions } from "./meet-options.ts";
import {
  hasRawChannels,
  type NegotiateOptions,
  negotiateRaw,
  noRaw,
  type RawAgreement,
  warmUp,
} from "./negotiate-raw.ts";
import { htmlLine, keyLine, presence, sendsKey, type TargetFailure, unreachable } from "./target-failure.ts";
import { lineOf, probeOf, recordingAsk, renderedTemplate } from "./target-probe.ts";

export type { MeetOptions } from "./meet-options.ts";

export type MeetResult =
  | { readonly ok: true; readonly target: TargetRecord; readonly server: ServerRecord }
  | ({ readonly ok: false } & TargetFailure);

/**
 * Meets a target: what it is, whether it has the model, what it shows of its set-up, whether tools reach its prompt, and
 * which raw channels work. A target that cannot be measured is a value with one line for people. Never rejects for what a
 * server does.
 */
export async function meetTarget(options: MeetOptions): Promise<MeetResult> {
  const shown = publicUrl(options.baseUrl);
  const line = lineOf(options);
  const ask = askOnce(await ready(options, line));
  let found: Identification;
  try {
    found = await identify(ask, { apiPrefix: options.apiPrefix, kind: options.kind });
  } catch (error) {
    if (!TransportError.is(error)) throw error;
    return { ok: false, ...unreachable(shown, error) };
  }
  if (found.htmlOnly) return { ok: false, ...htmlLine(shown) };
  const server = serverRecord(found.kind);
  const present = await presence({
    ask,
    found,
    server,
    model: options.model,
    apiPrefix: options.apiPrefix,
    shown,
    keySent: sendsKey(options.headers),
  });
  if (present.failure !== null) return { ok: false, ...present.failure };
  if (present.note !== null) options.note?.(present.note.text);

  const probe = probeOf(options, ask, found);
  // Rendering loads the model where that happens on demand, and what is loaded shows in the inspection.
  const rendering = await notingDelay(
    checkRendering(server, probe, options.renderInputs),
    slowModel(options),
    options.note ?? silent,
  );
  const brief = options.effort === "brief";
  const template = brief ? null : await renderedTemplate(server, probe);
  const inspection = await server.inspect(probe);
  const agreed = brief ? null : await firstGeneration(options, line, server);
  if (agreed !== null) {
    const failure = lastingFailure(shown, options, server, agreed);
    if (failure !== null) return { ok: false, ...failure };
  }
  return {
    ok: true,
    server,
    target: describe(options, shown, found, server, inspection, rendering, template, agreed, present.note),
  };
}

const silent = (): void => {};
function slowModel({ model }: Pick<MeetOptions, "model">): string {
  return `no answer from ${model} yet; the server may be loading it`;
}

/** Waits while the server says that it is loading. The answer that ended the wait serves the first question of the caller. */
async function ready(options: MeetOptions, line: Line): Promise<Ask> {
  const ask = recordingAsk(line, options.record);
  const path = `${options.apiPrefix}/models`;
  let first: Answer | TransportError | null = await askUntil(ask, { path }, saysLoading, "the server is loading", {
    patienceMs: options.patienceMs ?? 0,
    clock: options.clock,
    note: options.note ?? silent,
    signal: options.interruption,
  });
  return async (question) => {
    if (first === null || question.path !== path || question.body !== undefined) return ask(question);
    const answer = first;
    first = null;
    return answer;
  };
}

interface Rendering {
  readonly tools: TargetFacts["toolsInPrompt"];
  readonly system: TargetFacts["systemInPrompt"];
  readonly statements: readonly Statement[];
}

const worstTools = ["missing", "damaged", "whole", "unknown"] as const;
const worstSystem = ["dropped", "kept", "unknown"] as const;

async function checkRendering(
  server: ServerRecord,
  probe: ServerProbe,
  inputs: readonly RenderInput[],
): Promise<Rendering> {
  const findings: RenderFinding[] = [];
  for (const input of inputs) {
    const rendered = await server.renderPrompt(probe, input);
    const plain =
      rendered.kind === "tokens" ? await server.renderPrompt(probe, { messages: input.messages, tools: [] }) : null;
    findings.push(judgeRendering(rendered, input, plain));
    // What is not to be had once is not to be had at all.
    if (rendered.kind === "unavailable") break;
  }
  const statements = new Map(findings.map(({ statement }) => [statement.text, statement]));
  return {
    tools: worstTools.find((state) => findings.some(({ tools }) => tools === state)) ?? "unknown",
    system: worstSystem.find((state) => findings.some((finding) => finding.system === state)) ?? "unknown",
    statements: [...statements.values()],
  };
}

/**
 * The first generation has a model loaded that is loaded on demand: what comes later is not slowed by that. Where raw channels
 * are to be agreed on it belongs to that. A server that says it is loading is asked again until the patience is spent.
 */
async function firstGeneration(options: MeetOptions, line: Line, server: ServerRecord): Promise<RawAgreement | null> {
  const agrees = options.raw !== "off" && hasRawChannels(server);
  if (!agrees && options.warmUp !== true) return null;
  const note = options.note ?? silent;
  const { clock, interruption } = options;
  const deadline = clock.now() + (options.patienceMs ?? 0);
  const negotiation: NegotiateOptions = {
    line,
    record: options.record,
    server,
    model: options.model,
    chatPath: `${options.apiPrefix}/chat/completions`,
    extras: options.extras ?? {},
    checks: options.checks ?? neutralChecks,
  };
  for (let pause = 500; ; pause = Math.min(pause * 2, 4000)) {
    const agreed = await notingDelay(
      agrees ? negotiateRaw(negotiation) : warmUp(negotiation),
      slowModel(options),
      note,
    );
    const loading = agreed.failure?.meaning === "unavailable" && agreed.failure.status === 503;
    if (!loading || clock.now() >= deadline || interruption?.aborted === true) return agreed;
    if (pause === 500) note(`${options.model} is loading; waiting up to ${seconds(options.patienceMs ?? 0)}`);
    await rest(Math.min(pause, Math.max(0, deadline - clock.now())), interruption);
  }
}

/** A first generation that fails for a reason which every sample would meet. */
function lastingFailure(
  shown: string,
  { model, headers }: Pick<MeetOptions, "model" | "headers">,
  server: ServerRecord,
  { failure }: RawAgreement,
): TargetFailure | null {
  switch (failure?.meaning) {
    case "wrong_key":
      return keyLine(shown, failure.message, sendsKey(headers));
    case "model_missing":
      return {
        reason: "model_missing",
        line: `${shown}: ${server.title} has no model "${model}" (${failure.message})`,
      };
    case "unavailable":
      // A limit on the rate is met by waiting, sample by sample.
      return failure.status === 429
        ? null
        : {
            reason: "server_unavailable",
            line: `${shown}: ${server.title} cannot answer now (${failure.message}); try again later`,
          };
    default:
      return null;
  }
}

function describe(
  options: MeetOptions,
  shown: string,
  found: Identification,
  server: ServerRecord,
  inspection: Inspection,
  rendering: Rendering,
  template: string | null,
  agreed: RawAgreement | null,
  note: Statement | null,
): TargetRecord {
  const identity: Record<string, JsonValue> = { model: options.model, ...inspection.identity };
  if (template !== null) identity["rendered_prompt"] = template;
  const incidental: Record<string, JsonValue> = { ...inspection.incidental };
  if (agreed !== null && agreed.systemFingerprint !== null) incidental["system_fingerprint"] = agreed.systemFingerprint;
  const raw = agreed?.raw ?? (options.effort === "brief" && options.raw !== "off" ? ownChannels(server) : noRaw);
  const from = (about: TargetEvidence["about"], statements: readonly Statement[]): readonly TargetEvidence[] =>
    statements.map(({ text, reference }) => ({ statement: text, probe: reference, about }));
  const evidence = [
    ...from("server", [...found.statements, ...(note === null ? [] : [note]), ...untried(server)]),
    ...from("set_up", inspection.statements),
    ...from("prompt", rendering.statements),
    ...(agreed?.evidence ?? []).map((each): TargetEvidence => ({ ...each, about: "raw" })),
    ...(isBlind(raw) ? from("raw", [{ text: blindness, reference: null }]) : []),
  ];
  return {
    name: options.name,
    model: options.model,
    baseUrl: shown,
    facts: {
      kind: found.kind,
      version: found.version,
      model: options.model,
      toolParser: toolParserState(inspection.toolParser, server, agreed),
      reasoningParser: reasoningParserState(inspection.reasoningParser, agreed),
      contextLength: inspection.contextLength,
      toolsInPrompt: rendering.tools,
      systemInPrompt: rendering.system,
      ...(inspection.claims === undefined ? {} : { claims: inspection.claims }),
    },
    fingerprint: { identity, incidental },
    raw,
    notTestable: notTestable(server),
    evidence,
  };
}

function untried(server: ServerRecord): readonly Statement[] {
  const text = `${server.title} is known to this lab from its source code alone: it was not tried.`;
  return server.tried ? [] : [{ text, reference: null }];
}

const blindness =
  "What the model writes before parsing is not shown here: a call that the server swallows looks like no call.";

function isBlind({ inBand, side }: TargetRecord["raw"]): boolean {
  return [inBand.body, inBand.stream, side.body, side.stream].every((channels) => channels.length === 0);
}

/** The channels of a kind, not yet tried on this server. */
function ownChannels({ inBandRaw, sideRaw }: ServerRecord): TargetRecord["raw"] {
  return { inBand: inBandRaw, side: sideRaw };
}

/** What the server does outweighs what it shows. */
function toolParserState(shown: ParserState, server: ServerRecord, agreed: RawAgreement | null): ParserState {
  if (agreed?.refusal !== null && agreed?.refusal !== undefined)
    return { state: "none", name: shown.name, source: "error" };
  if (agreed?.acceptedTools === true && server.acceptedToolsProveParser && shown.state !== "active") {
    return { state: "active", name: shown.name, source: "error" };
  }
  return shown;
}

function reasoningParserState(shown: ParserState, agreed: RawAgreement | null): ParserState {
  return agreed?.reasoningSeen === true && shown.state === "unknown" ? { ...shown, state: "active" } : shown;
}

function notTestable(server: ServerRecord): readonly NotTestable[] {
  return server.ignoredChoices.map((choice) => ({
    arm: choice,
    reason: `${server.title} does not act on tool_choice ${choice === "named" ? "with a tool's name" : `"${choice}"`}`,
  }));
}
