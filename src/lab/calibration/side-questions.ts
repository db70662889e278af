import type { Handler } from "../../protocol/handler.ts";
import type { KnownSetUp, KnownTruth, Observation, TruthReader } from "../../protocol/known-truth.ts";
import type { ConformanceCell, SideAnswer, SideQuestion } from "./calibration.ts";
import { scriptedMaxTokens, scriptedMessages, scriptedTool } from "./scripted-scenarios.ts";

/** Tokens after which max_tokens has ended a scripted call, wherever its format puts the arguments. */
const insideCall = 12;

/** Where the side questions go and how they are read. */
export interface SideContext {
  readonly handler: Handler;
  readonly apiPrefix: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly setUp: KnownSetUp;
  readonly scripts: readonly KnownTruth[];
  readonly truth: TruthReader;
  readonly marker: (script: string) => string;
  readonly signal: AbortSignal;
}

/** Asks what no suite asks: `parallel_tool_calls:false`, and max_tokens that ends inside a call; streamed and not. */
export async function askSideQuestions(context: SideContext): Promise<readonly SideAnswer[]> {
  const { format } = context.setUp;
  const ofFormat = context.scripts.filter(({ parts }) => {
    return parts.length > 0 && parts.every(({ meaning }) => meaning.kind === "call" && meaning.format === format);
  });
  const two = ofFormat.find(({ parts }) => parts.length === 2 && parts.every(({ thinking }) => !thinking));
  const one = ofFormat.find(({ parts: [part], text }) => part?.start === 0 && part.end === text.length);
  const asked: readonly (readonly [SideQuestion, KnownTruth | undefined, Readonly<Record<string, unknown>>])[] = [
    ["parallel_tool_calls", two, { parallel_tool_calls: false }],
    ["max_tokens", one, { max_tokens: insideCall }],
  ];
  const answers: SideAnswer[] = [];
  for (const [question, script, keys] of asked) {
    if (script === undefined) continue;
    for (const stream of [false, true]) answers.push(await ask(context, question, script, { ...keys, stream }));
  }
  return answers;
}

/** Asks for each script without tools, streamed: a parser may be at work there, too, and the suites only ask for whole replies. */
export async function askWithoutTools(context: SideContext): Promise<readonly ConformanceCell[]> {
  const cells: ConformanceCell[] = [];
  for (const script of context.scripts) {
    const seen = await observe(context, script, { tools: undefined, stream: true });
    cells.push({
      script: script.script,
      asked: "no_tools",
      stream: true,
      outcome: context.truth.outcomeOf(script, seen),
      beside: seen.calls.length > 0 && seen.content.trim() !== "",
    });
  }
  return cells;
}

async function ask(
  context: SideContext,
  question: SideQuestion,
  script: KnownTruth,
  keys: Readonly<Record<string, unknown>> & { readonly stream: boolean },
): Promise<SideAnswer> {
  const seen = await observe(context, script, keys);
  return {
    question,
    script: script.script,
    stream: keys.stream,
    outcome: context.truth.outcomeOf(script, seen),
    calls: seen.calls.length,
    finish: seen.finish,
  };
}

async function observe(
  { handler, apiPrefix, model, headers, truth, marker, signal }: SideContext,
  { script }: KnownTruth,
  keys: Readonly<Record<string, unknown>> & { readonly stream: boolean },
): Promise<Observation> {
  const body = {
    model,
    messages: scriptedMessages(marker(script)),
    tools: [scriptedTool],
    temperature: 0,
    max_tokens: scriptedMaxTokens,
    ...keys,
  };
  const response = await handler(
    new Request(`http://calibrated.invalid${apiPrefix}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal,
    }),
  );
  return truth.observe(response.status, await response.text(), keys.stream);
}
