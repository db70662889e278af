import { canonicalJson, parseJson } from "../../protocol/json.ts";
import type { ChatReply } from "../../protocol/reply.ts";
import { stringAt } from "../../protocol/servers/probe.ts";
import { detokenizeQuestion, inBandKeys, rawRequestKeys } from "../../protocol/servers/raw-channels.ts";
import type { RawChannel, RefusalSubject, ServerRecord } from "../../protocol/servers/server.ts";
import { classifyServerError, type ServerErrorMeaning } from "../../protocol/servers/server-error.ts";
import type { TargetRecord } from "../capture/run-record.ts";
import type { RawExchange } from "../transport/exchange.ts";
import { exchange, exchangeReply, exchangeText, firstChoice, type Line } from "./chat-exchange.ts";
import { type CheckRequests, neutralChecks } from "./check-request.ts";

/** A sentence about the target with the line of probes.jsonl that shows it. */
export interface Evidence {
  readonly statement: string;
  readonly probe: number | null;
}

/** Which raw channels really work here, and what asking for them showed on the way. */
export interface RawAgreement {
  readonly raw: TargetRecord["raw"];
  readonly evidence: readonly Evidence[];
  /** A refusal of tools met on the way. */
  readonly refusal: { readonly about: RefusalSubject; readonly message: string } | null;
  /** True when a request with tools under `auto` was answered. */
  readonly acceptedTools: boolean;
  readonly systemFingerprint: string | null;
  /** True when the reply set thinking apart. */
  readonly reasoningSeen: boolean;
  /** A failure that will meet every sample, too. */
  readonly failure: {
    readonly meaning: ServerErrorMeaning["kind"];
    readonly message: string;
    readonly status: number | null;
  } | null;
}

export interface NegotiateOptions {
  readonly line: Line;
  readonly record: (raw: RawExchange) => number;
  readonly server: ServerRecord;
  readonly model: string;
  readonly chatPath: string;
  /** The user's own request keys: what they change must be in force here, too. */
  readonly extras: Readonly<Record<string, unknown>>;
  readonly checks: CheckRequests;
}

/** What every target without a usable channel has. */
export const noRaw: TargetRecord["raw"] = { inBand: { body: [], stream: [] }, side: { body: [], stream: [] } };

type Mode = "body" | "stream";

interface Attempt {
  readonly reply: ChatReply | null;
  readonly reference: number;
  readonly status: number | null;
  readonly message: string;
  readonly meaning: ServerErrorMeaning["kind"] | null;
  readonly about: RefusalSubject | null;
}

/** Does this kind of server have any raw channel to agree on? */
export function hasRawChannels({ inBandRaw, sideRaw }: ServerRecord): boolean {
  return [inBandRaw.body, inBandRaw.stream, sideRaw.body, sideRaw.stream].some((channels) => channels.length > 0);
}

/** One shortest generation without tools: has the model loaded, and meets what every sample would meet. */
export async function warmUp(options: NegotiateOptions): Promise<RawAgreement> {
  const { reply, meaning, message, status } = await attempt(options, {
    tools: false,
    stream: false,
    keys: {},
    limit: 1,
  });
  if (reply !== null) return agreement({ systemFingerprint: reply.systemFingerprint });
  return agreement({ failure: { meaning: meaning ?? "other", message, status } });
}

/**
 * Asks once which raw channels work: whether the server takes the keys, whether the text comes, and whether asking leaves
 * the reply as it is. At most six short generations, and as many again where what the model happened to write shows nothing.
 */
export async function negotiateRaw(options: NegotiateOptions): Promise<RawAgreement> {
  const outcome = await negotiateOn(options);
  if (outcome.informative || options.checks === neutralChecks) return outcome.agreed;
  const { agreed } = await negotiateOn({ ...options, checks: neutralChecks });
  const why =
    "The reply to a planned question was empty, or the server failed on it: raw channels were tried on a neutral one.";
  return { ...agreed, evidence: [{ statement: why, probe: null }, ...agreed.evidence] };
}

