import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseDecoder, encodeSseEvent, type SseEvent } from "../../src/protocol/sse.ts";
import { cutAt } from "./wire-files.ts";

const encoder = new TextEncoder();

function decode(pieces: readonly (string | Uint8Array)[], limit?: number) {
  const decoder = createSseDecoder(limit === undefined ? {} : { limit });
  const events = pieces.flatMap((piece) => decoder.push(typeof piece === "string" ? encoder.encode(piece) : piece));
  events.push(...decoder.end());
  return { events, problems: [...decoder.problems(), ...decoder.losses()] };
}

function event(data: string, rest: Partial<SseEvent> = {}): SseEvent {
  return { event: null, data, id: null, terminated: true, ...rest };
}

describe("reading server-sent events", () => {
  it.each<[string, string, SseEvent[]]>([
    ["one event", "data: a\n\n", [event("a")]],
    ["only one space behind the colon is no data", "data:  a\ndata:b\n\n", [event(" a\nb")]],
    ["CRLF and CR as line breaks", "data: a\r\n\r\ndata: b\r\rdata: c\n\n", [event("a"), event("b"), event("c")]],
    ["a byte order mark", "\uFEFFdata: a\n\n", [event("a")]],
    ["comments and retry", ": ping\nretry: 10\ndata: a\n\n: end\n\n", [event("a")]],
    ["an empty data line", "data\n\ndata:\n\n", [event(""), event("")]],
    [
      "names and ids",
      "event: error\nid: 7\ndata: a\n\ndata: b\n\n",
      [event("a", { event: "error", id: "7" }), event("b", { id: "7" })],
    ],
    ["blank lines without data", "\n\n\nevent: x\n\ndata: a\n\n", [event("a")]],
    ["a colon inside the data", 'data: {"a": "b:c"}\n\n', [event('{"a": "b:c"}')]],
  ])("%s", (_name, text, expected) => {
    expect(decode([text])).toEqual({ events: expected, problems: [] });
  });

  it.each(["data: a", "data: a\n", "data: a\r"])("gives an unfinished last event and marks it: %j", (text) => {
    expect(decode([`data: x\n\n${text}`]).events).toEqual([event("x"), event("a", { terminated: false })]);
  });

  it("joins a character that is split over pieces", () => {
    const bytes = encoder.encode("data: 素数🐟\n\n");
    expect(decode([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual({ events: [event("素数🐟")], problems: [] });
  });

  it("takes a CRLF that is split over pieces for one break", () => {
    const bytes = encoder.encode("data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n");
    for (let at = 0; at <= bytes.length; at++) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)]).events).toEqual([event("a\nb"), event("c")]);
    }
  });

  it("shows undecodable bytes as U+FFFD and names the problem", () => {
    const { events, problems } = decode([Uint8Array.of(0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xe3, 0x81, 0x0a, 0x0a)]);
    expect(events).toEqual([event("\uFFFD\uFFFD")]);
    expect(problems).toEqual([expect.stringContaining("not UTF-8")]);
  });

  it("does not take a U+FFFD that the server wrote for damage, wherever it is split", () => {
    const bytes = encoder.encode("data: \uFFFD\n\n");
    for (let at = 0; at <= bytes.length; at++) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)])).toEqual({ events: [event("\uFFFD")], problems: [] });
    }
  });

  it("names a line that is no field", () => {
    expect(decode(['data: a\n\n{"error":"x"}\n\n'])).toEqual({
      events: [event("a")],
      problems: [expect.stringContaining('{\\"error\\":\\"x\\"}')],
    });
  });

  it("drops a line and an event over the limit, names both and goes on", () => {
    expect(decode([`data: ${"x".repeat(40)}`, `${"x".repeat(40)}\n\ndata: a\n\n`], 50)).toEqual({
      events: [event("a")],
      problems: [expect.stringContaining("a line is longer")],
    });
    expect(decode([`${`data: ${"x".repeat(30)}\n`.repeat(3)}\ndata: a\n\n`], 50)).toEqual({
      events: [event("a")],
      problems: [expect.stringContaining("an event is longer")],
    });
  });

  it("reads ten megabytes in one line that comes in small pieces", () => {
    const decoder = createSseDecoder();
    const piece = encoder.encode("x".repeat(1000));
    decoder.push(encoder.encode("data: "));
    for (let count = 0; count < 10_000; count++) expect(decoder.push(piece)).toHaveLength(0);
    expect(decoder.push(encoder.encode("\n\n")).map((item) => item.data.length)).toEqual([10_000_000]);
  });

  it("gives the same events and problems for any chunking, whatever the bytes", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc
        .array(
          fc.constantFrom(
            "data: a",
            "data:",
            "data",
            ": c",
            "event: e",
            "id: 1",
            "\n",
            "\r",
            "\r\n",
            "あ",
            "\uFEFF",
            "\uFFFD",
            "x",
          ),
          {
            maxLength: 30,
          },
        )
        .map((parts) => encoder.encode(parts.join(""))),
    );
    const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
    fc.assert(
      fc.property(bytes, places, (all, cuts) => {
        expect(decode(cutAt(all, cuts))).toEqual(decode([all]));
      }),
      { numRuns: 500 },
    );
  });
});

describe("writing server-sent events", () => {
  it("gives back any event", () => {
    const line = fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n]/.test(text));
    const data = fc.array(line, { minLength: 1 }).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(data, fc.option(line), (text, name) => {
        expect(decode([encodeSseEvent({ data: text, event: name })]).events).toEqual([event(text, { event: name })]);
      }),
    );
  });
});
