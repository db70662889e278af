import { describe, expect, it } from "vitest";
import { type Compression, compressHistory } from "../../../src/adapter/compress/compress-history.ts";
import { messagesSize } from "../../../src/adapter/compress/text-size.ts";
import { type ChatMessage, messageText } from "../../../src/protocol/chat.ts";
import { createChooser, plantedHistory, shellTool } from "./histories.ts";

const histories = Array.from({ length: 1000 }, (_, at) => plantedHistory(at * 7919 + 13));

function budgetFor(seed: number, bytes: number): number {
  return Math.floor(bytes * (0.02 + createChooser(seed).below(90) / 100));
}

function messagesOf(compression: Compression, original: readonly ChatMessage[]): readonly ChatMessage[] {
  return compression.kind === "untouched" ? original : compression.messages;
}

/** The original, put together again from what was kept and what the ledger says was left out. */
function joinedAgain(original: string, dropped: readonly { start: number; end: number; text: string }[]): boolean {
  return dropped.every(({ start, end, text }) => original.slice(start, end) === text);
}

const compressed = histories.map(({ messages, tools }, seed) => {
  const budget = budgetFor(seed, messagesSize(messages));
  return { budget, compression: compressHistory(messages, budget, tools) };
});

function shape(messages: readonly ChatMessage[]): unknown {
  return messages.map(({ role, tool_calls, tool_call_id, content }) => ({
    role,
    tool_calls,
    tool_call_id,
    parts: Array.isArray(content) ? content.length : 0,
    empty: content === "" || content === undefined,
  }));
}

