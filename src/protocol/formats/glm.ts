import { type JsonValue, spacedJson } from "../json.ts";
import type { ToolCall, ToolCallFormat } from "./format.ts";
import { callStep, createReader, noStep } from "./reader-steps.ts";
import { takeOne } from "./reading.ts";
import { pairTags, takePairs } from "./tagged-pairs.ts";

const opener = "<tool_call>";
const tags = pairTags("", null);

function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : spacedJson(value);
}

/** The two layouts of one grammar: with a line break behind the name and each tag, or with none. */
function glm(own: Pick<ToolCallFormat, "name" | "parsers" | "models">, line: "\n" | ""): ToolCallFormat {
  const writeCall = (call: ToolCall): string => {
    const pairs = Object.entries(call.arguments).map(
      ([key, value]) =>
        `${tags.keyOpener}${key}${tags.keyCloser}${line}${tags.valueOpener}${valueText(value)}${tags.valueCloser}${line}`,
    );
    return `${opener}${call.name}${line}${pairs.join("")}${tags.callCloser}`;
  };
  return {
    ...own,
    openers: [opener],
    bare: false,
    openReader: (meter) =>
      createReader(meter, function* (reading) {
        if ((yield* takeOne(reading, [opener])) === null) return noStep;
        const read = yield* takePairs(reading, tags, (lineAfterName) => lineAfterName === (line === "\n"));
        return read.kind === "pairs" ? callStep(reading, [read.call]) : read;
      }),
    render: (calls) => calls.map(writeCall).join("\n"),
  };
}

/** `<tool_call>NAME`, then `<arg_key>` and `<arg_value>` on lines of their own. */
export const glm45 = glm(
  {
    name: "glm45",
    parsers: {
      vllm: ["glm45", "glm47", "poolside_v1"],
      vllm010: ["glm45"],
      sglang: ["glm45", "glm"],
      sglangNewer: ["poolside_v1"],
      ollama: ["laguna", "poolside-v1"],
      "llama-server": ["a chat template with <arg_key> and <arg_value>"],
    },
    models: "GLM-4.5, GLM-4.6, Laguna",
  },
  "\n",
);

/** The same on one line. */
export const glm47 = glm(
  {
    name: "glm47",
    parsers: {
      vllm: ["glm47", "glm45", "ling3"],
      vllm010: [],
      sglang: ["glm47"],
      sglangNewer: ["ling3"],
      ollama: ["glm-4.7", "glm-ocr"],
      "llama-server": ["a chat template with <arg_key> and <arg_value>"],
    },
    models: "GLM-4.7, GLM-5.x, Ling/Ring 3",
  },
  "",
);
