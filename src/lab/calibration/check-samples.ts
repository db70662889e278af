import type { KnownSetUp, KnownTruth, Observation, TruthReader } from "../../protocol/known-truth.ts";
import { bodyText } from "../capture/body.ts";
import type { Capture, Exchange } from "../capture/capture.ts";
import type { Classification } from "../classify/classification.ts";
import type { CheckedSample, ConformanceCell } from "./calibration.ts";
import { scriptedMaxTokens, scriptOf } from "./scripted-scenarios.ts";

/** The samples of one set-up, with what the lab said of them. */
export interface MeasuredSamples {
  readonly setUp: KnownSetUp;
  readonly scripts: readonly KnownTruth[];
  readonly captures: readonly Capture[];
  readonly classifications: ReadonlyMap<string, Classification>;
}

/** Puts every sample beside its truth, and reads from the same bytes what the server did. */
export function checkSamples(
  { setUp, scripts, captures, classifications }: MeasuredSamples,
  truth: TruthReader,
): { readonly checked: readonly CheckedSample[]; readonly cells: readonly ConformanceCell[] } {
  const byName = new Map(scripts.map((script) => [script.script, script]));
  const seen = new Map(captures.map((capture) => [capture.id, observed(capture, truth)]));
  /** What a grammar made of a script may show only unstreamed; streamed, the same model writes the same. */
  const generated = new Map<string, string>();
  for (const capture of captures) {
    const text = seen.get(capture.id)?.generated ?? null;
    if (text !== null) generated.set(armOf(capture), text);
  }
  const checked: CheckedSample[] = [];
  const cells: ConformanceCell[] = [];
  for (const capture of captures) {
    const script = byName.get(scriptOf(capture.scenario));
    const observation = seen.get(capture.id);
    if (script === undefined || observation === undefined) continue;
    const marker = capture.contract === "marker";
    // The native arm of the 2x2 asks once more what `auto` asks.
    if (capture.arm !== "native") {
      cells.push({
        script: script.script,
        asked: marker ? "no_tools" : capture.request.choice,
        stream: capture.stream,
        outcome: truth.outcomeOf(script, observation),
        beside: observation.calls.length > 0 && observation.content.trim() !== "",
      });
    }
    const asked = { choice: capture.request.choice, marker, stream: capture.stream };
    const written = generated.get(armOf(capture)) ?? cutText(script, observation, capture.request.maxTokens);
    const right = truth.truthOf(script, setUp, asked, observation, written);
    checked.push(checkedSample(capture, script, right, classifications.get(capture.id), truth));
  }
  return { checked, cells };
}

function checkedSample(
  capture: Capture,
  script: KnownTruth,
  right: ReturnType<TruthReader["truthOf"]>,
  classification: Classification | undefined,
  { comparedFindings }: TruthReader,
): CheckedSample {
  const reply = classification?.replies.at(-1);
  const measured = reply?.measured === true ? reply : null;
  const axis = measured === null ? `not measured: ${classification?.reason ?? "lost"}` : measured.axis.kind;
  const owner = classification?.owner ?? "lost";
  const found = new Set<string>(measured?.findings.map(({ kind }) => kind) ?? []);
  const findings = [...found].filter((kind) => comparedFindings.includes(kind)).sort();
  return {
    id: capture.id,
    script: script.script,
    suite: capture.suite,
    arm: capture.arm,
    stream: capture.stream,
    truth: right,
    judged: { axis, owner, findings },
    axisRight: right.axes.includes(axis),
    ownerRight: right.owners.includes(owner),
    findingsRight: right.findings === null ? null : right.findings.join() === findings.join(),
  };
}

function armOf(capture: Capture): string {
  return `${capture.scenario} ${capture.suite} ${capture.arm}`;
}

function observed(capture: Capture, truth: TruthReader): Observation {
  const subject = capture.exchanges.findLast(({ hop }) => hop === "subject");
  const body = subject === undefined ? "" : bodyText(subject.body);
  const seen = truth.observe(subject?.status ?? null, body, capture.stream);
  return seen.generated === null ? { ...seen, generated: decoded(capture.exchanges) } : seen;
}

/** What token ids of the reply say was generated, as the server itself decoded them, without what ends a turn. */
function decoded(exchanges: readonly Exchange[]): string | null {
  const exchange = exchanges.find(({ purpose, status }) => purpose === "detokenize" && status === 200);
  if (exchange === undefined) return null;
  const answer = JSON.parse(bodyText(exchange.body)) as { readonly prompt?: string; readonly content?: string };
  const text = answer.prompt ?? answer.content ?? null;
  return text?.replace(/(?:<\|im_end\|>|<\|endoftext\|>)$/, "") ?? null;
}

/** Where max_tokens cut the script: what was shown of it, or so many characters as tokens at least have. */
function cutText(
  script: KnownTruth,
  { finish, content, completionTokens }: Observation,
  maxTokens: number | null,
): string | null {
  // Not every server says so: vLLM ends a cut call with "tool_calls".
  const isSpent = completionTokens !== null && maxTokens !== null && completionTokens >= maxTokens;
  if (finish !== "length" && !isSpent) return null;
  return content !== "" && script.text.startsWith(content) ? content : script.text.slice(0, scriptedMaxTokens);
}
