import type { CaseFile } from "../../../src/lab/classify/case-file.ts";
import { judgeCase } from "../../../src/lab/classify/score-cases.ts";
import { findFormat, toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { scanText } from "../../../src/protocol/formats/scanner.ts";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../../../src/protocol/json.ts";
import { parameterNames, phrases, toolNames } from "./variant-words.ts";

/** A case changed in a way that must not change its verdict. */
export interface Variant {
  readonly kind: "renamed" | "translated" | "announced" | "rerendered" | "streamed" | "reasoning";
  readonly what: string;
  readonly file: CaseFile;
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Every variant of a case; `rounds` says how many random ones of each kind. */
export function variantsOf(file: CaseFile, rounds: number, random: () => number): readonly Variant[] {
  return [
    ...renamed(file),
    ...translated(file),
    ...announced(file),
    ...rerendered(file),
    ...streamed(file, rounds, random),
    ...withReasoning(file),
  ];
}

// --- names

/** Applies a rewriting of text to every string of a value, keys of objects included. */
function mapStrings(value: JsonValue, rewrite: (text: string) => string): JsonValue {
  if (typeof value === "string") return rewrite(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => mapStrings(item, rewrite));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, rewrite)]));
}

function asJson(file: CaseFile): JsonObject {
  return JSON.parse(JSON.stringify(file)) as JsonObject;
}

/** Tools and their parameters under other names, wherever they stand. */
function renamed(file: CaseFile): readonly Variant[] {
  const tools = file.tools ?? [];
  if (tools.length === 0) return [];
  return toolNames.map((renameTool, round) => {
    const names = tools.map((tool) => tool.function.name).sort((a, b) => b.length - a.length);
    const parameters = [
      ...new Set(tools.flatMap((tool) => Object.keys((tool.function.parameters?.["properties"] as object) ?? {}))),
    ].filter((name) => parameterNames[round]?.[name] !== undefined);
    const rewriteNames = (text: string): string => {
      let made = text;
      for (const [index, name] of names.entries()) made = made.replaceAll(name, `\u0001${index}\u0002`);
      return made.replace(/\u0001(\d+)\u0002/g, (_whole, index: string) => renameTool(names[Number(index)] ?? ""));
    };
    // A parameter's name counts only where a format writes names: before a colon, an equals sign or an end of its tag.
    const rewriteParameters = (text: string): string =>
      parameters.reduce(
        (made, name) =>
          made.replace(
            new RegExp(`(?<=["'<={,(\\s:>-])${name}(?=\\\\?["']\\s*:|["']?\\s*=|\\s*:|["']?>|</arg_key>|\\n| ")`, "g"),
            parameterNames[round]?.[name] ?? name,
          ),
        text,
      );
    const { expected: _label, tools: declared, request, response: given, ...rest } = asJson(file);
    const response = withWholeTexts(given ?? {});
    const rewrite = (text: string): string => rewriteParameters(rewriteNames(text));
    const renamedTools = (declared as JsonValue[]).map((tool) =>
      renameInTool(tool, renameTool, parameterNames[round] ?? {}),
    );
    return {
      kind: "renamed",
      what: `names ${round}`,
      file: {
        ...rest,
        tools: renamedTools,
        request: renameHistory(mapStrings(request ?? {}, rewriteNames), rewriteParameters),
        response: mapStrings(response ?? {}, rewrite),
      } as unknown as CaseFile,
    };
  });
}

/** A stream whose texts come whole: a name that is cut by a chunk cannot be found. */
function withWholeTexts(response: JsonValue): JsonValue {
  if (!isJsonObject(response) || !Array.isArray(response["stream"])) return response;
  const chunks: JsonValue[] = [];
  let open: Record<string, JsonValue> | null = null;
  for (const entry of response["stream"] as readonly JsonValue[]) {
    const choices = isJsonObject(entry) ? entry["choices"] : undefined;
    const [choice] = Array.isArray(choices) ? (choices as readonly JsonValue[]) : [];
    const delta = isJsonObject(choice) && isJsonObject(choice["delta"]) ? choice["delta"] : null;
    const [key, ...more] = Object.keys(delta ?? {}).filter((name) => name !== "role");
    const text = key === undefined ? undefined : delta?.[key];
    const isText =
      key !== undefined && key !== "tool_calls" && more.length === 0 && typeof text === "string" && text !== "";
    if (!isText || !isJsonObject(entry) || !isJsonObject(choice)) {
      open = null;
      chunks.push(entry);
    } else if (open !== null && typeof open[key] === "string" && choice["finish_reason"] == null) {
      open[key] = `${open[key]}${text}`;
    } else {
      open = { ...delta };
      chunks.push({ ...entry, choices: [{ ...choice, delta: open }] });
    }
  }
  return { ...response, stream: chunks };
}

