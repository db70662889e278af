import type { ServerFix } from "../../protocol/servers/server.ts";
import type { Owner, ProbeFault, ProbeFaultCode } from "../classify/classification.ts";
import type { Diagnosis, DiagnosisCode } from "./diagnosis.ts";
import type { DiagnoseContext, DiagnosisMaker } from "./diagnosis-maker.ts";
import type { JudgedSample } from "./judged-sample.ts";
import { chanceOfFewer } from "./small-counts.ts";

/** How unlikely a difference between two arms must be by chance before it is named: many arms are looked at. */
const unlikely = 0.005;

interface Shown {
  readonly sample: JudgedSample;
  readonly fault: ProbeFault;
}

/** A fault as it will be named, with the samples that show it. */
interface Named {
  readonly code: DiagnosisCode;
  readonly owner: Owner;
  readonly shown: readonly Shown[];
  readonly of: readonly JudgedSample[];
  readonly certainty: Diagnosis["certainty"];
  readonly fix: ServerFix | null;
  readonly details: Diagnosis["details"];
}

/** Names what conversations showed: each suite by itself, each fault once for each owner. */
export function diagnoseProbes(
  context: DiagnoseContext,
  make: DiagnosisMaker,
  measured: readonly JudgedSample[],
): readonly Diagnosis[] {
  const suites = new Map<string, JudgedSample[]>();
  for (const sample of measured) {
    if (sample.probe === undefined) continue;
    const key = `${sample.suite}\n${sample.shape}`;
    const known = suites.get(key);
    if (known === undefined) suites.set(key, [sample]);
    else known.push(sample);
  }
  return [...suites.values()]
    .flatMap((samples) => [...claimFaults(context, samples), ...namedFaults(context, samples)])
    .map(({ code, owner, shown, of, certainty, fix, details }) =>
      make(
        code,
        owner,
        shown.map(({ sample }) => sample),
        of.length,
        { fix, certainty, details: { ...details, ...(of[0] === undefined ? {} : { suite: of[0].suite }) } },
      ),
    );
}

/** What the server says of this model and what it does with it, in the suite that asks for just that. */
function claimFaults({ facts, server }: DiagnoseContext, samples: readonly JudgedSample[]): readonly Named[] {
  const { claims } = facts;
  const withTools = samples.filter(({ judge }) => judge === "call");
  if (samples[0]?.probe !== "capability" || withTools.length === 0) return [];
  const accepted = withTools.filter(({ classification }) => classification.probe?.blocked === false);
  const name = (code: DiagnosisCode, more: Partial<Named> = {}): Named => ({
    code,
    owner: "template",
    shown: withTools.map((sample) => ({
      sample,
      fault: { code: "call_not_made", owner: "template", text: "", certainty: "shown" },
    })),
    of: withTools,
    certainty: "shown",
    fix: null,
    details: {},
    ...more,
  });
  // A model that is never shown its tools calls none and says nothing wrong: only the prompt tells.
  const unseen =
    accepted.length > 0 && (facts.toolsInPrompt === "missing" || facts.toolsInPrompt === "damaged")
      ? [name("tools_not_in_prompt", { details: { state: facts.toolsInPrompt } })]
      : [];
  if (claims === undefined) return unseen;
  const { template } = claims;
  return [
    ...unseen,
    ...(claims.templateIgnored ? [name("template_ignored", { fix: server.ignoredTemplateFix })] : []),
    ...(claims.tools === true && facts.toolsInPrompt === "missing" ? [name("capability_false")] : []),
    ...(claims.tools === false && accepted.length === withTools.length && facts.toolsInPrompt === "whole"
      ? [name("capability_unclaimed")]
      : []),
    // Where the prompt itself is shown, it says more than the template's text.
    ...(template?.exclusive === true && facts.systemInPrompt === "unknown"
      ? [name("system_prompt_dropped", { certainty: "inferred", fix: server.templateFixes.system })]
      : []),
    // Jinja has too many ways to write a message for its text to tell.
    ...(template?.language === "go" && template.writesTools && !template.writesResults
      ? [name("result_not_in_prompt", { certainty: "inferred", fix: server.templateFixes.results })]
      : []),
  ];
}

function namedFaults(context: DiagnoseContext, samples: readonly JudgedSample[]): readonly Named[] {
  const groups = new Map<string, Shown[]>();
  for (const sample of samples) {
    for (const fault of sample.classification.probe?.faults ?? []) {
      const key = `${fault.code} ${fault.owner}`;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, [{ sample, fault }]);
      else known.push({ sample, fault });
    }
  }
  return [...groups.values()].flatMap((shown) => nameOf(context, shown, samples));
}