/** `informative` is false where a reply showed nothing because of what the model wrote, not because of the channels. */
async function negotiateOn(
  options: NegotiateOptions,
): Promise<{ readonly agreed: RawAgreement; readonly informative: boolean }> {
  const { server } = options;
  const evidence: Evidence[] = [];
  const first = await attempt(options, { tools: true, stream: false, keys: {} });
  const refused = first.meaning === "refused";
  const base = refused ? await attempt(options, { tools: false, stream: false, keys: {} }) : first;
  const refusal = refused && first.about !== null ? { about: first.about, message: first.message } : null;
  if (refusal !== null)
    evidence.push({ statement: `The server refuses tools: ${refusal.message}`, probe: first.reference });
  if (base.reply === null) {
    evidence.push({
      statement: `A plain request failed, so no raw channel was agreed on: ${base.message}`,
      probe: base.reference,
    });
    const failure = { meaning: base.meaning ?? "other", message: base.message, status: base.status };
    return { agreed: agreement({ evidence, refusal, failure }), informative: base.meaning !== "server_error" };
  }
  const tools = !refused;
  const trial: Trial = {
    options,
    tools,
    evidence,
    bases: new Map<Mode, Attempt>([["body", base]]),
    repeatable: null,
    informative: true,
  };

  const inBand = { body: await agreeInBand(trial, "body"), stream: await agreeInBand(trial, "stream") };
  const side = { body: [] as RawChannel[], stream: [] as RawChannel[] };
  const works = new Map<RawChannel, boolean>();
  for (const mode of ["body", "stream"] as const) {
    for (const channel of server.sideRaw[mode]) {
      // A reply whose own generation shows its text needs no repetition.
      if (inBand[mode].length > 0 && channel !== "none_twin") continue;
      if (!works.has(channel)) works.set(channel, await agreeReplay(trial, channel, inBand.body));
      if (works.get(channel) === true) side[mode].push(channel);
    }
  }
  const agreed = agreement({
    raw: { inBand, side },
    evidence,
    refusal,
    acceptedTools: tools,
    systemFingerprint: base.reply.systemFingerprint,
    reasoningSeen: base.reply.reasoning !== "",
  });
  return { agreed, informative: trial.informative };
}

interface Trial {
  readonly options: NegotiateOptions;
  readonly tools: boolean;
  readonly evidence: Evidence[];
  /** The plain reply of each mode, asked for once. */
  readonly bases: Map<Mode, Attempt>;
  /** Does the same request with the same seed give the same reply? Null until it matters. */
  repeatable: boolean | null;
  /** False once a reply showed nothing because of what the model wrote. */
  informative: boolean;
}

/** An empty reply has no text to show, and a failure on the model's words no reply: neither speaks against a channel. */
function showsNothing({ reply, meaning }: Attempt): boolean {
  if (reply === null) return meaning === "server_error";
  return reply.content === "" && reply.reasoning === "" && reply.calls.length === 0;
}

async function agreeInBand(trial: Trial, mode: Mode): Promise<readonly RawChannel[]> {
  const { options, tools, evidence } = trial;
  const channels = options.server.inBandRaw[mode];
  if (channels.length === 0) return [];
  const names = channels.join(", ");
  const place = mode === "body" ? "whole replies" : "streams";
  const asked = await attempt(options, { tools, stream: mode === "stream", keys: inBandKeys(channels) });
  if (asked.reply === null) {
    if (showsNothing(asked)) trial.informative = false;
    evidence.push({
      statement: `${names} in ${place}: the server does not take the request (${asked.message}).`,
      probe: asked.reference,
    });
    return [];
  }
  const shown = await shownText(options, asked.reply);
  if (shown === null) {
    if (showsNothing(asked)) trial.informative = false;
    evidence.push({ statement: `${names} in ${place}: asked for, but the text did not come.`, probe: asked.reference });
    return [];
  }
  const changed = await asks(trial, mode, asked);
  if (changed === "changes") {
    evidence.push({
      statement: `${names} in ${place}: asking changes the reply, so it is not used.`,
      probe: asked.reference,
    });
    return [];
  }
  const remark =
    changed === "unknown"
      ? " The same seed gives different replies here, so whether asking changes them is not known."
      : "";
  evidence.push({
    statement: `${names} in ${place}: shows the text of the very generation that is judged.${remark}`,
    probe: asked.reference,
  });
  return channels;
}

async function agreeReplay(trial: Trial, channel: RawChannel, inBandBody: readonly RawChannel[]): Promise<boolean> {
  // A reply without parser and grammar is always to be had; whether it is the same generation is seen each time anew.
  if (channel === "none_twin" || channel === "raw_generate") return true;
  const { options, tools, evidence } = trial;
  // The in-band trial of whole replies was this very request.
  if (channel === "verbose_replay" && inBandBody.includes("verbose") && trial.repeatable !== false) return true;
  const asked = await attempt(options, { tools, stream: false, keys: rawRequestKeys(channel) });
  const shown = asked.reply === null ? null : await shownText(options, asked.reply);
  if (asked.reply === null || shown === null) {
    if (showsNothing(asked)) trial.informative = false;
    const why = asked.reply === null ? asked.message : "the text did not come";
    evidence.push({ statement: `${channel}: not usable here (${why}).`, probe: asked.reference });
    return false;
  }
  const changed = await asks(trial, "body", asked);
  if (changed !== "same") {
    const why = changed === "unknown" ? "the same seed gives different replies" : "asking changes the reply";
    evidence.push({ statement: `${channel}: not used, ${why}.`, probe: asked.reference });
    return false;
  }
  evidence.push({
    statement: `${channel}: the same request again with the same seed gives the same reply and shows its text.`,
    probe: asked.reference,
  });
  return true;
}

