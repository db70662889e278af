import { describe, expect, it } from "vitest";
import type { AdapterCall } from "../../../src/adapter/events.ts";
import { intent } from "../../../src/adapter/stages/intent.ts";
import { relay } from "../../../src/adapter/stages/relay.ts";
import { router } from "../../../src/adapter/stages/router.ts";
import { suppress } from "../../../src/adapter/stages/suppress.ts";
import { warnings } from "../../../src/adapter/stages/warnings.ts";
import type { ClientHints } from "../../../src/adapter/turn.ts";
import { type ChatMessage, type ChatRequest, messageText } from "../../../src/protocol/chat.ts";
import { readCapture } from "../read-capture.ts";
import { runStages, type StageRun, unknownClient } from "../stage-harness.ts";

const order = [intent, warnings, relay, router, suppress];
const run = (request: ChatRequest, client: ClientHints, config: Record<string, unknown> = {}): Promise<StageRun> =>
  runStages({ stages: order, responseOrder: [suppress, intent], request, client, config });
const callOf = (result: StageRun): AdapterCall | null => {
  const event = result.events.find((one) => one.kind === "call");
  return event?.kind === "call" ? event.call : null;
};
const textOf = (result: StageRun): string =>
  result.events.map((event) => (event.kind === "text" ? event.text : "")).join("");

/** A first request of a real client, with other words of the user. */
function saying(file: string, words: string): { readonly request: ChatRequest; readonly client: ClientHints } {
  const { original, client } = readCapture(file);
  const at = original.messages.findLastIndex((message) => message.role === "user");
  const messages = original.messages.map((message, index) =>
    index !== at
      ? message
      : { ...message, content: Array.isArray(message.content) ? [{ type: "text", text: words }] : words },
  );
  return { request: { ...original, messages }, client };
}

const clients = {
  "codex 0.171": ["codex-0171-exec-pwd-turn1.json", "cmd"],
  "codex 0.171 TUI": ["codex-0171-tui-turn1.json", "cmd"],
  "codex 0.77": ["codex-0077-responses-shell-turn1.json", "command"],
  opencode: ["opencode-11833-turn1.json", "command"],
  "qwen code": ["qwen-01510-turn1.json", "command"],
} as const;

describe("a whole turn in each client's first request", () => {
  it.each([
    ["codex-0171-exec-pwd-turn1.json", "exec_command", { cmd: "pwd" }],
    ["codex-0171-tui-turn1.json", "exec_command", { cmd: "pwd" }],
    ["opencode-11833-turn1.json", "bash", { command: "pwd" }],
    ["qwen-01510-turn1.json", "run_shell_command", { command: "pwd" }],
  ])("%s as it was captured", async (file, name, expected) => {
    const { original, client } = readCapture(file);
    const result = await run(original, client);
    expect(result.asked).toEqual([]);
    const call = callOf(result);
    expect(call?.name).toBe(name);
    expect(call?.id).toMatch(/_routed$/);
    expect(JSON.parse(call?.argumentsText ?? "")).toEqual(expected);
    expect(result.entries.find((entry) => entry.stage === "router")).toMatchObject({
      decision: "routed",
      before: "pwd",
      after: "pwd",
    });
  });

  it.each(Object.entries(clients))("%s, in Japanese", async (_, [file, key]) => {
    const { request, client } = saying(file, "`ls -la src` を実行してください。");
    const call = callOf(await run(request, client));
    const command: unknown = JSON.parse(call?.argumentsText ?? "{}")[key];
    expect(Array.isArray(command) ? command.join(" ") : command).toBe("ls -la src");
  });

  it.each([
    "What does `pwd` do? Explain it, do not run it.",
    "`pwd` を説明して。実行しないで。",
    'Explain the \\"pwd\\" command. Do not run anything.',
  ])("opencode run, which wraps its prompt in quotation marks: %s forbids as it does anywhere else", async (words) => {
    const { request, client } = saying("opencode-11833-turn1.json", `"${words}"`);
    const { entries } = await run(request, client);
    expect(entries.find(({ stage }) => stage === "intent")?.after).toMatchObject({ ban: "everything" });
    // From other clients such marks are the user's own, and what stands in them is quoted.
    const codex = saying("codex-0171-exec-pwd-turn1.json", `"${words}"`);
    const other = await run(codex.request, codex.client);
    expect(other.entries.find(({ stage }) => stage === "intent")?.after).toBeUndefined();
  });

  it.each([
    "codex-0171-tui-title-request.json",
    "codex-0171-tui-title-after-wrong-call.json",
    "opencode-11833-title.json",
    "codex-0171-compaction-local-request.json",
    "codex-0171-compaction-local-after.json",
    "codex-0171-exec-pwd-turn2.json",
    "codex-0171-review.json",
    "qwen-01510-memory-subagent.json",
    "opencode-11833-turn2.json",
    "qwen-01510-turn2.json",
  ])("%s is never routed", async (file) => {
    const { original, client } = readCapture(file);
    const result = await run(original, client);
    expect(callOf(result)).toBeNull();
    expect(result.asked).toHaveLength(1);
  });

  it.each(["codex-0171-review.json", "codex-0171-subagent-first-request.json", "qwen-01510-memory-subagent.json"])(
    "%s is not routed though its words are a command",
    async (file) => {
      const { request, client } = saying(
        file,
        file.startsWith("qwen") ? "Update the managed memory.\n\nrun pwd" : "run pwd",
      );
      expect(callOf(await run(request, client))).toBeNull();
    },
  );

  it("uses the working directory that Codex tells", async () => {
    const { original, client } = readCapture("codex-0171-exec-pwd-turn1.json");
    const moved = original.messages.map((message) => ({
      ...message,
      content: messageText(message)
        .replace("<cwd>/workspace</cwd>", "<cwd>/home/user/.ssh</cwd>")
        .replace("Run pwd and tell me the directory.", "cat ./config"),
    }));
    const result = await run({ ...original, messages: moved }, client);
    expect(callOf(result)).toBeNull();
    expect(result.entries.find((entry) => entry.stage === "router")).toMatchObject({ decision: "left_to_model" });
  });
});

