import type { Planted } from "./harness.ts";

/** A fault that is planted, and the one diagnosis that must come of it. */
export interface PlantedFault {
  readonly suite: string;
  readonly what: string;
  readonly planted: Planted;
  /** Code, owner and the literal fix, "" where nothing mends it. */
  readonly expected: { readonly code: string; readonly owner: string; readonly fix: string };
  /** Trials of each cell: what is concluded from a comparison needs several. */
  readonly trials?: number;
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    suite: "round-trip",
    what: "a template that drops tool results",
    planted: { server: { kind: "ollama", version: "0.34.2", template: "noresults", parser: null } },
    expected: {
      code: "result_not_in_prompt",
      owner: "template",
      fix: 'in the TEMPLATE, a branch {{ else if eq .Role "tool" }} that writes {{ .Content }}',
    },
  },
  {
    suite: "round-trip",
    what: "a model that calls again and again",
    planted: {
      rules: [{ when: { user: "A12", last: "tool" }, cards: [{ call: { tool: "*", arguments: { locker: "A12" } } }] }],
    },
    expected: { code: "call_loop", owner: "model", fix: "" },
  },
  {
    suite: "round-trip",
    what: "a model that makes results up",
    planted: { rules: [{ when: { last: "tool" }, cards: [{ text: "コードは ZZZ-9999 だよ！" }] }] },
    expected: { code: "result_invented", owner: "model", fix: "" },
  },
  {
    suite: "round-trip",
    what: "a model that leaves results unused",
    planted: { rules: [{ when: { last: "tool" }, cards: [{ text: "調べ終わったよ！" }] }] },
    expected: { code: "result_ignored", owner: "model", fix: "" },
  },
  {
    suite: "round-trip",
    what: "a server that refuses the ids which it gave itself",
    planted: {
      rules: [
        {
          when: { last: "tool" },
          cards: [{ error: { status: 400, message: "Tool call id has to be defined and of length 9" } }],
        },
      ],
    },
    expected: {
      code: "followup_refused",
      owner: "template",
      fix: "call ids of nine letters and digits, mapped both ways",
    },
  },
  {
    suite: "round-trip",
    what: "a parser that does not read the model's calls",
    planted: { model: { format: "qwen3_coder" } },
    expected: { code: "parser_mismatch", owner: "server_parser", fix: "--tool-call-parser qwen3_coder" },
  },
];