/** Does asking change the reply? Where it seems so, one plain repetition tells whether the server repeats itself at all. */
async function asks(trial: Trial, mode: Mode, asked: Attempt): Promise<"same" | "changes" | "unknown"> {
  const plain = (): Promise<Attempt> =>
    attempt(trial.options, { tools: trial.tools, stream: mode === "stream", keys: {} });
  const base = trial.bases.get(mode) ?? (await plain());
  trial.bases.set(mode, base);
  if (base.reply !== null && asked.reply !== null && sameReply(base.reply, asked.reply)) return "same";
  if (trial.repeatable === null) {
    const again = await plain();
    trial.repeatable = base.reply !== null && again.reply !== null && sameReply(base.reply, again.reply);
  }
  return trial.repeatable ? "changes" : "unknown";
}

/** Same text, calls and finish; ids and the order of argument keys differ between equal replies on some servers. */
function sameReply(left: ChatReply, right: ChatReply): boolean {
  const facts = (reply: ChatReply): string =>
    canonicalJson([
      reply.content,
      reply.reasoning,
      reply.finishReason,
      reply.calls.map(({ name, argumentsText }) => [name, parseJson(argumentsText) ?? argumentsText]),
    ]);
  return facts(left) === facts(right);
}

/** The raw text that a reply shows, decoding its token ids where it has some; null where it shows none. */
async function shownText(options: NegotiateOptions, reply: ChatReply): Promise<string | null> {
  if (reply.verboseText !== null && reply.verboseText !== "") return reply.verboseText;
  if (reply.tokenIds !== null && reply.tokenIds.length > 0) {
    const { path, body } = detokenizeQuestion(options.model, reply.tokenIds);
    const raw = await exchange(options.line, path, body);
    options.record(raw);
    const answer = raw.status === 200 ? parseJson(exchangeText(raw)) : undefined;
    const text = stringAt(answer, "prompt") ?? stringAt(answer, "content");
    return text === undefined || text === "" ? null : text;
  }
  return reply.logprobText === "" ? null : reply.logprobText;
}

async function attempt(
  options: NegotiateOptions,
  asks: {
    readonly tools: boolean;
    readonly stream: boolean;
    readonly keys: Readonly<Record<string, unknown>>;
    readonly limit?: number;
  },
): Promise<Attempt> {
  const { server, model } = options;
  const { messages, tools, seed } = options.checks[!asks.tools ? "plain" : asks.stream ? "stream" : "body"];
  const raw = await exchange(options.line, options.chatPath, {
    ...options.extras,
    model,
    messages,
    ...(tools.length > 0 ? { tools, tool_choice: "auto" } : {}),
    temperature: 0.7,
    max_tokens: asks.limit ?? 16,
    seed,
    stream: asks.stream,
    ...server.requestExtras,
    ...asks.keys,
  });
  const reference = options.record(raw);
  const read = exchangeReply(raw);
  const reply = firstChoice(read);
  if (raw.end.kind === "failed") {
    return {
      reply: null,
      reference,
      status: raw.status,
      message: `${raw.end.phase}: ${raw.end.cause}`,
      meaning: null,
      about: null,
    };
  }
  const failed = raw.status === null || raw.status >= 400 || reply === null || reply.error !== null;
  if (!failed) return { reply, reference, status: raw.status, message: "", meaning: null, about: null };
  const message = reply?.error?.message ?? read.problems[0] ?? `HTTP ${raw.status}`;
  const meaning = classifyServerError(server, { status: raw.status, message, inStream: raw.status === 200 });
  return {
    reply: null,
    reference,
    status: raw.status,
    message: message.split("\n")[0] ?? message,
    meaning: meaning.kind,
    about: meaning.kind === "refused" ? meaning.about : null,
  };
}

function agreement(known: Partial<RawAgreement>): RawAgreement {
  return {
    raw: noRaw,
    evidence: [],
    refusal: null,
    acceptedTools: false,
    systemFingerprint: null,
    reasoningSeen: false,
    failure: null,
    ...known,
  };
}
