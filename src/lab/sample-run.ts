import { setTimeout as sleep } from "node:timers/promises";
import { messageText, toolChoiceWord } from "../protocol/chat.ts";
import { TransportError } from "../protocol/handler.ts";
import { isJsonObject, parseJson } from "../protocol/json.ts";
import type { Ask } from "../protocol/servers/probe.ts";
import { inBandKeys } from "../protocol/servers/raw-channels.ts";
import type { ServerRecord } from "../protocol/servers/server.ts";
import { classifyServerError } from "../protocol/servers/server-error.ts";
import { type Capture, type Exchange, schemaVersion } from "./capture/capture.ts";
import { recordExchange, type UnrecordedExchange } from "./capture/record.ts";
import type { TargetRecord } from "./capture/run-record.ts";
import type { RunStore } from "./capture/store.ts";
import type { Route, RunTarget } from "./run-options.ts";
import { nextTurn } from "./scenario/dialogue.ts";
import type { PlannedSample } from "./scenario/plan.ts";
import type { Probe, TurnReply } from "./scenario/probe.ts";
import { type RequestOverrides, requestFor } from "./scenario/request.ts";
import { exchange, exchangeReply, exchangeText, firstChoice } from "./target/chat-exchange.ts";
import { sideEvidence } from "./target/side-channel.ts";
import type { RawExchange } from "./transport/exchange.ts";
import { send } from "./transport/send.ts";
import { continued, firstRequest, nativeRequest, type TurnRequest, turnReply } from "./turn-request.ts";

/** Everything that the samples of one target share. */
export interface SampleContext {
  readonly target: RunTarget;
  readonly met: TargetRecord;
  readonly server: ServerRecord;
  readonly routes: ReadonlyMap<string, Route>;
  readonly overrides: RequestOverrides;
  readonly store: RunStore;
  readonly clock: { now(): number; date(): Date };
  /** Says of a streamed answer, as far as it has come, that the rest of it would tell nothing more. */
  readonly enough?: ((text: string) => boolean) | undefined;
  /** Keys beside those of the kind of server, for every request. */
  readonly extras?: Readonly<Record<string, unknown>> | undefined;
  /** Looks at what the model wrote also where a whole call was served. */
  readonly rawOfServed?: boolean | undefined;
}

/** Seconds that one retry may wait for; a server that asks for more is recorded as it answered. */
const longestWait = 30;

/** Sends one sample through its route, gathers side evidence, and keeps the capture. Never rejects for what a server does. */
export async function runSample(sample: PlannedSample, context: SampleContext): Promise<Capture> {
  const { server, store, clock, met } = context;
  const route = context.routes.get(sample.route);
  if (route === undefined) throw new RangeError(`no route ${sample.route}`);
  const opened = route.open(sample.id);
  const startedAt = clock.date().toISOString();
  const exchanges: UnrecordedExchange[] = [];
  const sending: Sending = { sample, context, opened, exchanges };
  const { probe } = sample.expectation;
  const replies: TurnReply[] = [];
  let request = firstRequest(sample);
  for (let turn = 1; ; turn++) {
    const subject = await sendTurn(sending, request, turn);
    if (probe === undefined) break;
    replies.push(turnReply(subject));
    const next = nextTurn(probe, replies, met.facts.contextLength);
    if (next === null) break;
    request = continued(request, next);
  }
  if (probe !== undefined && lacksAnswer(probe, replies)) await render(sending, request, replies.length);
  const trace = opened.trace();
  const costs = opened.costs?.() ?? [];
  return {
    schemaVersion,
    id: sample.id,
    target: context.target.name,
    kind: server.kind,
    route: sample.route,
    suite: sample.suite,
    scenario: sample.scenario,
    shape: sample.shape,
    language: sample.language,
    class: sample.class,
    contract: sample.contract,
    arm: sample.arm,
    stream: sample.stream,
    trial: sample.trial,
    seed: sample.seed,
    expectation: sample.expectation,
    request: {
      choice: sample.toolChoice === null ? "auto" : toolChoiceWord(sample.toolChoice),
      namedTool: isJsonObject(sample.toolChoice) ? sample.toolChoice.function.name : null,
      maxTokens: maxTokensOf(sample, context),
      sources: sample.messages.map((message) => ({
        role: message.role,
        text: probe?.size === null || probe === undefined ? messageText(message) : messageText(message).slice(0, 400),
        ...(message.tool_calls === undefined
          ? {}
          : { calls: message.tool_calls.map(({ function: { name, arguments: text } }) => ({ name, text })) }),
      })),
    },
    exchanges: exchanges.map(({ raw, facts }): Exchange => recordExchange(raw, facts, store.request)),
    ...(trace.length === 0 ? {} : { adapterTrace: trace }),
    ...(costs.length === 0 ? {} : { adapterCosts: costs }),
    startedAt,
  };
}

interface Sending {
  readonly sample: PlannedSample;
  readonly context: SampleContext;
  readonly opened: ReturnType<Route["open"]>;
  readonly exchanges: UnrecordedExchange[];
}