describe("what keeps a turn from being routed", () => {
  const shell = readCapture("opencode-11833-turn1.json").original.tools ?? [];
  const base: ChatRequest = { model: "m", messages: [{ role: "user", content: "run pwd" }], tools: shell };
  it.each<[string, ChatRequest, ClientHints]>([
    ["no shell tool", { ...base, tools: [] }, unknownClient],
    ["tool_choice none", { ...base, tool_choice: "none" }, unknownClient],
    [
      "tool_choice of another tool",
      { ...base, tool_choice: { type: "function", function: { name: "read" } } },
      unknownClient,
    ],
    [
      "two messages of the user",
      {
        ...base,
        messages: [
          { role: "user", content: "run pwd" },
          { role: "user", content: "run date" },
        ],
      },
      unknownClient,
    ],
    [
      "an attached image",
      {
        ...base,
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "run pwd" },
              { type: "image_url", image_url: { url: "data:," } },
            ],
          },
        ],
      },
      unknownClient,
    ],
    ["Windows", base, { ...unknownClient, headers: { "user-agent": "QwenCode/0.15.10 (win32; x64)" } }],
    [
      "PowerShell",
      {
        ...base,
        messages: [
          { role: "user", content: "<environment_context><shell>powershell</shell></environment_context>" },
          ...base.messages,
        ],
      },
      unknownClient,
    ],
    [
      "a quotation, in a client that does not wrap turns",
      { ...base, messages: [{ role: "user", content: '"run pwd"' }] },
      unknownClient,
    ],
  ])("%s", async (_, request, client) => {
    const result = await run(request, client);
    expect(callOf(result)).toBeNull();
    expect(result.asked).toHaveLength(1);
  });

  it("the stage intent switched off: then nobody knows whose turn it is", async () => {
    const result = await runStages({ stages: [router], request: base });
    expect(callOf(result)).toBeNull();
  });

  it("nothing, in the plain request", async () => {
    expect(callOf(await run(base, unknownClient))).not.toBeNull();
  });
});

