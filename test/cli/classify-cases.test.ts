import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { fakeWorld } from "./fake-world.ts";

const shipped = fileURLToPath(new URL("../fixtures/cases/", import.meta.url));
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-cases-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function classify(...more: readonly string[]) {
  const world = fakeWorld({ argv: ["classify", "--lang", "en", ...more] });
  const code = await program(commands, world);
  return { code, out: world.out(), err: world.err() };
}

const tool = (parameters: unknown, name = "stop") => ({ type: "function", function: { name, parameters } });

/** A sound case: a served call, labelled. */
function sound(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: "sound",
    fault: "none",
    request: { messages: [{ role: "user", content: "Stop the music" }] },
    tools: [tool({ type: "object", properties: {} })],
    response: {
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "",
            tool_calls: [{ id: "a", type: "function", function: { name: "stop", arguments: "{}" } }],
          },
          finish_reason: "tool_calls",
        },
      ],
    },
    expected: {
      verdict: "structured_call",
      validity: "valid",
      calls: [{ name: "stop", arguments: {} }],
      leakFormat: null,
    },
    ...changes,
  };
}

function put(name: string, content: unknown): void {
  writeFileSync(
    join(folder, name),
    typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content),
  );
}

describe("lab classify --cases", () => {
  it("prints one JSON line a case and nothing else on standard output, with the promised keys", async () => {
    const { code, out, err } = await classify("--cases", shipped, "--json");
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(191);
    for (const line of lines)
      expect(Object.keys(line)).toEqual([
        "id",
        "verdict",
        "axis",
        "findings",
        "owner",
        "validity",
        "calls",
        "leakFormat",
        "residualContent",
      ]);
    expect(err).toMatch(/Verdict right: 191\/191/);
    expect(err).toMatch(/stream_split_marker +4\/4/);
    expect(err).toMatch(/191 cases judged\./);
  });

  it("shows people what is wrong, the score and the confusion by fault class", async () => {
    put("a.json", sound());
    put("b.json", sound({ fault: "made_up", expected: { verdict: "prose_command", calls: [], leakFormat: "hermes" } }));
    const { code, out } = await classify("--cases", folder);
    expect(code).toBe(0);
    expect(out).toContain(
      'b: verdict structured_call, not prose_command; calls [{"name":"stop","arguments":{}}], not []',
    );
    expect(out).toContain("Verdict right: 1/2 (50.0 %)");
    expect(out).toContain("Nothing handed on, where nothing may be: 0/1 (0.0 %)");
    expect(out).toMatch(/made_up +0\/1 +prose_command → structured_call × 1/);
  });

  it("ends with 1 below the share that was asked for, and with 0 at it", async () => {
    put("a.json", sound());
    put("b.json", sound({ expected: { verdict: "prose_command" } }));
    expect((await classify("--cases", folder, "--min-accuracy", "0.6")).code).toBe(1);
    expect((await classify("--cases", folder, "--min-accuracy", "0.5")).code).toBe(0);
  });

  it("does not call a folder without labels right", async () => {
    put("a.json", sound({ expected: undefined }));
    expect(await classify("--cases", folder)).toMatchObject({ code: 0, out: "a: structured_call\n" });
    expect((await classify("--cases", folder, "--min-accuracy", "0.5")).code).toBe(3);
  });

  it("looks away from the model's own words where it is told to", async () => {
    const raw = { text: '<tool_call>{"name": "stop", "arguments": {}}</tool_call>', sameGeneration: true };
    const empty = { choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "stop" }], raw };
    put("a.json", sound({ response: empty, expected: undefined }));
    expect((await classify("--cases", folder)).out).toBe("a: swallowed_call\n");
    expect((await classify("--cases", folder, "--without-raw")).out).toBe("a: empty_reply\n");
  });
});

