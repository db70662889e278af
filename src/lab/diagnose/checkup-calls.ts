import type { ServerRecord } from "../../protocol/servers/server.ts";
import type { TargetRecord } from "../capture/run-record.ts";
import type { CheckedSample } from "./checked-sample.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { measuredReply } from "./judged-sample.ts";
import { parserNames } from "./lost-calls.ts";

/** What a check-up is judged from. */
export interface CheckupInput {
  readonly target: TargetRecord;
  readonly server: ServerRecord;
  readonly samples: readonly CheckedSample[];
  /** The diagnoses of the same samples. */
  readonly diagnoses: readonly Diagnosis[];
}

/** Samples that ask for a call under `auto`, in one transport mode; a reply cut by the check-up's own limit shows nothing. */
export function calls({ samples }: CheckupInput, stream: boolean): readonly CheckedSample[] {
  const asked = samples.filter(
    ({ sample }) => sample.scenario === "doctor-tool" && sample.choice === "auto" && sample.stream === stream,
  );
  const whole = asked.filter(({ sample, seen }) => !cutByLimit(sample, seen));
  return whole.length > 0 ? whole : asked;
}

export function cutByLimit(sample: CheckedSample["sample"], seen: CheckedSample["seen"]): boolean {
  const axis = measuredReply(sample)?.axis;
  if (axis === undefined) return false;
  if (axis.kind === "truncated") return axis.cause === "budget";
  return axis.kind === "none" && seen.finishReason === "length";
}

/** The one format that the model wrote in all of these, or null. */
export function formatOf(samples: readonly CheckedSample[]): string | null {
  const formats = new Set(samples.flatMap(({ seen }) => seen.written ?? []));
  return formats.size === 1 ? ([...formats][0] ?? null) : null;
}

interface Inferred {
  readonly names: readonly string[];
  /** `reads`: it served calls of a format; `writes`: its own grammar writes the format; `loses`: it loses a foreign format in just this way. */
  readonly why: "reads" | "writes" | "loses";
  readonly format: string;
  readonly samples: readonly CheckedSample[];
}

/** The parser that a server does not name, from what it does with calls. */
export function inferredParsers(input: CheckupInput): Inferred | null {
  const { server, samples } = input;
  const served = ({ sample }: CheckedSample): boolean => measuredReply(sample)?.axis.kind === "structured";
  const auto = [...calls(input, false), ...calls(input, true)];
  const read = auto.filter((each) => served(each) && each.seen.written !== null);
  const own = samples.filter(
    (each) =>
      server.grammarChoices.includes("required") &&
      each.sample.choice === "required" &&
      served(each) &&
      each.seen.written !== null,
  );
  for (const [why, shown] of [
    ["reads", read],
    ["writes", own],
  ] as const) {
    const format = formatOf(shown);
    const names = format === null ? [] : parserOptions(server, format);
    if (format !== null && names.length > 0) return { names, why, format, samples: shown };
  }
  const lost = auto.filter(({ sample }) => measuredReply(sample)?.axis.kind !== "structured");
  const how = (stream: boolean): string | null => {
    const ways = new Set(
      lost.filter(({ sample }) => sample.stream === stream).map(({ sample }) => measuredReply(sample)?.axis.kind),
    );
    return ways.size === 1 ? ([...ways][0] ?? null) : null;
  };
  const format = formatOf(lost);
  const signature = server.lossSignatures.find(
    (each) => each.format === format && each.body === how(false) && each.stream === how(true),
  );
  return signature === undefined
    ? null
    : { names: [signature.parser], why: "loses", format: signature.format, samples: lost };
}

/** Values of the server's parser option that read a format; none where its parser is no matter of an option. */
function parserOptions(server: ServerRecord, format: string): readonly string[] {
  const names = parserNames(format, server.kind);
  return server.parserFix(format, names, true)?.kind === "flag" ? names : [];
}
