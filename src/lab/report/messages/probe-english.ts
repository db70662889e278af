import type { ProbeFaultCode } from "../../classify/classification.ts";
import { type DiagnosisFacts, detail, type ProbeDiagnosisCode } from "./diagnosis-facts.ts";

/** What conversations show, as a table counts it. */
export const faultsEnglish: Readonly<Record<ProbeFaultCode, string>> = {
  call_not_made: "no call",
  wrong_tool_chosen: "another tool",
  lost_among_tools: "no call among many tools",
  called_against_word: "called although told not to",
  called_without_need: "called without need",
  followup_refused: "next request refused",
  result_not_in_prompt: "result not in the prompt",
  result_ignored: "result not in the answer",
  result_invented: "result made up",
  step_not_carried: "earlier result not used",
  call_loop: "calls on and on",
  call_ids_broken: "call ids missing or equal",
  final_answer_missing: "no final_answer",
  final_answer_unfounded: "final_answer before any work",
  prose_under_required: "prose under required",
  required_refused: "required refused",
  replies_differ_streamed: "streamed differs",
  history_refused: "history refused",
  history_poisons: "not called after this history",
  system_prompt_unseen: "system prompt unknown",
  context_cut_silently: "cut without a word",
  context_refused_early: "refused below the limit",
  context_recall: "whole, and not recalled",
  relay_wrong: "relayed wrongly",
  warning_relayed: "harmless warning relayed",
  language_left_for_other: "another language",
  persona_lost: "persona lost",
  thinking_in_text: "thinking in the text",
};

export const probeTitlesEnglish: Readonly<Record<ProbeDiagnosisCode, string>> = {
  call_not_made: "Answered without calling",
  wrong_tool_chosen: "Another tool called",
  lost_among_tools: "Too many tools",
  called_against_word: "Called although told not to",
  called_without_need: "Called without need",
  followup_refused: "Next request refused",
  result_not_in_prompt: "Tool results do not reach the model",
  result_ignored: "Tool results not used",
  result_invented: "Tool results made up",
  step_not_carried: "Earlier results not used in later calls",
  call_loop: "Calls without end",
  call_ids_broken: "Call ids missing or equal",
  final_answer_missing: "Never finishes",
  final_answer_unfounded: "Finishes before any work",
  prose_under_required: "Prose under tool_choice required",
  required_refused: "tool_choice required refused",
  history_refused: "History refused",
  history_poisons: "History spoils later calls",
  system_prompt_ignored: "System prompt not followed",
  context_refused_early: "Context smaller than shown",
  context_recall: "Start of a long prompt forgotten",
  relay_wrong: "Tool output relayed wrongly",
  warning_relayed: "Harmless warnings relayed",
  language_left: "Language not kept",
  language_changes_calls: "Calls depend on the language",
  persona_lost: "Persona lost",
  thinking_in_text: "Thinking mixed into the answer",
  template_ignored: "Own template not used",
  capability_false: "Says tools, and loses them",
  capability_unclaimed: "Takes tools, and does not say so",
};

/** What happened, in one sentence, for what conversations show. */
export function probeHappenedEnglish(code: ProbeDiagnosisCode, facts: DiagnosisFacts): string {
  const seen = `${facts.count} of ${facts.of} conversations`;
  const words = detail(facts, "words");
  const said = words === null ? "" : ` (“${words}”)`;
  const value = (key: string) => detail(facts, key) ?? "";
  switch (code) {
    case "call_not_made":
      return `The model answers without calling the tool that it needs: ${seen}${said}.`;
    case "wrong_tool_chosen":
      return `The model calls another tool than the one that fits: ${seen}${said}.`;
    case "lost_among_tools":
      return `The model loses sight of the right tool among many: it calls with ${value("works")} tools and not with ${value("fails")} (${seen}).`;
    case "called_against_word":
      return `The model calls a tool although it was told not to run anything: ${seen}${said}.`;
    case "called_without_need":
      return `The model calls a tool where nothing asks for one: ${seen}${said}.`;
    case "followup_refused":
      return `The server does not take the conversation back with the call that it served and its result: ${seen}${said}.`;
    case "result_not_in_prompt":
      return `Tool results do not reach the model: ${seen} lack them in the prompt that the chat template renders${said}.`;
    case "result_ignored":
      return `The model does not use what the tool gave back: ${seen} end without it${said}.`;
    case "result_invented":
      return `The model states a result that no tool gave: ${seen}${said}.`;
    case "step_not_carried":
      return `The model does not carry an earlier result into the next call: ${seen}${said}.`;
    case "call_loop":
      return `The model goes on calling and never answers: ${seen} ran to the bound${said}.`;
    case "call_ids_broken":
      return `Calls of one reply come without ids or with the same one, so their results cannot be told apart: ${seen}${said}.`;
    case "final_answer_missing":
      return `The model works on and never calls final_answer: ${seen}.`;
    case "final_answer_unfounded":
      return `The model calls final_answer without having run the tool that it needs: ${seen}${said}.`;
    case "prose_under_required":
      return `tool_choice "required" does not keep prose out: ${seen} hold a reply without any call${said}.`;
    case "required_refused":
      return `The server refuses tool_choice "required"; the conversation went on with "auto" (${seen})${said}.`;
    case "history_refused":
      return `The server refuses a history with the flaw ${value("variant")}: ${seen}${said}.`;
    case "history_poisons":
      return `After a history with the flaw ${value("variant")} the model no longer calls as it does after a clean one: ${seen}${said}.`;
    case "system_prompt_ignored":
      return `The model does not know or does not follow the system prompt: ${seen}${said}.`;
    case "context_refused_early":
      return `The server refuses prompts that should fit the context which it shows: ${seen}${said}.`;
    case "context_recall":
      return `Long prompts come through whole, and the model no longer finds what stood at their start: ${seen}${said}.`;
    case "relay_wrong":
      return `The model does not hand on what the tool printed: ${seen}${said}.`;
    case "warning_relayed":
      return `The model hands on harmless warnings as if they were the result: ${seen}${said}.`;
    case "language_left":
      return `The model leaves the language of the conversation: ${seen}${said}.`;
    case "language_changes_calls":
      return `Whether the model calls depends on the language: in ${value("language")} ${seen} hold no call, clearly more than in ${value("other")}.`;
    case "persona_lost":
      return `The model drops the persona that the system prompt gives it: ${seen}${said}.`;
    case "thinking_in_text":
      return `Thinking is not set apart from the answer: ${seen}${said}.`;
    case "template_ignored":
      return `The TEMPLATE of the Modelfile is not used: RENDERER and PARSER lines, often inherited, stand beside it and take its place (${seen} affected).`;
    case "capability_false":
      return `The server says that this model takes tools, and the prompt that it renders has none of them (${seen} affected).`;
    case "capability_unclaimed":
      return `The server says that this model takes no tools, and it does: clients that ask first will not offer any (${seen} accepted).`;
  }
  return code satisfies never;
}
