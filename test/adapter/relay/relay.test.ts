import { describe, expect, it } from "vitest";
import { selectOutput, suffixFor } from "../../../src/adapter/relay/select-output.ts";
import { readSelector, readTail, type Selector } from "../../../src/adapter/relay/selector.ts";
import { readToolOutput, withOutput } from "../../../src/adapter/relay/tool-output.ts";

describe("selectors", () => {
  it.each<[string, Selector["kind"]]>([
    ["return only stdout", "stdout"],
    ["only the stdout please", "stdout"],
    ["stdout only", "stdout"],
    ["標準出力だけ返して", "stdout"],
    ["stdoutだけ教えてください", "stdout"],
    ["just the stderr", "stderr"],
    ["show me only stderr", "stderr"],
    ["標準エラーだけ返して", "stderr"],
    ["標準エラー出力のみ表示して", "stderr"],
    ["tell me the exit code", "exit_code"],
    ["the exit status only", "exit_code"],
    ["終了コードだけ教えて", "exit_code"],
    ["終了コードを教えてください", "exit_code"],
    ["give me the last line", "last_line"],
    ["only the last line of the output", "last_line"],
    ["最後の行だけ", "last_line"],
    ["最後の1行だけ返して", "last_line"],
    ["return the first line only", "first_line"],
    ["最初の行だけ返して", "first_line"],
    ["1行目だけ見せて", "first_line"],
    ["output only", "output"],
    ["return the output verbatim", "output"],
    ["出力だけ", "output"],
    ["出力だけ返して", "output"],
    ["結果だけを返してください", "output"],
    ["そのまま返して", "output"],
    ["出力をそのまま返して", "output"],
    ["give me only the UUID", "marker"],
    ["UUIDだけ返して", "marker"],
    ["マーカーだけ返して", "marker"],
    ["return only the name key", "json_key"],
    ["nameキーの値だけ返して", "json_key"],
    ["JSONの`version`キーだけ教えて", "json_key"],
    ["tell me the value of the key version", "json_key"],
  ])("%j selects %s", (clause, kind) => {
    expect(readSelector(clause)?.kind).toBe(kind);
  });

  it.each([
    "tell me the directory",
    "結果を教えて",
    "show me the output",
    "summarize the output",
    "explain the last line and the first",
  ])("%j selects nothing", (clause) => {
    expect(readSelector(clause)).toBeNull();
  });

  it.each([
    "then delete it",
    "write it to a file",
    "if it fails, fix it",
    "ファイルに保存して",
    "エラーを直して",
    "英訳して",
  ])("%j is more than a selector", (tail) => {
    expect(readTail(tail)).toEqual({ kind: "other" });
  });

  it("reads the key", () => {
    expect(readSelector("nameキーの値だけ返して")).toEqual({ kind: "json_key", key: "name" });
    expect(readSelector("return only the `scripts.test` key")).toEqual({ kind: "json_key", key: "scripts.test" });
  });
});

const exec = (output: string, code = 0): string =>
  `Chunk ID: cdd1ba\nWall time: 0.0000 seconds\nProcess exited with code ${code}\nOriginal token count: 5\nOutput:\n${output}`;
const qwen = (output: string, code: number | string = 0, error = "(none)"): string =>
  `Command: pwd\nDirectory: (root)\nOutput: ${output}\nError: ${error}\nExit Code: ${code}\nSignal: 0\nProcess Group PGID: 28228`;

describe("frames of tool results", () => {
  it.each([
    [exec("/workspace\n"), "exec_command", "/workspace\n", 0],
    [exec("out\nerr\n", 3), "exec_command", "out\nerr\n", 3],
    [exec(""), "exec_command", "", 0],
    [exec("a\nOutput:\nb"), "exec_command", "a\nOutput:\nb", 0],
    ["Exit code: 0\nWall time: 0 seconds\nOutput:\n/workspace\n", "shell_command", "/workspace\n", 0],
    ['{"output":"/workspace\\n","metadata":{"exit_code":2,"duration_seconds":0.0}}', "shell_json", "/workspace\n", 2],
    [qwen("/workspace"), "qwen", "/workspace", 0],
    [qwen("a\nError: not the frame\nb", 1), "qwen", "a\nError: not the frame\nb", 1],
    [qwen("(empty)"), "qwen", "", 0],
    ["/workspace\n", "none", "/workspace\n", null],
  ])("%j", (text, frame, output, exitCode) => {
    expect(readToolOutput(text)).toMatchObject({ kind: "finished", frame, output, exitCode, truncated: false });
  });

  it.each([
    exec("a\nb\n"),
    "Exit code: 0\nWall time: 0 seconds\nOutput:\na\nb\n",
    qwen("a\nb"),
    "a\nb",
    '{"output":"a\\nb","metadata":{"exit_code":0}}',
  ])("%j keeps its frame around another output", (text) => {
    const changed = withOutput(text, "b");
    expect(readToolOutput(changed)).toMatchObject({ output: "b" });
    expect(withOutput(text, (readToolOutput(text) as { output: string }).output)).toBe(text);
  });

  it("knows a command that still runs, one that was not run, and a cut output", () => {
    expect(
      readToolOutput(
        "Chunk ID: b4b793\nWall time: 0.5007 seconds\nProcess running with session ID 78484\nOriginal token count: 2\nOutput:\nstart\n",
      ),
    ).toEqual({ kind: "running" });
    for (const text of ["unsupported call: exec_command", "failed to parse function arguments: EOF", "aborted"])
      expect(readToolOutput(text).kind).toBe("not_run");
    const cut =
      "Warning: truncated output (original token count: 57224)\nTotal output lines: 40000\n\n1\n3…57174 tokens truncated…984\n40000\n";
    expect(readToolOutput(exec(cut))).toMatchObject({ truncated: true });
  });
});

