import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { currentTurn } from "../../../src/adapter/intent/current-turn.ts";
import { readRequestKind } from "../../../src/adapter/intent/request-kind.ts";
import type { ChatMessage } from "../../../src/protocol/chat.ts";
import { readCapture } from "../read-capture.ts";

const folder = new URL("../../fixtures/captures/", import.meta.url);
const expected: Readonly<Record<string, string>> = {
  "codex-0171-tui-title-request.json": "title",
  "codex-0171-tui-title-after-wrong-call.json": "title",
  "opencode-11833-title.json": "title",
  "codex-0171-compaction-local-request.json": "compaction",
  "codex-0171-review.json": "review",
  "codex-0171-subagent-first-request.json": "sub_agent",
  "qwen-01510-memory-subagent.json": "memory",
};
const elsewhere = new Set([
  "codex-0171-lmstudio-warmup.json",
  "codex-0171-ollama-pull.json",
  "ollama-js-064-chat.json",
  "codex-0171-compaction-remote-trigger.json",
]);

function read(file: string): { kind: string; said: readonly string[]; more: boolean } {
  const { original, client } = readCapture(file);
  const turn = currentTurn(original.messages);
  const { kind } = readRequestKind(original, client, turn);
  return { kind, said: turn.said, more: turn.more };
}

describe("what a client's request is for", () => {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json") && !elsewhere.has(file));
  it.each(files)("%s", (file) => {
    const wanted =
      expected[file] ?? (/turn[234]\.json$|reconnect|^codex-0171-tool/.test(file) ? "tool_continuation" : "user_turn");
    // A reply that was cut before it was done is resent with its words last.
    expect([wanted, ...(/reconnect/.test(file) ? ["length_continuation"] : [])]).toContain(read(file).kind);
  });

  it("is not a person's without the client's metadata either", () => {
    for (const file of ["codex-0171-tui-title-request.json", "codex-0171-compaction-local-request.json"]) {
      const { original } = readCapture(file);
      const client = { name: "unknown" as const, version: null, turnMetadata: null, headers: {} };
      expect(["title", "compaction"]).toContain(readRequestKind(original, client, currentTurn(original.messages)).kind);
    }
  });

  it("is a warm-up where nothing is asked", () => {
    const client = { name: "codex" as const, version: null, turnMetadata: null, headers: {} };
    const request = { model: "m", messages: [{ role: "user", content: "" }], max_tokens: 1 };
    expect(readRequestKind(request, client, currentTurn(request.messages)).kind).toBe("warm_up");
  });
});

describe("the user's current turn", () => {
  it.each([
    ["codex-0171-exec-pwd-turn1.json", ["Run pwd and tell me the directory."], false],
    ["codex-0171-exec-pwd-turn2.json", ["Run pwd and tell me the directory."], false],
    ["codex-0171-exec-resume-new-user-turn.json", ["and now?"], false],
    ["codex-0171-tui-after-interrupt.json", ["what now?"], false],
    ["codex-0171-exec-agents-md.json", undefined, false],
    ["codex-0171-exec-stdin-block.json", ["summarize this"], true],
    ["codex-0077-responses-shell-turn1.json", ["do the thing"], false],
    ["codex-0110-responses-turn2.json", ["do the thing"], false],
    ["opencode-11833-turn1.json", ['"run pwd"'], false],
    ["qwen-01510-turn1.json", ["run pwd"], false],
    ["qwen-01510-turn2.json", ["run pwd"], false],
  ])("of %s", (file, said, more) => {
    const turn = read(file);
    if (said === undefined) expect(turn.said).toHaveLength(1);
    else expect(turn.said).toEqual(said);
    expect(turn.more).toBe(more);
  });

  it("holds more than words where an image is attached", () => {
    expect(read("codex-0171-exec-image.json").more).toBe(true);
  });

  it("begins behind the summary of a compacted history, and a summary that comes last begins none", () => {
    const old = { role: "user", content: "Do not run anything." };
    const summary = {
      role: "user",
      content:
        "Another language model started to solve this problem and produced a summary of its thinking process. Here is the summary:\nIt said hello.",
    };
    const next = { role: "user", content: "run pwd" };
    expect(currentTurn([old, summary, next])).toMatchObject({ said: ["run pwd"], followedFrom: 3 });
    expect(currentTurn([next, summary]).said).toEqual([next.content, summary.content]);
  });

  it("ends where the assistant spoke", () => {
    const messages: readonly ChatMessage[] = [
      { role: "user", content: "old" },
      { role: "assistant", content: "yes" },
      { role: "user", content: "new" },
      { role: "developer", content: "note" },
      { role: "user", content: "and this" },
    ];
    expect(currentTurn(messages).said).toEqual(["new", "and this"]);
    expect(currentTurn([])).toEqual({ said: [], followedFrom: 0, more: false });
  });
});
