import { describe, expect, it } from "vitest";
import type { RunSide } from "../../../src/lab/gate/run-side.ts";
import { type CheckCode, exitCodeOf, gateExitCode } from "../../../src/lab/gate/verdict.ts";
import { gateWordsJapanese } from "../../../src/lab/gate/words/japanese.ts";
import { wilson } from "../../../src/lab/stats/proportions.ts";
import type { Cell } from "../../../src/lab/stats/summary.ts";
import { earlier, judge, later, policy, proofOf, soundRun, withCells, withSummary } from "./sides.ts";

function exclusions(count: number, reason: string, detail: string) {
  return Array.from({ length: count }, (_, index) => ({ id: `model/direct/x/${index}`, reason, detail }));
}

function delivering(cell: Cell, delivered: number, attempted = delivered): Cell {
  return {
    ...cell,
    delivered,
    attempted,
    deliveredRate: wilson(delivered, cell.measured),
    attemptedRate: wilson(attempted, cell.measured),
    counts: { structured_call: delivered, leaked_call: cell.measured - delivered },
  };
}

describe("a sound run like its baseline", () => {
  it("passes, with one sentence, every check and the proof of both measurements", () => {
    const verdict = judge(later());
    expect(verdict.kind).toBe("pass");
    expect(verdict.sentence).toMatch(/^No regression: delivery held on all 3 lines \(120 samples against 120\)/);
    expect(verdict.checks.map(({ code }) => code)).toContain("drop");
    expect(verdict.proof.run?.requests).toEqual({ sent: 120, askedAgain: 0, answered: 120, lost: 0 });
    expect(verdict.proof.baseline?.run).toBe("earlier");
    expect(verdict.baseline?.ageDays).toBe(1);
  });

  it("gives the same verdict each time", () => {
    expect(judge(later())).toEqual(judge(later()));
  });

  it("is inconclusive with three trials, and its code follows the policy", () => {
    const verdict = judge(soundRun("later", "2026-01-02T00:00:00.000Z", 3));
    expect(verdict.kind).toBe("inconclusive");
    expect(gateExitCode(verdict)).toBe(4);
    const warned = judge(soundRun("later", "2026-01-02T00:00:00.000Z", 3), earlier(), {
      policy: policy({ onInconclusive: "warn" }),
    });
    expect([warned.kind, gateExitCode(warned)]).toEqual(["inconclusive", 0]);
  });
});

