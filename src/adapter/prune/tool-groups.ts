import type { DeclaredTool } from "../turn.ts";

/** Tools that matter only to some requests, and how one tells such a request. */
export interface ToolGroup {
  readonly name: string;
  /** In words, for the trace. */
  readonly purpose: string;
  holds(tool: DeclaredTool): boolean;
  /** Words of a user that ask for it. */
  readonly asked: RegExp;
  /** Words in the client's instructions that make it matter. */
  readonly instructed?: RegExp;
}

function named(...names: readonly string[]): (tool: DeclaredTool) => boolean {
  const set = new Set(names);
  return (tool) => set.has(tool.clientName);
}

function inNamespace(pattern: RegExp, tool: DeclaredTool): boolean {
  return tool.namespace !== null && pattern.test(tool.namespace);
}

const resourceTools = named("list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource");
const goalTools = named("get_goal", "create_goal", "update_goal");
const questionTools = named("request_user_input", "request_user_input_async");
const imageTools = named("view_image");
const agentTools = named("spawn_agent", "close_agent", "resume_agent", "wait_agent");
/** Names that other servers' tools could have as well: they count only beside the client's own habit of naming. */
const taskTools = named("task", "agent", "task_stop");

/** What clients add to nearly every request and a small model is best without. Every other tool is left to the limit of tools. */
export const toolGroups: readonly ToolGroup[] = [
  {
    name: "mcp_resources",
    purpose: "lists resources of MCP servers",
    holds: (tool) => tool.namespace === null && resourceTools(tool),
    asked:
      /\bMCP\b[^\n]{0,80}\b(?:resources?|templates?)\b|\b(?:resources?|templates?)\b[^\n]{0,80}\bMCP\b|\b(?:list|show|read|which|what)\b[^\n]{0,40}\bresources?\b|\bresource (?:list|templates?|uris?)\b|リソース|资源|資源|(?<![\w+.-])(?!https?:|file:|ssh:|git:|s?ftp:)[a-z][a-z0-9+.-]{1,20}:\/\//i,
  },
  {
    name: "agents",
    purpose: "starts and leads other agents",
    holds: (tool) =>
      inNamespace(/^(?:multi_agent|collaboration|agents?$)/, tool) ||
      (tool.namespace === null && (agentTools(tool) || taskTools(tool))),
    asked:
      /\b(?:(?:sub-?)?agents?|workers?|delegat(?:e|es|ed|ing|ion)|spawn(?:s|ed|ing)?|parallel(?:ly|i[sz]e)?|concurrently|background|sub-?tasks?|team)\b|エージェント|委任|委譲|並列|並行|同時に|手分け|代理|并行|子任务/i,
  },
  {
    name: "goals",
    purpose: "keeps the thread's goal",
    holds: (tool) => tool.namespace === null && goalTools(tool),
    asked: /\bgoals?\b|\bobjectives?\b|ゴール|目標|目标/i,
    instructed: /<(?:active_|current_|thread_)?goal\b/i,
  },
  {
    name: "user_questions",
    purpose: "asks the user in the client's plan mode",
    holds: (tool) => (tool.namespace === null || tool.namespace === "functions") && questionTools(tool),
    asked:
      /\bplan(?:ning)?[- _]?mode\b|\bask me\b|\b(?:questions?|clarif\w+)\b[^\n]{0,30}\b(?:me|first|before)\b|プランモード|計画モード|質問して|聞いて(?:から|ください)|确认|询问/i,
    instructed: /<collaboration_mode>[^<]{0,120}\bplan\b/i,
  },
  {
    name: "images",
    purpose: "shows a picture to the model",
    holds: (tool) => tool.namespace === null && imageTools(tool),
    asked:
      /\b(?:images?|pictures?|photos?|screen ?shots?|diagrams?|figures?|charts?|icons?|logos?|mock-?ups?|renders?)\b|\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|ico|pdf)\b|画像|写真|スクリーンショット|スクショ|図|絵|アイコン|ロゴ|图片|截图|照片/i,
  },
  {
    name: "threads",
    purpose: "leads the client's own threads and worktrees",
    holds: (tool) => inNamespace(/^mcp__codex_tui$/, tool),
    asked: /\bthreads?\b|\bwork-?trees?\b|\bfork\b|\bsessions?\b|スレッド|ワークツリー|セッション|线程|会话/i,
  },
];

/** Shell and editing tools of the clients we know, by the name within the namespace: a coding agent is nothing without them. */
const handTools: ReadonlySet<string> = new Set([
  "exec_command",
  "write_stdin",
  "shell",
  "shell_command",
  "local_shell",
  "container.exec",
  "exec",
  "wait",
  "bash",
  "run_shell_command",
  "run_terminal_cmd",
  "execute_command",
  "terminal",
  "apply_patch",
  "edit",
  "multiedit",
  "edit_file",
  "replace",
  "str_replace",
  "str_replace_editor",
  "str_replace_based_edit_tool",
  "write",
  "write_file",
  "create_file",
  "read",
  "read_file",
  "read_many_files",
]);

/** True for the client's shell and editing tools, whatever letter case it writes them in. */
export function isHandTool(tool: DeclaredTool): boolean {
  return handTools.has(tool.clientName.toLowerCase());
}
