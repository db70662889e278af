import { findFormat } from "../../protocol/formats/index.ts";
import { parserNamesFor } from "../../protocol/formats/parser-names.ts";
import type { ServerFix, ServerKind, ServerRecord } from "../../protocol/servers/server.ts";
import type { Diagnosis } from "./diagnosis.ts";
import type { DiagnoseContext, DiagnosisMaker } from "./diagnosis-maker.ts";
import { type JudgedSample, measuredReply } from "./judged-sample.ts";

/** How many whole calls of one format it takes before a parser option is named: one may be chance. */
export const enoughCalls = 2;

/** A call that was written whole and fits, and did not arrive as a call; null for every other sample. */
function lostCall(
  sample: JudgedSample,
): { readonly format: string; readonly how: "leaked" | "swallowed" | "reasoning_only" } | null {
  const axis = measuredReply(sample)?.axis;
  if (axis === undefined || (axis.kind !== "leaked" && axis.kind !== "swallowed" && axis.kind !== "reasoning_only"))
    return null;
  return axis.validity === "valid" || axis.validity === "repairable" ? { format: axis.format, how: axis.kind } : null;
}

/** Names of the options that make this kind of server read the format; those of a present version where it is not known. */
export function parserNames(format: string, kind: ServerKind, version: string | null = null): readonly string[] {
  const found = findFormat(format);
  return found === undefined || kind === "openai" ? [] : parserNamesFor(found, kind, version);
}

/** The option that makes this server read the format, or null where this kind has none. */
export function fixFor(
  server: ServerRecord,
  format: string,
  parserActive: boolean,
  version: string | null,
): ServerFix | null {
  return server.parserFix(format, parserNames(format, server.kind, version), parserActive);
}

/**
 * Calls that the harness lost. A parser is blamed only with two or more whole calls of one format and no served call under
 * `auto`: a parser that reads some of them is the right one, and the model drifts.
 */
export function diagnoseLostCalls(
  context: DiagnoseContext,
  make: DiagnosisMaker,
  rated: readonly JudgedSample[],
): readonly Diagnosis[] {
  const native = rated.filter((sample) => sample.contract === "native");
  const auto = native.filter((sample) => sample.choice === "auto");
  const served = auto.filter((sample) => measuredReply(sample)?.axis.kind === "structured");
  const byFormat = new Map<string, JudgedSample[]>();
  for (const sample of native) {
    const lost = lostCall(sample);
    if (lost !== null) byFormat.set(lost.format, [...(byFormat.get(lost.format) ?? []), sample]);
  }
  const diagnoses: Diagnosis[] = [];
  for (const [format, samples] of [...byFormat].sort((left, right) => right[1].length - left[1].length)) {
    const lostAuto = samples.filter((sample) => sample.choice === "auto");
    if (lostAuto.length < enoughCalls || served.length > 0) {
      diagnoses.push(
        make("format_drift", "model", samples, native.length, {
          certainty: "inferred",
          details: { format, served: served.length },
        }),
      );
      continue;
    }
    const state = context.facts.toolParser.state;
    const missing = state === "none";
    const fix = fixFor(context.server, format, !missing, context.facts.version);
    const parser = context.facts.toolParser.name ?? inferredParser(context.server, format, lostAuto);
    const certainty = context.facts.toolParser.name !== null || missing ? "shown" : "inferred";
    const forced = native.filter((sample) => sample.choice === "required" && sample.classification.delivered === "yes");
    diagnoses.push(
      make(
        missing ? "parser_missing" : "parser_mismatch",
        missing ? "server_option" : "server_parser",
        samples,
        auto.length,
        {
          fix,
          certainty,
          details: { format, ...(parser === null ? {} : { parser }), ...(fix === null ? {} : { option: fix.option }) },
        },
      ),
    );
    if (forced.length > 0) {
      diagnoses.push(
        make(
          "required_hides_fault",
          missing ? "server_option" : "server_parser",
          forced,
          native.filter((sample) => sample.choice === "required").length,
          { details: { format } },
        ),
      );
    }
  }
  return diagnoses;
}

/** The parser that loses this format in just this way, where measurements of this kind of server know one. */
function inferredParser(server: ServerRecord, format: string, lost: readonly JudgedSample[]): string | null {
  const how = (stream: boolean): string | null => {
    const ways = new Set(lost.filter((sample) => sample.stream === stream).map((sample) => lostCall(sample)?.how));
    return ways.size === 1 ? ([...ways][0] ?? null) : null;
  };
  const body = how(false);
  const stream = how(true);
  return (
    server.lossSignatures.find(
      (signature) =>
        signature.format === format && signature.body === body && (stream === null || signature.stream === stream),
    )?.parser ?? null
  );
}

/** Requests that the server refused because of their tools, with the option that is missing. */
export function diagnoseRefusals(
  context: DiagnoseContext,
  make: DiagnosisMaker,
  rated: readonly JudgedSample[],
  measured: readonly JudgedSample[],
): readonly Diagnosis[] {
  const refused = rated.filter((sample) => measuredReply(sample)?.axis.kind === "refused");
  const [first] = refused;
  const axis = first === undefined ? undefined : measuredReply(first)?.axis;
  if (first === undefined || axis?.kind !== "refused") return [];
  const format = axis.about === "parser_option" ? habitualFormat(measured) : null;
  const fix = format === null ? null : fixFor(context.server, format, false, context.facts.version);
  return [
    make(
      "tools_refused",
      first.classification.owner,
      refused,
      rated.filter((sample) => sample.contract === "native").length,
      {
        fix,
        certainty: "shown",
        details: { message: axis.message, ...(format === null ? {} : { format }) },
      },
    ),
  ];
}

/** The format that the model writes when nothing parses or steers it: the one seen in text, if it is a single one. */
function habitualFormat(measured: readonly JudgedSample[]): string | null {
  const formats = new Set(measured.flatMap((sample) => lostCall(sample)?.format ?? []));
  return formats.size === 1 ? ([...formats][0] ?? null) : null;
}