describe("what is taken out of a result", () => {
  const take = (selector: Selector, text: string, language: "en" | "ja" = "en"): unknown => {
    const selection = selectOutput(selector, readToolOutput(text), language);
    return selection.kind === "selected" ? selection.text : selection;
  };

  it.each<[Selector, string, string]>([
    [{ kind: "output" }, exec("/workspace\n"), "/workspace"],
    [{ kind: "stdout" }, exec("a\n\nb\n"), "a\n\nb"],
    [{ kind: "stderr" }, exec("oops\n", 1), "oops"],
    [{ kind: "exit_code" }, exec("x", 3), "3"],
    [{ kind: "exit_code" }, qwen("x", 0), "0"],
    [{ kind: "exit_code" }, "x\n[exit code: 7]\n", "7"],
    [{ kind: "first_line" }, exec("\na\nb\n"), "a"],
    [{ kind: "last_line" }, exec("a\nb\n\n"), "b"],
    [{ kind: "last_line" }, exec("a\r\nb\r\n"), "b"],
    [{ kind: "json_key", key: "name" }, exec('{"name":"x","n":1}\n'), "x"],
    [{ kind: "json_key", key: "scripts.test" }, exec('{"scripts":{"test":"vitest"}}'), "vitest"],
    [{ kind: "json_key", key: "test" }, exec('{"scripts":{"test":"vitest"}}'), "vitest"],
    [{ kind: "json_key", key: "n" }, exec('{"n":{"a":[1]}}'), '{"a":[1]}'],
    [{ kind: "marker" }, exec("id: 123e4567-e89b-12d3-a456-426614174000!\n"), "123e4567-e89b-12d3-a456-426614174000"],
  ])("%j", (selector, text, expected) => {
    expect(take(selector, text)).toBe(expected);
  });

  it("says why there is nothing, in the user's language and with the exit code of a failure", () => {
    expect(take({ kind: "stdout" }, exec("", 2))).toEqual({
      kind: "absent",
      sentence: "The command printed nothing to stdout. (exit code 2)",
    });
    expect(take({ kind: "stdout" }, exec(""), "ja")).toEqual({
      kind: "absent",
      sentence: "標準出力には何も出力されませんでした。",
    });
    expect(take({ kind: "json_key", key: "x" }, exec("no json"), "ja")).toMatchObject({ kind: "absent" });
    expect(take({ kind: "json_key", key: "x" }, exec('{"a":{"x":1},"b":{"x":2}}'))).toMatchObject({ kind: "absent" });
    expect(take({ kind: "exit_code" }, "bare output")).toMatchObject({ kind: "absent" });
    expect(take({ kind: "json_key", key: "__proto__" }, exec("{}"))).toMatchObject({ kind: "absent" });
  });

  it("leaves to the model what was cut, still runs or was not run", () => {
    const cut = exec("Warning: truncated output (original token count: 9)\nTotal output lines: 4\n\n1\n2\n");
    expect(take({ kind: "output" }, cut)).toMatchObject({ kind: "left" });
    expect(take({ kind: "first_line" }, cut)).toMatchObject({ kind: "left" });
    expect(take({ kind: "last_line" }, cut)).toBe("2");
    expect(take({ kind: "output" }, "unsupported call: x")).toMatchObject({ kind: "left" });
  });

  it("has a suffix only where a stream or an exit code has to be told apart", () => {
    expect(suffixFor(null, true)).toBe("");
    expect(suffixFor({ kind: "output" }, false)).toBe("");
    expect(suffixFor({ kind: "stdout" }, true)).toBe(" 2>/dev/null");
    expect(suffixFor({ kind: "stderr" }, true)).toBe(" 2>&1 >/dev/null");
    expect(suffixFor({ kind: "exit_code" }, true)).toBe("");
    expect(suffixFor({ kind: "exit_code" }, false)).toBe(` 2>&1; echo "[exit code: $?]"`);
  });
});
