import { describe, expect, it } from "vitest";
import { findFacts, type Speaker } from "../../../src/adapter/compress/facts.ts";

function found(text: string, speaker: Speaker = "user", names: readonly string[] = []): readonly string[] {
  return findFacts(text, speaker, names).map((fact) => `${fact.kind}: ${text.slice(fact.start, fact.end)}`);
}

describe("facts of a text", () => {
  it.each([
    ["see /etc/hosts.", "path: /etc/hosts"],
    ["設定は ~/notes/a.toml にあります", "path: ~/notes/a.toml"],
    ["設定は/etc/nginx/nginx.confです", "path: 設定は/etc/nginx/nginx.confです"],
    ["open src/app/main.ts:12:5, please", "path: src/app/main.ts:12:5"],
    ["the Makefile is old", "path: Makefile"],
    ["read .env first", "path: .env"],
    ["C:\\Users\\a\\b.ini", "path: C:\\Users\\a\\b.ini"],
    ["see https://example.com/a?b=c#d for it", "url: https://example.com/a?b=c#d"],
    ["（https://ja.wikipedia.org/wiki/日本）", "url: https://ja.wikipedia.org/wiki/日本"],
    ["with --max-count=3 set", "flag: --max-count=3"],
    ["`-rf` で", "flag: -rf"],
    ["is nginx.service up", "service: nginx.service"],
    ["the billing service is slow", "service: billing service"],
    ["決済サービス payments が遅い", "service: サービス payments"],
    ["id T-1234 please", "required_argument: T-1234"],
    ["FOO=bar npm start", "required_argument: FOO=bar"],
    ["call it 「北の国」", "required_argument: 「北の国」"],
    ["Please don't restart it. Thanks.", "negative_intent: Please don't restart it."],
    ["次へ。削除はしないで。どうも", "negative_intent: 削除はしないで。"],
    ["run journalctl -u nginx -n 50 now", "command: run journalctl -u nginx -n 50 now"],
    ["use `pwd` here", "command: `pwd`"],
    ["```sh\nls -la\n```", "command: ls -la"],
  ])("finds in %j", (text, expected) => {
    expect(found(text)).toContain(expected);
  });

  it.each([
    "We went there and/or somewhere else, i.e. 10/20 of the way.",
    "A plain sentence about the weather.",
    "<p>text</p>",
    "- a point in a list",
    "2026/05/20",
  ])("finds no path, flag or command in %j", (text) => {
    expect(found(text).filter((fact) => /^(?:path|flag|url|command|service)/.test(fact))).toEqual([]);
  });

  it("finds errors, exit codes and the client's framing in tool output", () => {
    const output =
      "Chunk ID: 3fa\nProcess exited with code 3\nOutput:\nall is well\nEACCES: permission denied, open 'x'\nexit status: 2\n";
    const kinds = found(output, "tool").filter((fact) => /^(?:error_line|exit_code)/.test(fact));
    expect([...new Set(kinds)]).toEqual([
      "exit_code: Chunk ID: 3fa",
      "exit_code: Process exited with code 3",
      "exit_code: Output:",
      "error_line: EACCES: permission denied, open 'x'",
      "exit_code: exit status: 2",
    ]);
  });

  it("takes no word for the name of an error", () => {
    expect(found("everything in this example was executed", "tool")).toEqual([]);
  });

  it("finds no wishes in tool output", () => {
    expect(found("do not panic, said the manual", "tool").filter((fact) => fact.startsWith("negative"))).toEqual([]);
  });

  it("takes no permissions of a file listing for flags", () => {
    expect(found("-rw-r--r-- 1 root root 12 May 1 10:00 notes", "tool")).toEqual([]);
  });

  it("finds what a user says of a required argument", () => {
    expect(found("the city is Osaka, ok", "user", ["city"])).toContain("required_argument: city is Osaka");
    expect(found("cityは大阪、です", "user", ["city"])).toContain("required_argument: cityは大阪");
    expect(found("the city is Osaka, ok", "user", [])).toEqual([]);
  });

  it("keeps the surroundings of an error in a line without end", () => {
    const text = `${"a b ".repeat(2000)}fatal: disk full${" c d".repeat(2000)}`;
    const [fact] = findFacts(text, "tool", []).filter(({ kind }) => kind === "error_line");
    expect(fact).toBeDefined();
    const words = text.slice(fact?.start, fact?.end);
    expect(words).toContain("fatal: disk full");
    expect(words.length).toBeLessThan(400);
  });
});