function nameOf(context: DiagnoseContext, shown: readonly Shown[], samples: readonly JudgedSample[]): readonly Named[] {
  const [first] = shown;
  if (first === undefined) return [];
  const { code, owner } = first.fault;
  const plain = (name: DiagnosisCode, more: Partial<Named> = {}): Named => ({
    code: name,
    owner,
    shown,
    of: samples,
    certainty: shown.some(({ fault }) => fault.certainty === "shown") ? "shown" : "inferred",
    fix: null,
    details: { words: first.fault.text },
    ...more,
  });
  const { server } = context;
  switch (code) {
    case "system_prompt_unseen":
      return [systemPrompt(context, shown, samples, plain)];
    case "history_poisons":
      return poisoned(shown, samples, plain);
    case "history_refused":
      return byArm(shown).map(([arm, these]) =>
        plain("history_refused", {
          shown: these,
          of: samples.filter((sample) => sample.arm === arm),
          fix: historyFix(arm),
          details: { variant: arm, words: these[0]?.fault.text ?? "" },
        }),
      );
    case "lost_among_tools":
    case "wrong_tool_chosen":
      return amongTools(code, shown, samples, plain);
    case "replies_differ_streamed":
      return differing(shown, samples, plain);
    case "context_cut_silently": {
      const wanted = Math.max(...shown.map(({ sample }) => sample.classification.probe?.facts["wantedTokens"] ?? 0));
      const kept = Math.max(...shown.map(({ sample }) => sample.classification.probe?.facts["promptTokens"] ?? 0));
      return [
        plain("context_cut", {
          fix: server.contextFix(nextPowerOfTwo(wanted)),
          details: {
            words: first.fault.text,
            ...(context.facts.contextLength === null ? {} : { contextLength: context.facts.contextLength }),
            ...(kept === 0 ? {} : { promptTokens: kept }),
          },
        }),
      ];
    }
    case "result_not_in_prompt":
      return [plain("result_not_in_prompt", { fix: server.templateFixes.results })];
    case "thinking_in_text":
      return [plain("thinking_in_text", { fix: server.reasoningFix })];
    case "followup_refused":
      return [
        plain("followup_refused", {
          fix: /\bids?\b|tool_call_id/i.test(first.fault.text)
            ? { kind: "request", option: "call ids of nine letters and digits, mapped both ways" }
            : server.templateFixes.results,
        }),
      ];
    case "call_not_made":
      return first.sample.probe === "language" ? callsByLanguage(shown, samples, plain) : [plain("call_not_made")];
    default:
      return [plain(sameName[code])];
  }
}

/** Faults whose diagnosis says no more than their samples do. */
const sameName: Readonly<
  Record<
    Exclude<
      ProbeFaultCode,
      | "system_prompt_unseen"
      | "history_poisons"
      | "history_refused"
      | "lost_among_tools"
      | "wrong_tool_chosen"
      | "replies_differ_streamed"
      | "context_cut_silently"
      | "result_not_in_prompt"
      | "thinking_in_text"
      | "followup_refused"
      | "call_not_made"
    >,
    DiagnosisCode
  >
> = {
  called_against_word: "called_against_word",
  called_without_need: "called_without_need",
  result_ignored: "result_ignored",
  result_invented: "result_invented",
  step_not_carried: "step_not_carried",
  call_loop: "call_loop",
  call_ids_broken: "call_ids_broken",
  final_answer_missing: "final_answer_missing",
  final_answer_unfounded: "final_answer_unfounded",
  prose_under_required: "prose_under_required",
  required_refused: "required_refused",
  context_refused_early: "context_refused_early",
  context_recall: "context_recall",
  relay_wrong: "relay_wrong",
  warning_relayed: "warning_relayed",
  language_left_for_other: "language_left",
  persona_lost: "persona_lost",
};

type MakeNamed = (name: DiagnosisCode, more?: Partial<Named>) => Named;

function passedOf(samples: readonly JudgedSample[]): number {
  return samples.filter(({ classification }) => classification.delivered === "yes").length;
}

function byArm(shown: readonly Shown[]): readonly (readonly [string, readonly Shown[]])[] {
  const groups = new Map<string, Shown[]>();
  for (const each of shown) groups.set(each.sample.arm, [...(groups.get(each.sample.arm) ?? []), each]);
  return [...groups];
}

/** Arm of the suite history that nothing is wrong with, and of the suite system-prompt without tools. */
const cleanArm = "clean";
const plainArm = "plain";

/** A word that is known without tools and not with them was lost with them, whatever the model makes of the rest. */
function systemPrompt(
  context: DiagnoseContext,
  shown: readonly Shown[],
  samples: readonly JudgedSample[],
  make: MakeNamed,
): Named {
  const owner = shown[0]?.fault.owner;
  const fix = context.server.templateFixes.system;
  if (owner === "template") return make("system_prompt_dropped", { fix });
  const group = (tools: boolean) => samples.filter(({ arm }) => (arm !== plainArm) === tools);
  const [plain, withTools] = [group(false), group(true)];
  const inPrompt = shown.some(({ fault }) => fault.certainty === "shown");
  const lost =
    !inPrompt &&
    chanceOfFewer(passedOf(withTools), withTools.length, passedOf(plain), plain.length) <= unlikely &&
    shown.every(({ sample }) => sample.arm !== plainArm);
  return lost
    ? make("system_prompt_dropped", { owner: "template", certainty: "inferred", of: withTools, fix })
    : make("system_prompt_ignored");
}

