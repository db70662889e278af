import type { ServerFix, ServerRecord, TargetFacts } from "../../protocol/servers/server.ts";
import type { NotTestable } from "../capture/run-record.ts";
import type { Owner } from "../classify/classification.ts";
import type { Diagnosis, DiagnosisCode } from "./diagnosis.ts";
import type { JudgedSample } from "./judged-sample.ts";

/** What is known of the target that the samples came from. */
export interface DiagnoseContext {
  readonly target: string;
  readonly route: string;
  readonly facts: TargetFacts;
  readonly server: ServerRecord;
  readonly notTestable: readonly NotTestable[];
}

/** Builds a diagnosis of this target; an absent fix or certainty takes the cautious default. */
export type DiagnosisMaker = (
  code: DiagnosisCode,
  owner: Owner,
  samples: readonly JudgedSample[],
  of: number,
  more?: {
    readonly fix?: ServerFix | null;
    readonly certainty?: Diagnosis["certainty"];
    readonly details?: Diagnosis["details"];
  },
) => Diagnosis;

/** A maker for one target and route. */
export function diagnosisMaker(context: DiagnoseContext): DiagnosisMaker {
  return (code, owner, samples, of, more = {}) => ({
    target: context.target,
    route: context.route,
    code,
    owner,
    fix: more.fix ?? null,
    samples: samples.map((sample) => sample.id).sort(),
    of,
    certainty: more.certainty ?? "shown",
    details: more.details ?? {},
  });
}
