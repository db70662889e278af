import { describe, expect, it } from "vitest";
import type { AdapterEvent } from "../../../src/adapter/events.ts";
import { intent } from "../../../src/adapter/stages/intent.ts";
import { router } from "../../../src/adapter/stages/router.ts";
import { suppress } from "../../../src/adapter/stages/suppress.ts";
import type { ChatRequest, Tool } from "../../../src/protocol/chat.ts";
import { namedRisks, redTeam } from "../shell/red-team.ts";
import { runStages, type StageRun } from "../stage-harness.ts";

const tool = (name: string, key: string): Tool => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: { [key]: { type: "string" } }, required: [key] } },
});
const tools = [
  tool("exec_command", "cmd"),
  tool("apply_patch", "input"),
  tool("write_stdin", "chars"),
  tool("read_file", "path"),
];
const asked = (words: string): ChatRequest => ({ model: "m", messages: [{ role: "user", content: words }], tools });
const calling = (name: string, given: object): readonly AdapterEvent[] => [
  { kind: "call", call: { id: "c", name, argumentsText: JSON.stringify(given), origin: "native" } },
  { kind: "end", finishReason: "tool_calls", usage: null },
];

function run(words: string, profile: string, replies?: readonly (readonly AdapterEvent[])[]): Promise<StageRun> {
  return runStages({
    stages: [intent, router, suppress],
    responseOrder: [suppress, intent],
    request: asked(words),
    config: { profile },
    ...(replies === undefined ? {} : { replies }),
  });
}
const textOf = (result: StageRun): string =>
  result.events.map((event) => (event.kind === "text" ? event.text : "")).join("");
const calls = (result: StageRun): readonly AdapterEvent[] => result.events.filter((event) => event.kind === "call");

describe("in the profile read-only", () => {
  it.each([
    ["Run `rm -rf build`", "It creates, changes or deletes files."],
    ["run npm install", "It installs, updates or removes packages."],
    ["Run `systemctl restart nginx`.", "service"],
    ["execute `git push --force`", "git repository"],
    ["Run `terraform apply`", "infrastructure"],
    ["Run `ls > files.txt`", "It redirects input or output."],
    ["Run `cat a | wc -l`", "It contains a pipe."],
    ["Run `ls $(pwd)`", "substitution"],
    ["Run `journalctl -u nginx`", "without a limit"],
    ["Run `cat ~/.ssh/id_rsa`", "credentials"],
    ["`rm -rf build` を実行して", "ファイルの作成・変更・削除"],
    ["npm install を実行して", "パッケージのインストール"],
    ["`systemctl restart nginx` を実行してください", "再起動"],
    ["`ls | wc -l` を実行して", "パイプ"],
  ])("%j is answered with the reason", async (words, reason) => {
    const result = await run(words, "read-only");
    expect(result.asked).toEqual([]);
    expect(calls(result)).toEqual([]);
    expect(textOf(result)).toContain(reason);
    expect(result.entries.some((entry) => entry.stage === "suppress" && entry.decision === "answered")).toBe(true);
  });

  it.each([
    "run the tests",
    "fix the bug",
    "テストを実行して",
    "What does `rm` do?",
    "rm を使うときの注意は？",
    "make it faster",
  ])("%j names no command and goes to the model", async (words) => {
    expect((await run(words, "read-only")).asked).toHaveLength(1);
  });

  it("no command of the red team gets through when the model calls for it", async () => {
    const made: string[] = [];
    for (const command of Object.values(redTeam).flat()) {
      const result = await run("please do what is needed", "read-only", [calling("exec_command", { cmd: command })]);
      if (calls(result).length > 0) made.push(command);
      else expect(textOf(result)).toContain("read-only");
    }
    expect(made).toEqual([]);
  });

  it("lets a call that only reads pass, written anew", async () => {
    const result = await run("how is nginx?", "read-only", [
      calling("exec_command", { cmd: "systemctl status 'nginx'" }),
    ]);
    expect(calls(result)).toMatchObject([
      { call: { id: "c", argumentsText: '{"cmd":"systemctl --no-pager status nginx"}' } },
    ]);
  });

  it("withholds tools that change files and input for running programs, not those that read", async () => {
    const one = async (name: string, given: object): Promise<number> =>
      calls(await run("do it", "read-only", [calling(name, given)])).length;
    expect(await one("apply_patch", { input: "*** Begin Patch" })).toBe(0);
    expect(await one("write_stdin", { session_id: 1, chars: "rm x\n" })).toBe(0);
    expect(await one("write_stdin", { session_id: 1, chars: "" })).toBe(1);
    expect(await one("write_stdin", { session_id: 1 })).toBe(1);
    expect(await one("read_file", { path: "x" })).toBe(1);
  });
});

describe("in the profile agent", () => {
  it.each(namedRisks)("%j goes to the model, and its call to the client's approval", async (command) => {
    const result = await run(`Run \`${command}\``, "agent", [calling("exec_command", { cmd: command })]);
    expect(result.asked).toHaveLength(1);
    expect(calls(result)).toMatchObject([{ call: { argumentsText: JSON.stringify({ cmd: command }) } }]);
  });
});
