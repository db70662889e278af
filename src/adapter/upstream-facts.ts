import type { Tool } from "../protocol/chat.ts";
import type { Handler } from "../protocol/handler.ts";
import { askThrough } from "../protocol/servers/ask-through.ts";
import { identify } from "../protocol/servers/identify.ts";
import { serverRecord } from "../protocol/servers/index.ts";
import { judgeRendering } from "../protocol/servers/render-check.ts";
import type { UpstreamFacts } from "./turn.ts";

const probeTool: Tool = {
  type: "function",
  function: {
    name: "look_up_station",
    description: "Looks up a station.",
    parameters: { type: "object", properties: { station_code: { type: "string" } }, required: ["station_code"] },
  },
};

const unknown: UpstreamFacts = { reached: false, kind: "openai", version: null, toolsInPrompt: "unknown" };

/** Finds out what the upstream is and whether tools reach its prompt. A server that says nothing is an `openai` one. Never rejects. */
export async function meetUpstream(
  upstream: Handler,
  {
    apiPrefix,
    headers,
    model,
  }: { readonly apiPrefix: string; readonly headers: Readonly<Record<string, string>>; readonly model: string },
): Promise<UpstreamFacts> {
  const ask = askThrough(upstream, { headers });
  try {
    const { kind, version } = await identify(ask, { apiPrefix });
    const record = serverRecord(kind);
    const messages = [{ role: "user", content: "Where is the station?" }];
    const input = { messages, tools: [probeTool] };
    const rendered = await record.renderPrompt({ ask, model }, input);
    const without =
      rendered.kind === "tokens" ? await record.renderPrompt({ ask, model }, { messages, tools: [] }) : null;
    return { reached: true, kind, version, toolsInPrompt: judgeRendering(rendered, input, without).tools };
  } catch {
    // An upstream that is not there yet: what it is will be asked again with the next request that wants to know.
    return unknown;
  }
}
