import { describe, expect, it } from "vitest";
import { answerIds, idKinds, idPattern } from "./answer-ids.ts";

function stream(...events: readonly object[]): string {
  return [...events.map((event) => `data: ${JSON.stringify(event)}`), "data: [DONE]", ""].join("\n\n");
}

const call = (index: number, id?: string) => ({
  choices: [{ delta: { tool_calls: [{ index, ...(id === undefined ? {} : { id }) }] } }],
});
const sound = [
  { id: "chatcmpl-a1", choices: [{ delta: { role: "assistant" } }] },
  { id: "chatcmpl-a1", ...call(0, "call_x") },
  { id: "chatcmpl-a1", ...call(0) },
  { id: "chatcmpl-a1", ...call(1, "call_y") },
] as const;
const pattern = (...events: readonly object[]) => idPattern(answerIds(stream(...events), true));

describe("the ids of one answer", () => {
  it("are read from a stream and from a body", () => {
    expect(answerIds(stream(...sound), true)).toEqual({
      replies: ["chatcmpl-a1", "chatcmpl-a1", "chatcmpl-a1", "chatcmpl-a1"],
      calls: [["call_x"], ["call_y"]],
    });
    const body = { id: "chatcmpl-7", choices: [{ message: { tool_calls: [{ id: "p" }, { id: "q" }] } }] };
    expect(answerIds(JSON.stringify(body), false)).toEqual({ replies: ["chatcmpl-7"], calls: [["p"], ["q"]] });
    expect(answerIds('{"error":{"message":"no"}}', false)).toEqual({ replies: [], calls: [] });
  });

  it.each<readonly [string, readonly object[]]>([
    ["another one in the middle", sound.map((event, at) => (at === 2 ? { ...event, id: "chatcmpl-a2" } : event))],
    ["none in one event", sound.map((event, at) => (at === 1 ? { ...event, id: undefined } : event))],
    ["the id of a call given again", [...sound, { id: "chatcmpl-a1", ...call(1, "call_y") }]],
    ["a call without", [...sound, { id: "chatcmpl-a1", ...call(2) }]],
    [
      "an id of a call that is longer",
      sound.map((event, at) => (at === 1 ? { ...event, ...call(0, "call_xx") } : event)),
    ],
    ["another prefix", sound.map((event, at) => (at === 1 ? { ...event, ...call(0, "tool_x") } : event))],
  ])("differ in their pattern by %s", (_what, events) => {
    expect(pattern(...events)).not.toEqual(pattern(...sound));
  });
});

describe("the kinds of many ids", () => {
  const real = ["chatcmpl-8f3a", "chatcmpl-9b10", "chatcmpl-ac4d", "chatcmpl-b0ff", "call_a1", "call_zz"];

  it("are told by prefix, length, alphabet and whether any comes twice", () => {
    expect(idKinds([...real, "n-7", "n-612", "n-7"])).toEqual({
      call_xx: { longest: 2, begins: "small letters and digits", goesOn: "small letters and digits", distinct: true },
      "chatcmpl-xxxx": { longest: 4, begins: "8, 9, a or b", goesOn: "hexadecimal digits", distinct: true },
      "n-NUMBER": { longest: 3, begins: "digits", goesOn: "digits", distinct: false },
    });
  });

  it.each<readonly [string, readonly string[]]>([
    ["a first digit that is none of four", real.with(1, "chatcmpl-1b10")],
    ["a letter beyond f", real.with(1, "chatcmpl-9z10")],
    ["a capital", real.with(5, "call_zZ")],
    ["another length", real.with(1, "chatcmpl-9b107")],
    ["another prefix", real.with(5, "calls_zz")],
    ["an id that comes twice", [...real, "call_zz"]],
    ["none of a kind", real.slice(0, 4)],
  ])("differ by %s", (_what, ids) => {
    expect(idKinds(ids)).not.toEqual(idKinds(real));
  });
});
