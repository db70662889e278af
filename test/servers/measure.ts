import { upstream } from "../../src/http/upstream.ts";
import { bodyText } from "../../src/lab/capture/body.ts";
import type { Capture } from "../../src/lab/capture/capture.ts";
import type { TargetRecord } from "../../src/lab/capture/run-record.ts";
import type { Classification } from "../../src/lab/classify/classification.ts";
import type { RunEvent } from "../../src/lab/run.ts";
import { loadScenarios } from "../../src/lab/scenario/load.ts";
import type { Scenario } from "../../src/lab/scenario/scenario.ts";
import type { Summary } from "../../src/lab/stats/summary.ts";
import type { KnownTruth } from "../../src/protocol/known-truth.ts";
import { scriptMarker } from "../../src/testbed/scripted/scripted-model.ts";
import { directRoute, runInto, scratch } from "../lab/run/harness.ts";
import { type Observation, observe } from "./observe.ts";
import { comparedFindings, type SampleTruth, type SetUpTruth, truthOf } from "./truth.ts";

/** Tokens of a reply: enough for every script but the long ones, which are there to be cut. */
const maxTokens = 160;
const prefix = "scripted-";
const shipped = await loadScenarios([]);

/** A scenario whose question asks the scripted model for one script. The published questions stay as they are. */
function scenarioOf({ script }: KnownTruth): Scenario {
  return {
    id: `${prefix}${script}`,
    language: "en",
    class: "memorizable",
    system: "You are Eve, a cheerful companion. You reply in two to four sentences.",
    user: `What do all the primes from 1 to 1000 add up to? I want the exact value! ${scriptMarker(script)}`,
    marker: { name: "PYTHON", rule: "\nPut {{PYTHON: <what to do>}} at the end where something has to be computed." },
    tools: [
      {
        type: "function",
        function: {
          name: "run_python",
          description: "Hands a job to the Python sub-agent. Use it when something has to be computed.",
          parameters: { type: "object", properties: { task: { type: "string" } }, required: ["task"] },
        },
      },
    ],
    wanted: "run_python",
    oracle: { kind: "prime_sum", from: 1, to: 1000 },
    maxTokens,
    temperature: 0.7,
    examples: { good: {}, bad: {}, nearMiss: {} },
  };
}

/** One sample beside its truth. */
export interface Compared {
  readonly setUp: string;
  readonly server: SetUpTruth["server"];
  readonly script: string;
  readonly arm: string;
  readonly suite: string;
  readonly stream: boolean;
  readonly truth: SampleTruth;
  readonly judged: { readonly axis: string; readonly owner: string; readonly findings: readonly string[] };
  readonly axisRight: boolean;
  readonly ownerRight: boolean;
  /** Null where the words are a grammar's and not the script's. */
  readonly findingsRight: boolean | null;
  readonly seen: Observation;
}

export interface Measured {
  readonly compared: readonly Compared[];
  readonly summary: Summary;
  readonly target: TargetRecord | null;
  readonly events: readonly RunEvent[];
}

/** Runs both suites against a set-up over its socket and puts every sample beside the truth. */
export async function measureScripts(
  setUp: { readonly id: string; readonly truth: SetUpTruth },
  server: { readonly url: string; readonly model: string; readonly concurrency: number },
  scripts: readonly KnownTruth[],
): Promise<Measured> {
  await using folder = await scratch();
  const connection = upstream(server.url);
  try {
    const scenarios = scripts.map(scenarioOf);
    const { stored, result, events } = await runInto(
      folder.path,
      [
        {
          name: setUp.id,
          model: server.model,
          baseUrl: `${server.url}/v1`,
          handler: connection,
          apiPrefix: "/v1",
          kind: null,
          routes: [directRoute(connection)],
          headers: {},
        },
      ],
      {
        scenarios: { ...shipped, scenarios: [...shipped.scenarios, ...scenarios] },
        onlyScenarios: scenarios.map(({ id }) => id),
        trials: 1,
        concurrency: server.concurrency,
      },
    );
    const captures: Capture[] = [];
    for await (const capture of stored.captures()) captures.push(capture);
    const classifications = new Map<string, Classification>();
    for await (const each of stored.classifications<Classification>()) classifications.set(each.id, each);
    const compared = compare(setUp, scripts, captures, classifications);
    return { compared, summary: result.summary, target: stored.record.targets[0] ?? null, events };
  } finally {
    await connection.close();
  }
}

function compare(
  setUp: { readonly id: string; readonly truth: SetUpTruth },
  scripts: readonly KnownTruth[],
  captures: readonly Capture[],
  classifications: ReadonlyMap<string, Classification>,
): readonly Compared[] {
  const byName = new Map(scripts.map((script) => [script.script, script]));
  const seen = new Map(captures.map((capture) => [capture.id, observed(capture)]));
  /** What a grammar made of a script shows only unstreamed; streamed, the same model writes the same. */
  const generated = new Map<string, string>();
  for (const capture of captures) {
    const text = seen.get(capture.id)?.generated ?? null;
    if (text !== null) generated.set(armOf(capture), text);
  }
  return captures.flatMap((capture): Compared[] => {
    const script = byName.get(capture.scenario.slice(prefix.length));
    const observation = seen.get(capture.id);
    const classification = classifications.get(capture.id);
    if (script === undefined || observation === undefined) return [];
    const marker = capture.contract === "marker";
    const asked = { choice: capture.request.choice, marker, stream: capture.stream };
    const written = generated.get(armOf(capture)) ?? cutText(script, observation);
    const truth = truthOf(script, setUp.truth, asked, observation, written);
    const reply = classification?.replies.at(-1);
    const axis = reply?.measured === true ? reply.axis.kind : `not measured: ${classification?.reason ?? "lost"}`;
    const owner = classification?.owner ?? "lost";
    const findings =
      reply?.measured === true
        ? [...new Set(reply.findings.map((finding) => finding.kind as string))]
            .filter((kind) => comparedFindings.includes(kind))
            .sort()
        : [];
    return [
      {
        setUp: setUp.id,
        server: setUp.truth.server,
        script: script.script,
        arm: capture.arm,
        suite: capture.suite,
        stream: capture.stream,
        truth,
        judged: { axis, owner, findings },
        axisRight: truth.axes.includes(axis),
        ownerRight: truth.owners.includes(owner),
        findingsRight: truth.findings === null ? null : truth.findings.join() === findings.join(),
        seen: observation,
      },
    ];
  });
}

function armOf(capture: Capture): string {
  return `${capture.scenario} ${capture.suite} ${capture.arm}`;
}

function observed(capture: Capture): Observation {
  const subject = capture.exchanges.findLast((exchange) => exchange.hop === "subject");
  return observe(subject?.status ?? null, subject === undefined ? "" : bodyText(subject.body), capture.stream);
}

/** Where max_tokens cut the script: what was shown of it, or so many characters as tokens at least have. */
function cutText(script: KnownTruth, { finish, content }: Observation): string | null {
  if (finish !== "length") return null;
  return content !== "" && script.text.startsWith(content) ? content : script.text.slice(0, maxTokens);
}
