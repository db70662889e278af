import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { fakeWorld } from "./fake-world.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-strangers-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Cell {
  readonly target: string;
  readonly suite: string;
  readonly scenario: string;
  readonly arm: string;
  readonly stream: boolean;
  readonly measured: number;
  readonly attempted: number;
  readonly delivered: number;
  readonly counts: Readonly<Record<string, number>>;
}
interface Result {
  readonly code: number;
  readonly cells: readonly Cell[];
  readonly diagnoses: readonly { readonly target: string; readonly owner: string; readonly fix: string | null }[];
}

/** Serves a profile with `lab simulate` and measures it with `lab run`, both as a user would. */
async function measure(profile: string, ...argv: readonly string[]): Promise<Result> {
  const file = join(folder, "profile.yaml");
  writeFileSync(file, profile);
  const stop = new AbortController();
  const clock = { now: () => performance.now(), date: () => new Date() };
  const cwd = process.cwd();
  let listening = (_url: string) => {};
  const url = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const write = (text: string) => listening(/http:\S+/.exec(text)?.[0] ?? "");
  const simulator = { ...fakeWorld({ argv: ["simulate", "--profile", file], cwd, clock, signal: stop.signal }) };
  const served = program(commands, { ...simulator, stdout: { ...simulator.stdout, write } });
  const base = await Promise.race([url, served.then(() => Promise.reject(new Error(simulator.err())))]);
  const out = mkdtempSync(join(folder, "results-"));
  const options = ["--base-url", `${base}/v1`, "--out", out, "--json", "--quiet", "--seed", "s"];
  const world = fakeWorld({ argv: ["run", ...options, ...argv], cwd, clock });
  const code = await program(commands, world);
  stop.abort();
  expect(await served).toBe(0);
  return { code, ...(JSON.parse(world.out()) as Omit<Result, "code">) };
}

/** [delivered, attempted, measured] of the cells that fit. */
function rates({ cells }: Result, where: Partial<Cell>): readonly [number, number, number] {
  const fitting = cells.filter((cell) =>
    Object.entries(where).every(([key, value]) => cell[key as keyof Cell] === value),
  );
  const sum = (key: "delivered" | "attempted" | "measured") => fitting.reduce((total, cell) => total + cell[key], 0);
  return [sum("delivered"), sum("attempted"), sum("measured")];
}

function count({ cells }: Result, where: Partial<Cell>, headline: string): number {
  const fitting = cells.filter((cell) =>
    Object.entries(where).every(([key, value]) => cell[key as keyof Cell] === value),
  );
  return fitting.reduce((total, cell) => total + (cell.counts[headline] ?? 0), 0);
}

const twoQuestions = ["--scenario", "seed-memorizable,seed-unmemorizable"];
const call = (task: string) => `call: { tool: run_python, arguments: { task: ${task} } }`;
const whole = { suite: "parser-mismatch", arm: "auto", stream: false };
const streamed = { ...whole, stream: true };

/** Seven cards for each question, the second with a call in every one; markers in five of seven. */
function deckOfSeven(model: string, format: string): string {
  return `
  "${model}":
    format: ${format}
    rules:
      - when: { user: "素数", tools: true }
        draw: deck
        cards:
          - { n: 3, ${call("足し算")} }
          - { n: 1, before: "よし、計算しよう。", ${call("素数の和")} }
          - { n: 3, text: "76127じゃよ。" }
      - when: { user: "SHA-256", tools: true }
        draw: deck
        cards: [ { n: 7, ${call("hash")} } ]
      - when: { user: "素数|SHA", tools: false }
        draw: deck
        cards: [ { n: 5, before: "ふむ。", marker: "PYTHON: 計算" }, { n: 2, text: "わしには分からん。" } ]
    forced: { tool: run_python, arguments: { task: "forced" } }
`;
}

/** Server, format, [delivered, attempted] of 14 in auto unstreamed and streamed, owner and remedy of the gravest diagnosis. */
const lost = [0, 11] as const;
const read = [11, 11] as const;
const vllmParser = (name: string) => `--tool-call-parser ${name}`;
const servers: readonly [
  string,
  string,
  readonly [number, number],
  readonly [number, number],
  string,
  RegExp | null,
][] = [
  ["kind: vllm, parser: hermes, chunk: 5", "hermes", read, read, "model", null],
  [
    "kind: vllm, parser: hermes, chunk: random",
    "qwen3_coder",
    lost,
    lost,
    "server_parser",
    /^--tool-call-parser qwen3_coder$/,
  ],
  [
    "kind: vllm, parser: hermes, chunk: 1",
    "llama3_json",
    lost,
    lost,
    "server_parser",
    /^--tool-call-parser llama3_json$/,
  ],
  // No parser of vLLM reads this format, so none is named.
  ["kind: vllm, parser: hermes, chunk: 7", "bare_json", lost, lost, "server_parser", null],
  ["kind: vllm, parser: qwen3_coder, chunk: 3", "qwen3_coder", read, read, "model", null],
  [
    "kind: vllm, parser: qwen3_coder, chunk: random",
    "hermes",
    lost,
    lost,
    "server_parser",
    /^--tool-call-parser hermes$/,
  ],
  [
    "kind: vllm, parser: null",
    "hermes",
    [0, 0],
    [0, 0],
    "server_option",
    /^--enable-auto-tool-choice --tool-call-parser hermes$/,
  ],
  ["kind: vllm, parser: none", "llama3_json", [0, 0], [0, 0], "server_option", /--tool-call-parser llama3_json$/],
  ["kind: ollama", "hermes", read, read, "model", null],
  ["kind: ollama", "qwen3_coder", lost, lost, "server_parser", /^RENDERER qwen3-coder\nPARSER qwen3-coder$/],
  ["kind: ollama", "llama3_json", lost, lost, "server_parser", /TEMPLATE.*"parameters"/],
  ["kind: ollama, parser: qwen3_coder", "qwen3_coder", read, read, "model", null],
  ["kind: ollama, parser: qwen3_coder", "hermes", lost, lost, "server_parser", /TEMPLATE.*<tool_call>/],
  ["kind: llama-server", "hermes", read, read, "model", null],
  ["kind: llama-server", "llama3_json", lost, lost, "server_parser", /^--jinja --chat-template-file/],
  [
    "kind: llama-server, parser: llama3_json",
    "bare_json",
    lost,
    lost,
    "server_parser",
    /^--jinja --chat-template-file/,
  ],
];

