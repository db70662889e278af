import { serverRecord } from "../../../protocol/servers/index.ts";
import type { ServerKind } from "../../../protocol/servers/server.ts";
import type { CallProblem } from "../../classify/classification.ts";
import {
  type DiagnosisFacts,
  type DiagnosisParts,
  detail,
  isProbeCode,
  named,
  type SeenByMode,
} from "./diagnosis-facts.ts";
import { probeHappenedEnglish } from "./probe-english.ts";

/** One diagnosis in English: what happened and how often, what mends it, and what is only inferred. */
export function diagnosisEnglish(facts: DiagnosisFacts): DiagnosisParts {
  return { happened: happened(facts), fix: fixEnglish(facts), caveat: caveat(facts) };
}

/** What can be wrong with a call. */
export const problemsEnglish: Readonly<Record<CallProblem, string>> = {
  not_json: "not JSON",
  not_an_object: "not an object",
  missing_required: "required argument missing",
  unknown_argument: "unknown argument",
  wrong_type: "wrong type",
  not_in_enum: "value not allowed",
  constraint: "constraint broken",
  escaped_twice: "escaped twice",
  undeclared_tool: "tool was not offered",
  schema_unusable: "tool schema unusable",
  too_many: "too many calls",
  too_few: "too few calls",
  no_id: "no call id",
  same_id: "call id used twice",
  index_reused: "two calls at one index",
  legacy_field: "old function_call field",
  other_choice: "call in another choice",
  arguments_as_object: "arguments not serialised",
  arguments_as_text: "arguments as text",
  name_residue: "leftovers in the tool's name",
  merged_calls: "several calls run together",
  repeated: "same call again",
  two_readings: "two readings",
};

/** How a server is named in an order to start it. */
function started(kind: ServerKind): string {
  const { title, recognition } = serverRecord(kind);
  return recognition === null ? "the server" : title;
}

function happened(facts: DiagnosisFacts): string {
  const seen = `${facts.count} of ${facts.of}`;
  const format = detail(facts, "format") ?? "tool";
  const { code } = facts;
  if (isProbeCode(code)) return probeHappenedEnglish(code, facts);
  switch (code) {
    case "parser_mismatch":
      return `The model called: ${seen} replies hold a whole ${format} call that the server's parser did not read${manner(facts)}.`;
    case "parser_missing":
      return `The model called, but nothing on this server parses calls: ${seen} replies hold a whole ${format} call${manner(facts)}.`;
    case "format_drift":
      return facts.details["served"] === 0
        ? `A whole ${format} call did not arrive: ${seen} replies. One is too few to tell a wrong parser from a slip of the model; measure again with more trials.`
        : `The model drifts between formats: ${seen} replies hold a ${format} call beside calls that the server did serve, so the parser is not to blame.`;
    case "tools_refused":
      return `The server refuses tools for this model: ${seen} requests with tools came back as an error${quoted(detail(facts, "message"))}.`;
    case "tools_not_in_prompt":
      return `The tools do not reach the model whole: the prompt that the chat template renders has lost them or damages them (${seen} samples affected).`;
    case "system_prompt_dropped":
      return `The chat template drops the system prompt as soon as tools are given (${seen} samples affected).`;
    case "server_fails_on_output":
      return `The server fails on what the model writes${facts.details["format"] === undefined ? "" : `, whole ${format} calls`}: ${seen} requests ended in its own parse error${quoted(detail(facts, "message"))}.`;
    case "fabricated_provenance":
      return `The model claims runs that never happened: ${seen} replies say that a tool was used although none was called${quoted(words(facts))}.`;
    case "value_ahead":
      return `The model states a value before any tool has run: ${seen} replies${quoted(words(facts))}.`;
    case "prose_command":
      return `The model writes the command as prose instead of calling the tool: ${seen} replies${quoted(words(facts))}.`;
    case "declines_known_answers":
      return `The model skips the tool where it believes it knows the answer: ${seen} replies to memorizable questions hold no call, while it does call where it cannot know.`;
    case "no_attempt":
      return `The model answers without calling: ${seen} replies in the ${contractEnglish(facts)} hold no attempt at all, neither served nor hidden in the text.`;
    case "invalid_arguments":
      return `The model's arguments break the tool's schema: ${seen} replies${bracketed(named(detail(facts, "problems"), problemsEnglish))}.`;
    case "undeclared_tool":
      return `The model calls a tool that was not offered: ${seen} replies${quoted(detail(facts, "tool", "name"))}.`;
    case "budget_too_small":
      return `The token limit cuts replies in the middle of a call: ${seen} replies${bracketed(prefixed("max_tokens ", detail(facts, "maxTokens")))}.`;
    case "context_cut":
      return `The server cut the prompt to its context length: ${seen} samples${bracketed(prefixed("context ", detail(facts, "contextLength", "context")))}. What the model answered then says nothing about it.`;
    case "choice_ignored":
      return `tool_choice is not honoured: ${seen} replies go against it${bracketed(detail(facts, "choice", "arm"))}.`;
    case "quoted_call_served":
      return `The server made a real call of text that only quotes one: ${seen} replies.`;
    case "required_hides_fault":
      return `tool_choice "required" hides the fault: ${seen} replies under it hold a valid call, because a grammar writes it without the parser. Only a test with "auto" shows what users get.`;
    case "stream_differs":
      return `The same requests end differently streamed and not streamed: ${seen} replies. Test in the mode that your client uses.`;
    case "network":
      return `No usable answer came to ${seen} requests, which says nothing about the model${quoted(detail(facts, "cause", "phase"))}.`;
    case "adapter_lost_call":
      return `The model server's answer was right and what the adapter made of it was not: ${seen} samples${bracketed(prefixed("stage ", detail(facts, "stage")))}${quoted(detail(facts, "reason"))}.`;
    case "adapter_made_call":
      return `The adapter handed on a call that the model had not attempted: ${seen} samples${bracketed(prefixed("stage ", detail(facts, "stage")))}${quoted(detail(facts, "reason"))}. Nothing is worse in an adapter.`;
    case "adapter_failed":
      return `The adapter answered with an error of its own: ${seen} samples${quoted(detail(facts, "reason"))}.`;
    case "adapter_worse":
      return `Direct, ${seen} of the same questions were answered rightly that failed through the adapter${bracketed(prefixed("stage ", detail(facts, "stage")))}; the other way round it was ${detail(facts, "better") ?? "0"}. Chance does not explain that.`;
    case "no_fault":
      return `No fault seen: ${seen} replies came through as asked.`;
  }
  return code satisfies never;
}

