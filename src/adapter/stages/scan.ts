import { messageText, toolChoiceWord } from "../../protocol/chat.ts";
import type { Piece } from "../../protocol/formats/format.ts";
import { toolCallFormats } from "../../protocol/formats/index.ts";
import { createScanner, scanText } from "../../protocol/formats/scanner.ts";
import { type HandOn, handOn, type RejectedCall, residualText, type TextEnd } from "../../protocol/hand-on.ts";
import type { AdapterEvent, FinishReason } from "../events.ts";
import type { EventTransform, ReplyContext, Stage } from "../stage.ts";
import { slot, type Turn } from "../turn.ts";
import { createThinkingSplitter } from "./scan/thinking.ts";

/** Set by `repair`: calls in text that need a safe repair are handed on, too. */
export const repairsText = slot<true>("repairs_text");

/**
 * Finds the calls that a model wrote as text and hands them on as calls. Text leaves at once; from the first stretch that is
 * written like a call it is held to the end, because only the whole reply shows whether it acts or is spoken of.
 */
export const scan: Stage = {
  name: "scan",
  summary: "calls that the model wrote as text become calls; thinking in text becomes reasoning",
  open(turn) {
    return { onResponse: (context) => openScan(turn, context) };
  },
};

/** What the end of a reply gives: its last events, and why calls were withheld where none is left. */
interface Outcome {
  readonly events: readonly AdapterEvent[];
  readonly withheld: readonly string[];
}

const nothing: Outcome = { events: [], withheld: [] };

