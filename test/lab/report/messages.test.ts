import { describe, expect, it } from "vitest";
import type { DiagnosisCode } from "../../../src/lab/diagnose/diagnosis.ts";
import { diagnosisSentence, messagesFor } from "../../../src/lab/report/messages/catalogue.ts";
import type { DiagnosisFacts } from "../../../src/lab/report/messages/diagnosis-facts.ts";
import { reportLanguages } from "../../../src/lab/report/messages/messages.ts";

const codes = Object.keys(messagesFor("en").diagnosisTitles) as DiagnosisCode[];
const facts: DiagnosisFacts = {
  code: "parser_mismatch",
  owner: "server_parser",
  count: 17,
  of: 23,
  server: "vllm",
  fix: { kind: "flag", option: "--tool-call-parser qwen3_coder" },
  certainty: "inferred",
  leaked: { whole: 9, streamed: 0 },
  swallowed: { whole: 0, streamed: 8 },
  details: { format: "qwen3_coder", parser: "hermes" },
};

describe.each(reportLanguages)("diagnoses in %s", (lang) => {
  const messages = messagesFor(lang);

  it.each(codes)("%s names the count, the fix and that it is inferred", (code) => {
    const sentence = diagnosisSentence({ ...facts, code }, messages);
    expect(sentence).toContain("17");
    expect(sentence).toContain("23");
    expect(sentence).toContain("--tool-call-parser qwen3_coder");
    expect(sentence).toMatch(/inferred|推定/);
    expect(sentence).not.toMatch(/undefined|null|\[object/);
  });

  it("claims served calls only where some were served", () => {
    const drift = { ...facts, code: "format_drift" as const, owner: "model" as const, fix: null };
    const sentence = (served: number) =>
      diagnosisSentence({ ...drift, details: { format: "hermes", served } }, messages);
    expect(sentence(3)).toMatch(/that the server did serve|正しく届いた/);
    expect(sentence(0)).not.toMatch(/that the server did serve|正しく届いた/);
    expect(sentence(0)).toMatch(/more trials|試行数を増やして/);
  });

  it("names what is wrong with arguments in words", () => {
    const details = { problems: "missing_required, wrong_type, not known here" };
    const sentence = diagnosisSentence({ ...facts, code: "invalid_arguments", fix: null, details }, messages);
    expect(sentence).toContain(
      [messages.problems.missing_required, messages.problems.wrong_type, "not known here"].join(", "),
    );
  });

  it("claims no inference and no fix where there is none", () => {
    const sentence = diagnosisSentence({ ...facts, fix: null, certainty: "shown" }, messages);
    expect(sentence).not.toMatch(/inferred|推定|--tool/);
  });

  it("has a text for every entry of the other language", () => {
    const shape = (value: unknown): unknown =>
      typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
        : typeof value;
    expect(shape(messages)).toEqual(shape(messagesFor("en")));
  });
});

describe("the sentence of seed 002's fault", () => {
  it("says who called, who did not read it, what mends it and what is inferred", () => {
    expect(diagnosisSentence(facts, messagesFor("en"))).toBe(
      "The model called: 17 of 23 replies hold a whole qwen3_coder call that the server's parser did not read " +
        "(9 leaked as text unstreamed, 8 returned as nothing at all streamed). Start vLLM with --tool-call-parser qwen3_coder. " +
        "That the active parser is hermes is inferred from what it read and what it leaked.",
    );
  });

  it("says the same in Japanese", () => {
    expect(diagnosisSentence(facts, messagesFor("ja"))).toBe(
      "モデルはツールを呼んでいます。23 件中 17 件の返答に完全な qwen3_coder 形式の呼び出しがありますが、" +
        "サーバーのパーサーが読み取れていません（非ストリーミングでは 9 件がテキストとして漏出、ストリーミングでは 8 件が跡形なく消失）。" +
        "vLLM に --tool-call-parser qwen3_coder を付けて起動してください。" +
        "現在のパーサーが hermes だという点は、読めた形式と漏れた形式からの推定です。",
    );
  });
});
