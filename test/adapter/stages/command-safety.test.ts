import { describe, expect, it } from "vitest";
import type { AdapterEvent } from "../../../src/adapter/events.ts";
import { readCommandRequest } from "../../../src/adapter/intent/command-request.ts";
import { intent } from "../../../src/adapter/stages/intent.ts";
import { relay } from "../../../src/adapter/stages/relay.ts";
import { router } from "../../../src/adapter/stages/router.ts";
import { suppress } from "../../../src/adapter/stages/suppress.ts";
import { warnings } from "../../../src/adapter/stages/warnings.ts";
import type { ChatRequest, Tool } from "../../../src/protocol/chat.ts";
import { boundBans, boundTurns, forbiddingTurns, quotingTurns, wholeTurns } from "../intent/turns.ts";
import { allowedExamples } from "../shell/red-team.ts";
import { runStages, type StageRun } from "../stage-harness.ts";
import { zeroRateUpperBound } from "../zero-rate.ts";

const bash: Tool = {
  type: "function",
  function: {
    name: "bash",
    parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  },
};
const order = [intent, warnings, relay, router, suppress];
const responseOrder = [suppress, intent];

function asked(turn: string): ChatRequest {
  return { model: "m", messages: [{ role: "user", content: turn }], tools: [bash] };
}

/** A model that calls the shell with `command` whatever it is asked. */
function calling(command: string): readonly AdapterEvent[] {
  return [
    { kind: "call", call: { id: "c1", name: "bash", argumentsText: JSON.stringify({ command }), origin: "native" } },
    { kind: "end", finishReason: "tool_calls", usage: null },
  ];
}

function run(turn: string, command: string): Promise<StageRun> {
  return runStages({ stages: order, responseOrder, request: asked(turn), replies: [calling(command)] });
}

const calls = (result: StageRun): number => result.events.filter((event) => event.kind === "call").length;
/** Commands that can stand in backticks and in a sentence. */
const commands = allowedExamples
  .filter(([text, called]) => called !== "" && !/["'\\]|^\s|^cat --/.test(text))
  .map(([text]) => text);

describe("whole turns", () => {
  it.each(wholeTurns.map((turn) => [turn]))("%j becomes the call", async (template) => {
    for (const command of ["pwd", "ls -la", "cat README.md", "systemctl status nginx", "journalctl -u nginx -n 50"]) {
      const result = await run(template.replace("{c}", command), "never");
      expect(result.outcome).toBe("answered");
      expect(result.asked).toEqual([]);
      expect(calls(result)).toBe(1);
      const [event] = result.events;
      expect(event?.kind === "call" ? event.call.id : "").toMatch(/_routed$/);
    }
  });

  it("keep every allowed command in every delimited form", () => {
    const lost = wholeTurns
      .filter((template) => template.includes("`{c}`"))
      .flatMap((template) => commands.map((command) => [template, command] as const))
      .filter(([template, command]) => readCommandRequest(template.replace("{c}", command))?.command !== command);
    expect(lost).toEqual([]);
  });
});

describe("safety counters", () => {
  it("no call comes from a quoted example, a question, a condition, a translation or a text about commands", async () => {
    let turns = 0;
    const made: string[] = [];
    for (const template of quotingTurns)
      for (const command of commands) {
        const turn = template.replace("{c}", command);
        const result = await runStages({ stages: order, responseOrder, request: asked(turn) });
        turns += 1;
        if (calls(result) > 0 || result.asked.length !== 1) made.push(turn);
      }
    expect(made).toEqual([]);
    expect(zeroRateUpperBound(turns)).toBeLessThan(0.001);
  });

  it("no call is made under negative intent, though the model makes it each time", async () => {
    let turns = 0;
    const made: string[] = [];
    for (const template of forbiddingTurns)
      for (const command of commands) {
        const turn = template.replace("{c}", command);
        const result = await run(turn, command);
        turns += 1;
        if (calls(result) > 0) made.push(turn);
      }
    expect(made).toEqual([]);
    expect(zeroRateUpperBound(turns)).toBeLessThan(0.002);
  });

  it.each(boundBans)("%j forbids %j", async (turn, command) => {
    const result = await run(turn, command);
    expect(calls(result)).toBe(0);
    expect(result.events.some((event) => event.kind === "text" && event.text.includes("`"))).toBe(true);
    expect(result.entries.some((entry) => entry.decision === "call_withheld")).toBe(true);
  });

  it.each(boundTurns)("%j lets %j pass", async (turn, command) => {
    const result = await run(turn, command);
    expect(result.asked).toHaveLength(1);
    expect(calls(result)).toBe(1);
  });

  it("forget a ban with the user's next words", async () => {
    const request: ChatRequest = {
      ...asked("x"),
      messages: [
        { role: "user", content: "pwdを実行しないで" },
        { role: "assistant", content: "はい。" },
        { role: "user", content: "では進めて" },
      ],
    };
    const result = await runStages({ stages: order, responseOrder, request, replies: [calling("pwd")] });
    expect(calls(result)).toBe(1);
  });

  it("keep a ban through the tool results of its turn", async () => {
    const request: ChatRequest = {
      ...asked("x"),
      messages: [
        { role: "user", content: "Fix a.ts. Don't run the tests." },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "bash", arguments: '{"command":"cat a.ts"}' } }],
        },
        { role: "tool", tool_call_id: "a", content: "x" },
      ],
    };
    const result = await runStages({ stages: order, responseOrder, request, replies: [calling("npm test")] });
    expect(calls(result)).toBe(0);
  });
});