function contractEnglish(facts: DiagnosisFacts): string {
  return detail(facts, "contract") === "marker" ? "marker contract" : "native contract (auto)";
}

/** The words that were seen, where the diagnosis quotes some. */
function words(facts: DiagnosisFacts): string | null {
  return detail(facts, "words", "quote", "text", "value");
}

function manner({ leaked, swallowed }: DiagnosisFacts): string {
  const parts = [...ways(leaked, "leaked as text"), ...ways(swallowed, "returned as nothing at all")];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function ways(seen: SeenByMode, what: string): string[] {
  const parts: string[] = [];
  if (seen.whole > 0) parts.push(`${seen.whole} ${what} unstreamed`);
  if (seen.streamed > 0) parts.push(`${seen.streamed} ${what} streamed`);
  return parts;
}

/** Curved marks: the quoted text often holds straight ones. */
function quoted(text: string | null): string {
  return text === null ? "" : ` (“${text}”)`;
}

function bracketed(text: string | null): string {
  return text === null ? "" : ` (${text})`;
}

function prefixed(prefix: string, text: string | null): string | null {
  return text === null ? null : `${prefix}${text}`;
}

function fixEnglish({ fix, server }: DiagnosisFacts): string | null {
  if (fix === null) return null;
  switch (fix.kind) {
    case "flag":
      return `Start ${started(server)} with ${fix.option}.`;
    case "modelfile":
      return `Change the Modelfile: ${fix.option}.`;
    case "template":
      return `Change the chat template: ${fix.option}.`;
    case "model":
      return `Use another model or tag: ${fix.option}.`;
    case "request":
      return `Change the request: ${fix.option}.`;
  }
  return fix.kind satisfies never;
}

function caveat(facts: DiagnosisFacts): string | null {
  if (facts.certainty === "shown") return null;
  const parser = detail(facts, "parser", "activeParser");
  if (parser !== null && facts.code === "parser_mismatch") {
    return `That the active parser is ${parser} is inferred from what it read and what it leaked.`;
  }
  if (facts.owner === "model") return "This is inferred from the pattern of the replies.";
  return "This is inferred from what the server did; the server does not show it.";
}