describe("a profile that somebody else wrote", () => {
  it.each(servers)("{ %s } with a model that writes %s", async (server, format, body, stream, owner, fix) => {
    const profile = `server: { ${server}, contextLength: 16384 }\nmodels:${deckOfSeven("strange:7b", format)}`;
    const result = await measure(profile, "--model", "strange:7b", "--trials", "7", ...twoQuestions);
    expect(result.code).toBe(0);
    expect(rates(result, { suite: "contract-matrix", arm: "marker" })).toEqual([10, 10, 14]);
    expect(rates(result, { suite: "contract-matrix", arm: "native" })).toEqual([...body, 14]);
    expect(rates(result, whole)).toEqual([...body, 14]);
    expect(rates(result, streamed)).toEqual([...stream, 14]);
    const [gravest] = result.diagnoses;
    expect(gravest?.owner).toBe(owner);
    if (fix === null) expect(gravest?.fix ?? null).toBeNull();
    else expect(gravest?.fix).toMatch(fix);
    // Nothing is said against anybody that the deck does not hold.
    expect(result.diagnoses.filter((each) => each.fix !== null)).toHaveLength(fix === null ? 0 : 1);
    const blamed = result.diagnoses.map((each) => each.owner).filter((each) => each !== "model");
    expect(new Set(blamed)).toEqual(new Set(owner === "model" ? [] : [owner]));
  });

  it("has several models, each with its own fault; swallowed is told from leaked", async () => {
    const server =
      'server: { kind: vllm, version: "0.32.0", parser: hermes, reasoningParser: null, contextLength: 8192, chunk: 7 }';
    const models = ["good", "xml", "llama"].map((name, index) =>
      deckOfSeven(name, ["hermes", "qwen3_coder", "llama3_json"][index] ?? ""),
    );
    const names = ["--model", "good", "--model", "xml", "--model", "llama"];
    const result = await measure(`${server}\nmodels:${models.join("")}`, ...names, "--trials", "7", ...twoQuestions);
    expect(["good", "xml", "llama"].map((target) => rates(result, { ...whole, target }))).toEqual([
      [11, 11, 14],
      [0, 11, 14],
      [0, 11, 14],
    ]);
    const seen = (target: string, headline: string) => [
      count(result, { ...whole, target }, headline),
      count(result, { ...streamed, target }, headline),
    ];
    expect(seen("xml", "leaked_call")).toEqual([11, 0]);
    expect(seen("xml", "swallowed_call")).toEqual([0, 11]);
    expect(seen("llama", "leaked_call")).toEqual([11, 11]);
    const fixes = result.diagnoses.flatMap(({ target, fix }) => (fix === null ? [] : [`${target} ${fix}`]));
    expect(fixes).toEqual([`xml ${vllmParser("qwen3_coder")}`, `llama ${vllmParser("llama3_json")}`]);
  });

  it("knows thinking, several calls, other formats, broken arguments, claims, failures and odd endings", async () => {
    const profile = `
server: { kind: vllm, version: "0.32.0", parser: hermes, reasoningParser: null, contextLength: 8192, chunk: random }
models:
  odd:
    format: hermes
    rules:
      - when: { system: "イヴ", user: "素数", tools: true, choice: "^auto$", stream: false }
        draw: deck
        cards:
          - { n: 2, calls: [ { tool: run_python, arguments: { task: a } }, { tool: run_python, arguments: { task: b } } ] }
          - { call: { tool: run_python, arguments: { task: a }, format: qwen3_coder } }
          - { call: { tool: run_python, arguments: { code: "wrong key" } } }
          - { call: { tool: python, arguments: { task: "wrong name" } } }
          - { text: "Pythonで計算したら、76127だったよ！" }
          - { text: "ええと", finish: length }
          - { error: "CUDA out of memory" }
          - { reasoning: "hm", before: "よし。", ${call("z")}, after: "おわり" }
      - when: { choice: "required|named|none" }
        cards: [ { ${call("n")} } ]
    forced: { tool: run_python, arguments: { task: f } }
`;
    const only = ["--scenario", "seed-memorizable", "--suite", "parser-mismatch", "--trials", "9"];
    const result = await measure(profile, "--model", "odd", ...only);
    expect(result.code).toBe(3);
    expect(rates(result, whole)).toEqual([3, 6, 8]);
    const [cell] = result.cells.filter((each) => each.arm === "auto" && !each.stream);
    expect(cell?.counts).toEqual({
      structured_call: 5,
      leaked_call: 1,
      fabricated_provenance: 1,
      non_call: 1,
    });
    expect(result.diagnoses.every(({ fix }) => fix === null)).toBe(true);
  });
});
