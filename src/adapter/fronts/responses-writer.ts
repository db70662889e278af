import { isJsonObject, type JsonObject, type JsonValue } from "../../protocol/json.ts";
import type { Usage } from "../../protocol/reply.ts";
import type { AdapterCall, AdapterEvent, Failure } from "../events.ts";
import { randomId } from "../open-turn.ts";
import type { DeclaredTool, Turn } from "../turn.ts";
import { customInput } from "./chat-writer.ts";
import type { ReplyWriter } from "./front.ts";
import { itemProblem } from "./responses-items.ts";

interface OpenText {
  readonly kind: "text" | "reasoning";
  readonly id: string;
  readonly index: number;
  text: string;
}

/**
 * Writes the Responses API with its whole set of events: Codex reads items from `output_item.done` alone, SDKs the final object of
 * the terminal event, so each item stands in both, the same. Items are checked before they leave.
 */
export function openResponsesWriter(turn: Turn, body: JsonObject): ReplyWriter {
  const output: JsonObject[] = [];
  const declared = new Map(turn.tools.map((tool) => [tool.name, tool]));
  const base = responseBase(turn, body);
  let sequence = 0;
  let open: OpenText | null = null;
  let final: JsonObject = { ...base, status: "in_progress", output: [] };

  const emit = (type: string, fields: JsonObject): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  const newId = (prefix: string): string => randomId(turn.random, prefix);

  /** Puts a finished item where every client finds it. */
  function done(item: JsonObject, index: number): string {
    output[index] = item;
    return emit("response.output_item.done", { output_index: index, item });
  }

  function addText(kind: OpenText["kind"], text: string): string {
    let written = "";
    if (open !== null && open.kind !== kind) written += closeText();
    if (open === null) {
      open = { kind, id: newId(kind === "text" ? "msg_" : "rs_"), index: output.length, text: "" };
      output.push({});
      written += openedText(open);
    }
    open.text += text;
    const place = { item_id: open.id, output_index: open.index };
    return (
      written +
      (kind === "text"
        ? emit("response.output_text.delta", { ...place, content_index: 0, delta: text, logprobs: [] })
        : emit("response.reasoning_summary_text.delta", { ...place, summary_index: 0, delta: text }))
    );
  }

  function openedText({ kind, id, index }: OpenText): string {
    const place = { item_id: id, output_index: index };
    if (kind === "text")
      return (
        emit("response.output_item.added", {
          output_index: index,
          item: { ...messageItem(id, "in_progress"), content: [] },
        }) + emit("response.content_part.added", { ...place, content_index: 0, part: textPart("") })
      );
    return (
      emit("response.output_item.added", { output_index: index, item: { type: "reasoning", id, summary: [] } }) +
      emit("response.reasoning_summary_part.added", {
        ...place,
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      })
    );
  }

  function closeText(status: "completed" | "incomplete" = "completed"): string {
    if (open === null) return "";
    const { kind, id, index, text } = open;
    open = null;
    const place = { item_id: id, output_index: index };
    if (kind === "text")
      return (
        emit("response.output_text.done", { ...place, content_index: 0, text, logprobs: [] }) +
        emit("response.content_part.done", { ...place, content_index: 0, part: textPart(text) }) +
        done({ ...messageItem(id, status), content: [textPart(text)] }, index)
      );
    const part = { type: "summary_text", text };
    return (
      emit("response.reasoning_summary_text.done", { ...place, summary_index: 0, text }) +
      emit("response.reasoning_summary_part.done", { ...place, summary_index: 0, part }) +
      done({ type: "reasoning", id, summary: [part] }, index)
    );
  }

  function addCall(call: AdapterCall): string {
    const item = callItem(call, declared.get(call.name), newId);
    const problem = itemProblem(item);
    if (problem !== null) {
      turn.trace({ stage: "front", decision: "unreadable_item", reason: problem, before: item });
      return addText(
        "text",
        `[The adapter withheld a call of ${call.name || "a tool without a name"}: ${problem}. Trace ${turn.id}]`,
      );
    }
    const closed = closeText();
    const index = output.length;
    output.push({});
    const place = { item_id: String(item["id"]), output_index: index };
    const custom = item["type"] === "custom_tool_call";
    const key = custom ? "input" : "arguments";
    const text = String(item[key]);
    const name = custom ? "response.custom_tool_call_input" : "response.function_call_arguments";
    return (
      closed +
      emit("response.output_item.added", {
        output_index: index,
        item: { ...item, [key]: "", ...(custom ? {} : { status: "in_progress" }) },
      }) +
      emit(`${name}.delta`, { ...place, delta: text }) +
      emit(`${name}.done`, { ...place, ...(custom ? {} : { name: String(item["name"]) }), [key]: text }) +
      done(item, index)
    );
  }

  function finish(type: string, status: string, fields: JsonObject, usage: Usage | null): string {
    const items = output.filter((item) => item["type"] !== undefined);
    final = { ...base, status, output: items, usage: usage === null ? null : usageObject(usage), ...fields };
    return emit(type, { response: final });
  }

  function fail(failure: Failure): string {
    const anything = open !== null || output.length > 0;
    const error = { code: failedCode(failure), message: failure.message };
    // Where something was shown already a retry would show it twice; `incomplete` ends the turn with what came.
    if (!anything) return finish("response.failed", "failed", { error }, null);
    const written = closeText("incomplete");
    return (
      written +
      finish("response.incomplete", "incomplete", { incomplete_details: { reason: "upstream_error" }, error }, null)
    );
  }

  return {
    start: () => emit("response.created", { response: final }) + emit("response.in_progress", { response: final }),
    keepAlive: () => emit("response.in_progress", { response: { ...base, status: "in_progress", output: [] } }),
    write(event: AdapterEvent) {
      switch (event.kind) {
        case "text":
        case "reasoning":
          return addText(event.kind, event.text);
        case "call":
          return addCall(event.call);
        case "activity": {
          const written = closeText();
          const index = output.length;
          output.push({});
          const item = {
            type: "web_search_call",
            id: newId("ws_"),
            status: "completed",
            action: activityAction(event),
          };
          return (
            written +
            emit("response.output_item.added", { output_index: index, item: { ...item, status: "in_progress" } }) +
            done(item, index)
          );
        }
        case "end": {
          const cut = event.finishReason === "length" || event.finishReason === "content_filter";
          const written = closeText(cut ? "incomplete" : "completed");
          if (!cut) return written + finish("response.completed", "completed", {}, event.usage);
          const reason = event.finishReason === "length" ? "max_output_tokens" : "content_filter";
          return written + finish("response.incomplete", "incomplete", { incomplete_details: { reason } }, event.usage);
        }
        case "failed":
          return fail(event.failure);
        default:
          return event satisfies never;
      }
    },
    body: () => final,
  };
}

