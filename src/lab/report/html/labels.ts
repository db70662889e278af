import type { Messages } from "../messages/messages.ts";

/** The texts that the page's script needs, as data. */
export function pageLabels(messages: Messages) {
  const { words } = messages;
  const marks = { ...messages.findings, call: words.markedCall };
  return {
    headlines: messages.headlines,
    axes: messages.axes,
    owners: messages.owners,
    findings: messages.findings,
    notMeasured: messages.notMeasured,
    problems: messages.problems,
    validity: messages.validity,
    classes: messages.classes,
    contracts: messages.contracts,
    shapes: messages.shapes,
    fields: messages.fields,
    yesNo: messages.yesNo,
    grades: messages.grades,
    marks,
    words: Object.fromEntries(Object.entries(words).filter(([, value]) => typeof value === "string")),
  };
}
