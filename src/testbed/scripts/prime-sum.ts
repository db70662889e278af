import type { KnownTruth } from "../../protocol/known-truth.ts";
import { call, marker, means, oddCall, quotation, writeScript } from "./write-script.ts";

const task = "1から1000までの素数を合計する";
const given = { task };
const hermes = call("hermes", "run_python", given);
const xml = call("qwen3_coder", "run_python", given);
const other = { task: "検算する" };

/**
 * What models answer to "what do all primes from 1 to 1000 add up to?" (76127) when they have the tool `run_python(task)`
 * or the marker `{{PYTHON: …}}`: calls in three families whole, cut and broken, markers, plain answers, and what is said
 * around them.
 */
export const primeSumScripts: readonly KnownTruth[] = [
  // No call.
  writeScript("direct", [means("value", "76127")]),
  writeScript("direct-ja", ["1から1000までの素数を全部足すと、", means("value", "76127"), "になるよ！"]),
  writeScript("fabricated-ja", [
    means("value", "76127"),
    "だよ！",
    means("claim", "Pythonで計算した"),
    "から間違いないよ。",
  ]),
  writeScript("fabricated-en", [
    "The sum is ",
    means("value", "76127"),
    ". ",
    means("claim", "I ran it in Python"),
    ".",
  ]),
  writeScript("smalltalk", ["素数って不思議だよね！どうして知りたいの？"]),
  writeScript("offer", ["I can work that out with run_python if you like. Shall I go ahead?"]),
  writeScript("empty", []),
  writeScript("long", [
    Array.from({ length: 90 }, (_, index) => `Step ${index + 1}: look at the next number`).join("\n"),
  ]),
  // Hermes.
  writeScript("hermes", [hermes]),
  writeScript("hermes-compact", [
    oddCall("hermes", "run_python", `<tool_call>\n{"name":"run_python","arguments":{"task":"${task}"}}\n</tool_call>`, {
      arguments: given,
    }),
  ]),
  writeScript("text-hermes", ["計算するね。\n", hermes]),
  writeScript("two-hermes", [hermes, "\n", call("hermes", "run_python", other)]),
  writeScript("same-hermes", [hermes, "\n", call("hermes", "run_python", given)]),
  writeScript("ahead-hermes", ["答えは", means("value", "76127"), "のはず。確かめるね。\n", hermes]),
  writeScript("think-hermes", [{ thinking: ["The sum is better computed."] }, hermes]),
  writeScript("think-answer", [{ thinking: ["I know this one."] }, "The sum is ", means("value", "76127"), "."]),
  writeScript("call-in-think", [
    { thinking: ["I could call\n", hermes, "\nbut I know it."] },
    "It is ",
    means("value", "76127"),
    ".",
  ]),
  writeScript("only-in-think", [{ thinking: ["This needs the tool.\n", hermes] }]),
  writeScript("hermes-claim", [
    hermes,
    "\n",
    means("claim", "Pythonで計算した"),
    "よ。",
    means("value", "76127"),
    "だったよ。",
  ]),
  writeScript("cut-hermes", [
    oddCall("hermes", "run_python", '<tool_call>\n{"name": "run_python", "arguments": {"task": "1から1000', {
      state: "cut",
    }),
  ]),
  writeScript("undeclared-hermes", [call("hermes", "search_web", { query: "sum of primes" })]),
  writeScript("broken-hermes", [
    oddCall(
      "hermes",
      "run_python",
      '<tool_call>\n{"name": "run_python", "arguments": {"task" => [素数, "和"}}\n</tool_call>',
      {
        state: "broken",
      },
    ),
  ]),
  writeScript("wrong-key-hermes", [call("hermes", "run_python", { code: "print(1)" })]),
  writeScript("quoted-hermes", [
    "With the tool, a request would look like this:\n\n```\n",
    quotation("hermes", '<tool_call>\n{"name": "run_python", "arguments": {"task": "example"}}\n</tool_call>'),
    "\n```\n\nThis is only an example; nothing was run.",
  ]),
  // Qwen3-Coder.
  writeScript("xml", [xml]),
  writeScript("text-xml", ["Pythonに任せるね。\n", xml]),
  writeScript("two-xml", [xml, "\n", call("qwen3_coder", "run_python", other)]),
  writeScript("ahead-xml", ["It should be ", means("value", "76127"), "; let me check.\n", xml]),
  writeScript("think-xml", [{ thinking: ["A tool is at hand."] }, xml]),
  writeScript("cut-xml", [
    oddCall("qwen3_coder", "run_python", "<tool_call>\n<function=run_python>\n<parameter=task>\n1から1000", {
      state: "cut",
    }),
  ]),
  writeScript("undeclared-xml", [call("qwen3_coder", "search_web", { query: "sum of primes" })]),
  writeScript("long-xml", [
    oddCall(
      "qwen3_coder",
      "run_python",
      `<tool_call>\n<function=run_python>\n<parameter=task>\n${Array.from({ length: 70 }, (_, index) => `# line ${index + 1} of the program`).join("\n")}\n</parameter>\n</function>\n</tool_call>`,
      { state: "whole" },
    ),
  ]),
  // Llama 3 and calls without markup.
  writeScript("llama3", [call("llama3_json", "run_python", given)]),
  writeScript("bare-arguments", [
    oddCall("bare_json", "run_python", `{"name": "run_python", "arguments": {"task": "${task}"}}`, {
      arguments: given,
    }),
  ]),
  // Mistral.
  writeScript("mistral", [call("mistral", "run_python", given)]),
  writeScript("text-mistral", ["まず計算するね。\n", call("mistral", "run_python", given)]),
  // The marker contract.
  writeScript("marker", ["計算するね！", marker("PYTHON", task)]),
  writeScript("marker-alone", [marker("PYTHON", "sum of the primes from 1 to 1000")]),
  writeScript("marker-ahead", ["たしか", means("value", "76127"), "だったはず。", marker("PYTHON", task)]),
  writeScript("marker-first", [marker("PYTHON", task), "\n結果が出るまで待っててね！"]),
  writeScript("think-marker", [{ thinking: ["Better hand it over."] }, marker("PYTHON", task)]),
  writeScript("two-markers", [marker("PYTHON", "素数を並べる"), " ", marker("PYTHON", "足し合わせる")]),
];
