import { isJsonObject, type JsonValue, parseJson } from "../../protocol/json.ts";
import type { CommandSuffix } from "../shell/shell-tool.ts";
import type { Selector } from "./selector.ts";
import type { ToolOutput } from "./tool-output.ts";

export type Language = "en" | "ja";

export type Selection =
  | { readonly kind: "selected"; readonly text: string }
  /** The result holds no such part; the sentence says so to the user. */
  | { readonly kind: "absent"; readonly sentence: string }
  /** Not for the adapter to answer: the model sees the result as it is. */
  | { readonly kind: "left"; readonly reason: string };

const exitMark = /(?:^|\n)\[exit code: (\d+)\]\s*$/;

/**
 * What to put behind a checked command so that the wanted part can be told from the rest. Every client merges the two streams, in
 * random order, so a stream is chosen where the command runs; an exit code is printed where the frame may not have one.
 */
export function suffixFor(selector: Selector | null, framed: boolean): CommandSuffix {
  switch (selector?.kind) {
    case undefined:
    case "output":
      return "";
    case "stdout":
    case "first_line":
    case "last_line":
    case "json_key":
    case "marker":
      return " 2>/dev/null";
    case "stderr":
      return " 2>&1 >/dev/null";
    case "exit_code":
      return framed ? "" : ` 2>&1; echo "[exit code: $?]"`;
    default:
      return selector satisfies never;
  }
}

/** Takes the wanted part out of a finished result. */
export function selectOutput(selector: Selector, result: ToolOutput, language: Language): Selection {
  if (result.kind === "running") return { kind: "left", reason: "the command still runs" };
  if (result.kind === "not_run") return { kind: "left", reason: "the client did not run the command" };
  const { output, exitCode, truncated } = result;
  const lines = output.split(/\r?\n/);
  while (lines.length > 0 && lines.at(-1)?.trim() === "") lines.pop();
  switch (selector.kind) {
    case "output":
    case "stdout":
    case "stderr": {
      if (truncated) return { kind: "left", reason: "the client cut the output" };
      const text = output.replace(/\s+$/, "");
      return text === "" ? absent(language, exitCode, emptyWords[selector.kind]) : { kind: "selected", text };
    }
    case "exit_code": {
      const marked = exitMark.exec(output)?.[1];
      const code = exitCode !== null && marked === undefined ? exitCode : marked;
      if (code === undefined)
        return absent(language, null, {
          en: "The client did not report an exit code.",
          ja: "クライアントが終了コードを返しませんでした。",
        });
      return { kind: "selected", text: String(code) };
    }
    case "first_line": {
      // What stands in front of a cut output is a notice of the client.
      const [first] = truncated ? [] : lines.filter((line) => line.trim() !== "");
      if (truncated) return { kind: "left", reason: "the client cut the output" };
      return first === undefined ? absent(language, exitCode, emptyWords.output) : { kind: "selected", text: first };
    }
    case "last_line": {
      const last = lines.at(-1);
      return last === undefined ? absent(language, exitCode, emptyWords.output) : { kind: "selected", text: last };
    }
    case "json_key": {
      if (truncated) return { kind: "left", reason: "the client cut the output" };
      return selectKey(selector.key, output, exitCode, language);
    }
    case "marker": {
      const found = [...new Set(output.match(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi) ?? [])];
      if (found.length === 1 && !truncated) return { kind: "selected", text: found[0] ?? "" };
      if (truncated) return { kind: "left", reason: "the client cut the output" };
      return found.length === 0
        ? absent(language, exitCode, { en: "The output contains no UUID.", ja: "出力に UUID がありません。" })
        : absent(language, null, {
            en: `The output contains ${found.length} different UUIDs:\n${found.join("\n")}`,
            ja: `出力に異なる UUID が ${found.length} 個あります:\n${found.join("\n")}`,
          });
    }
    default:
      return selector satisfies never;
  }
}

const emptyWords = {
  output: { en: "The command printed nothing.", ja: "コマンドは何も出力しませんでした。" },
  stdout: { en: "The command printed nothing to stdout.", ja: "標準出力には何も出力されませんでした。" },
  stderr: { en: "The command printed nothing to stderr.", ja: "標準エラー出力には何も出力されませんでした。" },
} as const;

function absent(language: Language, exitCode: number | null, words: Readonly<Record<Language, string>>): Selection {
  const failed = exitCode !== null && exitCode !== 0;
  const code = language === "ja" ? `（終了コード: ${exitCode}）` : ` (exit code ${exitCode})`;
  return { kind: "absent", sentence: `${words[language]}${failed ? code : ""}` };
}

function selectKey(key: string, output: string, exitCode: number | null, language: Language): Selection {
  const parsed = parseJson(output.trim());
  if (parsed === undefined)
    return absent(language, exitCode, { en: "The output is not JSON.", ja: "出力は JSON ではありません。" });
  const value = valueAt(parsed, key);
  if (value === undefined)
    return absent(language, exitCode, {
      en: `The JSON output has no key "${key}".`,
      ja: `出力の JSON にキー "${key}" はありません。`,
    });
  return { kind: "selected", text: typeof value === "string" ? value : JSON.stringify(value) };
}

/** The value of a key: at the top as it is written, else along its dots, else where it occurs just once. */
function valueAt(value: JsonValue, key: string): JsonValue | undefined {
  const plain = key.replace(/^[$.]+/, "");
  if (isJsonObject(value) && Object.hasOwn(value, plain)) return value[plain];
  let at: JsonValue | undefined = value;
  for (const step of plain.split(".")) {
    if (Array.isArray(at) && /^\d+$/.test(step)) at = at[Number(step)];
    else at = isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  if (at !== undefined) return at;
  const found: JsonValue[] = [];
  collect(value, plain, found, 0);
  return found.length === 1 ? found[0] : undefined;
}

function collect(value: JsonValue, key: string, found: JsonValue[], depth: number): void {
  if (depth > 50) return;
  if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) collect(item, key, found, depth + 1);
  else if (isJsonObject(value))
    for (const [name, item] of Object.entries(value)) {
      if (name === key) found.push(item);
      collect(item, key, found, depth + 1);
    }
}
