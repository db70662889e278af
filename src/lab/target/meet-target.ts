import { type Handler, TransportError } from "../../protocol/handler.ts";
import type { JsonValue } from "../../protocol/json.ts";
import { askOnce } from "../../protocol/servers/ask-through.ts";
import { type Identification, identify } from "../../protocol/servers/identify.ts";
import { serverRecord } from "../../protocol/servers/index.ts";
import type {
  Ask,
  Inspection,
  ParserState,
  RenderInput,
  ServerProbe,
  Statement,
} from "../../protocol/servers/probe.ts";
import { judgeRendering, type RenderFinding } from "../../protocol/servers/render-check.ts";
import type { ServerKind, ServerRecord, TargetFacts } from "../../protocol/servers/server.ts";
import { textHash } from "../capture/record.ts";
import { publicUrl } from "../capture/redact.ts";
import type { NotTestable, TargetRecord } from "../capture/run-record.ts";
import type { RawExchange } from "../transport/exchange.ts";
import { exchange, exchangeText, type Line } from "./chat-exchange.ts";
import { type CheckRequests, neutralChecks, neutralMessages, neutralTool } from "./check-request.ts";
import { type Evidence, negotiateRaw, noRaw, type RawAgreement } from "./negotiate-raw.ts";
import { htmlLine, presence, type TargetFailure, unreachable } from "./target-failure.ts";

export interface MeetOptions {
  readonly name: string;
  readonly model: string;
  readonly baseUrl: string;
  /** Handler of the bare server; paths start at its root. */
  readonly handler: Handler;
  /** Path prefix of the OpenAI API, "/v1" as a rule. */
  readonly apiPrefix: string;
  /** The kind as the user gave it; null = find out. */
  readonly kind: ServerKind | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: "auto" | "off";
  readonly clock: { now(): number; date(): Date };
  readonly signal?: AbortSignal | undefined;
  /** Keeps an exchange and returns its line number in probes.jsonl. */
  readonly record: (raw: RawExchange) => number;
  /** The conversations whose rendering is to be checked: one for each set of tools that will be sent. */
  readonly renderInputs: readonly RenderInput[];
  /** What the checks that generate are asked with; neutral by default. */
  readonly checks?: CheckRequests | undefined;
  /** Request keys that every sample will carry by the user's wish. */
  readonly extras?: Readonly<Record<string, unknown>> | undefined;
}

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
  const line: Line = {
    handler: options.handler,
    headers: options.headers,
    clock: options.clock,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
  const ask = askOnce(recordingAsk(line, options.record));
  let found: Identification;
  try {
    found = await identify(ask, { apiPrefix: options.apiPrefix, kind: options.kind });
  } catch (error) {
    if (!TransportError.is(error)) throw error;
    return { ok: false, ...unreachable(shown, error) };
  }
  if (found.htmlOnly) return { ok: false, ...htmlLine(shown) };
  const server = serverRecord(found.kind);
  const present = await presence({ ask, found, server, model: options.model, apiPrefix: options.apiPrefix, shown });
  if (present.failure !== null) return { ok: false, ...present.failure };

  const probe: ServerProbe = {
    ask,
    model: options.model,
    apiPrefix: options.apiPrefix,
    version: found.version,
    models: found.models,
    hash: (text) => textHash(text).slice(0, 16),
  };
  // Rendering loads the model where that happens on demand, and what is loaded shows in the inspection.
  const rendering = await checkRendering(server, probe, options.renderInputs);
  const template = await renderedTemplate(server, probe);
  const inspection = await server.inspect(probe);
  const agreed = options.raw === "off" ? null : await negotiate(options, line, server);
  if (agreed !== null) {
    const failure = lastingFailure(shown, options.model, server, agreed);
    if (failure !== null) return { ok: false, ...failure };
  }
  return {
    ok: true,
    server,
    target: describe(options, shown, found, server, inspection, rendering, template, agreed, present.note),
  };
}

function recordingAsk(line: Line, record: (raw: RawExchange) => number): Ask {
  return async ({ path, body }) => {
    const raw = await exchange(line, path, body);
    const reference = record(raw);
    if (raw.end.kind === "failed") return new TransportError(raw.end.phase, raw.end.cause);
    if (raw.status === null) return new TransportError("protocol", "no response head came");
    return { status: raw.status, headers: raw.headers, text: exchangeText(raw), reference };
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

/** A digest of the neutral prompt: shows a changed template where the template itself is hidden. Dates that templates print are left out. */
async function renderedTemplate(server: ServerRecord, probe: ServerProbe): Promise<string | null> {
  const rendered = await server.renderPrompt(probe, { messages: neutralMessages, tools: [neutralTool] });
  if (rendered.kind !== "text") return null;
  const undated = rendered.text.replace(
    /\b\d{1,2} [A-Z][a-z]{2,8} \d{4}\b|\b[A-Z][a-z]{2,8} \d{1,2}, \d{4}\b|\b\d{4}-\d{2}-\d{2}\b/g,
    "DATE",
  );
  return probe.hash(undated);
}

function negotiate(options: MeetOptions, line: Line, server: ServerRecord): Promise<RawAgreement> {
  return negotiateRaw({
    line,
    record: options.record,
    server,
    model: options.model,
    chatPath: `${options.apiPrefix}/chat/completions`,
    extras: options.extras ?? {},
    checks: options.checks ?? neutralChecks,
  });
}

/** A first generation that fails for a reason which every sample would meet. */
function lastingFailure(
  shown: string,
  model: string,
  server: ServerRecord,
  { failure }: RawAgreement,
): TargetFailure | null {
  switch (failure?.meaning) {
    case "wrong_key":
      return {
        reason: "wrong_key",
        line: `${shown}: the key is not accepted (${failure.message}); name its variable with --api-key-env`,
      };
    case "model_missing":
      return {
        reason: "model_missing",
        line: `${shown}: ${server.title} has no model "${model}" (${failure.message})`,
      };
    case "unavailable":
      return {
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
  const statements = [
    ...found.statements,
    ...(note === null ? [] : [note]),
    ...inspection.statements,
    ...rendering.statements,
  ];
  const evidence: Evidence[] = statements.map(({ text, reference }) => ({ statement: text, probe: reference }));
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
    },
    fingerprint: { identity, incidental },
    raw: agreed?.raw ?? noRaw,
    notTestable: notTestable(server),
    evidence: [...evidence, ...(agreed?.evidence ?? [])],
  };
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
