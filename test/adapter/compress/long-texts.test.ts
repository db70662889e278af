import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Compression, compressHistory, compressInSteps } from "../../../src/adapter/compress/compress-history.ts";
import { findFacts, findFactsInPieces, tokenKind } from "../../../src/adapter/compress/facts.ts";
import { cutPieces, pieceLength } from "../../../src/adapter/compress/pieces.ts";
import { messagesSize } from "../../../src/adapter/compress/text-size.ts";
import { type ChatMessage, messageText } from "../../../src/protocol/chat.ts";
import { createChooser } from "./histories.ts";

const budget = 96 * 1024;

function run<T>(steps: Generator<void, T>): { readonly value: T; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done === true) return { value: step.value, pauses };
  }
}

const quiet = [
  "request taken in",
  "queue is short",
  "one more heartbeat",
  "静かな一日でした",
  "worker sleeps",
] as const;

/** Lines of a program's output, so many characters in all, with others put in at shares of it. */
function output(length: number, planted: readonly { readonly at: number; readonly line: string }[], seed = 1): string {
  const choose = createChooser(seed);
  const lines: string[] = [];
  let size = 0;
  const left = planted.toSorted((one, two) => one.at - two.at);
  while (size < length) {
    const next = left[0];
    if (next !== undefined && next.at * length <= size) {
      lines.push(next.line);
      left.shift();
    }
    const line = `${choose.below(100_000)} ${choose.pick(quiet)} ${choose.word(20)}`;
    lines.push(line);
    size += line.length + 1;
  }
  return [...lines, ...left.map(({ line }) => line)].join("\n");
}

function historyWith(content: string, question = "Which zebra is meant?"): readonly ChatMessage[] {
  return [
    { role: "system", content: "You help." },
    { role: "user", content: "Read it." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content },
    { role: "user", content: question },
  ];
}

function compressed(messages: readonly ChatMessage[]): Compression & { readonly kind: "compressed" } {
  const result = compressHistory(messages, budget);
  if (result.kind !== "compressed") throw new Error("nothing was compressed");
  return result;
}

describe("a tool result of megabytes", () => {
  const facts = [
    "wrote /var/lib/app/state-77.db",
    "see https://svc.internal/api/v3?id=9",
    "started with --dry-run=client",
    "nginx.service is up",
    "ERROR: disk full",
    "cannot open the ledger",
    "exit code: 42",
    "$ make release",
    "Makefile is missing",
    "EACCES on the socket",
  ];

  it.each([0.3, 0.5, 0.9])("keeps every planted fact that stands %d of the way into it", (at) => {
    const text = output(
      3_000_000,
      facts.map((line, number) => ({ at: at + number / 1000, line })),
    );
    const messages = historyWith(text);
    const result = compressed(messages);
    const kept = messageText(result.messages[3] ?? { role: "" });
    for (const line of facts) expect(kept).toContain(line);
    expect(result.fits).toBe(true);
    expect(result.bytesAfter).toBeLessThanOrEqual(budget);
    expect(result.bytesAfter).toBe(messagesSize(result.messages));
    expect(result.bytesBefore).toBe(messagesSize(messages));
  });

  it("keeps the line in its middle that the question asks for", () => {
    const text = output(3_000_000, [{ at: 0.6, line: "the zebra counter stands at 41" }]);
    expect(messageText(compressed(historyWith(text)).messages[3] ?? { role: "" })).toContain(
      "zebra counter stands at 41",
    );
  });

  it("is in the ledger as far as it was left out, and the rest of it is unchanged", () => {
    const text = output(
      2_000_000,
      facts.map((line, number) => ({ at: number / 10, line })),
    );
    const { dropped, messages } = compressed(historyWith(text));
    let rest = "";
    let from = 0;
    for (const { start, end, text: left, message } of dropped) {
      expect(message).toBe(3);
      expect(left).toBe(text.slice(start, end));
      rest += text.slice(from, start);
      from = end;
    }
    rest += text.slice(from);
    const marks = /\[… \d+ lines? left out …\]\n?| … ?/g;
    const kept = messageText(messages[3] ?? { role: "" });
    expect(kept.replace(marks, "").replace(/\s/g, "")).toBe(rest.replace(/\s/g, ""));
    // Marks tell how many lines their gap has; one within a line tells no number.
    const counts = dropped.map(({ text: left }) => left.split("\n").length - (left.endsWith("\n") ? 1 : 0));
    for (const [, count] of kept.matchAll(/\[… (\d+) lines? left out …\]/g)) {
      while (counts.length > 0 && counts[0] !== Number(count)) counts.shift();
      expect(counts.shift()).toBe(Number(count));
    }
  });

  it.each([
    ["one endless word", "z".repeat(2_500_000)],
    ["one endless line", "word ".repeat(500_000)],
    ["one endless line of surrogate pairs", "😀".repeat(1_250_000)],
    ["nothing but line ends", "\n".repeat(2_500_000)],
    ["the same line again and again", "all is quiet\n".repeat(200_000)],
    ["lone surrogates", "\ud800\udc00\udc00 \ud800".repeat(400_000)],
  ])("may be %s", (_name, text) => {
    const result = compressed(historyWith(text));
    expect(result.fits).toBe(true);
    expect(result.bytesAfter).toBe(messagesSize(result.messages));
    expect(result.bytesAfter).toBeLessThanOrEqual(budget);
  });

  it("lets others go on in between; a short one does not", () => {
    expect(run(compressInSteps(historyWith(output(3_000_000, [])), budget)).pauses).toBeGreaterThan(10);
    expect(run(compressInSteps(historyWith(output(200_000, [])), budget)).pauses).toBe(0);
  });
});

