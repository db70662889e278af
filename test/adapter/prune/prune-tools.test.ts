import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { declareTools } from "../../../src/adapter/fronts/declared-tools.ts";
import { pruneTools } from "../../../src/adapter/prune/prune-tools.ts";
import type { DeclaredTool } from "../../../src/adapter/turn.ts";
import type { ChatMessage, ChatRequest, ToolChoice } from "../../../src/protocol/chat.ts";
import type { JsonValue } from "../../../src/protocol/json.ts";

const settings = { maxTools: 16, keep: [] };

function toolsOf(capture: string): readonly DeclaredTool[] {
  const file = new URL(`../../fixtures/captures/${capture}.json`, import.meta.url);
  const { body } = JSON.parse(readFileSync(file, "utf8")) as { body: { tools: JsonValue[] } };
  return declareTools(body.tools, []).tools;
}

const codex = toolsOf("codex-0171-exec-plain-turn1");
const codexTui = toolsOf("codex-0171-tui-turn1");
const openCode = toolsOf("opencode-11833-turn1");
const qwen = toolsOf("qwen-01510-turn1");

function request(said: string | readonly ChatMessage[], choice?: ToolChoice): ChatRequest {
  return {
    model: "m",
    messages: typeof said === "string" ? [{ role: "user", content: said }] : said,
    ...(choice === undefined ? {} : { tool_choice: choice }),
  };
}

function names(
  tools: readonly DeclaredTool[],
  said: Parameters<typeof request>[0],
  choice?: ToolChoice,
  more = {},
): readonly string[] {
  return pruneTools(tools, request(said, choice), { ...settings, ...more }).kept.map((tool) => tool.name);
}

const called = (name: string): ChatMessage => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: "{}" } }],
});

