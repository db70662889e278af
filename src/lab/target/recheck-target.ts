import { TransportError } from "../../protocol/handler.ts";
import type { JsonValue } from "../../protocol/json.ts";
import { askOnce } from "../../protocol/servers/ask-through.ts";
import { fingerprintDifferences } from "../../protocol/servers/fingerprint.ts";
import { type Identification, identify } from "../../protocol/servers/identify.ts";
import { serverRecord } from "../../protocol/servers/index.ts";
import { publicUrl } from "../capture/redact.ts";
import type { TargetRecord } from "../capture/run-record.ts";
import type { MeetOptions } from "./meet-options.ts";
import { presence, sendsKey, unreachable } from "./target-failure.ts";
import { lineOf, probeOf, recordingAsk, renderedTemplate } from "./target-probe.ts";

/** What became of a target since it was met. */
export type Recheck =
  | { readonly kind: "same" }
  /** Another server, model or set-up answers under this address. */
  | { readonly kind: "changed"; readonly line: string }
  | { readonly kind: "unknown"; readonly line: string };

/**
 * Looks again whether a target is still what it was when it was met. Only what both looks show can differ: "not visible" is no
 * value. Generates nothing.
 */
export async function recheckTarget(options: MeetOptions, met: TargetRecord): Promise<Recheck> {
  const shown = publicUrl(options.baseUrl);
  const ask = askOnce(recordingAsk(lineOf(options), options.record));
  let found: Identification;
  try {
    found = await identify(ask, { apiPrefix: options.apiPrefix, kind: options.kind });
  } catch (error) {
    if (!TransportError.is(error)) throw error;
    return { kind: "unknown", line: unreachable(shown, error).line };
  }
  const server = serverRecord(met.facts.kind);
  if (found.kind !== met.facts.kind) {
    // A proxy that hides the kind for a moment shows nothing; another kind's own route shows another server.
    if (found.by !== "route") return { kind: "unknown", line: `${shown}: does not show any more what it is` };
    return {
      kind: "changed",
      line: changedLine(shown, `${serverRecord(found.kind).title} in place of ${server.title}`),
    };
  }
  const present = await presence({
    ask,
    found,
    server,
    model: options.model,
    apiPrefix: options.apiPrefix,
    shown,
    keySent: sendsKey(options.headers),
  });
  if (present.failure?.reason === "model_missing") return { kind: "changed", line: present.failure.line };
  if (present.failure !== null) return { kind: "unknown", line: present.failure.line };
  const probe = probeOf(options, ask, found);
  const template = await renderedTemplate(server, probe);
  const inspection = await server.inspect(probe);
  const now: Record<string, JsonValue> = { ...inspection.identity };
  if (template !== null) now["rendered_prompt"] = template;
  const before = met.fingerprint.identity;
  const differing = fingerprintDifferences(before, now).filter((key) => key in before && key in now);
  return differing.length === 0
    ? { kind: "same" }
    : {
        kind: "changed",
        line: changedLine(shown, `${differing.join(", ")} ${differing.length > 1 ? "differ" : "differs"}`),
      };
}

/** That a target is no longer the one that was met. */
export function changedLine(shown: string, how: string): string {
  return `${shown}: the server is no longer the one that the run met (${how}); nothing is measured on it from here on`;
}