function poisoned(shown: readonly Shown[], samples: readonly JudgedSample[], make: MakeNamed): readonly Named[] {
  const clean = samples.filter(({ arm }) => arm === cleanArm);
  return byArm(shown).flatMap(([arm, these]): readonly Named[] => {
    const blocked = these.filter(({ sample }) => sample.classification.probe?.blocked === true);
    if (arm === cleanArm)
      return blocked.length === these.length ? [] : [make("call_not_made", { shown: these, of: clean })];
    const here = samples.filter((sample) => sample.arm === arm);
    if (chanceOfFewer(passedOf(here), here.length, passedOf(clean), clean.length) > unlikely) return [];
    return [
      make("history_poisons", {
        shown: these,
        of: here,
        certainty: "inferred",
        fix: historyFix(arm),
        details: { variant: arm, words: these[0]?.fault.text ?? "" },
      }),
    ];
  });
}

function historyFix(variant: string): ServerFix | null {
  const options: Readonly<Record<string, string>> = {
    "malformed-call": "arguments of earlier calls as whole JSON, or the broken call left out of the history",
    "foreign-ids": "call ids of nine letters and digits, mapped both ways",
    "missing-result": "a tool message for every call of the history",
    "duplicate-result": "one tool message for each call of the history",
    "unknown-role": "the roles system, user, assistant and tool only",
    "text-call": "earlier calls as tool_calls, not as text of the assistant",
  };
  const option = options[variant];
  return option === undefined ? null : { kind: "request", option };
}

/** Misses that come with the number of tools are another thing than a model that does not call at all. */
function amongTools(
  code: "lost_among_tools" | "wrong_tool_chosen",
  shown: readonly Shown[],
  samples: readonly JudgedSample[],
  make: MakeNamed,
): readonly Named[] {
  const counts = [
    ...new Set(
      samples.flatMap(({ judge, classification }) =>
        judge === "call" ? (classification.probe?.facts["tools"] ?? []) : [],
      ),
    ),
  ].sort((one, other) => one - other);
  const at = (count: number) =>
    samples.filter((sample) => sample.judge === "call" && sample.classification.probe?.facts["tools"] === count);
  const sound = counts.filter((count) => at(count).length > 0 && passedOf(at(count)) === at(count).length);
  const worst = Math.max(...shown.map(({ sample }) => sample.classification.probe?.facts["tools"] ?? 0));
  const works = sound.filter((count) => count < worst).at(-1);
  const of = samples.filter(({ judge }) => judge === "call");
  if (works === undefined) return [make(code === "wrong_tool_chosen" ? "wrong_tool_chosen" : "call_not_made", { of })];
  return [
    make(code, {
      of,
      fix: { kind: "request", option: `at most ${works} tools in one request` },
      details: { works, fails: worst, words: shown[0]?.fault.text ?? "" },
    }),
  ];
}

/** Where the model's own words are not shown, a difference counts only where it is there every time. */
function differing(shown: readonly Shown[], samples: readonly JudgedSample[], make: MakeNamed): readonly Named[] {
  return byArm(shown).flatMap(([arm, these]) => {
    const judges = new Set(these.map(({ sample }) => sample.judge));
    // Where calls are what differs, samples that want none have nothing to differ in.
    const here = samples.filter((sample) => sample.arm === arm && judges.has(sample.judge));
    const proved = these.filter(({ fault }) => fault.certainty === "shown");
    const parts = new Set(these.map(({ fault }) => fault.text));
    const always = these.length === here.length && here.length >= 3 && parts.size === 1;
    if (proved.length === 0 && !always) return [];
    const kept = proved.length > 0 ? proved : these;
    return [
      make("stream_differs", {
        shown: kept,
        of: here,
        certainty: proved.length > 0 ? "shown" : "inferred",
        fix: null,
        details: { parts: [...new Set(kept.map(({ fault }) => fault.text))].join("; "), arm },
      }),
    ];
  });
}

/** A language in which the model calls less than in another. */
function callsByLanguage(shown: readonly Shown[], samples: readonly JudgedSample[], make: MakeNamed): readonly Named[] {
  const called = (list: readonly JudgedSample[]) =>
    list.filter((sample) => !shown.some((each) => each.sample === sample)).length;
  const languages = [...new Set(samples.map(({ language }) => language))];
  const rates = languages.map((language) => {
    const here = samples.filter((sample) => sample.language === language);
    return { language, here, called: called(here) };
  });
  const best = rates.reduce((one, other) =>
    other.called / other.here.length > one.called / one.here.length ? other : one,
  );
  const worse = rates.filter(
    ({ here, called: count }) => chanceOfFewer(count, here.length, best.called, best.here.length) <= unlikely,
  );
  if (worse.length === 0) return [make("call_not_made")];
  return worse.map(({ language, here, called: count }) =>
    make("language_changes_calls", {
      shown: shown.filter(({ sample }) => sample.language === language),
      of: here,
      certainty: "inferred",
      details: { language, called: count, other: best.language },
    }),
  );
}

function nextPowerOfTwo(value: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(2, value)));
}