describe("compressing a history", () => {
  it("keeps every planted fact word for word in 1,000 histories", () => {
    const lost = histories.flatMap(({ messages, facts }, seed) => {
      const { compression } = compressed[seed] ?? {};
      const text = (compression === undefined ? [] : messagesOf(compression, messages)).map(messageText).join("\n");
      return facts.filter((fact) => !text.includes(fact.text)).map((fact) => ({ seed, ...fact }));
    });
    expect(lost).toEqual([]);
  });

  it("plants every fact, so that it could be lost", () => {
    const absent = histories.flatMap(({ messages, facts }) => {
      const text = messages.map(messageText).join("\n");
      return facts.filter((fact) => !text.includes(fact.text));
    });
    expect(absent).toEqual([]);
    expect(histories.flatMap(({ facts }) => facts)).toHaveLength(8000);
  });

  it("leaves every message, call and id in its place", () => {
    for (const [seed, { messages }] of histories.entries()) {
      const { compression } = compressed[seed] ?? {};
      if (compression?.kind === "compressed") expect(shape(compression.messages)).toEqual(shape(messages));
    }
  });

  it("stays within the budget, or says that the facts alone are more", () => {
    const seen = { untouched: 0, fits: 0, tight: 0 };
    for (const [seed, { messages, tools }] of histories.entries()) {
      const { compression, budget } = compressed[seed] ?? {};
      if (compression === undefined || budget === undefined) throw new Error("no result");
      if (compression.kind === "untouched") {
        seen.untouched += 1;
        expect(compression.bytes).toBeLessThanOrEqual(budget);
        continue;
      }
      expect(compression.bytesAfter).toBe(messagesSize(compression.messages));
      if (compression.fits) {
        seen.fits += 1;
        expect(compression.bytesAfter).toBeLessThanOrEqual(budget);
        continue;
      }
      seen.tight += 1;
      const least = compressHistory(messages, 0, tools);
      if (least.kind === "untouched") throw new Error("a budget of nothing was kept");
      expect(least.bytesAfter).toBeGreaterThan(budget);
      expect(compression.messages).toEqual(least.messages);
    }
    // Every kind of result was seen.
    expect(seen.fits).toBeGreaterThan(500);
    expect(seen.tight).toBeGreaterThan(50);
  });

  it("uses the room that the budget gives", () => {
    const used = compressed.flatMap(({ budget, compression }) =>
      compression.kind === "compressed" && compression.fits ? [compression.bytesAfter / budget] : [],
    );
    expect(used.reduce((sum, part) => sum + part, 0) / used.length).toBeGreaterThan(0.85);
  });

  it("writes every text that it left out into the ledger", () => {
    for (const [seed, { messages }] of histories.entries()) {
      const { compression } = compressed[seed] ?? {};
      if (compression?.kind !== "compressed") continue;
      for (const [at, message] of messages.entries()) {
        const spans = compression.dropped.filter((span) => span.message === at);
        const original = messageText(message);
        expect(joinedAgain(original, spans)).toBe(true);
        let rest = "";
        let from = 0;
        for (const { start, end } of spans) {
          rest += original.slice(from, start);
          from = end;
        }
        rest += original.slice(from);
        const kept = messageText(compression.messages[at] ?? { role: "" });
        expect(kept.replace(/\[… \d+ lines? left out …\]\n?| … ?/g, "").replace(/\s/g, "")).toBe(
          rest.replace(/\s/g, ""),
        );
      }
    }
  });

  it("gives the same result for the same input", () => {
    for (const { messages, tools } of histories.slice(0, 50)) {
      const budget = messagesSize(messages) / 3;
      expect(compressHistory(messages, budget, tools)).toEqual(
        compressHistory(structuredClone(messages), budget, tools),
      );
    }
  });

  it("touches nothing below the budget", () => {
    const { messages } = plantedHistory(1);
    const bytes = messagesSize(messages);
    expect(compressHistory(messages, bytes)).toEqual({ kind: "untouched", bytes });
    expect(compressHistory(messages, bytes - 1).kind).toBe("compressed");
  });

  it("never shortens the latest user turn, with what the client put before it", () => {
    const turn: ChatMessage[] = [
      { role: "user", content: `<environment_context>${"long words ".repeat(300)}</environment_context>` },
      { role: "user", content: "今の状態を教えて。".repeat(100) },
    ];
    const result = compressHistory([{ role: "system", content: "Be brief. ".repeat(50) }, ...turn], 500);
    expect(result).toMatchObject({ kind: "compressed", fits: false });
    if (result.kind === "compressed") expect(result.messages.slice(1)).toEqual(turn);
  });

  it("gives up what is furthest from the question first", () => {
    const filler = (word: string): string =>
      Array.from({ length: 200 }, (_, at) => `${word} line number ${at} of a quiet log`).join("\n");
    const call = (id: string): ChatMessage => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "exec_command", arguments: "{}" } }],
    });
    const messages: ChatMessage[] = [
      { role: "system", content: "You help. ".repeat(40) },
      { role: "user", content: "Look at the first thing." },
      call("call_1"),
      {
        role: "tool",
        tool_call_id: "call_1",
        content: `${filler("old")}\nthe zebra counter stands at 41\n${filler("older")}`,
      },
      { role: "user", content: "And what does the zebra counter say?" },
      call("call_2"),
      { role: "tool", tool_call_id: "call_2", content: filler("new") },
    ];
    const result = compressHistory(messages, 9_000, [shellTool]);
    if (result.kind !== "compressed") throw new Error("nothing was compressed");
    expect(result.fits).toBe(true);
    expect(result.messages[6]).toBe(messages[6]);
    expect(result.messages[0]).toBe(messages[0]);
    expect(messageText(result.messages[3] ?? { role: "" })).toContain("the zebra counter stands at 41");
    expect(new Set(result.dropped.map((span) => span.reason))).toEqual(new Set(["old_output"]));
  });

  it("takes out lines that only repeat themselves before anything else", () => {
    const beats = Array.from(
      { length: 400 },
      (_, at) => `2026-05-20 10:00:${String(at % 60).padStart(2, "0")} [${at}] heartbeat of the worker`,
    );
    const messages: ChatMessage[] = [
      { role: "user", content: "What happened?" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "exec_command", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_1", content: ["start of work", ...beats, "end of work"].join("\n") },
    ];
    const result = compressHistory(messages, 2_000);
    if (result.kind !== "compressed") throw new Error("nothing was compressed");
    const kept = messageText(result.messages[2] ?? { role: "" });
    expect(kept.split("\n")).toEqual([
      "start of work",
      beats[0],
      "[… 398 lines left out …]",
      beats.at(-1),
      "end of work",
    ]);
    expect(result.dropped.map((span) => span.reason)).toEqual(["repeated"]);
  });

  it("leaves pictures and unknown parts alone", () => {
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const messages: ChatMessage[] = [
      { role: "user", content: [{ type: "text", text: "Nothing of note here. ".repeat(200) }, picture] },
      { role: "assistant", content: "ok" },
      { role: "user", content: "go on" },
    ];
    const result = compressHistory(messages, 500);
    if (result.kind !== "compressed") throw new Error("nothing was compressed");
    expect(result.fits).toBe(true);
    expect(result.messages[0]?.content).toHaveLength(2);
    expect(result.messages[0]?.content?.[1]).toBe(picture);
  });

  it.each([
    ["nothing", []],
    ["no user", [{ role: "assistant", content: "a. ".repeat(900) }]],
    [
      "a lone surrogate",
      [
        { role: "tool", tool_call_id: "x", content: `\ud800${"x\udc00 ".repeat(900)}` },
        { role: "user", content: "?" },
      ],
    ],
    [
      "one endless word",
      [
        { role: "tool", tool_call_id: "x", content: "z".repeat(50_000) },
        { role: "user", content: "?" },
      ],
    ],
    [
      "only blank lines",
      [
        { role: "tool", tool_call_id: "x", content: "\n".repeat(50_000) },
        { role: "user", content: "?" },
      ],
    ],
    [
      "a role nobody knows",
      [
        { role: "ghost", content: "boo. ".repeat(900) },
        { role: "user", content: "?" },
      ],
    ],
  ] as [string, ChatMessage[]][])("copes with %s", (_, messages) => {
    const result = compressHistory(messages, 100);
    if (result.kind === "compressed") expect(result.messages).toHaveLength(messages.length);
  });
});
