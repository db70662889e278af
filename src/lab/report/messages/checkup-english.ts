import type { Statement } from "../../diagnose/checkup-statement.ts";
import { type CheckupWords, number, text } from "./checkup-words.ts";

/** A check-up in English. */
export const checkupEnglish: CheckupWords = {
  topics: {
    server: "server",
    tools: "tools",
    system: "system prompt",
    auto: "auto",
    streamed: "auto, streamed",
    parser: "parser",
    required: "required",
    results: "results",
    thinking: "thinking",
    context: "context",
    parity: "parity",
    negative_intent: "told not to",
    history: "history",
    relay: "relay",
    language: "language",
  },
  states: { good: "ok", fault: "FAULT", caution: "note", unknown: "?" },
  statement: sentence,
  inferred: "inferred",
  healthy: "Nothing to change: calls are delivered, whole and streamed.",
  unmeasured: (why) => `Not measured, so nothing can be said${why === "" ? "" : `: ${why}`}.`,
  change: (advice) => `Fix: ${advice}`,
  noOption: (happened) => `No option of the server mends this: ${happened}`,
  cure: (code, kind) => {
    switch (code) {
      case "tools_missing":
        if (kind === "llama-server")
          return "Start llama-server with --jinja and the tool template of the model's own family (--chat-template-file FILE).";
        return kind === "ollama"
          ? "Give the model a TEMPLATE with .Tools in its Modelfile, or take a tag that has one."
          : "Start the server with a chat template that shows tools.";
      case "calls_refused":
        switch (kind) {
          case "ollama":
            return "Give the model a TEMPLATE with .Tools (or RENDERER and PARSER) in its Modelfile, or take a tag that has tools.";
          case "llama-server":
            return "Start llama-server with --jinja and the tool template of the model's own family (--chat-template-file FILE).";
          case "vllm":
            return "Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model's own format.";
          default:
            return "Start the server with a parser for the model's own format.";
        }
      case "tools_damaged":
        return kind === "ollama"
          ? "Print tools as JSON in the Modelfile's TEMPLATE: {{ . }} or {{ json .Function }} in place of {{ .Function }}."
          : "Use a chat template that prints every tool and parameter.";
      case "system_dropped":
        return kind === "ollama"
          ? "Change the Modelfile's TEMPLATE so that .System stands beside .Tools, not in its {{ else }} branch."
          : "Use a chat template that keeps the system prompt when tools are given.";
      case "results_lost":
      case "results_refused":
        return kind === "ollama"
          ? 'Give the Modelfile\'s TEMPLATE a branch for results: {{ else if eq .Role "tool" }} with {{ .Content }}.'
          : "Use a chat template that takes a call and its result back.";
      case "answer_hidden":
        return "Start the server without its reasoning parser, or have the model think: an answer without thinking comes back empty.";
      case "context_exceeded":
        return "Give the server a longer context: not even a short request with one tool fits.";
      case "calls_lost":
      case "calls_mixed":
      case "calls_not_made":
      case "calls_not_seen":
      case "calls_failed":
        return "Ask without streaming, or update the server: streamed, it does not deliver what it delivers whole.";
      case "parity_differs":
        return "Ask without streaming, or update the server: of one and the same reply it makes something else when it streams.";
      case "required_not_enforced":
        return "Do not rely on tool_choice required here: it forces nothing.";
      default:
        return "Check the server's log: what it does with calls fits no known set-up.";
    }
  },
  comparison: ({ outcome, mended, broken, before, now }, names) => {
    const counts = `${now.delivered} of ${now.of} calls are delivered, ${before.delivered} of ${before.of} were`;
    const changes = [
      ...(mended.length === 0 ? [] : [`in order now: ${names(mended)}`]),
      ...(broken.length === 0 ? [] : [`no longer in order: ${names(broken)}`]),
    ].join("; ");
    const rest = changes === "" ? "" : `; ${changes}`;
    switch (outcome) {
      case "better":
        return `Better than before: ${counts}${rest}.`;
      case "worse":
        return `Worse than before: ${counts}${rest}.`;
      case "same":
        return `The same as before: ${counts}${rest}.`;
      case "unknown":
        return "Better or worse cannot be said: one of the two check-ups was not measured.";
      default:
        return outcome satisfies never;
    }
  },
};