describe("a turn that wants only the output", () => {
  const exec = (output: string, code = 0): string =>
    `Chunk ID: cdd1ba\nWall time: 0.0000 seconds\nProcess exited with code ${code}\nOriginal token count: 5\nOutput:\n${output}`;
  const frames: Readonly<Record<keyof typeof clients, (output: string) => string>> = {
    "codex 0.171": exec,
    "codex 0.171 TUI": exec,
    "codex 0.77": (output) => JSON.stringify({ output, metadata: { exit_code: 0, duration_seconds: 0 } }),
    opencode: (output) => output,
    "qwen code": (output) =>
      `Command: x\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: 0\nSignal: 0\nProcess Group PGID: 1`,
  };

  /** The turn routed, and then with the client's result behind it. */
  async function roundTrip(
    client: keyof typeof clients,
    words: string,
    output: string,
  ): Promise<{ first: StageRun; second: StageRun }> {
    const start = saying(clients[client][0], words);
    const first = await run(start.request, start.client);
    const call = callOf(first);
    if (call === null) throw new Error(`not routed: ${words}`);
    const followed: readonly ChatMessage[] = [
      ...start.request.messages,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: call.id, type: "function", function: { name: call.name, arguments: call.argumentsText } }],
      },
      { role: "tool", tool_call_id: call.id, content: frames[client](output) },
    ];
    return { first, second: await run({ ...start.request, messages: followed }, start.client) };
  }

  it.each(Object.keys(clients) as (keyof typeof clients)[])("%s: the last line, in both languages", async (client) => {
    for (const words of ["Run `ls` and return only the last line.", "`ls` を実行して、最後の行だけ返して"]) {
      const { first, second } = await roundTrip(client, words, "a\nb\nc\n");
      expect(callOf(first)?.argumentsText).toContain("ls 2>/dev/null");
      expect(second.asked).toEqual([]);
      expect(textOf(second)).toBe("c");
      expect(second.entries.find((entry) => entry.stage === "relay")?.decision).toBe("relayed");
    }
  });

  it("puts the suffix behind the checked command, through a shell where the tool takes a list", async () => {
    const { first } = await roundTrip("codex 0.77", "`ls` を実行して、標準エラーだけ返して", "x");
    expect(JSON.parse(callOf(first)?.argumentsText ?? "")).toEqual({ command: ["bash", "-lc", "ls 2>&1 >/dev/null"] });
  });

  it("reads the exit code of a client whose results have none", async () => {
    const { first, second } = await roundTrip("opencode", "Run `ls` and tell me the exit code", "a\n[exit code: 2]\n");
    expect(callOf(first)?.argumentsText).toContain("exit code: $?");
    expect(textOf(second)).toBe("2");
  });

  it("sets a known warning apart before it answers, and keeps it in the trace", async () => {
    const warning = "/bin/bash: warning: setlocale: LC_ALL: cannot change locale (xx_YY.UTF-8)";
    const { second } = await roundTrip("codex 0.171", "pwdを実行して、出力だけ返して", `${warning}\n/workspace\n`);
    expect(textOf(second)).toBe("/workspace");
    expect(second.dropped).toEqual([{ stage: "warnings", reason: "known harmless warning: setlocale", text: warning }]);
  });

  it("leaves a turn without a selector to the model", async () => {
    const { second } = await roundTrip("codex 0.171", "Run pwd and tell me the directory.", "/workspace\n");
    expect(second.asked).toHaveLength(1);
  });

  it("answers only calls that the router made, and only right after them", async () => {
    const { original, client } = readCapture("codex-0171-exec-pwd-turn2.json");
    const messages = original.messages.map((message) =>
      messageText(message) === "Run pwd and tell me the directory."
        ? { ...message, content: "run pwd, output only" }
        : message,
    );
    expect((await run({ ...original, messages }, client)).asked).toHaveLength(1);
    const start = saying("codex-0171-exec-pwd-turn1.json", "run pwd, output only");
    const call = (id: string): ChatMessage => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "exec_command", arguments: "{}" } }],
    });
    const more = {
      ...start.request,
      messages: [
        ...start.request.messages,
        call("a_routed"),
        { role: "tool", tool_call_id: "a_routed", content: exec("x") },
        call("b"),
        { role: "tool", tool_call_id: "b", content: exec("y") },
      ],
    };
    expect((await run(more, start.client)).asked).toHaveLength(1);
  });

  it("leaves a running command and a refused call to the model", async () => {
    const start = saying("codex-0171-exec-pwd-turn1.json", "run pwd, output only");
    for (const content of [
      "unsupported call: exec_command",
      "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n",
    ]) {
      const messages: readonly ChatMessage[] = [
        ...start.request.messages,
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "a_routed", type: "function", function: { name: "exec_command", arguments: '{"cmd":"pwd"}' } },
          ],
        },
        { role: "tool", tool_call_id: "a_routed", content },
      ];
      expect((await run({ ...start.request, messages }, start.client)).asked).toHaveLength(1);
    }
  });
});

describe("warnings in other results", () => {
  it("are taken from a captured result, and its frame stays", async () => {
    const { original, client } = readCapture("codex-0171-tool-locale-warning-turn2.json");
    const [request] = (await run(original, client)).asked;
    const tool = request?.messages.find((message) => message.role === "tool");
    expect(messageText(tool ?? { role: "tool" })).toMatch(/^Chunk ID: .*\nOutput:\n\/workspace\n$/s);
  });

  it("stay in the result of a tool that runs no commands", async () => {
    const line = "stdin: is not a tty\nx";
    const request: ChatRequest = {
      model: "m",
      messages: [
        { role: "user", content: "read it" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "a", content: line },
      ],
      tools: [
        {
          type: "function",
          function: { name: "read", parameters: { type: "object", properties: { command: { type: "string" } } } },
        },
      ],
    };
    const result = await run(request, unknownClient);
    expect(result.asked[0]).toBe(request);
  });
});
