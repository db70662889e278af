import { expect, it } from "vitest";
import type { AdapterCall, AdapterEvent } from "../../../src/adapter/events.ts";
import { callAnswer } from "../../../src/adapter/events.ts";
import type { Stage } from "../../../src/adapter/stage.ts";
import { validate } from "../../../src/adapter/stages/validate.ts";
import { runStages } from "../stage-harness.ts";
import { chatBody, post, scripted, shellTool, testAdapter } from "../support.ts";

const end: AdapterEvent = { kind: "end", finishReason: "stop", usage: null };
const call = (given: Partial<AdapterCall>): AdapterEvent => ({
  kind: "call",
  call: { id: "c", name: "exec_command", argumentsText: "{}", origin: "native", ...given },
});
const request = { model: "m", messages: [{ role: "user", content: "Go." }], tools: [shellTool as never] };
const run = (...events: readonly AdapterEvent[]) => runStages({ stages: [validate], request, replies: [events] });

it.each([{ name: "" }, { name: "search_web" }])(
  "withholds what the client has no tool for, with a word: %o",
  async (given) => {
    const { events, entries } = await run(call(given), end);
    expect(events).toMatchObject([{ kind: "text", text: expect.stringMatching(/withheld/) }, { kind: "end" }]);
    expect(entries).toMatchObject([{ stage: "validate", decision: "withheld" }]);
  },
);

it("gives each call an id of its own", async () => {
  const { events } = await run(call({}), call({ argumentsText: '{"cmd":"ls"}' }), call({ id: "" }), end);
  const ids = events.flatMap((event) => (event.kind === "call" ? [event.call.id] : []));
  expect(ids[0]).toBe("c");
  expect(new Set(ids).size).toBe(3);
  expect(ids).not.toContain("");
});

it.each([
  { events: [end] },
  { events: [{ kind: "text", text: " \n" } as const, end] },
  { events: [{ kind: "reasoning", text: "Hm." } as const, end] },
])("never lets a reply be silence: %o", async ({ events: given }) => {
  const { events } = await run(...given);
  expect(events.some((event) => event.kind === "text" && /answered with nothing/.test(event.text))).toBe(true);
});

it("looks at answers that were given without the model, too", async () => {
  const own: Stage = {
    name: "own",
    summary: "",
    open: () => ({
      onRequest: () => ({
        kind: "answer",
        events: callAnswer([{ id: "x", name: "no_such_tool", argumentsText: "{}", origin: "adapter" }]),
      }),
    }),
  };
  const { events, asked, outcome } = await runStages({ stages: [own, validate], request });
  expect({ asked, outcome }).toEqual({ asked: [], outcome: "answered" });
  expect(events).toMatchObject([{ kind: "text" }, { kind: "end" }]);
});

it("what validate would have caught does not leave the Responses front unseen without it", async () => {
  const upstream = scripted(chatBody({ calls: [{ name: "", arguments: "{}" }], text: "" }));
  const { handler, traces } = testAdapter(upstream, { disable: ["validate", "guard", "repair"] });
  const body = { model: "m", input: "Go.", tools: [{ type: "function", ...shellTool.function }] };
  const response = await post(handler, "/v1/responses", body);
  expect(response.status).toBe(200);
  expect(traces).toHaveLength(1);
});
