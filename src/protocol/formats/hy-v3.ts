import { spacedJson } from "../json.ts";
import type { ReaderStep, ScannedCall, ToolCallFormat } from "./format.ts";
import { callStep, createReader, cutStep, noStep } from "./reader-steps.ts";
import { endsInside, type Reading, type Steps, takeBlanks, takeOne, takeUpTo } from "./reading.ts";
import { type PairTags, pairTags, takePairs } from "./tagged-pairs.ts";

const section = "tool_calls";
const call = "tool_call";
const separator = "tool_sep";

function* readSection(reading: Reading): Steps<ReaderStep> {
  const start = yield* takeOne(reading, [`<${section}`, `<${call}`]);
  if (start === null) return noStep;
  const suffix = yield* takeUpTo(reading, ">", 40);
  if (suffix === null || !/^(?::[\w-]+)?$/.test(suffix)) return noStep;
  reading.at++;
  const tags = pairTags(suffix, separator);
  const calls: ScannedCall[] = [];
  if (start === `<${call}`) return (yield* takeCall(reading, tags, calls)) ?? callStep(reading, calls);
  for (;;) {
    const end = reading.at;
    yield* takeBlanks(reading);
    const expected = [`<${call}${suffix}>`, `</${section}${suffix}>`];
    const tag = yield* takeOne(reading, expected);
    if (tag === expected[0]) {
      const step = yield* takeCall(reading, tags, calls);
      if (step !== null) return step;
      continue;
    }
    if (tag === null && calls.length === 0) return noStep;
    if (tag === null && reading.at < reading.buffer.length && endsInside(reading, expected))
      return cutStep(reading, calls);
    if (tag === null) reading.at = end;
    return callStep(reading, calls);
  }
}

/** Takes one call into `calls`; gives a step where there is none, or a damaged one. */
function* takeCall(reading: Reading, tags: PairTags, calls: ScannedCall[]): Steps<ReaderStep | null> {
  const read = yield* takePairs(reading, tags, () => true);
  if (read.kind === "broken") return { ...read, calls };
  if (read.kind !== "pairs") return calls.length === 0 ? read : callStep(reading, calls);
  calls.push(read.call);
  return null;
}

/** `<tool_calls><tool_call>NAME<tool_sep>`, then keys and values; the shipped tokenizer puts a suffix into every tag. */
export const hyV3: ToolCallFormat = {
  name: "hy_v3",
  openers: [`<${section}>`, `<${section}:`, `<${call}>`, `<${call}:`],
  bare: false,
  parsers: {
    vllm: ["hy_v3"],
    vllm010: [],
    sglang: [],
    sglangNewer: ["hunyuan"],
    ollama: [],
    "llama-server": ["a chat template of Hy3"],
  },
  models: "Tencent Hy3",
  openReader: (meter) => createReader(meter, readSection),
  render: (calls) => {
    const tags = pairTags("", separator);
    const written = calls.map(({ name, arguments: given }) => {
      const pairs = Object.entries(given).map(([key, value]) => {
        const text = typeof value === "string" ? value : spacedJson(value);
        return `${tags.keyOpener}${key}${tags.keyCloser}\n${tags.valueOpener}${text}${tags.valueCloser}\n`;
      });
      return `<${call}>${name}${tags.separator}\n${pairs.join("")}${tags.callCloser}`;
    });
    return `<${section}>${written.join("")}</${section}>`;
  },
};