function sentence(statement: Statement, server: string): string {
  const { code } = statement;
  const streamed = statement.topic === "streamed" ? "streamed calls" : "calls";
  const shown = (key: string): string => text(statement, key);
  const all = `${number(statement, "of")}`;
  switch (code) {
    case "server_is":
      return `${server}${shown("version") === "" ? "" : ` ${shown("version")}`}, model ${shown("model")}.`;
    case "server_untried":
      return `${server}${shown("version") === "" ? "" : ` ${shown("version")}`}, model ${shown("model")}; this kind is known from its source code alone and was not tried.`;
    case "tools_whole":
      return "Tools reach the prompt whole.";
    case "tools_damaged":
      return "Tools reach the prompt damaged: parts are missing, or they are not printed as JSON.";
    case "tools_missing":
      return "Tools do not reach the prompt.";
    case "tools_cost":
      return `Tools take ${shown("tokens")} tokens of the prompt; whether they are whole is not shown.`;
    case "tools_unknown":
      return "Whether tools reach the prompt is not shown.";
    case "system_kept":
      return "The system prompt is kept beside tools.";
    case "system_dropped":
      return "The system prompt is dropped when tools are given.";
    case "system_unknown":
      return "Whether the system prompt is kept is not shown.";
    case "calls_delivered":
      return `${shown("delivered")} of ${all} ${streamed} are delivered.`;
    case "calls_lost":
      return `0 of ${all} ${streamed} are delivered although the model wrote them${inFormat(statement)}: ${losses(statement)}.`;
    case "calls_refused":
      return shown("message") === ""
        ? "The server refuses tools here, too."
        : `The server refuses tools: “${shown("message")}”.`;
    case "calls_failed":
      return `The server fails on what the model writes: “${shown("message")}”.`;
    case "calls_not_made":
      return `The model makes no call in ${all} replies.`;
    case "calls_not_seen":
      return `No call in ${all} replies; whether the model made none or the server swallowed it is not shown here.`;
    case "calls_mixed":
      return `${shown("delivered")} of ${all} ${streamed} are delivered${losses(statement) === "" ? "" : `; ${losses(statement)}`}.`;
    case "calls_unmeasured":
      return shown("why") === "cut"
        ? "Not measured: every reply ran into the check-up's own limit of tokens."
        : `Not measured${shown("why") === "" ? "" : `: ${shown("why")}`}.`;
    case "parser_named":
      return `Calls are read by ${shown("name")}.`;
    case "parser_inferred": {
      const other = shown("others") === "" ? "" : ` (or ${shown("others")}, which reads the same)`;
      return `Calls are read by --tool-call-parser ${shown("name")}${other}: ${inference(statement)}.`;
    }
    case "parser_active":
      return "A parser for calls is at work; which one is not shown.";
    case "parser_none":
      return "No parser for calls is set.";
    case "parser_unknown":
      return "Whether a parser for calls is at work is not shown.";
    case "required_enforced":
      return "tool_choice required is enforced: even a greeting is answered with a call.";
    case "required_free":
      return "tool_choice required lets text come first; a short reply may end without a call.";
    case "required_not_enforced":
      return "tool_choice required is not enforced.";
    case "required_not_testable":
      return `${server} does not act on tool_choice required: not testable here.`;
    case "required_unknown":
      return "Whether tool_choice required is enforced is not shown.";
    case "results_used":
      return "A tool's result reaches the model, and the answer holds it.";
    case "results_lost":
      return "A tool's result does not reach the model: the rendered prompt lacks it.";
    case "results_refused":
      return `The server does not take a call and its result back (“${text(statement, "message")}”).`;
    case "results_unused":
      return "Given a tool's result, the model answered without it this once.";
    case "results_unknown":
      return "Whether a tool's result reaches the model was not seen.";
    case "thinking_none":
      return "The model does not think, or thinking is off.";
    case "thinking_apart":
      return `Thinking is set apart${shown("name") === "" ? ", so a reasoning parser is at work" : ` by ${shown("name")}`}.`;
    case "thinking_in_text":
      return "Thinking stands in the answer: no reasoning parser takes it out.";
    case "answer_hidden":
      return "A reasoning parser (qwen3 or one like it) takes a whole answer for thinking: the content comes back empty.";
    case "thinking_unknown":
      return "Whether the model thinks is not shown.";
    case "context_is":
      return `${shown("tokens")} tokens.`;
    case "context_cuts":
      return `${shown("tokens")} tokens, and longer prompts are cut without an error: raise num_ctx for agents.`;
    case "context_exceeded":
      return `The request does not fit: ${shown("why")}.`;
    case "context_unknown":
      return "Its length is not shown.";
    case "parity_alike":
      return "The same request brings the same call, whole and streamed.";
    case "parity_differs":
      return `The same request is served otherwise when it is streamed: ${served(statement, "whole")} whole, ${served(statement, "streamed")} streamed.`;
    case "parity_unknown":
      return "Whether whole and streamed replies are alike was not seen.";
    case "intent_kept":
      return "Told not to call a tool, the model calls none.";
    case "intent_broken":
      return `Told not to call a tool, the model calls it all the same (${shown("called")} of ${all}); lab adapter can hold such calls back.`;
    case "called_unasked":
      return `The model answers a greeting with a call (${shown("called")} of ${all}).`;
    case "intent_unknown":
      return "Whether the model leaves a forbidden call out was not seen.";
    case "history_taken":
      return "A conversation with a broken call or another server's ids is taken, and the model still calls.";
    case "history_refused":
      return `The server refuses a conversation with ${variants(statement)} in it (“${shown("message")}”), so every later request fails${statement.remedy === null ? "" : `. What helps: ${statement.remedy}`}.`;
    case "history_poisons":
      return `After ${variants(statement)} in the conversation the model calls no more (0 of ${all}).`;
    case "history_unknown":
      return "What becomes of a conversation with a broken call in it was not seen.";
    case "relay_clean":
      return "A result is handed on without the warning beside it.";
    case "relay_noisy":
      return "Asked for a result alone, the model hands on the warning beside it as well.";
    case "relay_unknown":
      return "Whether a result is handed on without the noise beside it was not seen.";
    case "language_kept":
      return "Asked in Japanese, the model answers in Japanese.";
    case "language_left":
      return `Asked in Japanese, the model answers in ${languages[shown("language")] ?? shown("language")} (${shown("left")} of ${all}).`;
    case "language_unknown":
      return "Whether the model answers in the language of the question was not seen.";
    default:
      return code satisfies never;
  }
}

