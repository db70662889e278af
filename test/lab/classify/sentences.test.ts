import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sentencesWith, speechIn } from "../../../src/lab/classify/sentences.ts";

describe("sentencesWith", () => {
  const words = /\b(?:saved|sent)\b|た|済/gi;
  const textsIn = (text: string): readonly string[] =>
    [...sentencesWith(speechIn(text), words)].map((sentence) => sentence.text);

  it("gives each sentence with a word once, in order", () => {
    expect(textsIn("It is saved, saved and sent. Nothing here.\nSent! 見た。 済みです。 終わり。")).toEqual([
      "It is saved, saved and sent.",
      "Sent!",
      "見た。",
      "済みです。",
    ]);
  });

  it("looks into no quotation", () => {
    expect(textsIn("He wrote “saved”. `sent` it is.")).toEqual([]);
  });

  it("finds what asking each sentence finds", () => {
    const piece = fc.constantFrom(
      "saved",
      "sent",
      "unsent",
      "た",
      "済",
      "a ",
      " ",
      ". ",
      "。",
      "！",
      "\n",
      "`",
      "“",
      "”",
      "x",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join("");
        const one = new RegExp(words.source, "i");
        expect([...sentencesWith(speechIn(text), words)]).toEqual(
          speechIn(text).sentences.filter((sentence) => one.test(sentence.text)),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("begins anew each time, also where an earlier search was left", () => {
    const speech = speechIn("It was sent. It was saved. It was sent again.");
    for (const _ of sentencesWith(speech, words)) break;
    expect([...sentencesWith(speech, words)]).toHaveLength(3);
  });
});
