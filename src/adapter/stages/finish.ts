import type { ChatRequest, Tool } from "../../protocol/chat.ts";
import { isJsonObject, parseJson } from "../../protocol/json.ts";
import type { AdapterCall, AdapterEvent } from "../events.ts";
import { choiceRefused } from "../failures.ts";
import { type EventTransform, proceed, type ReplyContext, type Stage } from "../stage.ts";
import type { Turn } from "../turn.ts";

export const finalAnswer: Tool = {
  type: "function",
  function: {
    name: "final_answer",
    description: "Gives the user your final answer. Call it when nothing is left to be done with the other tools.",
    parameters: {
      type: "object",
      properties: { answer: { type: "string", description: "The whole answer, as the user is to read it" } },
      required: ["answer"],
      additionalProperties: false,
    },
  },
};

/**
 * For models that answer in prose where a call is due: every request asks for a call (`required`), and a tool `final_answer`
 * is the way to end. Its text is the reply. Where the upstream refuses the choice it is asked once more without it.
 */
export const finish: Stage = {
  name: "finish",
  summary: "off by default: the model must call a tool each time, and ends with final_answer",
  open(turn) {
    if (!turn.config.finish.enabled || turn.tools.length === 0) return null;
    const choice = turn.original.tool_choice ?? "auto";
    if (choice !== "auto" || turn.tools.some((tool) => tool.name === finalAnswer.function.name)) return null;
    turn.addTool(finalAnswer);
    return {
      onRequest(request) {
        turn.trace({ stage: "finish", decision: "required", reason: "a call is asked for in every request" });
        return proceed({ ...request, tools: [...(request.tools ?? []), finalAnswer], tool_choice: "required" });
      },
      onResponse: (context) => openFinish(turn, context, true),
    };
  },
};

function openFinish(turn: Turn, context: ReplyContext, mayAsk: boolean): EventTransform {
  const answers: AdapterCall[] = [];
  let otherCalls = 0;
  let said = "";
  return (event) => {
    switch (event.kind) {
      case "call":
        if (event.call.name !== finalAnswer.function.name) {
          otherCalls++;
          return [event];
        }
        answers.push(event.call);
        return [];
      case "text":
        said += event.text;
        return [event];
      case "end":
        return [...unwrapped(turn, answers, otherCalls, said), event];
      case "failed":
        if (event.failure.code !== choiceRefused || !mayAsk) return [event];
        turn.trace({ stage: "finish", decision: "fell_back_to_auto", reason: event.failure.message });
        return again(turn, context);
      case "reasoning":
      case "activity":
        return [event];
      default:
        return event satisfies never;
    }
  };
}

async function* again(turn: Turn, context: ReplyContext): AsyncGenerator<AdapterEvent> {
  const second = openFinish(turn, context, false);
  const request: ChatRequest = { ...context.request, tool_choice: "auto" };
  for await (const event of context.askAgain(request)) {
    const events = second(event);
    if (Array.isArray(events)) yield* events as readonly AdapterEvent[];
  }
}

/** The text of the last answer; none where other calls still want to be made, because their results are not known to it. */
function unwrapped(
  turn: Turn,
  answers: readonly AdapterCall[],
  otherCalls: number,
  said: string,
): readonly AdapterEvent[] {
  const last = answers.at(-1);
  if (last === undefined) return [];
  const text = answerText(last.argumentsText);
  if (otherCalls > 0) {
    turn.trace({
      stage: "finish",
      decision: "answer_set_aside",
      reason: "other calls of the same reply come first",
      before: text,
    });
    return [];
  }
  turn.trace({ stage: "finish", decision: "answered", reason: "the model called final_answer" });
  return text === "" || said.trim() === text.trim()
    ? []
    : [{ kind: "text", text: said.trim() === "" ? text : `\n\n${text}` }];
}

function answerText(argumentsText: string): string {
  const value = parseJson(argumentsText);
  if (typeof value === "string") return value;
  const answer = isJsonObject(value) ? (value["answer"] ?? Object.values(value)[0]) : argumentsText;
  return typeof answer === "string" ? answer : JSON.stringify(answer ?? "");
}
