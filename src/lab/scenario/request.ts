import type { ChatRequest } from "../../protocol/chat.ts";
import { isJsonObject, type JsonValue } from "../../protocol/json.ts";
import type { PlannedSample } from "./plan.ts";

/** What the user asked of every request. Undefined keys leave the scenario's own value. */
export interface RequestOverrides {
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly thinking?: "on" | "off" | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What of a sample its request is made of. */
export type RequestedSample = Pick<
  PlannedSample,
  "messages" | "tools" | "toolChoice" | "maxTokens" | "temperature" | "seed" | "stream" | "extra"
>;

/** Body keys that are the experiment itself: changing them for all samples would make the plan's factors untrue. */
const factorKeys = ["model", "messages", "tools", "tool_choice", "stream", "seed"] as const;

/** What is wrong with the body keys a user asked for, a line each. */
export function overrideProblems(body: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(body)
    .filter((key) => factorKeys.some((factor) => factor === key))
    .map((key) => `--body ${key}: the run sets this key itself, sample by sample; it cannot be fixed for all of them`);
}

/**
 * The request of a sample. `extras` are keys that the kind of server needs; the user's `overrides` come after them. Every
 * request carries `max_tokens`; a streamed one asks for usage.
 */
export function requestFor(
  sample: RequestedSample,
  options: {
    readonly model: string;
    readonly overrides: RequestOverrides;
    readonly extras: Readonly<Record<string, unknown>>;
  },
): ChatRequest {
  const { model, overrides, extras } = options;
  const temperature = overrides.temperature ?? sample.temperature;
  return {
    model,
    messages: sample.messages,
    ...(sample.tools === null ? {} : { tools: sample.tools }),
    ...(sample.toolChoice === null ? {} : { tool_choice: sample.toolChoice }),
    ...(temperature === null ? {} : { temperature }),
    max_tokens: overrides.maxTokens ?? sample.maxTokens,
    seed: sample.seed,
    stream: sample.stream,
    ...(sample.stream ? { stream_options: { include_usage: true } } : {}),
    ...withoutFactors(sample.extra),
    ...withoutFactors(extras),
    ...withoutFactors(overrides.body),
    ...templateArguments(sample, overrides, extras),
  };
}

function withoutFactors(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!factorKeys.some((factor) => factor in body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([key]) => !factorKeys.some((factor) => factor === key)));
}

/** `chat_template_kwargs` is one object that several sources add to; the more particular source wins key by key. */
function templateArguments(
  sample: RequestedSample,
  overrides: RequestOverrides,
  extras: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const given = (body: Readonly<Record<string, unknown>>) => {
    const value = body["chat_template_kwargs"] as JsonValue | undefined;
    return isJsonObject(value) ? value : {};
  };
  const thinking = overrides.thinking === undefined ? {} : { enable_thinking: overrides.thinking === "on" };
  const merged = { ...given(sample.extra), ...given(extras), ...thinking, ...given(overrides.body) };
  return Object.keys(merged).length === 0 ? {} : { chat_template_kwargs: merged };
}
