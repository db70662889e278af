import type {
  AskedTruth,
  KnownPart,
  KnownSetUp,
  KnownTruth,
  Observation,
  SampleTruth,
} from "../../protocol/known-truth.ts";

/** Findings whose truth follows from the script and the bytes. */
export const comparedFindings: readonly string[] = [
  "value_ahead",
  "provenance_claim",
  "quoted_call",
  "choice_violated",
  "direct_answer",
  "empty_reply",
  "reasoning_only_reply",
  "duplicate_call",
  "finish_reason_wrong",
  "swallow_suspected",
  "stream_incomplete",
];

/** Does an error say that tools are refused? */
export function isToolRefusal(error: string): boolean {
  return refusals.some((words) => error.includes(words));
}

type KnownCall = KnownPart & { readonly meaning: Extract<KnownPart["meaning"], { kind: "call" }> };

const declared = "run_python";
/** What Ollama says of a model without tools, llama-server without Jinja, and vLLM without a parser. */
const refusals = ["does not support tools", "requires --jinja flag", "--tool-call-parser to be set"] as const;

function isCall(part: KnownPart): part is KnownCall {
  return part.meaning.kind === "call";
}

function words(truth: KnownTruth, part: KnownPart): string {
  return truth.text.slice(part.start, part.end);
}

/** Whole, of a declared tool, with the arguments its schema wants. */
function fits(part: KnownCall): boolean {
  const given = part.meaning.arguments;
  return (
    part.meaning.state === "whole" &&
    part.meaning.name === declared &&
    typeof given === "object" &&
    given !== null &&
    "task" in given
  );
}

const opening = "<think>\n";

/** A script as a model plays it whose prompt has opened the thinking: without its own opening, and thinking until it ends that. */
function insideThinking(script: KnownTruth): KnownTruth {
  const opens = script.text.startsWith(opening);
  const cut = opens ? opening.length : 0;
  const ends = script.text.includes("</think>");
  return {
    ...script,
    text: script.text.slice(cut),
    parts: script.parts.map((part) => ({
      ...part,
      start: part.start - cut,
      end: part.end - cut,
      thinking: part.thinking || !ends,
    })),
  };
}

