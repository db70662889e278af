import type { Tool } from "../../protocol/chat.ts";
import type { Source } from "./reply-input.ts";

/** What a claim says was used: something that runs programs, something that looks things up, or any tool. */
export type Instrument = "program" | "search" | "any";

/** What has really run, by the history that came with the request. */
export interface Ledger {
  /** Texts of tool messages: what a value may come from. */
  readonly results: readonly string[];
  /** Result of the last tool message behind the latest user turn; null where none stands there. */
  readonly latest: { readonly text: string; readonly failed: boolean } | null;
  /** Did a call run that a claim about this instrument can be about? */
  covers(instrument: Instrument): boolean;
  /** Did a call of this very tool run? */
  coversTool(name: string): boolean;
}

const programTool =
  /py|code|exec|eval|calc|math|comput|shell|bash|cmd|command|sql|script|run|sandbox|interpret|terminal|console|プログラム|計算|実行|代码|计算|执行/i;
const searchTool =
  /search|find|look|query|fetch|get|read|list|grep|browse|web|page|status|level|time|lookup|open|検索|調べ|取得|読|搜索|查|读|获取/i;

const failure =
  /^\s*(?:ERROR|Error|error|FAILED|Traceback|Exception|失敗|エラー|错误|失败)|"(?:error|is_error|isError)"\s*:\s*(?!null|false|"")|\b(?:timed out|timeout|connection (?:refused|reset)|permission denied|not found|no such file|(?:exit(?:ed with)?(?: code| status)?|"exit_code":?)\s*:?\s*[1-9]\d*|HTTP (?:4|5)\d\d|unauthori[sz]ed|unavailable)\b|タイムアウト|見つかりません|失敗しました|超时|未找到|无法/i;

/** Reads the history: which calls ran, with what results. An assistant's call counts only where a tool message answered. */
export function readLedger(sources: readonly Source[], tools: readonly Tool[]): Ledger {
  const calls = sources.flatMap((source) => source.calls ?? []);
  const results = sources.filter((source) => source.role === "tool").map((source) => source.text);
  const ran = results.length > 0;
  const lastUser = sources.findLastIndex((source) => source.role === "user");
  const latest = sources.slice(lastUser + 1).findLast((source) => source.role === "tool");
  const words = (name: string): string => {
    const tool = tools.find((candidate) => candidate.function.name === name);
    return `${name} ${tool?.function.description ?? ""} ${Object.keys(parameters(tool)).join(" ")}`;
  };
  return {
    results,
    latest: latest === undefined ? null : { text: latest.text, failed: failure.test(latest.text.slice(0, 2000)) },
    covers(instrument) {
      if (!ran) return false;
      // Where the history does not name its calls, nobody can say what they were.
      if (calls.length === 0 || instrument === "any") return true;
      const pattern = instrument === "program" ? programTool : searchTool;
      return calls.some((call) => pattern.test(words(call.name)));
    },
    coversTool: (name) => ran && (calls.length === 0 || calls.some((call) => call.name === name)),
  };
}

function parameters(tool: Tool | undefined): object {
  const properties = tool?.function.parameters?.["properties"];
  return typeof properties === "object" && properties !== null ? properties : {};
}