function responseBase(turn: Turn, body: JsonObject): JsonObject {
  const { tool_choice: choice, parallel_tool_calls: parallel, instructions, temperature } = body;
  return {
    id: randomId(turn.random, "resp_"),
    object: "response",
    created_at: Math.floor(turn.now() / 1000),
    model: turn.original.model,
    instructions: typeof instructions === "string" ? instructions : null,
    parallel_tool_calls: typeof parallel === "boolean" ? parallel : true,
    tool_choice: choice ?? "auto",
    // The tools are not sent back: nobody reads them, and a hundred kilobytes in each of three events would cost more than the answer.
    tools: [],
    temperature: typeof temperature === "number" ? temperature : null,
    error: null,
    incomplete_details: null,
    metadata: isJsonObject(body["metadata"]) ? body["metadata"] : {},
    store: false,
    usage: null,
  };
}

function messageItem(id: string, status: string): JsonObject {
  return { type: "message", id, role: "assistant", status };
}

function textPart(text: string): JsonObject {
  return { type: "output_text", text, annotations: [] };
}

/** A call in the client's own words: namespace and name apart, freeform input as text. */
function callItem(call: AdapterCall, tool: DeclaredTool | undefined, newId: (prefix: string) => string): JsonObject {
  const name = tool?.clientName ?? call.name;
  const namespace = tool?.namespace == null ? {} : { namespace: tool.namespace };
  if (tool?.kind === "custom")
    return {
      type: "custom_tool_call",
      id: newId("ctc_"),
      status: "completed",
      call_id: call.id,
      name,
      ...namespace,
      input: customInput(call.argumentsText),
    };
  return {
    type: "function_call",
    id: newId("fc_"),
    status: "completed",
    call_id: call.id,
    name,
    ...namespace,
    arguments: call.argumentsText,
  };
}

function activityAction(event: Extract<AdapterEvent, { kind: "activity" }>): JsonValue {
  return event.activity === "web_search"
    ? { type: "search", query: String(event.detail) }
    : { type: "open_page", url: String(event.detail) };
}

/** Words of the API that Codex shows to its user at once; any other makes it try again. */
function failedCode(failure: Failure): string {
  if (failure.code === "context_length_exceeded" || failure.code === "rate_limit_exceeded") return failure.code;
  if (failure.code === "upstream_cut") return "server_error";
  return failure.status >= 500 ? "server_is_overloaded" : "invalid_prompt";
}

function usageObject(usage: Usage): JsonObject {
  const input = usage.promptTokens ?? 0;
  const completion = usage.completionTokens ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: completion,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + completion,
  };
}