/** Arguments in the history are named like those of the reply. */
function renameHistory(request: JsonValue, rewrite: (text: string) => string): JsonValue {
  if (!isJsonObject(request) || !Array.isArray(request["messages"])) return request;
  const messages = request["messages"].map((message: JsonValue) =>
    isJsonObject(message) && message["tool_calls"] !== undefined
      ? { ...message, tool_calls: mapStrings(message["tool_calls"], rewrite) }
      : message,
  );
  return { ...request, messages };
}

function renameInTool(
  tool: JsonValue,
  renameTool: (name: string) => string,
  parameters: Readonly<Record<string, string>>,
): JsonValue {
  if (!isJsonObject(tool) || !isJsonObject(tool["function"])) return tool;
  const declared = tool["function"];
  const schema = isJsonObject(declared["parameters"]) ? renameInSchema(declared["parameters"], parameters) : undefined;
  return {
    ...tool,
    function: {
      ...declared,
      name: renameTool(String(declared["name"])),
      ...(schema === undefined ? {} : { parameters: schema }),
    },
  };
}

function renameInSchema(schema: JsonObject, parameters: Readonly<Record<string, string>>): JsonObject {
  const { properties, required } = schema;
  return {
    ...schema,
    ...(isJsonObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, value]) => [
              parameters[key] ?? key,
              // Nested objects keep their own names.
              value,
            ]),
          ),
        }
      : {}),
    ...(Array.isArray(required)
      ? { required: required.map((name: JsonValue) => parameters[String(name)] ?? name) }
      : {}),
  };
}

// --- words around

/** Phrases of user turns and prose in another language. */
function translated(file: CaseFile): readonly Variant[] {
  return phrases.flatMap((row, index) =>
    row.flatMap((from) => {
      const text = JSON.stringify(file.request) + JSON.stringify(file.response);
      if (!text.includes(JSON.stringify(from).slice(1, -1))) return [];
      return row
        .filter((to) => to !== from)
        .map((to): Variant => {
          const rewrite = (words: string): string => words.replaceAll(from, to);
          const { request, response, ...rest } = asJson(file);
          return {
            kind: "translated",
            what: `phrase ${index}: ${to}`,
            file: {
              ...rest,
              request: mapStrings(request ?? {}, rewrite),
              response: mapStrings(response ?? {}, rewrite),
            } as unknown as CaseFile,
          };
        });
    }),
  );
}

const announcements = [
  "Let me check that.\n\n",
  "調べてみます。\n\n",
  "我来查一下。\n\n",
  "One moment please.\n",
  "了解しました!\n",
];

interface Content {
  readonly text: string;
  with(text: string): CaseFile;
}

/** The reply's one text, where the case is a plain chat completion. */
function contentOf(file: CaseFile): Content | null {
  const { choices } = file.response;
  if (!Array.isArray(choices) || choices.length !== 1) return null;
  const [choice] = choices as readonly JsonValue[];
  if (!isJsonObject(choice) || !isJsonObject(choice["message"])) return null;
  const { message } = choice;
  const { content } = message;
  if (typeof content !== "string") return null;
  return {
    text: content,
    with: (text) =>
      ({
        ...file,
        response: { ...file.response, choices: [{ ...choice, message: { ...message, content: text } }] },
      }) as CaseFile,
  };
}