describe("a folder with bad files", () => {
  const bad: readonly (readonly [string, unknown, RegExp])[] = [
    ["no-request", sound({ request: undefined }), /lacks the key request$/],
    ["no-messages", sound({ request: {} }), /lacks the key request\.messages$/],
    ["no-response", sound({ response: undefined }), /lacks the key response$/],
    ["no-verdict", sound({ expected: {} }), /lacks the key expected\.verdict$/],
    ["unknown-verdict", sound({ expected: { verdict: "called_well" } }), /expected\.verdict: .*not "called_well"$/],
    [
      "odd-response",
      sound({ response: { reply: "hi" } }),
      /neither a chat completion nor one of stream, ollama, http$/,
    ],
    ["no-status", sound({ response: { http: { body: {} } } }), /response\.http lacks a whole status or a body$/],
    ["a-list", [1, 2], /is no JSON object with request and response$/],
    ["empty", "", /is empty; a case is one JSON object$/],
    ["cut", '{"request": {"messages": [', /is no JSON: /],
    ["control", '{"id": "a\u0007b"}', /raw control character \(U\+0007\).*\\u0007$/],
    ["not-utf8", Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), /is not UTF-8; save it as UTF-8$/],
  ];

  it("costs one clear line each, and not the cases beside them", async () => {
    for (const [name, content] of bad) put(`bad-${name}.json`, content);
    put("good.json", sound());
    put("huge.json", "{}");
    truncateSync(join(folder, "huge.json"), 100 * 1024 * 1024);
    const { code, out, err } = await classify("--cases", folder, "--json");
    expect(code).toBe(3);
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(["good"]);
    for (const [name, , line] of bad) {
      const said = err.split("\n").filter((one) => one.startsWith(`lab: bad-${name}.json `));
      expect(said).toHaveLength(1);
      expect(said[0]).toMatch(line);
    }
    expect(err).toMatch(/^lab: huge\.json is 105 MB; a case may have 34 MB at most$/m);
    expect(err).toContain(`1 case judged, ${bad.length + 1} files could not be read.`);
  });

  it.each([
    [
      "a circle of references",
      { $ref: "#/definitions/a", definitions: { a: { $ref: "#/definitions/a" } } },
      /schema of stop is not checked in full: its references lead in a circle/,
    ],
    [
      "an older draft",
      { type: "object", properties: { n: { type: "integer", minimum: 0, exclusiveMinimum: true } } },
      /exclusiveMinimum/,
    ],
    ["a type that does not exist", { type: "objekt" }, /schema of stop is not checked in full/],
    [
      "a pattern that needs backtracking",
      { type: "object", properties: { a: { type: "string", pattern: "^(?=x)y" } } },
      /needs backtracking/,
    ],
  ])("judges a call whose schema cannot be checked, and says so: %s", async (_what, parameters, note) => {
    put("a.json", sound({ tools: [tool(parameters)] }));
    const { code, err, out } = await classify("--cases", folder, "--json");
    expect(code).toBe(0);
    expect(err).toMatch(note);
    expect(JSON.parse(out)).toMatchObject({ verdict: "structured_call" });
  });

  it("checks an exploding pattern without exploding", async () => {
    const parameters = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    const message = {
      role: "assistant",
      tool_calls: [
        {
          id: "x",
          type: "function",
          function: { name: "stop", arguments: JSON.stringify({ a: `${"a".repeat(4000)}!` }) },
        },
      ],
    };
    put(
      "a.json",
      sound({ tools: [tool(parameters)], response: { choices: [{ index: 0, message, finish_reason: "tool_calls" }] } }),
    );
    const { out } = await classify("--cases", folder, "--json");
    expect(JSON.parse(out)).toMatchObject({ validity: "invalid_args", calls: [] });
  });

  it("judges lone surrogates and control characters, and sends none of them to the terminal", async () => {
    const content = "\u001b[2J\u202e\ud800 done";
    put(
      "a.json",
      sound({ response: { choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] } }),
    );
    const { out, err } = await classify("--cases", folder, "--json");
    expect(err).toMatch(/holds a lone surrogate \(\\ud800\)/);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e\ud800]/);
    expect((JSON.parse(out) as { residualContent: string }).residualContent).toBe(content);
  });

  it.each([
    [["--cases", "/nowhere/at/all"], /cannot read the folder/],
    [["--cases", "."], /no case file \(\*\.json\)|cannot read the folder/],
    [["latest", "--cases", "."], /takes a run or --cases, not both/],
    [["latest", "--without-raw"], /--without-raw goes with --cases/],
    [["latest", "--min-accuracy", "0.9"], /--min-accuracy goes with --cases/],
    [["--cases", ".", "--min-accuracy", "98"], /--min-accuracy/],
    [[], /name a run .* or a folder with --cases/],
  ])("refuses %j with one line", async (argv, line) => {
    const { code, err, out } = await classify(...argv);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(err).toMatch(line);
  });
});
