import { isJsonObject, parseJson } from "../../protocol/json.ts";

/**
 * A tool's result as the client framed it. `output` is what the command printed, `start` where it stands in the text (null where it is
 * escaped inside JSON); `exitCode` is null where the frame has none.
 */
export type ToolOutput =
  | {
      readonly kind: "finished";
      readonly frame: FrameName;
      readonly output: string;
      readonly exitCode: number | null;
      readonly truncated: boolean;
    }
  /** The command still runs; what it printed so far is not its output. */
  | { readonly kind: "running" }
  /** The client did not run the command, or its answer is no output: refused, unknown tool, broken arguments. */
  | { readonly kind: "not_run"; readonly text: string };

/** Whose frame it is: Codex's exec_command, its older shell tools, Qwen Code's, or none at all (OpenCode). */
export type FrameName = "exec_command" | "shell_command" | "shell_json" | "qwen" | "none";

const execHead =
  /^(?:Chunk ID: [^\n]*\n)?Wall time: [^\n]*\n(?:Process (?:exited with code (?<code>-?\d+)|running with session ID (?<session>\d+))\n)?(?:Original token count: \d+\n)?Output:(?:\n|$)/;
const shellHead = /^Exit code: (?<code>-?\d+)\nWall time: [^\n]*\n(?:Total output lines: \d+\n)?Output:(?:\n|$)/;
const qwenFrame =
  /^Command: [\s\S]*?\nDirectory: [^\n]*\n(?:Output|Stdout): (?<output>[\s\S]*)\nError: (?<error>[\s\S]*?)\nExit Code: (?<code>[^\n]*)\nSignal: [^\n]*\n(?:Background PIDs: [^\n]*\n)?Process Group PGID: [^\n]*\s*$/;
/** Cut by Codex, by OpenCode, by Qwen Code. */
const cut =
  /^Warning: truncated output \(original token count: \d+\)|…\d+ (?:tokens|chars|lines) truncated…|\[\.\.\. (?:omitted|truncated)|<bash_metadata>[\s\S]*truncated|\(Output was truncated|\.\.\.output truncated\.\.\./;
const notRun =
  /^(?:unsupported call: |failed to parse (?:function )?arguments|exec_command failed|write_stdin failed|aborted\s*$|rejected|patch rejected|approval |(?:The )?(?:user|client) (?:denied|rejected|declined|has rejected)|The arguments provided to the tool are invalid|Error: (?:Tool|Invalid|User)|tool (?:call|execution) (?:was )?(?:denied|rejected|failed)|Tool "[^"]*" (?:not found|requires)|\[Operation Cancelled\]|command timed out)|`rm -r?f?|^[^\n]*(?:was|is) (?:rejected|blocked) by (?:policy|the user)/i;

/** Reads a tool message's text. Only the first "Output:" counts: what a command prints may look like a frame as well. */
export function readToolOutput(text: string): ToolOutput {
  const exec = execHead.exec(text);
  if (exec !== null) {
    if (exec.groups?.["session"] !== undefined) return { kind: "running" };
    return finished("exec_command", text.slice(exec[0].length), numberOf(exec.groups?.["code"]));
  }
  const shell = shellHead.exec(text);
  if (shell !== null) return finished("shell_command", text.slice(shell[0].length), numberOf(shell.groups?.["code"]));
  const qwen = qwenFrame.exec(text);
  if (qwen !== null) {
    const { output = "", error = "", code = "" } = qwen.groups ?? {};
    if (error !== "(none)" && error.trim() !== "" && (output === "(empty)" || output === ""))
      return { kind: "not_run", text: error };
    return finished("qwen", output === "(empty)" ? "" : output, numberOf(code));
  }
  if (text.startsWith("{")) {
    const parsed = parseJson(text);
    if (isJsonObject(parsed) && typeof parsed["output"] === "string" && isJsonObject(parsed["metadata"])) {
      const code = parsed["metadata"]["exit_code"];
      return finished("shell_json", parsed["output"], typeof code === "number" ? code : null);
    }
  }
  if (notRun.test(text)) return { kind: "not_run", text };
  return finished("none", text, null);
}

/** The same frame around another output, so that a client's framing survives what is taken out. */
export function withOutput(text: string, output: string): string {
  const read = readToolOutput(text);
  if (read.kind !== "finished" || read.output === output) return text;
  switch (read.frame) {
    case "none":
      return output;
    case "exec_command":
    case "shell_command":
      return `${text.slice(0, text.length - read.output.length)}${output}`;
    case "qwen": {
      const start = text.search(/\n(?:Output|Stdout): /) + 1;
      const from = text.indexOf(" ", start) + 1;
      return `${text.slice(0, from)}${output === "" ? "(empty)" : output}${text.slice(from + read.output.length)}`;
    }
    case "shell_json": {
      const parsed = parseJson(text);
      return isJsonObject(parsed) ? JSON.stringify({ ...parsed, output }) : text;
    }
    default:
      return read.frame satisfies never;
  }
}

function finished(frame: FrameName, output: string, exitCode: number | null): ToolOutput {
  return { kind: "finished", frame, output, exitCode, truncated: cut.test(output) };
}

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^-?\d+$/.test(text.trim()) ? Number(text) : null;
}
