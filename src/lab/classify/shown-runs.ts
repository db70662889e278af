import { holdsAny } from "../../protocol/holds-any.ts";
import { isJsonObject, parseJson } from "../../protocol/json.ts";
import type { TextFinding } from "./sentences.ts";

/** An answer of the agent's format behind its own call: the loop was played through without the program. */
export function findFinalAnswer(text: string): TextFinding | null {
  const match = /^[ \t]*(?:Final Answer|最終回答|最終答案)\s*[:：]/im.exec(text);
  return match === null ? null : { start: match.index, end: text.length, text: text.slice(match.index).trim() };
}

const observationMarks = ["<", "✿", "Observation", "観察", "观察"];

/** What stands behind a call as if it had already been answered. */
export function findInventedObservation(text: string): TextFinding | null {
  if (!holdsAny(text, observationMarks)) return null;
  const match =
    /<tool_response>|^(?:Observation|観察|观察)\s*[:：]|✿RESULT✿|<\|observation\|>|<function_results?>|<\|start_header_id\|>ipython/m.exec(
      text,
    );
  return match === null ? null : { start: match.index, end: text.length, text: text.slice(match.index).trim() };
}

const prompt =
  /^\s*(?:\$|>>>|%|❯|PS [A-Z]:[^>\n]*>|[A-Z]:\\[^>\n]*>|In \[\d*\]:|[\w.-]+@[\w.-]+:[^\n$#]{0,60}[$#])\s+\S/;
const comment = /^\s*(?:#|\/\/|;|--|\.\.\.)/;
const outputLabel =
  /^[ \t]*(?:#+\s*)?(?:\*\*)?(?:(?:the )?(?:output|result|stdout|console output|execution result)s?|実行結果|出力(?:結果)?|結果|输出(?:结果)?|运行结果|执行结果|结果)(?:\*\*)?\s*(?:[:：](?:\*\*)?|は|如下)/im;
/** "Here is the output of X:" with a block behind it. */
const announcedOutput =
  /\b(?:here(?:'s| is| are)|this is|below is)\s+(?:the |its )?(?:output|results?|listing)\s+(?:of|from|for)\s[^\n]{0,60}[:：]\s*```[^\n]{0,120}\n([\s\S]*?)```|(?:の)?(?:出力|実行結果)(?:は|です)?[^\n。]{0,12}[:：。]?\s*```[^\n]{0,120}\n([\s\S]*?)```/i;
const codeFence =
  /```[ \t]*(?:bash|sh|shell|zsh|console|terminal|text|powershell|python|py|pycon|javascript|js|typescript|sql)?[^\n]{0,120}\n([\s\S]*?)```/gi;
const commandFence =
  /```[ \t]*(?:bash|sh|shell|zsh|console|powershell|python|py|javascript|js|sql)\b[^\n]{0,120}\n[\s\S]*?```/i;

/**
 * A terminal session, or code with its "output" behind it, that nobody ran: lines of output which stand in none of the sources.
 * Null where only a command is shown.
 */
export function findShownRun(text: string, sources: readonly string[]): TextFinding | null {
  const staged = holdsAny(text, stagedMarks) ? stagedRun.exec(text) : null;
  if (staged !== null) return { start: staged.index, end: text.length, text: text.slice(staged.index).trim() };
  if (!text.includes("```")) return shownResultObject(text);
  const given = sources.join("\n");
  for (const match of text.matchAll(codeFence)) {
    const output = outputOf(match[1] ?? "");
    if (output.length > 0 && output.some((line) => !given.includes(line.trim())))
      return { start: match.index, end: match.index + match[0].length, text: match[0] };
  }
  const announced = announcedOutput.exec(text);
  if (announced !== null && !given.includes(firstLine(announced[1] ?? announced[2] ?? "")))
    return { start: announced.index, end: announced.index + announced[0].length, text: announced[0] };
  const command = commandFence.exec(text);
  if (command === null) return null;
  const behind = text.slice(command.index + command[0].length);
  const label = outputLabel.exec(behind.slice(0, 400));
  if (label === null || behind.slice(0, label.index).includes("```")) return null;
  const shown = behind
    .slice(label.index + label[0].length)
    .replace(/```\w*/g, "")
    .trim();
  if (shown === "" || given.includes(shown.split("\n", 1)[0] ?? "")) return null;
  const start = command.index;
  return { start, end: text.length, text: text.slice(start).trim() };
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

/** Lines of a session that are neither prompts nor comments, behind the first prompt. */
function outputOf(body: string): readonly string[] {
  const lines = body.split("\n");
  const first = lines.findIndex((line) => prompt.test(line));
  if (first === -1) return [];
  let continued = false;
  return lines.slice(first).filter((line) => {
    const isInput = prompt.test(line) || comment.test(line) || continued;
    continued = isInput && /\\\s*$/.test(line);
    return !isInput && line.trim() !== "";
  });
}

/** "[Searching …]" or 「(検索中…)」 as a stage direction, with results behind it. */
const stagedRun =
  /^[ \t]*[[(（【*_]+\s*(?:(?:search|runn|call|execut|check|look|brows|fetch|query|load|comput|calculat)\w*ing\b|[^\])）】*_\n]{0,12}(?:検索|実行|計算|調査|読み込み|確認)中|正在(?:搜索|查询|运行|执行|计算))[^\])）】*_\n]{0,80}[\])）】*_]+\s*\n[\s\S]{0,200}?(?:results?|結果|output|出力|结果|输出)\s*[:：]/im;
const stagedMarks = ["[", "(", "（", "【", "*", "_"];

const resultKeys = ["output", "stdout", "stderr", "exit_code", "exitCode", "returncode", "return_code", "tool_result"];

/** A whole reply that is the JSON of a tool's result. */
function shownResultObject(text: string): TextFinding | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return null;
  const value = parseJson(trimmed);
  if (!isJsonObject(value)) return null;
  const keys = Object.keys(value).filter((key) => resultKeys.includes(key));
  return keys.length >= 2 ? { start: 0, end: text.length, text: trimmed } : null;
}

/** A quotation of what a tool gave back that stands in no source: invented words in quotation marks. */
export function findInventedQuotation(text: string, sources: readonly string[]): TextFinding | null {
  const pattern =
    /\b(?:returned|printed|output|responded(?: with)?|reported|shows?|showed|gave(?: back)?)\s*:?\s*(?:["“]([^"”\n]{6,})["”]|`([^`\n]{6,})`)|(?:返し|出力し|返答し)[^。\n]{0,10}「([^」\n]{6,})」|「([^」\n]{6,})」(?:と|を)(?:返し|出力し)|(?:返回|输出|显示)(?:了|的是)?\s*[:：]?\s*[“"「]([^”"」\n]{6,})[”"」]/gi;
  const given = sources.join("\n").toLowerCase();
  for (const match of text.matchAll(pattern)) {
    const quoted = match.slice(1).find((group) => group !== undefined) ?? "";
    const words = quoted
      .toLowerCase()
      .replace(/\s+/g, " ")
      .replace(/…|\.\.\./g, "")
      .trim();
    if (!given.replace(/\s+/g, " ").includes(words) && !given.replace(/\\"/g, '"').includes(words))
      return { start: match.index, end: match.index + match[0].length, text: match[0] };
  }
  return null;
}
