import { describe, expect, it } from "vitest";
import type { Piece } from "../../../src/protocol/formats/format.ts";
import { toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { createScanner, scanText } from "../../../src/protocol/formats/scanner.ts";

function shape(text: string): readonly string[] {
  return scanText(toolCallFormats, text).map((piece) => {
    if (piece.kind === "text") return text.slice(piece.start, piece.end);
    const names = piece.calls.map(({ name }) => name).join(",");
    return piece.kind === "call" ? `${piece.format}(${names})` : `${piece.format}!${piece.reason}:${piece.name}`;
  });
}

function onlyText(text: string): readonly Piece[] {
  return [{ kind: "text", start: 0, end: text.length }];
}

describe("text that comes in chunks", () => {
  it("goes at once where it opens nothing, and is held only where it may be an opener", () => {
    const scanner = createScanner(toolCallFormats);
    expect(scanner.push("Hello, world. ")).toEqual([{ kind: "text", start: 0, end: 14 }]);
    expect(scanner.push("a <tool")).toEqual([{ kind: "text", start: 14, end: 16 }]);
    expect(scanner.push("box> b")).toEqual([{ kind: "text", start: 16, end: 27 }]);
  });

  it("is released as soon as the first key or the name rules a candidate out", () => {
    const scanner = createScanner(toolCallFormats);
    expect(scanner.push('{"title": 1')).toEqual([{ kind: "text", start: 0, end: 11 }]);
    expect(scanner.push(', {"name": ')).toEqual([{ kind: "text", start: 11, end: 13 }]);
    expect(scanner.push('"Ines')).toEqual([]);
    expect(scanner.push(" and Bo")).toEqual([{ kind: "text", start: 13, end: 34 }]);
    expect(scanner.push("[see the ")).toEqual([{ kind: "text", start: 34, end: 43 }]);
    expect(scanner.push("link](")).toEqual([{ kind: "text", start: 43, end: 49 }]);
  });

  it("is held for one word where a sentence begins: it may be the name of a tool", () => {
    const scanner = createScanner(toolCallFormats);
    expect(scanner.push("Done. get")).toEqual([{ kind: "text", start: 0, end: 6 }]);
    expect(scanner.push("ting")).toEqual([]);
    expect(scanner.push(" there")).toEqual([{ kind: "text", start: 6, end: 19 }]);
  });

  it("gives a call out with the character that ends it", () => {
    const scanner = createScanner(toolCallFormats);
    const text = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>';
    expect(scanner.push(text.slice(0, -1))).toEqual([]);
    expect(scanner.push(">")).toMatchObject([{ kind: "call", start: 0, end: text.length }]);
  });

  it("is not copied again for every small chunk behind a long candidate, and gives the same call", () => {
    const value = "x{y\\n".repeat(60_000);
    const text = `{"name": "f", "arguments": {"a": "${value}"}} done`;
    const scanner = createScanner(toolCallFormats);
    const pieces: Piece[] = [];
    for (let from = 0; from < text.length; from += 5) pieces.push(...scanner.push(text.slice(from, from + 5)));
    pieces.push(...scanner.end());
    expect(pieces[0]).toEqual(scanText(toolCallFormats, text)[0]);
    expect(pieces.at(-1)?.end).toBe(text.length);
  });
});

describe("a scan is linear", () => {
  const openings = [
    "",
    '<tool_call>{"name":"x","arguments":{"a":"',
    "<tool_call><function=a><parameter=b>",
    "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>",
    '[f(a="',
    '{"name":"x","arguments":{"a":"',
    '<|tool_call>call:f{a:<|"|>',
    "<|channel|>analysis to=python code<|message|>",
    ']<]minimax[>[<invoke name="f">]<]minimax[>[<a>',
    '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="string"<|sep|>',
    "Thought: ",
    "```tool\nTOOL_NAME: f\nBEGIN_ARG: a\n",
    "```json\n{",
  ];
  it.each([
    ["open tags", "<tool_call>"],
    ["open functions", "<function=a>"],
    ["open invocations", '<invoke name="a">'],
    ["nested braces", "{"],
    ["nested lists", "["],
    ["nested call-like objects", '{"name":"x","arguments":'],
    ["call-like objects", '{"name":"x","arguments":{}}'],
    ["call-like lists", '[{"name":"x","arguments":{}},'],
    ["less-than signs", "<"],
    ["closers inside a value", "</parameter>"],
    ["closers with a line break", "</parameter>\n"],
    ["value closers", "</arg_value>"],
    ["block closers", "\nEND_ARG"],
    ["string marks", '<|"|>'],
    ["backslashes", "\\"],
    ["quotes", '"'],
    ["apostrophes", "'"],
    ["blanks", " "],
    ["line breaks", "\n"],
    ["braces and blanks", "{ "],
    ["words on lines", "a\n"],
    ["calls on lines", "f(a=1)\n"],
    ["open calls", "f(a="],
    ["open lists of calls", "[f(a="],
    ["thoughts", "Thought: x\n"],
    ["actions", "Action: f\n"],
    ["fences", "```json\n{"],
    ["channels", "<|channel|>commentary to=f "],
    ["namespaces", "functions."],
    ["sentence ends", ". "],
  ])("over %s", (_what, unit) => {
    for (const opening of openings) {
      const steps = (length: number): number => {
        const scanner = createScanner(toolCallFormats);
        scanner.push(opening + unit.repeat(length / unit.length));
        scanner.end();
        return scanner.steps();
      };
      expect(steps(20_000) / steps(10_000)).toBeLessThanOrEqual(2.3);
    }
  });

  it("over a million open tags", () => {
    const scanner = createScanner(toolCallFormats);
    const text = "<tool_call>".repeat(1_000_000);
    scanner.push(text);
    scanner.end();
    expect(scanner.steps()).toBeLessThan(20 * text.length);
  });
});

describe("where a call ends", () => {
  it.each([
    [
      "with its JSON object, not with a closing tag in a string",
      '<tool_call>{"name": "put_file", "arguments": {"text": "ends with </tool_call> here"}}</tool_call>',
    ],
    ["with its Python call, not with a bracket in a string", "[put_file(text='ends with )] here')]"],
    ["with its braces, not with one in a marked string", '<|tool_call>call:put_file{text:<|"|>}<|"|>}<tool_call|>'],
    ["behind brackets too many", '<tool_call>{"name": "put_file", "arguments": {}}}}</tool_call>'],
    ["behind an end-of-message token", '<|python_tag|>{"name": "put_file", "parameters": {}}<|eom_id|>'],
  ])("%s", (_where, text) => {
    expect(scanText(toolCallFormats, text)).toMatchObject([{ kind: "call", start: 0, end: text.length }]);
  });

  it("keeps a protocol quotation inside an XML value", () => {
    const body = 'The model wrote:\n<tool_call>\n{"name":"x"}\n</tool_call>\nand </parameter> too';
    const text = `<tool_call>\n<function=put_file>\n<parameter=text>\n${body}\n</parameter>\n</function>\n</tool_call>`;
    expect(scanText(toolCallFormats, text)).toMatchObject([{ kind: "call", calls: [{ arguments: { text: body } }] }]);
  });

  it("keeps raw closing tags in the last value of an invocation", () => {
    const text =
      '<minimax:tool_call>\n<invoke name="put">\n<parameter name="text">a </parameter> b</parameter>\n</invoke>\n</minimax:tool_call>';
    expect(scanText(toolCallFormats, text)).toMatchObject([
      { kind: "call", format: "minimax_m2", calls: [{ arguments: { text: "a </parameter> b" } }] },
    ]);
  });

  it("reads an XML value whose closing tag is missing up to the next parameter", () => {
    const text = "<function=f>\n<parameter=a>\none\n<parameter=b>\ntwo\n</function>";
    expect(scanText(toolCallFormats, text)).toMatchObject([
      { kind: "call", calls: [{ arguments: { a: "one", b: "two" } }] },
    ]);
  });
});

describe("the body decides between formats with one opener", () => {
  it.each([
    ["hermes(f)", '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'],
    ["granite(f)", '<tool_call>[{"name": "f", "arguments": {}}]</tool_call>'],
    ["qwen3_coder(f)", "<tool_call><function=f></function></tool_call>"],
    ["glm45(f)", "<tool_call>f\n</tool_call>"],
    ["glm47(f)", "<tool_call>f</tool_call>"],
    ["hy_v3(f)", "<tool_call>f<tool_sep>\n</tool_call>"],
    ["jamba(f)", '<tool_calls>[{"name": "f", "arguments": {}}]</tool_calls>'],
    ["minimax_m1(f)", '<tool_calls>\n{"name": "f", "arguments": {}}\n</tool_calls>'],
    [
      "hy_v3(f)",
      "<tool_calls:opensource><tool_call:opensource>f<tool_sep:opensource></tool_call:opensource></tool_calls:opensource>",
    ],
    ["olmo3(f)", "<function_calls>f()</function_calls>"],
    ["anthropic_xml(f)", '<function_calls><invoke name="f"></invoke></function_calls>'],
    ["functionary31(f)", "<function=f>{}</function>"],
    ["phi4_mini(f)", '<|tool_call|>[{"name": "f", "arguments": {}}]<|/tool_call|>'],
    ["granite(f)", '<|tool_call|>[{"name": "f", "arguments": {}}]'],
    ["granite(f)", '<|tool_call|>{"name": "f", "arguments": {}}'],
    ["deepseek_v3(f)", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\njson\n{}<｜tool▁call▁end｜>"],
    ["react(f)", "Action: f\nAction Input:\n```json\n{}\n```"],
    ["react(f)", "Thought: look\n\nAction: f\nAction Input: some words"],
    ["mistral(f)", '[TOOL_CALLS] [{"name": "f", "arguments": {}}]'],
    ["mistral_v11(f)", "[TOOL_CALLS]f{}"],
    ["llama3_json(f)", '{"name": "f", "parameters": {}}'],
    ["bare_json(f)", '{"name": "f", "arguments": {}}'],
    ["bare_json(f)", '[{"name": "f", "parameters": {}}]'],
    ["react_json(f)", '{"action": "f", "action_input": {}}'],
    ["hermes(f)", '{"name": "f", "arguments": {}}\n</tool_call>'],
    ["harmony(f)", "<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{}<|call|>"],
    ["harmony(f)", "<|channel|>comentary to=functions.f<|constrain|>json<|message|>{}"],
    ["command_r_plus(f)", 'Action:\n```json\n[{"tool_name": "f", "parameters": {}}]\n```'],
    ["react_json(f)", 'Action:\n```json\n{"action": "f", "action_input": {}}\n```'],
  ])("%s", (wanted, text) => {
    expect(shape(text)).toEqual([wanted]);
  });
});

describe("damage", () => {
  it("ends where the next call of the same kind begins, so that one bad call costs no good one", () => {
    const good = '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>';
    expect(shape(`<tool_call>{"name": "f", "arguments": {"a": }${good}`)).toEqual(["hermes!malformed:f", "hermes(g)"]);
    expect(shape(`<tool_call>{"name": "f", "arguments": {"a": }}</tool_call>${good}`)).toEqual([
      "hermes!malformed:f",
      "hermes(g)",
    ]);
  });

  it("keeps the whole calls in front of it", () => {
    const text = '[TOOL_CALLS]f[ARGS]{"a": 1}[TOOL_CALLS]g[ARGS]{"b": ';
    expect(scanText(toolCallFormats, text)).toMatchObject([
      { kind: "broken", reason: "cut", name: "g", argumentsText: '{"b": ', calls: [{ name: "f" }] },
    ]);
    expect(scanText(toolCallFormats, '[f(a=1), g(b="x')).toMatchObject([
      { kind: "broken", reason: "cut", name: "g", calls: [{ name: "f", arguments: { a: 1 } }] },
    ]);
  });

  it("is named where arguments do not say which parameter they are", () => {
    expect(shape('get_weather("Paris")')).toEqual(["pythonic_bare!malformed:get_weather"]);
    expect(shape('[get_weather("Paris")]')).toEqual(["pythonic!malformed:get_weather"]);
  });

  it.each([
    ["single quotes", "{'name': 'f', 'arguments': {'a': 'b'}}", "bare_json!malformed:f"],
    ["bare keys", '{name: "f", arguments: {a: 1}}', "bare_json!malformed:f"],
    ["a trailing comma", '{"name": "f", "parameters": {"a": 1,},}', "llama3_json!malformed:f"],
  ])("of JSON with %s is told by its keys", (_what, text, wanted) => {
    expect(shape(text)).toEqual([wanted]);
  });
});

describe("prose, code and data stay text", () => {
  it.each([
    '{"name": "get", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}',
    '{"name": "Ines", "age": 31}',
    '[{"name": "bo"}, {"age": 3}]',
    '{"type": "object", "title": "x"}',
    '```json\n[{"name": "ines", "age": 31}, {"name": "bo", "age": 44}]\n```',
    '<tools>\n{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}\n</tools>',
    '<ul class="tools"><li><tool>定規</tool></li></ul>',
    '<function name="resize">\n  <parameter name="width">640</parameter>\n</function>',
    "Never print <|python_tag|> or [TOOL_CALLS] in your answers.",
    "A closure is a function (say, counter()) that keeps variables. Calling function(x) later still sees them.",
    "- lookup_tide(port, date): tide times\n- ferry_status(route): is a ferry running",
    'times = [now_in(tz=z) for z in ("Asia/Tokyo", "Europe/Oslo")]',
    "The check `s.includes('<invoke name=')` also fires on quoted text.",
    "Kimi K2 用 `<|tool_calls_section_begin|>` 包住整段，每次调用以 `<|tool_call_begin|>functions.名称:序号` 开头",
    "Action: review the plan\nOwner: Bo",
    "Thought: nothing to do\nFinal Answer: 42",
    "function call me maybe",
    "call: me at 5",
    "See os.path.join(a='x') and the like",
    'See functions.php: {"a": 1}',
    ">>> x = [1]\n>>> x\n[1]",
    "Yes: 3 < 5, and 5 <ten as a word is no number.",
    "[1](https://example.org) and [see f](x) and [f(x), g(x)]",
    "if (x) { y(); }\nwhile (true) {}\nfoo.bar(a);",
    "<|channel|>analysis<|message|>I could write to=functions.f here.<|end|>",
    "Use the tag <tool_call> and </tool_call> around it.",
    "✿FUNCTION✿ is a marker of Qwen-Agent.",
  ])("%s", (text) => {
    expect(scanText(toolCallFormats, text)).toEqual(onlyText(text));
  });

  it("does not hide a call behind a mention of its marker", () => {
    const call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>';
    const before = "I use the marker <tool_call> for it:\n";
    expect(shape(before + call)).toEqual([before, "hermes(f)"]);
  });
});