/** Without a context the model is not asked again. */
function openScan(turn: Turn, context: ReplyContext | null): EventTransform {
  const thinking = createThinkingSplitter();
  const scanner = createScanner(toolCallFormats);
  /** The reply proper, and how much of it has left. */
  let speech = "";
  let released = 0;
  const pieces: Piece[] = [];
  let holding = false;
  let reasoning = "";
  let nativeCalls = 0;

  function takePieces(found: readonly Piece[]): readonly AdapterEvent[] {
    for (const piece of found) {
      const before = pieces.at(-1);
      // Text that came in many pieces is one.
      if (piece.kind === "text" && before?.kind === "text") pieces[pieces.length - 1] = { ...before, end: piece.end };
      else pieces.push(piece);
    }
    holding ||= found.some((piece) => piece.kind !== "text");
    const last = found.at(-1);
    if (holding || last === undefined) {
      const firstCall = pieces.find((piece) => piece.kind !== "text");
      return firstCall === undefined ? [] : release(firstCall.start);
    }
    return release(last.end);
  }

  function release(upTo: number): readonly AdapterEvent[] {
    if (upTo <= released) return [];
    const text = speech.slice(released, upTo);
    released = upTo;
    return [{ kind: "text", text }];
  }

  function speak(text: string): readonly AdapterEvent[] {
    if (text === "") return [];
    speech += text;
    return takePieces(scanner.push(text));
  }

  function split(parts: ReturnType<typeof thinking.push>): readonly AdapterEvent[] {
    if (parts.length === 1 && parts[0]?.kind === "speech") return speak(parts[0].text);
    return parts.flatMap((part): readonly AdapterEvent[] => {
      if (part.kind === "speech") return speak(part.text);
      reasoning += part.text;
      return [{ kind: "reasoning", text: part.text }];
    });
  }

  function finish(end: TextEnd): Outcome {
    const events = [...split(thinking.end()), ...takePieces(scanner.end())];
    const more = holding ? handedOn(speech, pieces, end, "text") : fromReasoning(end);
    return { ...more, events: [...events, ...more.events] };
  }

  function handedOn(text: string, found: readonly Piece[], end: TextEnd, where: string): Outcome {
    const handed = handOn(text, found, handOnRequest(turn), end);
    const events: AdapterEvent[] = [];
    const rest = where === "text" ? restOf(text, released, handed) : "";
    const withheld: string[] = [];
    const calls: AdapterEvent[] = [];
    for (const call of handed.calls) {
      const needs = call.repairs.map((repair) => repair.name);
      if (needs.length > 0 && turn.get(repairsText) !== true) {
        withheld.push(`a call of ${call.name} would have needed repairs (${needs.join(", ")}) and repair is off`);
        continue;
      }
      turn.trace({
        stage: "scan",
        decision: "call_from_text",
        reason: `a ${call.format} call stands in the ${where}`,
        before: text.slice(call.start, call.end),
        after: { name: call.name, arguments: call.arguments },
      });
      for (const repair of call.repairs)
        turn.trace({
          stage: "repair",
          decision: `repaired:${repair.name}`,
          reason: repair.safety,
          before: repair.before,
          after: repair.after,
        });
      const argumentsText = JSON.stringify(call.arguments);
      calls.push({ kind: "call", call: { id: turn.newCallId(), name: call.name, argumentsText, origin: "text" } });
    }
    for (const rejected of handed.rejected) {
      const stretch = text.slice(rejected.start, rejected.end);
      turn.trace({
        stage: "scan",
        decision: rejected.reason === "quoted" ? "quoted" : "withheld",
        reason: reasons[rejected.reason],
        before: stretch,
      });
      if (rejected.reason !== "quoted" && rejected.reason !== "choice_none" && where === "text")
        withheld.push(`${rejected.name ?? "a tool"}: ${reasons[rejected.reason]}`);
    }
    if (rest !== "") events.push({ kind: "text", text: rest });
    return { events: [...events, ...calls], withheld: calls.length === 0 && nativeCalls === 0 ? withheld : [] };
  }

  /** A call that ended the thinking while nothing followed: the server's reasoning parser took it for a thought. */
  function fromReasoning(end: TextEnd): Outcome {
    if (reasoning === "" || end !== "stopped" || nativeCalls > 0 || speech.trim() !== "") return nothing;
    if (!/[<{[]/.test(reasoning)) return nothing;
    const found = scanText(toolCallFormats, reasoning);
    const last = found.at(-1);
    const tail = last?.kind === "text" ? found.at(-2) : last;
    if (tail?.kind !== "call" || tail.bare || reasoning.slice(tail.end).trim() !== "") return nothing;
    return handedOn(reasoning, found, end, "reasoning");
  }

  /** The model is told once what is wrong with the call that it wrote. */
  async function* again(
    before: readonly AdapterEvent[],
    withheld: readonly string[],
    { request, askAgain }: ReplyContext,
  ): AsyncGenerator<AdapterEvent> {
    yield* before;
    turn.trace({ stage: "scan", decision: "asked_again", reason: withheld.join("; ") });
    const second = openScan(turn, null);
    const words = `Your tool call could not be carried out (${withheld.join("; ")}). Call one of the tools that you were given, with arguments that fit it, or answer without a call.`;
    const messages = [...request.messages, { role: "assistant", content: speech }, { role: "user", content: words }];
    for await (const event of askAgain({ ...request, messages })) {
      const events = second(event);
      if (Array.isArray(events)) yield* events as readonly AdapterEvent[];
    }
  }

  return (event) => {
    switch (event.kind) {
      case "text":
        return split(thinking.push(event.text));
      case "reasoning":
        reasoning += event.text;
        return [event];
      case "call":
        nativeCalls++;
        return [event];
      case "end": {
        const { events, withheld } = finish(endOf(event.finishReason));
        if (withheld.length === 0) return [...events, event];
        if (context !== null && event.finishReason !== "length") return again(events, withheld, context);
        // Nothing may vanish without a word.
        return [...events, { kind: "text", text: notice(withheld, turn) }, event];
      }
      case "failed":
        return [...finish("lost").events, event];
      case "activity":
        return [event];
      default:
        return event satisfies never;
    }
  };
}

function endOf(reason: FinishReason): TextEnd {
  return reason === "length" || reason === "content_filter" ? "budget" : "stopped";
}

function handOnRequest(turn: Turn): Parameters<typeof handOn>[2] {
  const choice = turn.original.tool_choice;
  const lastUser = turn.original.messages.findLast((message) => message.role === "user");
  return {
    tools: turn.callable(),
    choice: toolChoiceWord(choice),
    namedTool: typeof choice === "object" ? choice.function.name : null,
    userText: lastUser === undefined ? "" : messageText(lastUser),
  };
}

/** What is left to say of a text of which the beginning has left already: all but what was acted on. */
function restOf(text: string, released: number, { calls, rejected }: HandOn): string {
  const acted = [...calls, ...rejected.filter(({ reason }) => reason !== "quoted")];
  const removed = [...new Map(acted.map(({ start, end }) => [start, end]))]
    .sort(([left], [right]) => left - right)
    .map(([start, end]): readonly [number, number] => [start - released, end - released]);
  const rest = residualText(text.slice(released), removed);
  // Words on both sides of a call that is gone must not run together.
  const joins = rest !== "" && removed[0]?.[0] === 0 && /\S$/.test(text.slice(0, released));
  return joins ? `\n${rest}` : rest;
}

const reasons: Readonly<Record<RejectedCall["reason"], string>> = {
  undeclared_tool: "the tool is not declared",
  arguments_do_not_fit: "the arguments do not fit the tool",
  not_json: "the arguments cannot be read",
  cut: "the call was cut off",
  quoted: "the call is only spoken of",
  two_readings: "it can be read in two ways",
  choice_none: "the request forbids calls",
  not_the_named_tool: "the request asks for another tool",
};

function notice(withheld: readonly string[], turn: Turn): string {
  return `[The model's reply was a tool call that could not be carried out (${withheld.join("; ")}). Trace ${turn.id}]`;
}
