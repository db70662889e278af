import { describe, expect, it } from "vitest";
import { checkShellCall } from "../../../src/adapter/shell/check-call.ts";
import { buildShellCall, commandOfCall, findShellTool, type ShellTool } from "../../../src/adapter/shell/shell-tool.ts";
import type { Tool } from "../../../src/protocol/chat.ts";
import type { JsonObject } from "../../../src/protocol/json.ts";
import { readCapture } from "../read-capture.ts";

const words = ["ls", "-la", "a b"].map((text) => ({ text, home: false }));
const tool = (name: string, properties: JsonObject, required: readonly string[] = []): Tool => ({
  type: "function",
  function: { name, parameters: { type: "object", properties, required } },
});
const text = { type: "string" };

const toolsOf = (file: string): readonly Tool[] => readCapture(file).original.tools ?? [];
const found = (tools: readonly Tool[]): ShellTool => {
  const shell = findShellTool(tools);
  if (shell === null) throw new Error("no shell tool");
  return shell;
};

describe("the call of each client's shell tool", () => {
  it.each([
    ["codex-0171-exec-pwd-turn1.json", "exec_command", { cmd: "ls -la 'a b'" }],
    ["codex-0140-responses-turn2.json", "exec_command", { cmd: "ls -la 'a b'" }],
    ["codex-0110-responses-turn2.json", "exec_command", { cmd: "ls -la 'a b'" }],
    ["codex-0077-responses-shell_command-turn2.json", "shell_command", { command: "ls -la 'a b'" }],
    ["codex-0077-responses-shell-turn1.json", "shell", { command: ["ls", "-la", "a b"] }],
    ["codex-0077-chat-turn2.json", "shell", { command: ["ls", "-la", "a b"] }],
    ["opencode-11833-turn1.json", "bash", { command: "ls -la 'a b'" }],
    ["qwen-01510-turn1.json", "run_shell_command", { command: "ls -la 'a b'" }],
  ])("%s: %s", (file, name, expected) => {
    const shell = found(toolsOf(file));
    expect(shell.name).toBe(name);
    const call = buildShellCall(shell, words, "");
    expect(call.kind === "built" ? JSON.parse(call.argumentsText) : call).toEqual(expected);
  });

  it("goes through a shell where a list of arguments needs one", () => {
    const shell = found([tool("shell", { command: { type: "array" } })]);
    const build = (...given: Parameters<typeof buildShellCall>): unknown => {
      const call = buildShellCall(...given);
      return call.kind === "built" ? JSON.parse(call.argumentsText) : call;
    };
    expect(build(shell, words, " 2>/dev/null")).toEqual({ command: ["bash", "-lc", "ls -la 'a b' 2>/dev/null"] });
    expect(
      build(
        shell,
        [
          { text: "ls", home: false },
          { text: "~/x y", home: true },
        ],
        "",
      ),
    ).toEqual({
      command: ["bash", "-lc", "ls ~/'x y'"],
    });
  });

  it("fills what the schema requires, with defaults and harmless choices", () => {
    const shell = found([
      tool(
        "bash",
        {
          command: text,
          description: text,
          is_background: { type: "boolean" },
          timeout: { type: "integer", maximum: 5000 },
          mode: { type: "string", default: "x" },
          sandbox_permissions: { type: "string", enum: ["require_escalated", "use_default"] },
          workdir: text,
        },
        ["command", "description", "is_background", "timeout", "mode", "sandbox_permissions", "workdir"],
      ),
    ]);
    const call = buildShellCall(shell, words, "");
    expect(call.kind === "built" ? JSON.parse(call.argumentsText) : call).toEqual({
      command: "ls -la 'a b'",
      description: "Run ls -la 'a b'",
      is_background: false,
      timeout: 5000,
      mode: "x",
      sandbox_permissions: "use_default",
      workdir: ".",
    });
  });

  it("is not built where nobody can say what a required field means", () => {
    const shell = found([tool("bash", { command: text, session: { type: "object" } }, ["command", "session"])]);
    expect(buildShellCall(shell, words, "")).toEqual({ kind: "not_built", requires: "session" });
  });

  it("is of no tool whose schema has no place for a command", () => {
    expect(findShellTool([tool("bash", { code: text }), tool("read", { command: text })])).toBeNull();
    expect(findShellTool([])).toBeNull();
  });
});

describe("a model's call", () => {
  const exec = found(toolsOf("codex-0171-exec-pwd-turn1.json"));
  const list = found([tool("shell", { command: { type: "array" } })]);
  const place = { directory: "/workspace" };

  it("is read from text and from arguments", () => {
    expect(commandOfCall(exec, '{"cmd":"ls"}')).toBe("ls");
    expect(commandOfCall(list, '{"command":["bash","-lc","ls | wc"]}')).toBe("ls | wc");
    expect(commandOfCall(list, '{"command":["rm","a b"]}')).toBe("rm 'a b'");
    expect(commandOfCall(list, '{"command":["bash","-lc","ls","x"]}')).toBe("bash -lc ls x");
    for (const broken of ["", "{", "[]", "{}", '{"cmd":1}']) expect(commandOfCall(exec, broken)).toBeNull();
  });

  it("is written anew where it only reads", () => {
    expect(
      checkShellCall(exec, '{"cmd":"systemctl status nginx","workdir":"/workspace","yield_time_ms":1000}', place),
    ).toEqual({
      kind: "allowed",
      argumentsText: '{"cmd":"systemctl --no-pager status nginx","workdir":"/workspace","yield_time_ms":1000}',
    });
    expect(checkShellCall(list, '{"command":["cat","a;b"]}', place)).toEqual({
      kind: "allowed",
      argumentsText: '{"command":["cat","a;b"]}',
    });
  });

  it.each([
    ['{"cmd":"rm x"}', "file_mutation"],
    ['{"cmd":"ls","shell":"/usr/bin/python3"}', "unlisted_option"],
    ['{"cmd":"ls","sandbox_permissions":"require_escalated"}', "privilege"],
    ['{"cmd":"cat config","workdir":"/home/u/.ssh"}', "credential"],
    ['{"cmd":"cat id","workdir":"~/.ssh"}', "credential"],
    ['{"cmd":"cat shadow","workdir":"/etc"}', "credential"],
    ['{"cmd":"ls","env":{"LD_PRELOAD":"x"}}', "unlisted_option"],
    ['{"cmd":"ls","run_in_background":true}', "unlisted_option"],
    ["{}", "unreadable"],
    ['{"cmd":"ls"', "unreadable"],
  ])("%s is refused for %s", (argumentsText, risk) => {
    expect(checkShellCall(exec, argumentsText, place)).toMatchObject({ kind: "refused", risk });
  });
});