/** One request of a sample with its one retry, what an adapter sent behind it, and its side evidence. */
async function sendTurn(
  { sample, context, opened, exchanges }: Sending,
  turnRequest: TurnRequest,
  turn: number,
): Promise<RawExchange> {
  const { target, met, server, store, clock } = context;
  const { stream } = turnRequest;
  const mode = stream ? "stream" : "body";
  const native = sample.expectation.probe?.native === true ? server.nativeChat : null;
  const request = requestFor(
    {
      messages: turnRequest.messages,
      tools: sample.tools,
      toolChoice: turnRequest.toolChoice,
      maxTokens: sample.maxTokens,
      temperature: sample.temperature,
      seed: sample.seed,
      stream,
      extra: sample.extra,
    },
    {
      model: target.model,
      overrides: context.overrides,
      extras: { ...server.requestExtras, ...inBandKeys(met.raw.inBand[mode]), ...context.extras },
    },
  );
  const body = JSON.stringify(native === null ? request : nativeRequest(request));
  const behind = opened.exchanges().length;

  for (let attempt = 1; ; attempt++) {
    store.intent({ id: sample.id, exchange: exchanges.length, turn, attempt, at: clock.date().toISOString() });
    const raw = await send(
      opened.handler,
      {
        method: "POST",
        path: native ?? `${target.apiPrefix}/chat/completions`,
        headers: {
          accept: stream ? "text/event-stream" : "application/json",
          "content-type": "application/json",
          ...target.headers,
        },
        body,
      },
      clock,
      stream && context.enough !== undefined ? { enough: context.enough } : {},
    );
    exchanges.push({ raw, facts: { hop: "subject", purpose: "sample", turn, attempt } });
    const wait = attempt === 1 ? retryAfter(raw, server) : null;
    if (wait === null) break;
    await sleep(wait * 1000);
  }
  const parent = exchanges.length - 1;
  const subject = exchanges[parent]?.raw;
  if (subject === undefined) throw new RangeError("a turn has at least one exchange");
  for (const raw of opened.exchanges().slice(behind))
    exchanges.push({ raw, facts: { hop: "upstream", purpose: "sample", turn, attempt: 1, parent } });
  // What the server's model wrote shows in the exchange with the server itself; an adapter may answer without asking it.
  const shown = sample.route === "direct" ? parent : exchanges.findLastIndex(({ facts }) => facts.parent === parent);
  const shownBy = exchanges[shown]?.raw;
  // A long prompt is about its length: repeating it would cost much and show nothing.
  const isLong = sample.expectation.probe?.size != null;
  if (
    shownBy !== undefined &&
    native === null &&
    !isLong &&
    met.raw.inBand[mode].length + met.raw.side[mode].length > 0
  ) {
    exchanges.push(
      ...(await sideEvidence({
        line: { handler: target.handler, headers: target.headers, clock },
        server,
        model: target.model,
        raw: met.raw,
        subject: shownBy,
        parent: shown,
        turn,
        stream,
        parsesWithoutTools: server.builtinParsesWithoutTools && met.facts.toolParser.source === "builtin",
        wholeCallServed:
          context.rawOfServed !== true && [subject, shownBy].some((shows) => servesWholeCall(shows, sample.tools)),
      })),
    );
  }
  return subject;
}

/** The last reply does not hold what it should: whether the prompt held it decides who answers for that. */
function lacksAnswer({ answer, size }: Probe, replies: readonly TurnReply[]): boolean {
  const last = replies.at(-1);
  return (
    size === null && last !== undefined && last.error === null && answer.some((text) => !last.content.includes(text))
  );
}

/** Looks at the prompt of the last request, where the server shows prompts. Generates nothing. */
async function render({ sample, context, exchanges }: Sending, request: TurnRequest, turn: number): Promise<void> {
  const { target, server, clock } = context;
  const line = { handler: target.handler, headers: target.headers, clock };
  const parent = exchanges.findLastIndex(({ facts }) => facts.hop === "subject");
  const ask: Ask = async ({ path, body }) => {
    const raw = await exchange(line, path, body);
    exchanges.push({ raw, facts: { hop: "side", purpose: "render", turn, attempt: 1, parent } });
    if (raw.end.kind === "failed") return new TransportError(raw.end.phase, raw.end.cause);
    return { status: raw.status ?? 0, headers: raw.headers, text: exchangeText(raw), reference: null };
  };
  await server.renderPrompt({ ask, model: target.model }, { messages: request.messages, tools: sample.tools ?? [] });
}

function maxTokensOf(sample: PlannedSample, { overrides }: SampleContext): number | null {
  const { max_tokens: limit } = requestFor(sample, { model: "", overrides, extras: {} });
  return typeof limit === "number" ? limit : null;
}

/**
 * Seconds to wait before the one retry, or null for none: a connection that broke before the first byte, a 429 that says
 * when to come back, a server that is still loading. Nothing else is asked twice: a lab must not fish for better answers.
 */
function retryAfter(raw: RawExchange, server: ServerRecord): number | null {
  if (raw.status === null)
    return raw.end.kind === "failed" && raw.end.phase === "first_byte" && /reset|closed/i.test(raw.end.cause)
      ? 0
      : null;
  const seconds = Number(raw.headers["retry-after"]);
  const asked = Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
  if (raw.status === 429) return asked !== null && asked <= longestWait ? asked : null;
  if (raw.status !== 503) return null;
  const meaning = classifyServerError(server, { status: raw.status, message: exchangeText(raw), inStream: false });
  return meaning.kind === "unavailable" && /load/i.test(exchangeText(raw)) ? Math.min(asked ?? 1, longestWait) : null;
}

/**
 * True where a call arrived with arguments that can be read: then there is nothing hidden to look for. None at all where the tool
 * requires some may be what a parser left of a call that it could not read.
 */
function servesWholeCall(raw: RawExchange, tools: PlannedSample["tools"]): boolean {
  const wants = (name: string): boolean => {
    const required = tools?.find((tool) => tool.function.name === name)?.function.parameters?.["required"];
    return Array.isArray(required) && required.length > 0;
  };
  const calls = firstChoice(exchangeReply(raw))?.calls ?? [];
  return calls.some(({ name, argumentsText }) => {
    const given = parseJson(argumentsText);
    return isJsonObject(given) && (Object.keys(given).length > 0 || !wants(name));
  });
}
