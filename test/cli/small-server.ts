import { type Handler, jsonResponse } from "../../src/protocol/handler.ts";

/** An OpenAI-compatible server of one model that always says the same. `onChat` is told of every chat request. */
export function smallServer(options: {
  readonly models?: readonly string[];
  readonly onChat?: (request: Request) => Promise<void> | void;
}): Handler {
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/v1/models") {
      const data = (options.models ?? ["small"]).map((id) => ({ id, object: "model", created: 0, owned_by: "test" }));
      return jsonResponse({ object: "list", data });
    }
    if (pathname !== "/v1/chat/completions") {
      return jsonResponse({ error: { message: "no such route", type: "not_found", code: 404 } }, 404);
    }
    await options.onChat?.(request);
    return jsonResponse({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 0,
      model: "small",
      choices: [{ index: 0, message: { role: "assistant", content: "I would rather not." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
  };
}