describe("the pieces of a long text", () => {
  it("join to it, and end where a line or at least a word does", () => {
    const lines = output(2_000_000, []);
    const pieces = cutPieces(lines);
    expect(pieces.map(({ start, end }) => lines.slice(start, end)).join("")).toBe(lines);
    expect(pieces.length).toBeGreaterThan(4);
    for (const { start, end } of pieces) expect(end - start).toBeLessThanOrEqual(2 * pieceLength);
    for (const { start } of pieces.slice(1)) expect(lines[start - 1]).toBe("\n");
    const words = "some-words ".repeat(150_000);
    for (const { start } of cutPieces(words).slice(1)) expect(words[start - 1]).toBe(" ");
    const pairs = "😀".repeat(600_000);
    for (const { start } of cutPieces(`x${pairs}`).slice(1)) expect(start % 2).toBe(1);
  });

  it("do not part a word that promises something from the line that follows", () => {
    const text = `${"x".repeat(40)} exit code:\n 7\n`.repeat(30_000);
    for (const { start } of cutPieces(text).slice(1))
      expect(text.slice(start - 4, start)).toBe(" 7\n".padStart(4, "\n"));
  });

  it.each(["tool", "assistant", "instructions", "user"] as const)("hold the facts of the whole (%s)", (speaker) => {
    const planted = Array.from({ length: 300 }, (_, at) => ({
      at: at / 300,
      line: `step ${at}: wrote /srv/data/part-${at}.db with --level=${at}, exit code: ${at}, error: no such file`,
    }));
    const text = output(1_500_000, planted);
    const { value, pauses } = run(findFactsInPieces(text, speaker, []));
    expect(pauses).toBeGreaterThan(3);
    expect(value).toEqual(findFacts(text, speaker, []));
  });
});

describe("looking for telling letters first", () => {
  const word = fc.string({
    unit: fc.constantFrom(
      "a",
      "Z",
      "9",
      "/",
      "\\",
      "~",
      ".",
      "-",
      "_",
      "=",
      ":",
      "x.js",
      "日",
      ".timer",
      "Makefile",
      "Jenkinsfile",
      "LICENSE",
      "CODEOWNERS",
      "#7",
      "AB-12",
      "@",
      "＝",
      "12345678-abcd-",
      "C:\\",
    ),
    maxLength: 7,
  });
  const between = fc.constantFrom(" ", "\n", "\t", "、", "(", ")", '"', ", ", "|", "<");

  it.each(["tool", "assistant", "instructions", "user"] as const)(
    "finds what looking at every word finds (%s)",
    (speaker) => {
      const everyWord = (text: string): readonly string[] =>
        [...text.matchAll(/[^\s"'`<>()[\]{}|;,、。，；「」『』（）［］｛｝【】“”]+/g)].flatMap((match) => {
          const bare = match[0].replace(/[.:!?…]+$/, "");
          const kind = match[0].length < 2 ? null : tokenKind(bare, speaker, text[match.index - 1] ?? "");
          return kind === null ? [] : [`${kind} ${match.index} ${bare}`];
        });
      const kinds: ReadonlySet<string> = new Set(["path", "url", "flag", "service", "required_argument"]);
      fc.assert(
        fc.property(fc.array(fc.tuple(word, between), { maxLength: 12 }), (parts) => {
          const text = parts.flat().join("");
          const found = findFacts(text, speaker, [])
            .filter(({ kind, once, key }) => once && kinds.has(kind) && !/[\s"]/.test(key))
            .map(({ kind, start, key }) => `${kind} ${start} ${key}`);
          expect(found.toSorted()).toEqual(everyWord(text).toSorted());
        }),
        { numRuns: 3000 },
      );
    },
  );
});
