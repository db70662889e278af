import type { ServerKind } from "../../protocol/servers/server.ts";
import type { Owner } from "../classify/classification.ts";
import type { Diagnosis } from "../diagnose/diagnosis.ts";
import type { DiagnosisFacts, SeenByMode } from "./messages/diagnosis-facts.ts";
import type { SampleRow } from "./sample-row.ts";

/** A diagnosis with what its sentence needs. */
export interface DiagnosisView {
  readonly diagnosis: Diagnosis;
  readonly facts: DiagnosisFacts;
}

/** Whom a fault concerns, for colour and for the one word beside a target. */
export type Tone = "harness" | "model" | "setting" | "good";

/** Diagnoses of one target in the order that the diagnose stage gave them: gravest first. */
export function diagnosisViews(
  diagnoses: readonly Diagnosis[],
  rows: readonly SampleRow[],
  kind: ServerKind,
): readonly DiagnosisView[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return diagnoses.map((diagnosis) => {
    const shown = diagnosis.samples.map((id) => byId.get(id)).filter((row) => row !== undefined);
    const seen = (axis: SampleRow["axis"]): SeenByMode => ({
      whole: shown.filter((row) => row.axis === axis && !row.stream).length,
      streamed: shown.filter((row) => row.axis === axis && row.stream).length,
    });
    return {
      diagnosis,
      facts: {
        code: diagnosis.code,
        owner: diagnosis.owner,
        count: diagnosis.samples.length,
        of: diagnosis.of,
        server: kind,
        fix: diagnosis.fix,
        certainty: diagnosis.certainty,
        leaked: seen("leaked"),
        swallowed: seen("swallowed"),
        details: diagnosis.details,
      },
    };
  });
}

/** Whom an owner stands for. */
export function toneOf(owner: Owner): Tone {
  switch (owner) {
    case "server_parser":
    case "server_option":
    case "server_limit":
    case "template":
    case "adapter":
      return "harness";
    case "model":
      return "model";
    case "network":
    case "budget":
    case "scorer":
      return "setting";
    case "none":
      return "good";
  }
  return owner satisfies never;
}