const quietHeaders = /^\s*(?:<think|\[THINK|<seed:think|<\|channel\|>|<\|start|analysis| to=|[\s\S]*<\/think>)/;

/** An announcement in front of a call. */
function announced(file: CaseFile): readonly Variant[] {
  const verdict = judgeCase(file, false).verdict;
  const content = contentOf(file);
  if (content === null || (verdict !== "leaked_call" && verdict !== "structured_call")) return [];
  if (quietHeaders.test(content.text)) return [];
  return announcements.map((words) => ({
    kind: "announced",
    what: words.trim(),
    file: content.with(words + content.text),
  }));
}

// --- formats

/** The written calls in the words of every other format that can say them. */
function rerendered(file: CaseFile): readonly Variant[] {
  const content = contentOf(file);
  const line = judgeCase(file, false);
  const calls = line.calls.flatMap((call) =>
    isJsonObject(call.arguments) ? [{ name: call.name, arguments: call.arguments }] : [],
  );
  if (content === null || line.axis !== "leaked" || line.verdict !== "leaked_call" || calls.length === 0) return [];
  if (quietHeaders.test(content.text) || line.validity === "hallucinated_tool") return [];
  const stretches = scanText(toolCallFormats, content.text).filter((piece) => piece.kind !== "text");
  const [first] = stretches;
  const last = stretches.at(-1);
  if (first === undefined || last === undefined) return [];
  const before = content.text.slice(0, first.start);
  const after = content.text.slice(last.end);
  const hasTextBehind = after.replace(/<[^>]*>|\s/g, "") !== "";
  return toolCallFormats.flatMap((format): Variant[] => {
    if (format.name === line.leakFormat || format.readAs !== undefined) return [];
    const rendered = format.render(calls);
    // A format whose reader needs the tools to be of some kind, or that cannot hold these values, is no fair variant.
    const read = scanText(toolCallFormats, rendered).flatMap((piece) => (piece.kind === "call" ? piece.calls : []));
    if (read.length !== calls.length || read.some((call, index) => !saysTheSame(call, calls[index]))) return [];
    const bare = findFormat(format.name)?.bare ?? false;
    if (bare && hasTextBehind) return [];
    const gap = before.trim() === "" || before.endsWith("\n") ? before : `${before}\n`;
    return [
      {
        kind: "rerendered",
        what: format.name,
        file: content.with(`${gap}${rendered}${hasTextBehind ? `\n${after.replace(/^(?:\s*<\/[^>]*>)+/, "")}` : ""}`),
      },
    ];
  });
}

function saysTheSame(
  read: { readonly name: string; readonly arguments: JsonValue; readonly untyped: boolean },
  wanted: { readonly name: string; readonly arguments: JsonObject } | undefined,
): boolean {
  if (wanted === undefined || read.name !== wanted.name || !isJsonObject(read.arguments)) return false;
  if (!read.untyped) return canonicalJson(read.arguments) === canonicalJson(wanted.arguments);
  return Object.keys(wanted.arguments).every((key) => key in (read.arguments as JsonObject));
}

// --- streams

function streamed(file: CaseFile, rounds: number, random: () => number): readonly Variant[] {
  const { choices, usage, stream } = file.response;
  return Array.from({ length: rounds }, (_unused, round): Variant[] => {
    const chunks = Array.isArray(stream)
      ? rechunked(stream as readonly JsonValue[], random)
      : Array.isArray(choices)
        ? asStream(choices as readonly JsonValue[], usage, random)
        : null;
    if (chunks === null) return [];
    const { raw, ended } = file.response;
    const response = {
      stream: chunks,
      ...(raw === undefined ? {} : { raw }),
      ...(ended === undefined ? {} : { ended }),
    };
    return [{ kind: "streamed", what: `round ${round}`, file: { ...file, response } as CaseFile }];
  }).flat();
}

function pieces(text: string, random: () => number): readonly string[] {
  const made: string[] = [];
  for (let from = 0; from < text.length; ) {
    const size = 1 + Math.floor(random() * random() * 12);
    made.push(text.slice(from, from + size));
    from += size;
  }
  return made;
}

function chunk(index: number, delta: JsonObject, finish: JsonValue = null): JsonValue {
  return { object: "chat.completion.chunk", choices: [{ index, delta, finish_reason: finish }] };
}

/** A chat completion as a stream would have brought it. */
function asStream(
  choices: readonly JsonValue[],
  usage: JsonValue | undefined,
  random: () => number,
): JsonValue[] | null {
  const chunks: JsonValue[] = [];
  for (const [number, choice] of choices.entries()) {
    if (!isJsonObject(choice) || !isJsonObject(choice["message"])) return null;
    const { message, finish_reason: finish = null } = choice;
    chunks.push(chunk(number, { role: "assistant" }));
    for (const field of ["reasoning_content", "reasoning", "content"] as const) {
      const text = message[field];
      if (typeof text === "string")
        for (const piece of pieces(text, random)) chunks.push(chunk(number, { [field]: piece }));
    }
    const legacy = message["function_call"];
    if (isJsonObject(legacy)) {
      chunks.push(chunk(number, { function_call: { name: legacy["name"] ?? "", arguments: "" } }));
      for (const piece of pieces(String(legacy["arguments"] ?? ""), random))
        chunks.push(chunk(number, { function_call: { arguments: piece } }));
    }
    const calls = message["tool_calls"];
    if (Array.isArray(calls)) {
      for (const [index, call] of (calls as readonly JsonValue[]).entries()) {
        if (!isJsonObject(call)) return null;
        const called = call["function"];
        if (!isJsonObject(called) || typeof called["arguments"] !== "string") {
          chunks.push(chunk(number, { tool_calls: [{ index, ...call }] }));
          continue;
        }
        chunks.push(chunk(number, { tool_calls: [{ ...call, index, function: { ...called, arguments: "" } }] }));
        for (const piece of pieces(called["arguments"], random))
          chunks.push(chunk(number, { tool_calls: [{ index, function: { arguments: piece } }] }));
      }
    }
    chunks.push(chunk(number, {}, finish));
  }
  if (usage !== undefined) chunks.push({ object: "chat.completion.chunk", choices: [], usage });
  return chunks;
}

/** The texts of a stream cut at other places; everything else stays as it came. */
function rechunked(stream: readonly JsonValue[], random: () => number): JsonValue[] | null {
  return stream.flatMap((entry): JsonValue[] => {
    if (!isJsonObject(entry) || !Array.isArray(entry["choices"]) || entry["choices"].length !== 1) return [entry];
    const [choice] = entry["choices"] as readonly JsonValue[];
    if (!isJsonObject(choice) || !isJsonObject(choice["delta"])) return [entry];
    const { content, ...delta } = choice["delta"];
    if (typeof content !== "string" || content === "" || choice["finish_reason"] != null) return [entry];
    return pieces(content, random).map((piece, index) => ({
      ...entry,
      choices: [{ ...choice, delta: { ...(index === 0 ? delta : {}), content: piece } }],
    }));
  });
}

// --- reasoning

const thoughts = [
  "The user wants something. Let me think about what is needed here.",
  "ユーザーの依頼を整理する。何が必要か考えよう。",
  "用户提出了请求，我先想一想该怎么回应。",
];

/** A neutral thought in front of the reply, in a wrapper or in a field of its own. */
function withReasoning(file: CaseFile): readonly Variant[] {
  const content = contentOf(file);
  const { verdict } = judgeCase(file, false);
  if (content === null || content.text.trim() === "" || quietHeaders.test(content.text)) return [];
  if (verdict === "empty_reply" || verdict === "reasoning_only_reply" || verdict === "reasoning_only_call") return [];
  return thoughts.flatMap((thought, index): Variant[] => {
    const wrapped = content.with(`<think>\n${thought}\n</think>\n\n${content.text}`);
    const [choice] = wrapped.response["choices"] as readonly JsonObject[];
    const message = choice?.["message"] as JsonObject;
    if (typeof message["reasoning_content"] === "string" || typeof message["reasoning"] === "string") return [];
    const field = content.with(content.text);
    const inField = {
      ...field,
      response: {
        ...field.response,
        choices: [{ ...choice, message: { ...message, content: content.text, reasoning_content: thought } }],
      },
    } as CaseFile;
    return [
      { kind: "reasoning", what: `wrapper ${index}`, file: wrapped },
      { kind: "reasoning", what: `field ${index}`, file: inField },
    ];
  });
}
