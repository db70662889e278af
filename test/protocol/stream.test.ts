import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatReply, ReadReply } from "../../src/protocol/reply.ts";
import { createStreamReader, type Framing } from "../../src/protocol/stream.ts";
import type { StreamEvent } from "../../src/protocol/stream-event.ts";
import { cutAt, wireBytes, wireNames, wireText } from "./wire-files.ts";

function readPieces(framing: Framing, pieces: readonly (Uint8Array | string)[], cut?: string): StreamEvent[] {
  const reader = createStreamReader(framing);
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end(cut)];
}

function sse(...chunks: unknown[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`).join("");
}

function delta(fields: object, rest: object = {}): object {
  return { choices: [{ index: 0, delta: fields, finish_reason: null, ...rest }] };
}

function calls(...entries: object[]): object {
  return delta({ tool_calls: entries });
}

function terminal(events: readonly StreamEvent[]): Extract<StreamEvent, { kind: "done" | "error" }> {
  const last = events.at(-1);
  if (last?.kind !== "done" && last?.kind !== "error") throw new Error("the stream has no terminal event");
  return last;
}

function only(reply: ReadReply): ChatReply {
  expect(reply.replies).toHaveLength(1);
  const [first] = reply.replies;
  if (first === undefined) throw new Error("no reply");
  return first;
}

function fold(...chunks: unknown[]): ReadReply {
  return terminal(readPieces("sse", [sse(...chunks)])).reply;
}

function servedBy(...chunks: unknown[]): [string, string][] {
  return only(fold(...chunks, "[DONE]")).calls.map((call) => [call.name, call.argumentsText]);
}

const framingOf = (name: string): Framing => (name.endsWith(".sse") ? "sse" : "ndjson");
const recorded = wireNames(".sse", ".ndjson");

describe("every recorded stream", () => {
  it("is among the fixtures", () => {
    expect(recorded.length).toBeGreaterThan(40);
  });

  it.each(recorded)("%s: one terminal event, at the end; every start has its end", (name) => {
    const events = readPieces(framingOf(name), [wireBytes(name)]);
    expect(events.filter((event) => event.kind === "done" || event.kind === "error")).toHaveLength(1);
    terminal(events);
    for (const part of ["text", "reasoning", "call"] as const) {
      const starts = events.filter((event) => event.kind === `${part}-start`);
      const ends = events.filter((event) => event.kind === `${part}-end`);
      expect(ends).toHaveLength(starts.length);
    }
  });

  it.each(recorded)("%s: deltas joined are the folded reply", (name) => {
    const events = readPieces(framingOf(name), [wireBytes(name)]);
    const { replies } = terminal(events).reply;
    const reply = only({ replies, end: "complete", problems: [], lossy: false });
    expect(events.map((event) => (event.kind === "text-delta" ? event.text : "")).join("")).toBe(reply.content);
    expect(events.map((event) => (event.kind === "reasoning-delta" ? event.text : "")).join("")).toBe(reply.reasoning);
    expect(events.flatMap((event) => (event.kind === "call-end" ? [event.served] : []))).toEqual(reply.calls);
    reply.calls.forEach((call, number) => {
      const text = events.map((event) =>
        event.kind === "call-delta" && event.call === number ? event.argumentsText : "",
      );
      expect(text.join("")).toBe(call.argumentsText);
    });
  });

  it.each(recorded)("%s: any chunking of its bytes gives the same events", (name) => {
    const bytes = wireBytes(name);
    const whole = readPieces(framingOf(name), [bytes]);
    expect(
      readPieces(
        framingOf(name),
        [...bytes].map((byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(whole);
    const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 });
    fc.assert(
      fc.property(places, (cuts) => {
        expect(readPieces(framingOf(name), cutAt(bytes, cuts))).toEqual(whole);
      }),
      { numRuns: 15 },
    );
  });

  it.each(recorded)("%s: cut anywhere, it still ends once, and what it gives is a beginning of the whole", (name) => {
    const bytes = wireBytes(name);
    const complete = only(terminal(readPieces(framingOf(name), [bytes])).reply);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
        const events = readPieces(
          framingOf(name),
          [bytes.subarray(0, Math.floor(share * bytes.length))],
          "the socket broke",
        );
        const { reply } = terminal(events);
        if (reply.end !== "complete") expect(reply.problems).toContain("the socket broke");
        for (const part of reply.replies) {
          expect(complete.content.startsWith(part.content)).toBe(true);
          expect(complete.reasoning.startsWith(part.reasoning)).toBe(true);
          part.calls.forEach((call, index) => {
            expect(complete.calls[index]?.argumentsText.startsWith(call.argumentsText)).toBe(true);
          });
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe("reading chat chunks", () => {
  it("gives start, delta and end of each part in order, and the terminal event last", () => {
    const events = readPieces("sse", [
      sse(
        delta({ role: "assistant", content: null }),
        delta({ reasoning: "hm" }),
        delta({ content: "I " }),
        delta({ content: "call" }),
        calls({ index: 0, id: "a", function: { name: "f", arguments: "{" } }),
        calls({ index: 0, function: { arguments: "}" } }),
        delta({}, { finish_reason: "tool_calls" }),
        { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
        "[DONE]",
      ),
    ]);
    const usage = { promptTokens: 3, completionTokens: 4 };
    const served = { id: "a", name: "f", argumentsText: "{}" };
    expect(events.slice(0, -1)).toEqual([
      { kind: "reasoning-start", choice: 0 },
      { kind: "reasoning-delta", choice: 0, text: "hm" },
      { kind: "reasoning-end", choice: 0 },
      { kind: "text-start", choice: 0 },
      { kind: "text-delta", choice: 0, text: "I " },
      { kind: "text-delta", choice: 0, text: "call" },
      { kind: "text-end", choice: 0 },
      { kind: "call-start", choice: 0, call: 0, id: "a", name: "f" },
      { kind: "call-delta", choice: 0, call: 0, argumentsText: "{" },
      { kind: "call-delta", choice: 0, call: 0, argumentsText: "}" },
      { kind: "usage", usage },
      { kind: "call-end", choice: 0, call: 0, served },
    ]);
    expect(terminal(events)).toMatchObject({
      kind: "done",
      reply: {
        end: "complete",
        problems: [],
        replies: [{ content: "I call", reasoning: "hm", calls: [served], finishReason: "tool_calls", usage }],
      },
    });
  });

  it("gives the terminal event at [DONE] and ignores what follows it", () => {
    const reader = createStreamReader("sse");
    expect(terminal(reader.push(sse(delta({ content: "a" }), "[DONE]"))).kind).toBe("done");
    expect(reader.ended()).toBe(true);
    expect(reader.push(sse(delta({ content: "b" })))).toEqual([]);
    expect(reader.end()).toEqual([]);
    expect(reader.overrun()).toBe(true);
  });

  it("keeps several choices apart", () => {
    const reply = fold(
      { choices: [{ index: 1, delta: { content: "b" } }] },
      { choices: [{ index: 0, delta: { content: "a" } }] },
      { choices: [{ index: 1, delta: { content: "B" }, finish_reason: "stop" }] },
      "[DONE]",
    );
    expect(reply.replies.map(({ choice, content, finishReason }) => [choice, content, finishReason])).toEqual([
      [0, "a", null],
      [1, "bB", "stop"],
    ]);
  });

  it.each(["reasoning", "reasoning_content", "thinking"])(
    "reads reasoning from %s, once where two fields repeat it",
    (field) => {
      expect(only(fold(delta({ [field]: "x" }), "[DONE]")).reasoning).toBe("x");
      expect(only(fold(delta({ reasoning: "x", reasoning_content: "x" }), "[DONE]")).reasoning).toBe("x");
    },
  );

  it("reads content and reasoning given as parts, and a refusal", () => {
    const parts = [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    expect(only(fold(delta({ content: parts }), "[DONE]"))).toMatchObject({ content: "ab", reasoning: "hm" });
    expect(only(fold(delta({ content: null, refusal: "no" }), "[DONE]")).content).toBe("no");
  });

  it("joins token ids, passing over null, and log-probability tokens", () => {
    const reply = only(
      fold(
        delta({}, { token_ids: [1, 2], logprobs: { content: [{ token: "a", bytes: [97] }] } }),
        delta({}, { token_ids: null, logprobs: null }),
        delta({}, { token_ids: [3], logprobs: { content: [{ token: "b", bytes: [98] }] } }),
        "[DONE]",
      ),
    );
    expect(reply).toMatchObject({ tokenIds: [1, 2, 3], logprobText: "ab" });
    expect(only(fold(delta({}), "[DONE]"))).toMatchObject({ tokenIds: null, logprobText: null });
  });

  it("takes the bytes of tokens where a character is split over several", () => {
    const bytes = [...new TextEncoder().encode("素")];
    const tokens = bytes.map((byte) => ({ token: "\uFFFD", bytes: [byte] }));
    const reply = only(fold(delta({}, { logprobs: { content: [{ token: "a", bytes: null }, ...tokens] } }), "[DONE]"));
    expect(reply.logprobText).toBe("a素");
  });

  it("keeps the text of llama-server's verbose object only where it holds one", () => {
    expect(only(fold({ ...delta({}), __verbose: { content: "" } }, "[DONE]")).verboseText).toBeNull();
    expect(only(fold({ ...delta({}), __verbose: { content: "raw" } }, "[DONE]")).verboseText).toBe("raw");
  });
});

describe("telling calls apart", () => {
  const a = '{"x":1}';
  const b = '{"x":2}';

  it.each<[string, object[], [string, string][]]>([
    [
      "fragments of one call",
      [
        calls({ index: 0, id: "1", function: { name: "f", arguments: "" } }),
        calls({ index: 0, function: { arguments: '{"x":' } }),
        calls({ index: 0, function: { arguments: "1}" } }),
      ],
      [["f", a]],
    ],
    [
      "name and arguments as two entries of one index in one chunk",
      [calls({ index: 0, id: "1", function: { name: "f" } }, { index: 0, function: { arguments: a } })],
      [["f", a]],
    ],
    [
      "two indices, interleaved",
      [
        calls(
          { index: 0, id: "1", function: { name: "f", arguments: '{"x"' } },
          { index: 1, id: "2", function: { name: "g", arguments: '{"x"' } },
        ),
        calls({ index: 1, function: { arguments: ":2}" } }, { index: 0, function: { arguments: ":1}" } }),
      ],
      [
        ["f", a],
        ["g", b],
      ],
    ],
    [
      "one index, another id",
      [
        calls({ index: 0, id: "1", function: { name: "f", arguments: a } }),
        calls({ index: 0, id: "2", function: { name: "f", arguments: b } }),
      ],
      [
        ["f", a],
        ["f", b],
      ],
    ],
    [
      "one index, another name and no ids",
      [
        calls({ index: 0, function: { name: "f", arguments: a } }),
        calls({ index: 0, function: { name: "g", arguments: b } }),
      ],
      [
        ["f", a],
        ["g", b],
      ],
    ],
    [
      "one index, the same name again behind a complete object",
      [
        calls({ index: 0, function: { name: "f", arguments: a } }),
        calls({ index: 0, function: { name: "f", arguments: b } }),
      ],
      [
        ["f", a],
        ["f", b],
      ],
    ],
    [
      "one index, a bare complete object behind a complete one",
      [calls({ index: 0, function: { name: "f", arguments: a } }), calls({ index: 0, function: { arguments: b } })],
      [
        ["f", a],
        ["f", b],
      ],
    ],
    [
      "the name repeated with every fragment",
      [
        calls({ index: 0, id: "1", function: { name: "f", arguments: '{"x":' } }),
        calls({ index: 0, id: "1", function: { name: "f", arguments: "1}" } }),
        calls({ index: 0, id: "1", function: { name: "f", arguments: "" } }),
      ],
      [["f", a]],
    ],
    [
      "a new id with every fragment",
      [
        calls({ index: 0, id: "1", function: { name: "f", arguments: '{"x":' } }),
        calls({ index: 0, id: "2", function: { name: "f", arguments: "1" } }),
        calls({ index: 0, id: "3", function: { name: "f", arguments: "}" } }),
      ],
      [["f", a]],
    ],
    [
      "no index at all",
      [
        calls({ id: "1", function: { name: "f", arguments: '{"x":' } }),
        calls({ function: { arguments: "1}" } }),
        calls({ id: "2", function: { name: "g", arguments: b } }),
      ],
      [
        ["f", a],
        ["g", b],
      ],
    ],
    [
      "an id that comes behind the name",
      [calls({ index: 0, function: { name: "f" } }), calls({ index: 0, id: "1", function: { arguments: a } })],
      [["f", a]],
    ],
    [
      "a name that comes behind the id",
      [calls({ index: 0, id: "1" }), calls({ index: 0, function: { name: "f", arguments: a } })],
      [["f", a]],
    ],
    [
      "arguments as an object, null or absent",
      [
        calls(
          { index: 0, id: "1", function: { name: "f", arguments: { x: 1 } } },
          { index: 1, id: "2", function: { name: "g", arguments: null } },
          { index: 2, id: "3", function: { name: "h" } },
        ),
      ],
      [
        ["f", a],
        ["g", ""],
        ["h", ""],
      ],
    ],
    [
      "braces inside strings do not end the arguments",
      [
        calls({ index: 0, id: "1", function: { name: "f", arguments: '{"x":"}' } }),
        calls({ index: 0, function: { arguments: '{\\""}' } }),
      ],
      [["f", '{"x":"}{\\""}']],
    ],
    [
      "rubbish behind the arguments stays where the server put it",
      [
        calls({ index: 0, id: "1", function: { name: "f", arguments: a } }),
        calls({ index: 0, function: { arguments: "<|action_e" } }),
        calls({ index: 0, function: { arguments: "nd|>" } }),
      ],
      [["f", `${a}<|action_end|>`]],
    ],
    [
      "the old function_call field",
      [delta({ function_call: { name: "f", arguments: '{"x":' } }), delta({ function_call: { arguments: "1}" } })],
      [["f", a]],
    ],
    [
      "entries that are no objects or empty",
      [
        delta({ tool_calls: [null, 1, "x", {}, { index: 0, id: "", type: "function" }] }),
        delta({ tool_calls: null }),
        delta({ tool_calls: [] }),
      ],
      [],
    ],
  ])("%s", (_name, chunks, expected) => {
    expect(servedBy(...chunks)).toEqual(expected);
  });

  it("leaves out a call that never gets a name, and says so", () => {
    const reply = fold(calls({ index: 0, id: "1", function: { name: null, arguments: "{}{}" } }), "[DONE]");
    expect(only(reply).calls).toEqual([]);
    expect(reply.problems).toEqual([expect.stringContaining("without a name")]);
  });

  it("ends a call only when nothing can be added to it any more", () => {
    const reader = createStreamReader("sse");
    const first = reader.push(sse(calls({ index: 0, id: "1", function: { name: "f", arguments: a } })));
    expect(first.map((event) => event.kind)).toEqual(["call-start", "call-delta"]);
    const second = reader.push(sse(calls({ index: 0, id: "2", function: { name: "f", arguments: b } })));
    expect(second.map((event) => event.kind)).toEqual(["call-end", "call-start", "call-delta"]);
  });
});

describe("streams that do not end well", () => {
  it("keeps what came before an error object, and the first error where several come", () => {
    const events = readPieces("sse", [
      sse(delta({ content: "a" }), { error: { message: "boom", type: "server_error", code: 500 } }, { error: "echo" }),
    ]);
    expect(terminal(events)).toMatchObject({
      kind: "error",
      error: { message: "boom", type: "server_error", code: 500 },
      reply: { end: "no_done", replies: [{ content: "a", error: { message: "boom" } }] },
    });
  });

  it("is an error with an error object even where [DONE] follows", () => {
    expect(terminal(readPieces("sse", [sse(delta({ content: "a" }), { error: "x" }, "[DONE]")]))).toMatchObject({
      kind: "error",
      error: { message: "x" },
      reply: { end: "complete" },
    });
  });

  it("blames an error on the choices that it stopped", () => {
    const reply = fold(
      {
        choices: [
          { index: 0, delta: { content: "a" }, finish_reason: "stop" },
          { index: 1, delta: { content: "b" } },
        ],
      },
      { error: { message: "x" } },
    );
    expect(reply.replies.map((part) => part.error?.message)).toEqual([undefined, "x"]);
  });

  it("is an error without an error object where the stream just stops", () => {
    expect(terminal(readPieces("sse", [sse(delta({ content: "a" }))]))).toMatchObject({
      kind: "error",
      error: null,
      reply: { end: "no_done" },
    });
  });

  it("takes a last event for read where only its blank line is missing", () => {
    expect(terminal(readPieces("sse", [`${sse(delta({ content: "a" }))}data: [DONE]`]))).toMatchObject({
      kind: "done",
    });
  });

  it("names a stream that is cut in the middle of an event, and keeps the cut text as raw", () => {
    const events = readPieces("sse", [`${sse(delta({ content: "a" }))}data: {"choices":[{"del`]);
    expect(events).toContainEqual({ kind: "raw", data: '{"choices":[{"del' });
    expect(terminal(events).reply).toMatchObject({
      end: "no_done",
      replies: [{ content: "a" }],
      problems: [expect.stringMatching(/stops inside/)],
      lossy: true,
    });
  });

  it("gives broken JSON as raw, names it with the number of its event and reads on", () => {
    const events = readPieces("sse", [sse(delta({ content: "a" }), '{"choices":[', delta({ content: "b" }), "[DONE]")]);
    expect(events).toContainEqual({ kind: "raw", data: '{"choices":[' });
    expect(terminal(events)).toMatchObject({
      kind: "done",
      reply: {
        replies: [{ content: "ab" }],
        problems: ['data of event 2 is not JSON: "{\\"choices\\":["'],
        lossy: true,
      },
    });
  });

  it.each(["", "  "])("loses nothing by an event with nothing in it: %j", (data) => {
    const events = readPieces("sse", [sse(data, delta({ content: "a" }), "[DONE]")]);
    expect(terminal(events).reply).toMatchObject({ replies: [{ content: "a" }], lossy: false });
  });

  it("gives an object of no known shape as raw without blame", () => {
    const events = readPieces("sse", [sse({ type: "ping" }, delta({ content: "a" }), "[DONE]")]);
    expect(events[0]).toEqual({ kind: "raw", data: '{"type":"ping"}' });
    expect(terminal(events).reply.problems).toEqual([]);
  });

  it.each([
    ["nothing", ""],
    ["only [DONE]", sse("[DONE]")],
    ["only objects of no known shape", sse({ a: 1 }, "[DONE]")],
  ])("is unreadable with %s", (_name, text) => {
    expect(terminal(readPieces("sse", [text]))).toMatchObject({
      kind: "error",
      reply: { end: "unreadable", replies: [] },
    });
  });

  it("does not let a flood of broken lines flood the problems", () => {
    const events = readPieces("sse", [sse(...Array.from({ length: 5000 }, (_, index) => `{${index}`), "[DONE]")]);
    const { problems } = terminal(events).reply;
    expect(problems.length).toBeLessThan(20);
    expect(problems.at(-1)).toMatch(/more problems/);
  });

  it("never throws, whatever the objects hold", () => {
    const key = fc.constantFrom(
      "choices",
      "index",
      "delta",
      "message",
      "content",
      "reasoning",
      "tool_calls",
      "function",
      "name",
      "arguments",
      "id",
      "error",
      "usage",
      "done",
      "response",
      "logprobs",
      "token",
      "bytes",
      "token_ids",
      "__verbose",
      "detail",
      "errors",
      "code",
      "object",
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(null, true, 0, -1.5, "", "x", "{", "{}", "error"),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(key, tie("value"), { maxKeys: 5 }),
      ),
    }));
    const object = fc.dictionary(key, value, { maxKeys: 6 });
    fc.assert(
      fc.property(fc.array(object, { maxLength: 6 }), fc.constantFrom<Framing>("sse", "ndjson"), (objects, framing) => {
        const text = framing === "sse" ? sse(...objects) : objects.map((item) => `${JSON.stringify(item)}\n`).join("");
        terminal(readPieces(framing, [text]));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("reading Ollama native lines", () => {
  const line = (fields: object) => `${JSON.stringify({ model: "m", done: false, ...fields })}\n`;

  it("reads thinking, content, whole calls with object arguments, and counts", () => {
    const events = readPieces("ndjson", [
      line({ message: { role: "assistant", content: "", thinking: "hm" } }),
      line({ message: { content: "a" } }),
      line({
        message: {
          content: "",
          tool_calls: [
            { function: { index: 0, name: "f", arguments: { x: 1 } } },
            { function: { index: 0, name: "f", arguments: { x: 1 } } },
          ],
        },
      }),
      line({ message: { content: "" }, done: true, done_reason: "stop", prompt_eval_count: 5, eval_count: 6 }),
    ]);
    expect(terminal(events)).toMatchObject({ kind: "done", reply: { end: "complete", problems: [] } });
    expect(only(terminal(events).reply)).toMatchObject({
      reasoning: "hm",
      content: "a",
      calls: [
        { id: null, name: "f", argumentsText: '{"x":1}' },
        { id: null, name: "f", argumentsText: '{"x":1}' },
      ],
      finishReason: "stop",
      usage: { promptTokens: 5, completionTokens: 6 },
    });
  });

  it("keeps the text before an error line", () => {
    expect(terminal(readPieces("ndjson", [`${line({ message: { content: "a" } })}{"error":"EOF"}\n`]))).toMatchObject({
      kind: "error",
      error: { message: "EOF" },
      reply: { end: "no_done", replies: [{ content: "a", error: { message: "EOF" } }] },
    });
  });

  it("joins the log-probability tokens that stand beside the message", () => {
    const text = wireText("side/ollama-hermes-qwenxml-auto-api-logprobs-stream.ndjson");
    expect(only(terminal(readPieces("ndjson", [text])).reply).logprobText).toMatch(
      /^<tool_call>\n<function=search_notes>[\s\S]*<\/tool_call>$/,
    );
  });
});
