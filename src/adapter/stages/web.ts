import type { ChatMessage, ChatRequest, Tool } from "../../protocol/chat.ts";
import { messageText } from "../../protocol/chat.ts";
import { isJsonObject, parseJson } from "../../protocol/json.ts";
import type { Usage } from "../../protocol/reply.ts";
import type { AdapterCall, AdapterEvent } from "../events.ts";
import { proceed, type ReplyContext, type Stage } from "../stage.ts";
import type { Turn } from "../turn.ts";
import { type AddressRule, publicAddressesOnly } from "../web/address.ts";
import { urlsIn } from "../web/page-url.ts";
import { fetchUrlTool, openWebTools, searchWebTool, type WebTools } from "../web/web-tools.ts";

/** `search_web` and `fetch_url`, carried out by the adapter itself; off unless configured. */
export const web: Stage = createWebStage(publicAddressesOnly);

/** The stage with a rule for addresses of its own: only a test has one that lets this machine be asked. */
export function createWebStage(rule: AddressRule): Stage {
  return {
    name: "web",
    summary:
      "offers search_web and fetch_url, which the adapter carries out itself within strict limits (off by default)",
    open(turn) {
      const { web: settings } = turn.config;
      if (!settings.enabled || turn.web === null || !wantsTools(turn)) return null;
      const own = [fetchUrlTool, ...(settings.searxng === null ? [] : [searchWebTool])].filter(
        (tool) => !turn.tools.some((declared) => declared.name === tool.function.name),
      );
      if (own.length === 0) return null;
      const names = new Set(own.map((tool) => tool.function.name));
      const said = turn.original.messages.filter((message) => message.role === "user").map(messageText);
      const tools = openWebTools(
        {
          web: turn.web,
          rule,
          settings,
          signal: turn.signal,
          question: said.at(-1) ?? "",
          trace: (entry) => turn.trace(entry),
        },
        said.flatMap(urlsIn),
      );
      return {
        onRequest(request) {
          for (const tool of own) turn.addTool(tool);
          return proceed({ ...request, tools: [...(request.tools ?? []), ...own] });
        },
        onResponse: (context) => openLoop(turn, context, names, tools),
      };
    },
  };
}

/** Titles, summaries and the like want no tools, and neither do requests for one form or one tool. */
function wantsTools(turn: Turn): boolean {
  const { tool_choice, response_format } = turn.original;
  if (tool_choice === "none" || typeof tool_choice === "object" || response_format !== undefined) return false;
  const agent = turn.client.name === "codex" || turn.client.name === "opencode" || turn.client.name === "qwen-code";
  return !agent || (turn.original.tools ?? []).length > 0;
}

/** What one reply came to: what the adapter has to do itself, and whether the client has something to do. */
interface Heard {
  text: string;
  own: AdapterCall[];
  foreign: boolean;
}

function openLoop(turn: Turn, context: ReplyContext, names: ReadonlySet<string>, tools: WebTools) {
  let heard: Heard = { text: "", own: [], foreign: false };

  /** Takes one event of a reply; what it gives goes to the client at once. */
  function hear(event: AdapterEvent): readonly AdapterEvent[] {
    if (event.kind === "text") heard.text += event.text;
    if (event.kind !== "call") return [event];
    if (!names.has(event.call.name)) {
      heard.foreign = true;
      return [event];
    }
    heard.own.push(event.call);
    return [];
  }

  function withheld(reason: string): void {
    for (const call of heard.own)
      turn.trace({
        stage: "web",
        decision: "withheld",
        reason,
        before: { name: call.name, arguments: call.argumentsText },
      });
  }

  async function* continued(first: AdapterEvent & { readonly kind: "end" }): AsyncGenerator<AdapterEvent> {
    let end = first;
    let request = context.request;
    let said = heard.text !== "";
    let usage = first.usage;
    while (heard.own.length > 0 && !heard.foreign && tools.left() > 0) {
      const calls = heard.own;
      const results: ChatMessage[] = [];
      for (const call of calls) {
        const { result, activity } = await tools.run(call);
        if (activity !== null) yield activity;
        results.push({ role: "tool", tool_call_id: call.id, content: result });
      }
      request = nextRequest(request, heard.text, calls, results, tools.left() > 0 ? new Set() : names);
      heard = { text: "", own: [], foreign: false };
      for await (const event of context.askAgain(request)) {
        if (event.kind === "end") {
          end = event;
          usage = addUsage(usage, event.usage);
        } else {
          yield* hear(event);
          if (event.kind === "failed") return;
        }
      }
      said ||= heard.text !== "" || heard.foreign;
    }
    if (heard.own.length > 0) {
      const limit = turn.config.web.maxCalls;
      withheld(
        heard.foreign
          ? "the client's own calls of the same reply come first"
          : `${limit} web calls were made in this turn`,
      );
      // The reply would be empty, which clients take for an answer or try again.
      if (!said && !heard.foreign)
        yield { kind: "text", text: `No answer: the model wanted more than ${limit} web calls.` };
    }
    yield { kind: "end", finishReason: heard.foreign ? end.finishReason : ended(end, heard.own.length > 0), usage };
  }

  return (event: AdapterEvent): readonly AdapterEvent[] | AsyncIterable<AdapterEvent> => {
    if (event.kind !== "end" || heard.own.length === 0) return hear(event);
    return continued(event);
  };
}

/** A reply whose only calls were the adapter's own ends as a text does. */
function ended(end: AdapterEvent & { readonly kind: "end" }, withheld: boolean): "stop" | typeof end.finishReason {
  return withheld && end.finishReason === "tool_calls" ? "stop" : end.finishReason;
}

function nextRequest(
  request: ChatRequest,
  text: string,
  calls: readonly AdapterCall[],
  results: readonly ChatMessage[],
  without: ReadonlySet<string>,
): ChatRequest {
  const asked: ChatMessage = {
    role: "assistant",
    content: text,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: "function",
      // Servers that read the arguments of the history fail on broken ones.
      function: { name: call.name, arguments: isJsonObject(parseJson(call.argumentsText)) ? call.argumentsText : "{}" },
    })),
  };
  const { tools, tool_choice, ...rest } = request;
  const left = (tools ?? []).filter((tool: Tool) => !without.has(tool.function.name));
  return {
    ...rest,
    messages: [...request.messages, asked, ...results],
    ...(left.length === 0 ? {} : { tools: left, ...(tool_choice === undefined ? {} : { tool_choice }) }),
  };
}

/**
 * The prompt of the first reply is the client's history, by which it decides when to shorten it; what was read from the web in
 * between is none of it. What the model wrote counts in all.
 */
function addUsage(first: Usage | null, next: Usage | null): Usage | null {
  if (first === null || next === null) return first ?? next;
  const written =
    first.completionTokens === null && next.completionTokens === null
      ? null
      : (first.completionTokens ?? 0) + (next.completionTokens ?? 0);
  return { promptTokens: first.promptTokens, completionTokens: written };
}