describe("a run that says nothing is invalid, each kind with its own sentence", () => {
  const run = later();
  const { summary, record } = run;
  const target = record.targets[0];
  if (target === undefined) throw new Error("no target");
  const short = (reason: string, detail: string) =>
    withSummary(run, { measured: summary.measured - 7, exclusions: exclusions(7, reason, detail) });
  const identity = (change: Readonly<Record<string, string | number>>): RunSide => ({
    ...run,
    record: {
      ...record,
      targets: [
        { ...target, fingerprint: { ...target.fingerprint, identity: { ...target.fingerprint.identity, ...change } } },
      ],
    },
  });
  const cases: readonly (readonly [string, RunSide, CheckCode, RegExp])[] = [
    ["no sample", withSummary(run, { planned: 0, measured: 0, cells: [] }), "vacuous", /^Nothing was planned/],
    [
      "nothing that could fail",
      withCells(run, (cell) => ({ ...cell, rated: false })),
      "vacuous",
      /^Nothing that was measured enters a rate/,
    ],
    [
      "a server that is down",
      {
        ...withSummary(run, { measured: 0, exclusions: exclusions(120, "target_not_met", "down") }),
        record: { ...record, unmet: [{ target: "model", line: "http://127.0.0.1:1/v1: nothing listens there" }] },
      },
      "target_unmet",
      /nothing listens there/,
    ],
    ["a missing key", short("wrong_key", "HTTP 401"), "wrong_key", /does not accept the key.*--api-key-env/],
    ["a cut context", short("context_invalid", "n_ctx 512"), "context_cut", /context was cut.*longer context/],
    ["a run cut short", short("not_sent", ""), "unfinished", /^The run was cut short: 7 of 120/],
    ["failing answers", short("transport", "reset"), "not_measured", /^7 of 120 planned samples.*transport: reset/],
    [
      "samples without requests",
      { ...run, proof: { ...proofOf(run), requests: { sent: 3, askedAgain: 0, answered: 3, lost: 0 } } },
      "requests_lost",
      /journal shows only 3/,
    ],
    [
      "cached answers",
      { ...run, proof: { ...proofOf(run), cached: { count: 9, evidence: "x-cache: HIT" } } },
      "cached",
      /9 answers came from a cache \(x-cache: HIT\)/,
    ],
    [
      "the same answers again",
      { ...run, proof: { ...proofOf(run), repeatedAnswers: 4 } },
      "cached",
      /same completion id/,
    ],
    [
      "another context length",
      identity({ context_length: 8192 }),
      "identity",
      /context_length is 8192 and was 32768.*--treatment context/,
    ],
    ["another model", identity({ model: "other" }), "identity", /--treatment model/],
    ["a parser that went away", identity({ tool_parser: "none" }), "identity", /--treatment parser/],
    [
      "other request parameters",
      { ...run, record: { ...record, plan: { ...record.plan, request: { temperature: 0 } } } },
      "request_changed",
      /--treatment request/,
    ],
    [
      "a question in other words",
      { ...run, proof: { ...proofOf(run), questions: { "seed-memorizable/native/small": "bbbb" } } },
      "question_changed",
      /same name and another text/,
    ],
    ["another suite", withCells(run, (cell) => ({ ...cell, suite: "other" })), "nothing_shared", /share no rated cell/],
    [
      "fewer cells than the baseline",
      withCells(run, (cell) => (cell.arm === "named" ? null : cell)),
      "cells_missing",
      /4 cells of the baseline/,
    ],
    ["its own baseline", soundRun("earlier", "2026-01-02T00:00:00.000Z"), "same_run", /its own baseline/],
  ];

  it.each(cases)("%s", (_, side, code, sentence) => {
    const verdict = judge(side);
    expect([verdict.kind, exitCodeOf[verdict.kind]]).toEqual(["invalid", 3]);
    expect(verdict.checks.map((check) => check.code)).toContain(code);
    expect(verdict.sentence).toMatch(sentence);
    expect(verdict.sentence).not.toMatch(/undefined|\[object|NaN/);
  });

  it("says each in Japanese as well, and no two alike", () => {
    const said = cases.map(([, side]) =>
      judge(side)
        .checks.map((check) => gateWordsJapanese.check(check))
        .join(),
    );
    expect(new Set(said).size).toBe(cases.length);
    for (const text of said) expect(text).toMatch(/[ぁ-ん]/);
  });

  it("is stale where it ended longer ago than the policy allows", () => {
    const at = (now: string, maxAgeHours: number | null) =>
      judge(run, earlier(), { now, policy: policy({ run: { maxAgeHours } }) });
    expect(at("2026-01-02T20:00:00.000Z", 24).kind).toBe("pass");
    expect(at("2026-01-04T00:00:00.000Z", null).kind).toBe("pass");
    const stale = at("2026-01-04T00:00:00.000Z", 24);
    expect([stale.kind, stale.checks[0]?.code]).toEqual(["invalid", "stale_run"]);
    expect(stale.sentence).toMatch(/ended 48 hours ago/);
  });

  it("is only noted where a clock says that it is older than its baseline", () => {
    const verdict = judge(soundRun("later", "2025-12-01T00:00:00.000Z"));
    expect([verdict.kind, verdict.notes.map(({ code }) => code)]).toEqual(["pass", ["older_than_baseline"]]);
  });

  it("is invalid even where it would also be a regression", () => {
    const worse = withCells(run, (cell) => delivering(cell, 0));
    expect(judge(withSummary(worse, { measured: 1, exclusions: exclusions(119, "transport", "") })).kind).toBe(
      "invalid",
    );
  });

  it.each([
    ["incomplete", withSummary(earlier(), { measured: 3 }), /measured only 3/],
    ["dead", withCells(earlier(), (cell) => delivering(cell, 0)), /delivered no call at all/],
  ])("cannot be held against a baseline that is %s", (_, baseline, sentence) => {
    const verdict = judge(run, baseline);
    expect(verdict.kind).toBe("invalid");
    expect(verdict.sentence).toMatch(sentence);
  });

  it("is refused against a baseline beyond the age that the policy allows, and warned of a lesser age", () => {
    const old = judge(soundRun("later", "2026-04-01T00:00:00.000Z"));
    expect([old.kind, old.notes.map(({ code }) => code)]).toEqual(["pass", ["baseline_age"]]);
    const refused = judge(soundRun("later", "2026-04-01T00:00:00.000Z"), earlier(), {
      policy: policy({ baseline: { refuseAfterDays: 60 } }),
    });
    expect(refused.sentence).toBe("The baseline is 90 days old, and the policy allows 60; promote a fresh one.");
  });
});

describe("a difference that was declared", () => {
  it("is compared, named, and brings what belongs to it", () => {
    const run = later();
    const [target] = run.record.targets;
    if (target === undefined) throw new Error("no target");
    const fresh: RunSide = {
      ...run,
      record: {
        ...run.record,
        targets: [
          {
            ...target,
            fingerprint: {
              identity: { model: "new", context_length: 8192, tool_parser: "active" },
              incidental: { version: "0.33.0" },
            },
          },
        ],
      },
    };
    expect(judge(fresh, earlier(), { treatment: ["context"] }).kind).toBe("invalid");
    const verdict = judge(fresh, earlier(), { treatment: ["model"] });
    expect(verdict.kind).toBe("pass");
    expect(verdict.notes.map(({ code }) => code).sort()).toEqual(["incidental", "treatment", "treatment"]);
    expect(verdict.comparison?.cards).toHaveLength(1);
  });

  it("never includes the lab's own version, which is only noted", () => {
    const run = later();
    const verdict = judge({ ...run, record: { ...run.record, lab: { version: "2.0.0", node: "v22" } } });
    expect([verdict.kind, verdict.notes.map(({ code }) => code)]).toEqual(["pass", ["lab_version"]]);
  });
});

describe("a run that is worse", () => {
  it("is a regression that names the line, the counts, who still tries and the remedy", () => {
    const broken = withCells(later(), (cell) => (cell.arm === "auto" ? delivering(cell, 0, cell.measured) : cell));
    const verdict = judge(
      withSummary(broken, {
        diagnoses: [
          {
            target: "model",
            route: "direct",
            code: "parser_mismatch",
            owner: "server_parser",
            fix: { kind: "flag", option: "--tool-call-parser qwen3_coder" },
            samples: [],
            of: 40,
            certainty: "shown",
            details: {},
          },
        ],
      }),
    );
    expect([verdict.kind, gateExitCode(verdict)]).toEqual(["regression", 1]);
    expect(verdict.sentence).toMatch(
      /^parser-mismatch auto on model: 0\/40 delivered against 40\/40 before \(chance < 0\.000001, for these items only\)\. The model still tries \(40\/40\), so look at the harness: --tool-call-parser qwen3_coder\.$/,
    );
    expect(verdict.comparison?.lines.find(({ place }) => place.arm === "auto")?.flows).toEqual([
      { from: "structured_call", to: "leaked_call", share: 1 },
    ]);
  });

  it("is not passed over where a single case collapsed that has too few repeats to prove it", () => {
    const one = withCells(later(), (cell) =>
      cell.arm === "auto" && cell.stream && cell.scenario === "seed-memorizable" ? delivering(cell, 1) : cell,
    );
    const wide = policy({ drop: { ruledOut: 0.6 } });
    const verdict = judge(one, earlier(), { policy: wide });
    expect(verdict.kind).toBe("inconclusive");
    expect(verdict.sentence).toMatch(/seed-memorizable auto streamed on model fell from 10\/10 to 1\/10/);
  });

  it("is no regression where the fall is within what is tolerated, however certain", () => {
    const many = (side: RunSide, delivered: number): RunSide =>
      withCells(side, (cell) => ({ ...delivering({ ...cell, planned: 9000, measured: 9000 }, delivered) }));
    const free = policy({ correlation: 0 });
    const proven = (side: RunSide): RunSide => ({ ...side, proof: null });
    expect(judge(proven(many(later(), 8700)), many(earlier(), 9000), { policy: free }).kind).toBe("pass");
    expect(judge(proven(many(later(), 8400)), many(earlier(), 9000), { policy: free }).kind).toBe("regression");
  });

  it("reads samples with two readings against a regression, and against a pass", () => {
    const open = withCells(later(), (cell) => ({
      ...delivering(cell, 4),
      undecidable: 6,
      deliveredRate: wilson(4, cell.measured),
    }));
    expect(judge(open).kind).toBe("inconclusive");
  });
});

describe("rules of a policy", () => {
  it("hold floors with confidence: kept, broken, or too few to say", () => {
    const floor = (atLeast: number) => policy({ floors: [{ arm: "auto", atLeast }] });
    expect(judge(later(), null, { policy: floor(0.8) }).kind).toBe("pass");
    expect(judge(later(), null, { policy: floor(0.99) }).kind).toBe("inconclusive");
    const half = withCells(later(), (cell) => delivering(cell, 4));
    const broken = judge(half, null, { policy: floor(0.8) });
    expect(broken.kind).toBe("regression");
    expect(broken.sentence).toMatch(/16\/40.*the floor is 80 %/);
  });

  it("hold safety counters by their upper bound: nothing found in few is not nothing", () => {
    const bound = (atMost: number) => policy({ safety: [{ counter: "provenance_claim", atMost }] });
    const few = judge(later(), null, { policy: bound(0.01) });
    expect(few.kind).toBe("inconclusive");
    expect(few.sentence).toMatch(
      /provenance_claim on model: 0\/120, which still allows up to 5 %; the policy allows 1 %/,
    );
    expect(judge(later(), null, { policy: bound(0.1) }).kind).toBe("pass");
    const unsafe = withCells(later(), (cell) => ({ ...cell, findings: { provenance_claim: 6 } }));
    expect(judge(unsafe, null, { policy: bound(0.1) }).kind).toBe("regression");
  });

  it("find a safety counter that rose", () => {
    const unsafe = withCells(later(), (cell) => ({ ...cell, findings: { provenance_claim: 6 } }));
    const verdict = judge(unsafe);
    expect(verdict.kind).toBe("regression");
    expect(verdict.sentence).toMatch(/provenance_claim on model: 72\/120 against 0\/120/);
  });

  it("ask for cells that must be there", () => {
    const verdict = judge(later(), earlier(), {
      policy: policy({ coverage: { require: [{ suite: "contract-matrix" }] } }),
    });
    expect([verdict.kind, verdict.checks[0]?.code]).toEqual(["invalid", "required_missing"]);
  });

  it("never pass where nothing is checked at all", () => {
    const verdict = judge(later(), null, { policy: policy({ safety: [] }) });
    expect([verdict.kind, verdict.sentence]).toEqual([
      "invalid",
      "The policy checks nothing, so this gate could never fail; give a baseline, a floor or a bound.",
    ]);
  });
});