describe("tools that the model is shown", () => {
  it("are the shell's alone for a plain request of Codex", () => {
    const pruning = pruneTools(codex, request("Run pwd and tell me the directory."), settings);
    expect(pruning.kept.map((tool) => tool.name)).toEqual(["exec_command", "write_stdin"]);
    const size = (tools: readonly DeclaredTool[]) => JSON.stringify(tools.map(({ tool }) => tool)).length;
    expect(size(pruning.kept) / size(codex)).toBeLessThan(0.2);
    expect(pruning.dropped.map(({ tool }) => tool.name).sort()).toEqual(
      codex
        .map((tool) => tool.name)
        .filter((name) => !["exec_command", "write_stdin"].includes(name))
        .sort(),
    );
    for (const { reason } of pruning.dropped) expect(reason).toMatch(/which nobody asked for$/);
  });

  it.each([
    ["list the MCP resources", "list_mcp_resources"],
    ["MCPのリソース一覧を見せて", "list_mcp_resources"],
    ["read note://todo/1 please", "read_mcp_resource"],
    ["use a sub-agent for the tests", "multi_agent_v1__spawn_agent"],
    ["サブエージェントに任せて", "multi_agent_v1__spawn_agent"],
    ["並列に進めて", "multi_agent_v1__wait_agent"],
    ["set a goal for this thread", "create_goal"],
    ["目標を更新して", "update_goal"],
    ["what is in shot.png?", "view_image"],
    ["この画像を見て", "view_image"],
    ["open a new worktree", "mcp__codex_tui__create_worktree"],
    ["スレッドの一覧", "mcp__codex_tui__list_threads"],
    ["I am in plan mode", "request_user_input"],
    ["先に質問してください", "request_user_input"],
  ])("%j brings its tool back", (said, name) => {
    expect(names(codexTui, "Run pwd.")).not.toContain(name);
    expect(names(codexTui, said, undefined, { maxTools: 100 })).toContain(name);
  });

  it.each([
    "list the files",
    "git の状態を確認して",
    "https://example.com/x を読んで",
    "what is the date",
    "journalctl -u nginx -n 20",
  ])("%j brings none back", (said) => {
    expect(names(codexTui, said)).toEqual(["exec_command", "write_stdin"]);
  });

  it("keep the client's order", () => {
    const shown = names(codexTui, "Show me the image, spawn agents, list MCP resources and goals", undefined, {
      maxTools: 100,
    });
    expect(shown).toEqual(codexTui.map((tool) => tool.name).filter((name) => shown.includes(name)));
    expect(shown.length).toBeGreaterThan(10);
  });

  it("stay once they were asked for, however long ago", () => {
    const later: ChatMessage[] = [
      { role: "user", content: "Look at the screenshot." },
      { role: "assistant", content: "It is blue." },
      { role: "user", content: "Now run pwd." },
    ];
    expect(names(codex, later)).toEqual(["exec_command", "write_stdin", "view_image"]);
  });

  it("hold all of a group of which one was called", () => {
    expect(names(codex, [{ role: "user", content: "go" }, called("create_goal")])).toEqual([
      "exec_command",
      "write_stdin",
      "get_goal",
      "create_goal",
      "update_goal",
    ]);
  });

  it("hold what tool_choice, the user or the configuration names", () => {
    expect(names(codex, "go", { type: "function", function: { name: "view_image" } })).toContain("view_image");
    expect(names(codex, "call update_goal now")).toContain("update_goal");
    expect(names(codex, "go", undefined, { keep: ["view_image"] })).toContain("view_image");
  });

  it("go by the user's words, not by what the client puts around them", () => {
    const context = "<environment_context>\n<goal>agents, images and threads</goal>\n</environment_context>";
    const rules = "# AGENTS.md instructions for /workspace\n\n<INSTRUCTIONS>\nUse agents, set goals\n</INSTRUCTIONS>";
    expect(
      names(codex, [
        { role: "user", content: `${rules}\n${context}` },
        { role: "user", content: "pwd" },
      ]),
    ).toEqual(["exec_command", "write_stdin"]);
  });

  it("are all where the client has no others", () => {
    const onlyAgents = codex.filter((tool) => tool.namespace !== null);
    expect(names(onlyAgents, "pwd")).toEqual(onlyAgents.map((tool) => tool.name));
    expect(pruneTools([], request("pwd"), settings)).toEqual({ kept: [], dropped: [] });
  });

  it("of OpenCode and Qwen Code lose nothing but the tools for other agents", () => {
    const lost = (tools: readonly DeclaredTool[]) =>
      pruneTools(tools, request("run pwd"), settings).dropped.map(({ tool }) => tool.name);
    expect(lost(openCode)).toEqual(["task"]);
    expect(lost(qwen)).toEqual(["agent", "task_stop"]);
  });
});

describe("more tools than the model can have", () => {
  const tool = (name: string, description: string): DeclaredTool => ({
    name,
    kind: "function",
    namespace: null,
    clientName: name,
    tool: { type: "function", function: { name, description, parameters: { type: "object", properties: {} } } },
  });
  const many = [
    tool("bash", "runs commands"),
    ...Array.from({ length: 400 }, (_, at) => tool(`tool_${at}`, `does thing ${at}`)),
    tool("weather", "tells the weather of a city, 天気"),
  ];

  it("are cut to the nearest to the request, the shell among them", () => {
    for (const said of ["How is the weather in Osaka?", "大阪の天気は？"]) {
      const shown = names(many, said);
      expect(shown).toHaveLength(16);
      expect(shown[0]).toBe("bash");
      expect(shown.at(-1)).toBe("weather");
    }
  });

  it("never lose a tool that was called, even beyond the limit", () => {
    const history = Array.from({ length: 20 }, (_, at) => called(`tool_${at * 20}`));
    const shown = names(many, [{ role: "user", content: "go on" }, ...history]);
    for (let at = 0; at < 20; at++) expect(shown).toContain(`tool_${at * 20}`);
    expect(shown).toHaveLength(21);
  });
});
