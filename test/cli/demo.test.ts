import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { listen } from "../../src/http/listen.ts";
import { readYaml } from "../../src/lab/scenario/yaml-source.ts";
import { checkProfile } from "../../src/simulator/profile.ts";
import { profileSchema } from "../../src/simulator/profile-schema.ts";
import { createSimulator } from "../../src/simulator/simulator.ts";
import { fakeWorld } from "./fake-world.ts";

interface Cell {
  readonly target: string;
  readonly suite: string;
  readonly scenario: string;
  readonly arm: string;
  readonly class: string;
  readonly contract: string;
  readonly stream: boolean;
  readonly planned: number;
  readonly measured: number;
  readonly attempted: number;
  readonly delivered: number;
  readonly counts: Readonly<Record<string, number>>;
}
interface Result {
  readonly run: string;
  readonly cells: readonly Cell[];
  readonly diagnoses: readonly {
    readonly target: string;
    readonly owner: string;
    readonly code: string;
    readonly fix: string | null;
    readonly samples: readonly string[];
  }[];
}

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-demo-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function lab(argv: readonly string[]): Promise<Result> {
  const clock = { now: () => performance.now(), date: () => new Date() };
  const world = fakeWorld({ argv: [...argv, "--json", "--quiet", "--out", folder], cwd: process.cwd(), clock });
  const code = await program(commands, world);
  expect({ code, err: world.err().match(/^lab: .*/m)?.[0] }).toEqual({ code: 0, err: undefined });
  return JSON.parse(world.out());
}

/** `delivered/measured, attempted` over the cells that fit. */
function rate(result: Result, fits: Partial<Cell>): string {
  const cells = result.cells.filter((cell) =>
    Object.entries(fits).every(([key, value]) => cell[key as keyof Cell] === value),
  );
  const sum = (key: "delivered" | "measured" | "attempted") => cells.reduce((total, cell) => total + cell[key], 0);
  return `${sum("delivered")}/${sum("measured")}, ${sum("attempted")} attempted`;
}

function headlines(result: Result, fits: Partial<Cell>, headline: string): number {
  return result.cells
    .filter((cell) => Object.entries(fits).every(([key, value]) => cell[key as keyof Cell] === value))
    .reduce((total, cell) => total + (cell.counts[headline] ?? 0), 0);
}

describe("lab demo", () => {
  let result: Result = { run: "", cells: [], diagnoses: [] };
  beforeAll(async () => {
    result = await lab(["demo"]);
  });

  it.each(["agents-a1", "thinkingcap-hermes", "thinkingcap-qwen3_coder"])(
    "measures 12 + 54 samples of %s",
    (target) => {
      const planned = (suite: string) =>
        result.cells
          .filter((cell) => cell.target === target && cell.suite === suite)
          .reduce((sum, cell) => sum + cell.planned, 0);
      expect([planned("contract-matrix"), planned("parser-mismatch")]).toEqual([12, 54]);
    },
  );

  it.each([
    ["agents-a1", "marker", "3/3, 3 attempted", "3/3, 3 attempted"],
    ["agents-a1", "native", "1/3, 1 attempted", "3/3, 3 attempted"],
    ["thinkingcap-hermes", "marker", "3/3, 3 attempted", "3/3, 3 attempted"],
    ["thinkingcap-hermes", "native", "0/3, 2 attempted", "0/3, 3 attempted"],
    ["thinkingcap-qwen3_coder", "marker", "3/3, 3 attempted", "3/3, 3 attempted"],
    ["thinkingcap-qwen3_coder", "native", "2/3, 2 attempted", "3/3, 3 attempted"],
  ] as const)("has the table of the story: %s, %s contract", (target, contract, memorizable, unmemorizable) => {
    const cell = { target, suite: "contract-matrix", contract };
    expect(rate(result, { ...cell, class: "memorizable" })).toBe(memorizable);
    expect(rate(result, { ...cell, class: "unmemorizable" })).toBe(unmemorizable);
  });

  it("shows what the wrong parser does: leaks that become silence when streamed, hidden by required", () => {
    const hermes = { target: "thinkingcap-hermes", suite: "parser-mismatch" };
    expect(headlines(result, { ...hermes, arm: "auto", stream: false }, "leaked_call")).toBe(5);
    expect(headlines(result, { ...hermes, arm: "auto", stream: true }, "swallowed_call")).toBe(5);
    for (const target of ["thinkingcap-hermes", "thinkingcap-qwen3_coder"]) {
      for (const scenario of ["seed-memorizable", "seed-unmemorizable"]) {
        const required = { target, suite: "parser-mismatch", arm: "required", scenario };
        expect(rate(result, required)).toBe("6/6, 6 attempted");
      }
    }
  });

  it("names the owner and the fix, with the samples that show it", () => {
    const fixes = result.diagnoses.filter((diagnosis) => diagnosis.fix !== null);
    expect(fixes.map(({ target, owner, fix }) => [target, owner, fix])).toEqual([
      ["thinkingcap-hermes", "server_parser", "--tool-call-parser qwen3_coder"],
    ]);
    expect(fixes[0]?.samples).toHaveLength(15);
    const codes = result.diagnoses.map(({ target, code }) => `${target} ${code}`);
    expect(codes).toContain("agents-a1 fabricated_provenance");
    expect(codes).toContain("thinkingcap-hermes value_ahead");
  });

  it("quotes the value that came ahead and a claim of a run that never happened", () => {
    const html = readFileSync(join(folder, result.run, "report.html"), "utf8");
    expect(html).toContain("e3b0c44298");
    expect(html).toContain("Pythonでちゃんと計算したから間違いないよ");
  });
});

describe("another profile, measured by plain lab run", () => {
  const profile = `
server: { kind: vllm, version: "0.32.0", parser: qwen3_coder }
models:
  other:
    format: hermes
    rules:
      - when: { user: "1000", tools: true }
        draw: deck
        cards:
          - { n: 3, call: { tool: run_python, arguments: { task: "sum of the primes" } } }
          - { n: 1, text: "That is 76127." }
      - when: { user: "1000", tools: false }
        draw: deck
        cards:
          - { n: 2, before: "One moment.", marker: "PYTHON: sum of the primes" }
          - { n: 2, text: "I know that one." }
    default: { text: "Hello." }
`;

  it("gives the tables that follow from its cards", async () => {
    const read = readYaml(profile, "other.yaml", profileSchema);
    if (!read.ok) throw new Error(read.problems.join("\n"));
    expect(checkProfile(read.value)).toEqual([]);
    const listener = await listen(createSimulator({ profile: read.value, seed: "other", now: () => 0 }), { port: 0 });
    try {
      const result = await lab([
        "run",
        "--base-url",
        listener.url,
        "--model",
        "other",
        "--scenario",
        "seed-memorizable",
        "--trials",
        "4",
      ]);
      expect(rate(result, { suite: "contract-matrix", contract: "marker" })).toBe("2/4, 2 attempted");
      expect(rate(result, { suite: "contract-matrix", contract: "native" })).toBe("0/4, 3 attempted");
      const fixes = result.diagnoses.flatMap(({ owner, fix }) => (fix === null ? [] : [`${owner} ${fix}`]));
      expect(fixes).toEqual(["server_parser --tool-call-parser hermes"]);
    } finally {
      await listener.close();
    }
  });
});