const languages: Readonly<Record<string, string>> = { en: "English", zh: "Chinese" };

function served(statement: Statement, key: "whole" | "streamed"): string {
  const words: Readonly<Record<string, string>> = {
    structured: "a call",
    leaked: "a call left in the text",
    swallowed: "nothing of the call",
    reasoning_only: "a call left in the thinking",
    truncated: "a call that was cut",
    server_error: "an error",
    refused: "a refusal",
    none: "no call",
  };
  return words[text(statement, key)] ?? text(statement, key);
}

function variants(statement: Statement): string {
  const words: Readonly<Record<string, string>> = {
    "malformed-call": "a broken call",
    "foreign-ids": "another server's call ids",
  };
  const names = text(statement, "variants") || text(statement, "variant");
  return names
    .split(",")
    .map((name) => words[name] ?? name)
    .join(" or ");
}

function inFormat(statement: Statement): string {
  const format = text(statement, "format");
  return format === "" ? "" : ` in ${format}`;
}

function losses(statement: Statement): string {
  const part = (key: string, words: string): string[] =>
    number(statement, key) === 0 ? [] : [`${number(statement, key)} ${words}`];
  return [
    ...part("leaked", "came back as text"),
    ...part("swallowed", "came back as nothing at all"),
    ...part("none", "replies without a call"),
  ].join(", ");
}

function inference(statement: Statement): string {
  const format = text(statement, "format");
  switch (text(statement, "why")) {
    case "reads":
      return `it served calls written in ${format}`;
    case "writes":
      return `under required the server itself writes ${format}`;
    default:
      return `this is how it loses ${format} calls`;
  }
}
