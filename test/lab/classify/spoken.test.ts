import { describe, expect, it } from "vitest";
import { type CaseFile, readCase } from "../../../src/lab/classify/case-file.ts";
import { judgeCase } from "../../../src/lab/classify/score-cases.ts";
import { fabricated, leaked, plain, proseCommands, type Spoken } from "./spoken-replies.ts";

const text = { type: "string" };

function tool(name: string, properties: Readonly<Record<string, unknown>>) {
  return {
    type: "function",
    function: { name, parameters: { type: "object", properties, required: Object.keys(properties) } },
  };
}

const tools: Readonly<Record<string, ReturnType<typeof tool>>> = {
  py: tool("run_python", { task: text }),
  sh: tool("shell", { cmd: text }),
  web: tool("search_web", { q: text }),
  mail: tool("send_mail", { to: text, body: text }),
  file: tool("write_file", { path: text, content: text }),
  read: tool("read_file", { path: text }),
  cal: tool("add_event", { title: text, date: text }),
  th: tool("set_thermostat", { room: text, celsius: { type: "number" } }),
};

function asCase([at, user, reply]: Spoken): CaseFile {
  const read = readCase(
    "spoken",
    JSON.stringify({
      request: { messages: [{ role: "user", content: user }] },
      tools: [tools[at]],
      response: { choices: [{ index: 0, message: { role: "assistant", content: reply }, finish_reason: "stop" }] },
    }),
  );
  if (read.kind === "problem") throw new Error(read.message);
  return read.file;
}

describe.each([
  ["fabricated_provenance", fabricated],
  ["non_call", plain],
  ["prose_command", proseCommands],
  ["leaked_call", leaked],
] as const)("%s", (verdict, replies) => {
  it.each(replies)("with %s, asked %j: %j", (...spoken) => {
    const line = judgeCase(asCase(spoken), false);
    expect(line.verdict).toBe(verdict);
    expect(line.calls.length).toBe(verdict === "leaked_call" ? 1 : 0);
  });
});
