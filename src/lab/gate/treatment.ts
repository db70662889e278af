import { fingerprintDifferences } from "../../protocol/servers/fingerprint.ts";
import type { TargetRecord } from "../capture/run-record.ts";

/** What two runs may differ in by intention; everything else must be the same. */
export const treatments = [
  "model",
  "parser",
  "template",
  "context",
  "sampling",
  "server",
  "adapter",
  "request",
  "scenario",
] as const;
export type Treatment = (typeof treatments)[number];

/** What a declared treatment brings with it: another model has its own template, defaults and parser. */
const brings: Readonly<Record<Treatment, readonly Treatment[]>> = {
  model: ["model", "parser", "template", "context", "sampling"],
  parser: ["parser"],
  template: ["template"],
  context: ["context"],
  sampling: ["sampling"],
  server: ["server", "parser", "template", "context", "sampling"],
  adapter: ["adapter"],
  request: ["request"],
  scenario: ["scenario"],
};

/** Which treatments explain a difference in an identity key. Any one of them will do. */
const explainedBy: Readonly<Record<string, readonly Treatment[]>> = {
  model: ["model"],
  model_file: ["model"],
  model_path: ["model"],
  root: ["model"],
  parent: ["model"],
  owned_by: ["model", "server"],
  revision: ["model"],
  quantization: ["model"],
  dtype: ["model", "server"],
  kv_cache_dtype: ["model", "server"],
  n_params: ["model"],
  size: ["model"],
  ftype: ["model"],
  n_vocab: ["model"],
  // An Ollama model is its weights and its Modelfile: changing one line changes the digest.
  digest: ["model", "parser", "template", "context", "sampling"],
  capabilities: ["model", "template", "parser"],
  path: ["model", "template", "parser"],
  renderer: ["template", "parser"],
  template: ["template"],
  tool_template: ["template"],
  rendered_prompt: ["template"],
  parser: ["parser"],
  tool_parser: ["parser"],
  reasoning_parser: ["parser"],
  context_length: ["context"],
  sampling: ["sampling"],
  sampling_defaults: ["sampling"],
  parameters: ["sampling", "context"],
};

/** A difference between two targets; `declared` where a treatment explains it. */
export interface IdentityDifference {
  readonly key: string;
  readonly before: string;
  readonly after: string;
  readonly treatment: Treatment;
  readonly declared: boolean;
}

/** Everything that a list of treatments allows to differ. */
export function allowedBy(declared: readonly Treatment[]): ReadonlySet<Treatment> {
  return new Set(declared.flatMap((treatment) => brings[treatment]));
}

/** What is another than it was, in the parts that decide whether two runs may be compared. */
export function identityDifferences(
  before: TargetRecord,
  after: TargetRecord,
  declared: readonly Treatment[],
): readonly IdentityDifference[] {
  const allowed = allowedBy(declared);
  // Where the kind of server changed, the two show different keys altogether.
  const kind =
    before.facts.kind === after.facts.kind
      ? []
      : [difference("server kind", before.facts.kind, after.facts.kind, ["server"], allowed)];
  const left = before.fingerprint.identity;
  const right = after.fingerprint.identity;
  const keys = fingerprintDifferences(left, right).filter(
    (key) => kind.length === 0 || (left[key] !== undefined && right[key] !== undefined),
  );
  return [
    ...kind,
    ...keys.map((key) => difference(key, left[key], right[key], explainedBy[key] ?? ["server"], allowed)),
  ];
}

/** Differences that are named and decide nothing: build and version. */
export function incidentalDifferences(
  before: TargetRecord,
  after: TargetRecord,
): readonly Pick<IdentityDifference, "key" | "before" | "after">[] {
  const left = before.fingerprint.incidental;
  const right = after.fingerprint.incidental;
  return fingerprintDifferences(left, right).map((key) => ({
    key,
    before: shown(left[key]),
    after: shown(right[key]),
  }));
}

function difference(
  key: string,
  before: unknown,
  after: unknown,
  explaining: readonly Treatment[],
  allowed: ReadonlySet<Treatment>,
): IdentityDifference {
  return {
    key,
    before: shown(before),
    after: shown(after),
    treatment: explaining[0] ?? "server",
    declared: explaining.some((treatment) => allowed.has(treatment)),
  };
}

/** A value on one short line; a key that one side does not show has no value. */
export function shown(value: unknown): string {
  if (value === undefined) return "not shown";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
