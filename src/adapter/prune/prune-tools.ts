import { type ChatMessage, type ChatRequest, messageText } from "../../protocol/chat.ts";
import { relevance } from "../compress/relevance.ts";
import type { DeclaredTool } from "../turn.ts";
import { isHandTool, toolGroups } from "./tool-groups.ts";

export interface PruneSettings {
  /** Most tools that the model is shown; tools that must stay may be more. */
  readonly maxTools: number;
  /** Chat names of tools that always stay. */
  readonly keep: readonly string[];
}

export interface DroppedTool {
  readonly tool: DeclaredTool;
  readonly reason: string;
}

/** Which of the client's tools the model is shown, in the client's order. */
export interface Pruning {
  readonly kept: readonly DeclaredTool[];
  readonly dropped: readonly DroppedTool[];
}

/**
 * Leaves out tools that nothing in the conversation asks for. A tool once asked for or called stays for all the conversation, so
 * that the prompt's beginning changes as seldom as can be. Never left out: a tool that was called, that `tool_choice` or the user
 * names, the client's shell and editing tools, and those of `keep`.
 */
export function pruneTools(tools: readonly DeclaredTool[], request: ChatRequest, settings: PruneSettings): Pruning {
  const groups = toolGroups
    .map((group) => ({ group, members: tools.filter((tool) => group.holds(tool)) }))
    .filter(({ members }) => members.length > 0);
  if (groups.length === 0 && tools.length <= settings.maxTools) return { kept: tools, dropped: [] };
  const asked = request.messages
    .filter((message) => message.role === "user")
    .map(spokenText)
    .join("\n");
  const instructed = request.messages.filter(isInstruction).map(messageText).join("\n");
  const needed = neededTools(tools, request, asked, settings.keep);
  const reasons = new Map<DeclaredTool, string>();
  for (const { group, members } of groups) {
    // Who has used one of them is in the middle of something that may need the others.
    if (members.some((tool) => needed.has(tool))) continue;
    if (group.asked.test(asked) || group.instructed?.test(instructed) === true) continue;
    for (const tool of members) reasons.set(tool, `${group.purpose}, which nobody asked for`);
  }
  const left = tools.filter((tool) => !reasons.has(tool));
  if (left.length > settings.maxTools) {
    const chosen = mostRelevant(left, needed, asked, settings.maxTools);
    for (const tool of left)
      if (!chosen.has(tool))
        reasons.set(tool, `of ${left.length} tools the ${settings.maxTools} nearest to the request stay`);
  }
  // A client whose only tools are of this kind means them.
  if (reasons.size === tools.length) return { kept: tools, dropped: [] };
  return {
    kept: tools.filter((tool) => !reasons.has(tool)),
    dropped: tools.flatMap((tool) => {
      const reason = reasons.get(tool);
      return reason === undefined ? [] : [{ tool, reason }];
    }),
  };
}

function isInstruction(message: ChatMessage): boolean {
  return message.role === "system" || message.role === "developer";
}

/** Blocks that clients put into user messages; their words are nobody's wish. */
const contextBlocks =
  /<(environment_context|user_instructions|INSTRUCTIONS|skills_instructions|permissions instructions|system-reminder|turn_aborted|collaboration_mode)>[\s\S]*?<\/\1>|^# AGENTS\.md instructions[^\n]*$/gm;

function spokenText(message: ChatMessage): string {
  return messageText(message).replace(contextBlocks, "");
}

function neededTools(
  tools: readonly DeclaredTool[],
  request: ChatRequest,
  asked: string,
  keep: readonly string[],
): ReadonlySet<DeclaredTool> {
  const names = new Set(keep);
  for (const message of request.messages) for (const call of message.tool_calls ?? []) names.add(call.function.name);
  if (typeof request.tool_choice === "object") names.add(request.tool_choice.function.name);
  const words = new Set(asked.match(/[\w.-]{3,}/g) ?? []);
  const isNamed = (name: string): boolean => /[_.-]|[a-z][A-Z]/.test(name) && words.has(name);
  return new Set(
    tools.filter((tool) => names.has(tool.name) || isHandTool(tool) || isNamed(tool.name) || isNamed(tool.clientName)),
  );
}

function mostRelevant(
  tools: readonly DeclaredTool[],
  needed: ReadonlySet<DeclaredTool>,
  asked: string,
  maxTools: number,
): ReadonlySet<DeclaredTool> {
  const scores = relevance(tools.map(describe), asked);
  const order = tools
    .map((tool, at) => ({ tool, score: scores[at] ?? 0 }))
    .filter(({ tool }) => !needed.has(tool))
    .toSorted((one, two) => two.score - one.score);
  const chosen = new Set(tools.filter((tool) => needed.has(tool)));
  for (const { tool } of order) {
    if (chosen.size >= maxTools) break;
    chosen.add(tool);
  }
  return chosen;
}

/** What a tool says of itself: its name counts as its words do. */
function describe(tool: DeclaredTool): string {
  const { description, parameters } = tool.tool.function;
  const properties = parameters?.["properties"];
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return `${tool.name} ${tool.clientName} ${(description ?? "").slice(0, 2000)} ${names.slice(0, 50).join(" ")}`;
}
