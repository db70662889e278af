import { toolCallFormats } from "../../protocol/formats/index.ts";
import { scanText } from "../../protocol/formats/scanner.ts";
import { readReply } from "../../protocol/read-reply.ts";
import { bodyText } from "../capture/body.ts";
import type { Capture } from "../capture/capture.ts";
import { rawText } from "../capture/raw-text.ts";
import type { Classification } from "../classify/classification.ts";
import { languageOf } from "../classify/probes/language.ts";
import { type JudgedSample, judgedSample } from "./judged-sample.ts";

/** A sample of a check-up with what its judgement does not say. */
export interface CheckedSample {
  readonly sample: JudgedSample;
  /** Its line in captures.jsonl, from 1. */
  readonly line: number;
  /** Seed of its request. */
  readonly seed: number;
  readonly seen: {
    readonly content: boolean;
    readonly reasoning: boolean;
    /** Thinking stands in the content, marked as such. */
    readonly thinkingInContent: boolean;
    /** Format of the first whole call that the model wrote, whether or not it was served; null where none is seen. */
    readonly written: string | null;
    /** Whether what the model wrote is shown, and whether a thinking part ends in it. */
    readonly raw: "hidden" | "shown" | "thinks";
    /** What the model wrote, in this very generation; null where it is not shown. */
    readonly rawText: string | null;
    /** Language of the answer by its letters; null where there are too few. */
    readonly language: ReturnType<typeof languageOf>;
    readonly promptTokens: number | null;
    readonly finishReason: string | null;
    /** The word that only the system prompt holds is in the reply. */
    readonly codeWord: boolean;
    /** The error, where the reply is one. */
    readonly error: string | null;
  };
}

const thinkingEnd = /<\/(?:think|thought|seed:think|mm:think)>|\[\/THINK\]/;
const thinkingStart = /<(?:think|thought|seed:think|mm:think)>|\[THINK\]/;

/** Reads what a check-up wants to know from a stored sample. */
export function checkedSample(capture: Capture, classification: Classification, line: number): CheckedSample {
  const index = capture.exchanges.findLastIndex(({ hop }) => hop === "subject");
  const exchange = capture.exchanges[index];
  const read = readReply({
    body: exchange === undefined ? "" : bodyText(exchange.body),
    contentType: exchange?.headers["content-type"] ?? null,
    status: exchange?.status ?? null,
    streamed: capture.stream,
  });
  const reply = read.replies.find(({ choice }) => choice === 0) ?? read.replies[0] ?? null;
  const raw = rawText(capture.exchanges, index, read);
  const trusted = raw !== null && raw.grade !== "second_generation" ? raw.text : null;
  const word = capture.expectation.nonce;
  const content = reply?.content ?? "";
  return {
    sample: judgedSample(capture, classification),
    line,
    seed: capture.seed,
    seen: {
      content: content.trim() !== "",
      reasoning: (reply?.reasoning ?? "").trim() !== "",
      thinkingInContent: thinkingStart.test(content) || thinkingEnd.test(content),
      written: wholeCallIn(trusted ?? content),
      raw: trusted === null ? "hidden" : thinkingEnd.test(trusted) ? "thinks" : "shown",
      rawText: trusted,
      language: languageOf(content),
      promptTokens: reply?.usage?.promptTokens ?? null,
      finishReason: reply?.finishReason ?? null,
      codeWord: word !== null && content.includes(word),
      error: reply?.error?.message ?? null,
    },
  };
}

/** The format of the first whole call in a text. */
function wholeCallIn(text: string): string | null {
  if (text === "") return null;
  const piece = scanText(toolCallFormats, text).find(({ kind }) => kind === "call");
  return piece?.kind === "call" ? piece.format : null;
}
