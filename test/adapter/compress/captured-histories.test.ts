import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compressHistory } from "../../../src/adapter/compress/compress-history.ts";
import { messagesSize } from "../../../src/adapter/compress/text-size.ts";
import { type ChatRequest, messageText } from "../../../src/protocol/chat.ts";
import { chatBody, chatStream, post, scripted, testAdapter } from "../support.ts";

const folder = new URL("../../fixtures/captures/", import.meta.url);
const files = readdirSync(folder).filter(
  (file) =>
    /^(?:codex-0171-(?:exec|tool|err|tui)|codex-0|opencode|qwen).*\.json$/.test(file) && !/remote|warmup/.test(file),
);

/** A captured request as it reaches the upstream when nothing is left out. */
async function captured(file: string): Promise<ChatRequest | null> {
  const { meta, headers, body } = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
  const upstream = scripted(body.stream === true ? chatStream({ text: "ok" }) : chatBody({ text: "ok" }));
  const { handler } = testAdapter(upstream, { disable: ["compress", "prune"] });
  await (await post(handler, meta.path, body, { headers })).text();
  return (upstream.bodies[0] ?? null) as unknown as ChatRequest | null;
}

describe.each(files)("%s", (file) => {
  it.each([0.9, 0.5, 0.1, 0])(
    "compressed to %d of its size loses nothing that the ledger does not hold",
    async (part) => {
      const request = await captured(file);
      // Answered without the model.
      if (request === null) return;
      const { messages, tools } = request;
      const budget = Math.floor(messagesSize(messages) * part);
      const compression = compressHistory(messages, budget, tools);
      if (compression.kind === "untouched") throw new Error("nothing was compressed");
      expect(compression.fits ? compression.bytesAfter <= budget : compression.bytesAfter > budget).toBe(true);
      expect(
        compression.messages.map(({ role, tool_calls, tool_call_id }) => ({ role, tool_calls, tool_call_id })),
      ).toEqual(messages.map(({ role, tool_calls, tool_call_id }) => ({ role, tool_calls, tool_call_id })));
      for (const [at, message] of messages.entries()) {
        const original = messageText(message);
        const gaps = compression.dropped.filter((span) => span.message === at && span.part === null);
        let kept = messageText(compression.messages[at] ?? { role: "" });
        if (compression.dropped.some((span) => span.message === at && span.part !== null)) continue;
        // Each stretch between two gaps stands in what was sent, in order.
        let from = 0;
        for (const { start, end } of [...gaps, { start: original.length, end: original.length }]) {
          const stretch = original.slice(from, start);
          const place = kept.indexOf(stretch);
          expect(place).toBeGreaterThanOrEqual(0);
          kept = kept.slice(place + stretch.length);
          from = end;
        }
      }
      const turn = messages.findLast((message) => message.role === "user");
      expect(compression.messages).toContain(turn);
    },
  );
});