function parses(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Derives what became of a scripted call. `generated` is what the model really wrote in this set-up: the script, unless a
 * grammar led it elsewhere; null where no channel shows that.
 */
export function truthOf(
  wholeScript: KnownTruth,
  setUp: KnownSetUp,
  asked: AskedTruth,
  seen: Observation,
  generated: string | null,
): SampleTruth {
  const script = setUp.opensThinking === true ? insideThinking(wholeScript) : wholeScript;
  const served = seen.calls.map((call) => ({ name: call.name, given: parses(call.argumentsText) }));
  const isForced = asked.choice === "required" || asked.choice === "named";
  const grammar = setUp.grammar === "after_trigger" || (setUp.grammar === "forced" && isForced);
  /** Where no channel shows what a grammar made of the script, a served call that the script does not hold shows that it did. */
  const foreign =
    generated === null &&
    seen.error === null &&
    grammar &&
    !asked.marker &&
    served.some(({ name, given }) => !script.parts.some((part) => isCall(part) && isSame(part, name, given)));
  const full = generated ?? script.text;
  const endsShort = full.length < script.text.length;
  // Where no grammar could have ended it, a text that falls short of its script was cut, whatever the reply says.
  const saysNothing = generated !== null && !grammar && seen.finish !== null;
  const cutByBudget = endsShort && (seen.finish === "length" || (saysNothing && setUp.server === "vllm"));
  /** How far the model's words are the script's own. */
  const own = foreign ? firstCall(script) : commonLength(full, script.text);
  const steered = foreign || full.length > own;
  const reached = script.parts.filter((part) => (steered ? part.end <= own : part.start < own));
  const stateOf = (part: KnownCall): "whole" | "cut" | "broken" => (part.end > own ? "cut" : part.meaning.state);
  const calls = reached.filter(isCall);
  const speechAfter = (part: KnownPart): boolean =>
    hasWords((foreign ? script.text.slice(0, own) : full).slice(part.end));
  const spoken = calls.filter((part) => !part.thinking);
  /** JSON without markup calls nothing that was not offered. */
  const isAttempt = (part: KnownCall): boolean =>
    !asked.marker || !["llama3_json", "bare_json"].includes(part.meaning.format);
  const thought = calls.filter((part) => part.thinking && isAttempt(part));
  const shows = (part: KnownPart): boolean =>
    seen.content.includes(
      words(script, part)
        .slice(0, own - part.start)
        .trim(),
    );

  const findings = new Set<string>();
  const axis = axisOf();
  const attempt = axis.kind !== "none" && axis.kind !== "refused";
  const content = seen.content;
  const outsideThinking = content.replace(/^\s*<think>[\s\S]*?(?:<\/think>|$)/, "");
  const visible = (kind: "value" | "claim"): boolean =>
    reached.some(
      (part) => part.meaning.kind === kind && !part.thinking && outsideThinking.includes(words(script, part)),
    );
  if (visible("value")) {
    if (axis.kind === "none") findings.add("direct_answer");
    else if (attempt && axis.kind !== "server_error") findings.add("value_ahead");
  }
  if (visible("claim")) findings.add("provenance_claim");
  const quotes = script.parts.some((part) => part.meaning.kind === "quotation" && part.start < own);
  const forced = grammar && (asked.choice === "required" || (isForced && setUp.grammar === "forced"));
  if (quotes && seen.calls.length > 0 && seen.error === null && !forced) findings.add("quoted_call");
  const owners = [...new Set(ownersOf())];
  return {
    axes: axis.also === undefined ? [axis.kind] : [axis.kind, ...axis.also],
    owners,
    // Where two readings stand, so do the findings of either.
    findings: steered || axis.also !== undefined ? null : [...findings].sort(),
    because: `${axis.because}${steered ? " (a grammar went on from the script)" : ""}`,
  };

  function axisOf(): { readonly kind: string; readonly because: string; readonly also?: readonly string[] } {
    if (seen.status === null) return { kind: "transport", because: "no answer" };
    if (seen.error !== null && isToolRefusal(seen.error)) return { kind: "refused", because: "tools refused" };
    if (seen.error !== null) return { kind: "server_error", because: seen.error };
    if (asked.stream && !seen.done && seen.finish === null)
      return { kind: "server_error", because: "stream broke off" };
    if (seen.calls.length > 0) {
      const read = seen.calls.map((call) => parses(call.argumentsText));
      if (seen.calls.some((call, index) => seen.calls.findIndex((other) => same(other, call)) < index))
        findings.add("duplicate_call");
      if (((steered && seen.finish === "length") || cutByBudget) && endsInsideCall(full) && seen.calls.length === 1)
        return { kind: "truncated", because: "the budget ended inside the call" };
      const own = calls.some((part) => stateOf(part) === "cut");
      if (read.every((value) => value === undefined) && (own || seen.finish === "length"))
        return { kind: "truncated", because: "arguments cut" };
      const called = seen.calls.map((call) => call.name);
      if (asked.choice === "none" || (asked.choice === "named" && !called.includes(declared)))
        findings.add("choice_violated");
      // vLLM ends a call that was asked for by name with "stop", by design.
      const ownWay = setUp.server === "vllm" && asked.choice === "named" && seen.finish === "stop";
      if (seen.finish !== "tool_calls" && seen.finish !== "length" && seen.finish !== null && !ownWay)
        findings.add("finish_reason_wrong");
      if (seen.calls.length > 0 && read.every((value) => value === undefined))
        return { kind: "structured", because: "calls were served with arguments that are no JSON" };
      const onlyCut = !steered && calls.length > 0 && calls.every((part) => stateOf(part) === "cut");
      return onlyCut
        ? { kind: "truncated", because: "the server closed a call that was cut" }
        : { kind: "structured", because: "calls were served" };
    }
    if (seen.finish === "tool_calls") findings.add("finish_reason_wrong");
    // A call that a grammar was writing when the budget ended, whatever the script would have said.
    if (steered && setUp.grammar === "forced" && seen.finish === "length")
      return { kind: "truncated", because: "a call that a grammar began was cut", also: ["none"] };
    if (asked.marker) {
      const markers = reached.filter((part) => part.meaning.kind === "marker");
      if (markers.some(shows)) return { kind: "marker", because: "the marker came" };
    }
    const attempts = spoken.filter(isAttempt);
    const first = attempts.find(shows) ?? attempts[0];
    if (first !== undefined) {
      const state = stateOf(first);
      if (state === "cut")
        return { kind: "truncated", because: cutByBudget ? "cut by max_tokens" : "cut by the model" };
      if (asked.choice === "none" && shows(first)) findings.add("choice_violated");
      if (shows(first)) return { kind: "leaked", because: "the call stands in the content" };
      if (seen.reasoning.includes(words(script, first).trim()))
        return speechAfter(first)
          ? { kind: "none", because: "the call stands in the reasoning, with words after it" }
          : { kind: "reasoning_only", because: "the call ends the reasoning" };
      return { kind: "swallowed", because: "the call is nowhere in the reply" };
    }
    if (steered && setUp.opensThinking === true && seen.content.trim() === "" && !full.includes("</think>")) {
      const [opened, closed] = ["<tool_call>", "</tool_call>"].map((tag) => full.lastIndexOf(tag));
      // A call that the script goes on after was only thought of; that a grammar ends the reply there does not make it meant.
      const also = thought.some((part) => hasWords(script.text.slice(part.end))) ? ["none"] : [];
      if (full.trimEnd().endsWith("</tool_call>"))
        return { kind: "reasoning_only", because: "a call that a grammar wrote ends the thinking", also };
      if (seen.finish === "length" && (opened ?? -1) > (closed ?? -1))
        return { kind: "truncated", because: "a call that a grammar began was cut", also: ["none"] };
    }
    // A reasoning parser may end the thinking at the call: then it stands in the content for all to see.
    if (seen.reasoning !== "" && thought.some(shows)) {
      if (asked.choice === "none") findings.add("choice_violated");
      return { kind: "leaked", because: "the call of the thinking stands in the content" };
    }
    const last = thought.at(-1);
    const behind = steered && seen.content.trim() !== "";
    if (last !== undefined && !speechAfter(last) && !behind) {
      if (stateOf(last) === "cut") return { kind: "truncated", because: "cut in the thinking" };
      // Where a grammar ended the reply behind a call that the script only thinks of, or went on with words, both can be said.
      const goesOn = steered || hasWords(script.text.slice(last.end));
      const ended = full.length < script.text.length || steered;
      return {
        kind: "reasoning_only",
        because: "the call ends the thinking",
        ...(goesOn && ended ? { also: ["none"] } : {}),
      };
    }
    // From a reply in which nothing came nobody can tell whether the choice was ignored.
    const nothing = (script.text === "" && seen.content.trim() === "") || full.trim() === "";
    if ((asked.choice === "required" || asked.choice === "named") && !nothing) findings.add("choice_violated");
    const said = seen.content.replace(/^\s*<think>[\s\S]*?(?:<\/think>|$)/, "").trim();
    const thoughts = seen.reasoning.trim() !== "" || /<think>\s*\S/.test(seen.content);
    if (said === "") findings.add(thoughts ? "reasoning_only_reply" : "empty_reply");
    return { kind: "none", because: "no call was written" };
  }

  function ownersOf(): readonly string[] {
    const faults = findingOwners();
    switch (axis.kind) {
      case "refused":
        // A model that knows no tools, or a server that was started without them.
        return [setUp.server === "ollama" ? "template" : "server_option"];
      case "server_error": {
        if (calls.some((part) => stateOf(part) === "broken" || stateOf(part) === "cut"))
          return cutByBudget ? ["budget"] : ["model"];
        // What a grammar made of a whole call, and whether max_tokens cut that, shows nowhere.
        if (grammar && seen.error?.includes("invalid tool call arguments")) return ["server_parser", "model", "budget"];
        if (calls.length === 0) return ["server_parser"];
        // A whole call that no schema fits: the server fails on its form, the model on its content.
        return calls.every(fits) ? ["server_parser"] : ["server_parser", "model"];
      }
      case "structured": {
        if (findings.has("quoted_call")) return ["server_parser"];
        const fitting = served.some(({ name, given }) => {
          return name === declared && typeof given === "object" && given !== null && "task" in given;
        });
        // What a whole call of the script's or the grammar's lacks when it is served was lost by the parser.
        const wasWhole = steered ? !endsInsideCall(full) && full.trimEnd().endsWith("}") : calls.some(fits);
        if (!fitting && served.every(({ given }) => given === undefined))
          return wasWhole || (steered && full.includes("</tool_call>")) ? ["server_parser"] : ["model"];
        if (!fitting) return calls.some(fits) && !steered ? ["server_parser"] : ["model"];
        // Calls of the model's own that stayed text beside one that a grammar forced.
        const beside = spoken.filter(shows);
        if (beside.length > 0) return [beside.some(fits) ? "server_parser" : "model", ...faults];
        const second = seen.finish === "length" && served.some(({ given }) => given === undefined) ? ["budget"] : [];
        // A grammar may lead the model into another script, whose words then stand ahead of the call.
        const stated = steered && outsideThinking.includes("76127") ? ["model"] : [];
        return faults.length + second.length > 0 ? [...faults, ...second, ...stated] : ["none", ...stated];
      }
      case "truncated":
        return cutByBudget || seen.finish === "length" ? ["budget"] : ["model"];
      case "marker": {
        const grade = markerAsAsked();
        return grade ? (faults.length > 0 ? faults : ["none"]) : ["model"];
      }
      case "leaked":
      case "swallowed":
      case "reasoning_only": {
        const fitting = calls.filter((part) => fits(part));
        if (axis.kind === "reasoning_only" && (steered || axis.also !== undefined) && setUp.opensThinking === true)
          return [
            "server_parser",
            ...(axis.also?.includes("none") ? ownersOfNoCall(isForced ? ["server_limit"] : []) : []),
          ];
        if (asked.marker || fitting.length === 0) return ["model"];
        if (asked.choice === "none" && axis.kind === "leaked") return ["model"];
        // It was written, so it is not the missing tools that lost it.
        return [setUp.parser ? "server_parser" : "server_option"];
      }
      default:
        return ownersOfNoCall(faults);
    }
  }

  /** Where no call was wanted nobody is at fault; where thinking used up the budget the model never came to answer. */
  function ownersOfNoCall(faults: readonly string[]): readonly string[] {
    if (asked.choice === "none") return ["none"];
    if (!asked.marker && setUp.tools !== "whole") return ["template"];
    if (seen.finish === "length" && outsideThinking.trim() === "") return ["budget"];
    return faults.length > 0 ? faults : ["model"];
  }

  function findingOwners(): string[] {
    const found: string[] = [];
    // tool_choice is at its limit on both servers: one ignores it, the other lets text stand before a forced call.
    if (findings.has("choice_violated")) found.push(axis.kind === "leaked" ? "model" : "server_limit");
    // vLLM heeds tool_choice; what keeps its grammar off is the reasoning parser, until the thinking ends.
    if (findings.has("choice_violated") && setUp.server === "vllm" && setUp.parser) found.push("server_parser");
    if (["value_ahead", "provenance_claim", "duplicate_call"].some((kind) => findings.has(kind))) found.push("model");
    if (findings.has("finish_reason_wrong")) found.push("server_parser");
    return found;
  }

  function markerAsAsked(): boolean {
    const markers = reached.filter((part) => part.meaning.kind === "marker");
    const [only] = markers;
    return markers.length === 1 && only !== undefined && full.slice(only.end).trim() === "";
  }
}

/** Does a text say anything but that the thinking begins or ends? */
function hasWords(text: string): boolean {
  return text.replace(/<\/?think>/g, "").trim() !== "";
}

/** What opens and what ends a call, in the formats that have tags; within Qwen's XML an end of the outer tag alone is a value's. */
const callTags = [
  ["<tool_call>", "</tool_call>"],
  ["<function=", "</function>"],
] as const;

/** Does a text end inside a call that it has opened, in the formats that have tags? */
function endsInsideCall(text: string): boolean {
  return callTags.some(([opens, ends]) => {
    const opened = text.lastIndexOf(opens);
    return opened !== -1 && text.lastIndexOf(ends) < opened;
  });
}

function firstCall(script: KnownTruth): number {
  return script.parts.find(isCall)?.start ?? script.text.length;
}

function commonLength(left: string, right: string): number {
  const limit = Math.min(left.length, right.length);
  for (let at = 0; at < limit; at++) if (left[at] !== right[at]) return at;
  return limit;
}

function isSame(part: KnownCall, name: string, given: unknown): boolean {
  return part.meaning.name === name && JSON.stringify(part.meaning.arguments) === JSON.stringify(given);
}

function same(
  left: { readonly name: string; readonly argumentsText: string },
  right: { readonly name: string; readonly argumentsText: string },
): boolean {
  return (
    left.name === right.name &&
    JSON.stringify(parses(left.argumentsText)) === JSON.stringify(parses(right.argumentsText))
  );
}
