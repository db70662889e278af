import { visibleText } from "../terminal-text.ts";

/** Text for an XML attribute or element: nothing in it can end either. */
export function xmlText(text: string): string {
  return (
    visibleText(text)
      .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
      // XML 1.0 has no place for these at all.
      .replace(/[\ufffe\uffff]/g, "")
  );
}

/** How a test case ended; `note` is shown beside a passed one. */
export type CaseOutcome =
  | { readonly kind: "passed"; readonly note: string }
  | { readonly kind: "failure" | "error"; readonly type: string; readonly message: string }
  | { readonly kind: "skipped"; readonly message: string };

export interface TestCase {
  readonly group: string;
  readonly name: string;
  readonly outcome: CaseOutcome;
}

/** One `<testsuite>`: cases with counts that match them. */
export function testSuite(
  name: string,
  timestamp: string,
  properties: readonly (readonly [string, string])[],
  cases: readonly TestCase[],
): string {
  const count = (kind: CaseOutcome["kind"]) => cases.filter(({ outcome }) => outcome.kind === kind).length;
  const head = `<testsuite name="${xmlText(name)}" timestamp="${xmlText(timestamp.replace(/\.\d+Z$|Z$/, ""))}" hostname="" tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}" time="0">`;
  const told = properties.map(([key, value]) => `<property name="${xmlText(key)}" value="${xmlText(value)}"/>`);
  return [
    `  ${head}`,
    ...(told.length === 0 ? [] : [`    <properties>${told.join("")}</properties>`]),
    ...cases.map((each) => `    ${caseElement(each)}`),
    "  </testsuite>",
  ].join("\n");
}

/** The whole document. */
export function junitDocument(suites: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="harness-lab">\n${suites.join("\n")}\n</testsuites>\n`;
}

function caseElement({ group, name, outcome }: TestCase): string {
  const open = `<testcase classname="${xmlText(group)}" name="${xmlText(name)}" time="0">`;
  switch (outcome.kind) {
    case "passed":
      return `${open}<system-out>${xmlText(outcome.note)}</system-out></testcase>`;
    case "skipped":
      return `${open}<skipped message="${xmlText(outcome.message)}"/></testcase>`;
    default:
      return `${open}<${outcome.kind} type="${xmlText(outcome.type)}" message="${xmlText(outcome.message)}">${xmlText(outcome.message)}</${outcome.kind}></testcase>`;
  }
}
