import type { Reply } from "./sample-run.ts";

/** What a model may write to harm whoever reads the report. */
export const hostile = {
  script: `</script><script>alert("owned")</script><img src=x onerror=alert(1)> & "quoted" 'single'`,
  terminal: "\u001b[2J\u001b]0;owned\u0007\u001b[31mred\u001b[0m\r\u009b1A over\b\b",
  formula: '=HYPERLINK("http://127.0.0.1/","click")',
  direction: "safe \u202egnp.exe\u202c zero\u200bwidth \u2066isolate\u2069 \ud800 lone",
  long: `${"長い返答。".repeat(40_000)}`,
} as const;

/** The hostile texts as replies; two of them also carry marked evidence. */
export const hostileReplies: readonly Reply[] = [
  { kind: "leaked", text: hostile.script },
  { kind: "text", text: hostile.terminal, headline: "fabricated_provenance", claim: "\u001b[31mred\u001b[0m" },
  { kind: "text", text: hostile.formula, headline: "non_call" },
  { kind: "text", text: hostile.direction, headline: "non_call" },
  { kind: "text", text: hostile.long, headline: "non_call" },
];
