import type { ChatMessage } from "../../protocol/chat.ts";
import type { AdapterCall, AdapterEvent } from "../events.ts";
import { keyOf, repeatsInTurn } from "../guard/repeated-calls.ts";
import { createRepeatedTextFilter } from "../guard/repeated-text.ts";
import { type EventTransform, proceed, type ReplyContext, type Stage } from "../stage.ts";
import type { Turn } from "../turn.ts";

/**
 * Keeps a model from going round in circles: the same call twice in a reply, the same call with the same result again and again,
 * tools that do not exist, an answer written twice. The model is told once what is wrong; after that the turn ends with a word.
 */
export const guard: Stage = {
  name: "guard",
  summary: "repeated calls and answers, endless loops and unknown tools are stopped",
  open(turn) {
    const repeats = repeatsInTurn(turn.original.messages);
    return {
      // Its place among the request hooks is where a second question of its own begins.
      onRequest: proceed,
      onResponse: (context) => openGuard(turn, repeats, context, true),
    };
  },
};

/** A call that is not made, and what the model is told about it. */
interface Refused {
  readonly call: AdapterCall;
  readonly decision: string;
  readonly words: string;
}

function openGuard(
  turn: Turn,
  repeats: ReadonlyMap<string, number>,
  context: ReplyContext,
  mayAsk: boolean,
): EventTransform {
  const text = createRepeatedTextFilter();
  const made = new Set<string>();
  const refused: Refused[] = [];
  let said = "";
  const known = new Set(turn.callable().map((tool) => tool.function.name));

  function takeText(piece: string): readonly AdapterEvent[] {
    said += piece;
    const out = text.push(piece);
    return out === "" ? [] : [{ kind: "text", text: out }];
  }

  function takeCall(call: AdapterCall): readonly AdapterEvent[] {
    const key = keyOf(call.name, call.argumentsText);
    if (made.has(key)) {
      turn.trace({
        stage: "guard",
        decision: "duplicate_call",
        reason: "the same call stands in this reply already",
        before: shown(call),
      });
      return [];
    }
    made.add(key);
    const problem = problemOf(call, key);
    if (problem === null) return [{ kind: "call", call }];
    refused.push(problem);
    turn.trace({
      stage: "guard",
      decision: `${problem.decision}_withheld`,
      reason: problem.words,
      before: shown(call),
    });
    return [];
  }

  function problemOf(call: AdapterCall, key: string): Refused | null {
    if (!known.has(call.name)) {
      const names = [...known].slice(0, 40).join(", ");
      return {
        call,
        decision: "unknown_tool",
        words: `There is no tool ${JSON.stringify(call.name)}. The tools are: ${names || "none"}.`,
      };
    }
    const count = repeats.get(key) ?? 0;
    if (count < turn.config.guard.maxRepeats) return null;
    const words = `This very call was made ${count} times in a row with the same result. It will give the same again: use the result, try something else, or say that it cannot be done.`;
    return { call, decision: "loop", words };
  }

  function ending(
    event: Extract<AdapterEvent, { kind: "end" }>,
  ): readonly AdapterEvent[] | AsyncIterable<AdapterEvent> {
    const rest = text.end();
    if (text.dropped() !== "")
      turn.trace({
        stage: "guard",
        decision: "answer_repeated",
        reason: "the whole answer was written twice",
        before: text.dropped(),
      });
    const events: AdapterEvent[] = rest === "" ? [] : [{ kind: "text", text: rest }];
    // Some of the calls can be made: their results take the turn on, and the others are not missed.
    if (refused.length === 0 || made.size > refused.length) return [...events, event];
    if (mayAsk) return again(events);
    const why = refused.map(({ words }) => words).join(" ");
    return [...events, { kind: "text", text: `[The turn was ended: ${why} Trace ${turn.id}]` }, event];
  }

  async function* again(before: readonly AdapterEvent[]): AsyncGenerator<AdapterEvent> {
    yield* before;
    turn.trace({ stage: "guard", decision: "asked_again", reason: "the model was told what is wrong with its call" });
    const second = openGuard(turn, repeats, context, false);
    for await (const event of context.askAgain(withResults(context, said, refused))) {
      const events = second(event);
      if (Array.isArray(events)) yield* events as readonly AdapterEvent[];
    }
  }

  return (event) => {
    switch (event.kind) {
      case "text":
        return takeText(event.text);
      case "call":
        return takeCall(event.call);
      case "end":
        return ending(event);
      case "failed": {
        const rest = text.end();
        return rest === "" ? [event] : [{ kind: "text", text: rest }, event];
      }
      case "reasoning":
      case "activity":
        return [event];
      default:
        return event satisfies never;
    }
  };
}

/** The conversation with the refused calls and what was wrong with them. */
function withResults(context: ReplyContext, said: string, refused: readonly Refused[]): ReplyContext["request"] {
  const calls = refused.map(({ call }) => ({
    id: call.id,
    type: "function" as const,
    function: { name: call.name, arguments: call.argumentsText },
  }));
  const results = refused.map(
    ({ call, words }): ChatMessage => ({ role: "tool", tool_call_id: call.id, content: words }),
  );
  const { tool_choice: choice, ...request } = context.request;
  return {
    ...request,
    // A choice that forces the tool would force the loop.
    ...(choice === undefined || choice === "none" || choice === "auto" ? { tool_choice: choice } : {}),
    messages: [...request.messages, { role: "assistant", content: said, tool_calls: calls }, ...results],
  } as ReplyContext["request"];
}

function shown(call: AdapterCall): { readonly name: string; readonly arguments: string } {
  return { name: call.name, arguments: call.argumentsText };
}
