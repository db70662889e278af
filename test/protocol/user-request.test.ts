import { describe, expect, it } from "vitest";
import { readUserRequest, type UserRequest } from "../../src/protocol/user-request.ts";

const asks = (text: string): readonly string[] =>
  Object.entries(readUserRequest(text) satisfies UserRequest)
    .filter(([, value]) => value === true)
    .map(([key]) => key);

describe("what a turn asks for", () => {
  it.each([
    ["Show me an example of a Hermes tool call", "aboutCalls"],
    ["ツール呼び出しの形式を説明して", "aboutCalls"],
    ["工具调用的特殊标记有哪些？", "aboutCalls"],
    ["Summarise this bug report: content holds <tool_call>", "aboutCalls"],
    ["Give me two sample users as JSON", "forDocument"],
    ["Write the JSON tool definition for stock_level so I can paste it", "forDocument"],
    ["設定の例をJSONで見せて", "forDocument"],
    ["What's the command to see open ports?", "forCode"],
    ["How do I undo a commit?", "forCode"],
    ["素数判定のコードを書いて", "forCode"],
    ["给我一段排序的代码", "forCode"],
    ["Translate into German: “I ran the script.”", "rewording"],
    ["次の文を英訳して:「確認しました。」", "rewording"],
    ["Draft an email that says I booked the room", "composing"],
  ])("%j: %s", (text, wanted) => {
    expect(asks(text)).toContain(wanted);
  });

  it.each([
    "Show me the first 40 lines of ops/runbook.md",
    "Show open orders over 120.5 since April",
    "What is the postal code of Pau?",
    "Summarise today's ferry news",
    "Explain the new tax law",
    "Save a bug report about the unclosed tag to bug.md",
    "Use the tool and show me the result",
    "Search for the museum's address.",
    "1から1000までの素数を全部足して",
    "テストを実行して",
    "查一下天气",
    "hello",
    "",
  ])("something done, not shown: %j", (text) => {
    expect(asks(text)).toEqual([]);
  });
});
