import { validateHeaderName, validateHeaderValue } from "node:http";
import { suggestion } from "../lab/scenario/nearest.ts";
import type { ServerKind } from "../protocol/servers/server.ts";
import type { LabConfig } from "./config.ts";
import { UserError } from "./errors.ts";
import { parseServerUrl, type ServerUrl } from "./server-url.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A model on a server as the user named it, checked but not yet asked. */
export interface TargetSpec {
  readonly name: string;
  readonly model: string;
  readonly server: ServerUrl;
  readonly kind: ServerKind | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the command line says of targets. */
export interface TargetChoice {
  readonly baseUrl: string | undefined;
  readonly models: readonly string[];
  readonly targets: readonly string[];
  readonly serverKind: ServerKind | undefined;
  readonly apiKeyEnv: string | undefined;
  readonly headers: readonly string[];
}

/** The targets of a run, or the server whose models have yet to be asked for because none was named. */
export type TargetPlan =
  | { readonly kind: "targets"; readonly targets: readonly TargetSpec[] }
  | { readonly kind: "ask-models"; readonly server: Omit<TargetSpec, "name" | "model"> }
  | { readonly kind: "nothing-named" };

/**
 * Decides what is measured: `--target` and `--base-url` replace the targets of lab.yaml, `--model` alone selects among them
 * or goes with its default server. Credentials of lab.yaml go only to servers that lab.yaml names. @throws UserError
 */
export function planTargets(choice: TargetChoice, config: LabConfig, env: Environment): TargetPlan {
  const fromModels = modelTargets(choice, config, env);
  const targets = [...choice.targets.map((text) => namedTarget(text, choice, config, env)), ...fromModels];
  if (choice.targets.length > 0 && choice.baseUrl !== undefined && choice.models.length === 0) {
    throw new UserError("--base-url beside --target needs --model; name the model, or leave --base-url out");
  }
  if (targets.length > 0) return { kind: "targets", targets: withDistinctNames(targets) };
  if (choice.baseUrl === undefined && choice.models.length === 0 && config.targets.length > 0) {
    return { kind: "targets", targets: config.targets.map((target) => fromConfig(target, choice, config, env)) };
  }
  const server = defaultServer(choice, config, env);
  return server === null || choice.models.length > 0 ? { kind: "nothing-named" } : { kind: "ask-models", server };
}

/** The server that models without one of their own are on: `--base-url`, else the default of lab.yaml. */
function defaultServer(
  choice: TargetChoice,
  config: LabConfig,
  env: Environment,
): Omit<TargetSpec, "name" | "model"> | null {
  const kind = choice.serverKind ?? (choice.baseUrl === undefined ? config.defaults.serverKind : undefined) ?? null;
  if (choice.baseUrl !== undefined) {
    const server = parseServerUrl(choice.baseUrl, "--base-url");
    return { server, kind, headers: { ...server.headers, ...commandLineHeaders(choice, env) } };
  }
  if (config.defaults.baseUrl === undefined) return null;
  const server = parseServerUrl(config.defaults.baseUrl, "lab.yaml: defaults.baseUrl");
  const own = configHeaders(config.defaults, env, "lab.yaml: defaults");
  return { server, kind, headers: { ...server.headers, ...own, ...commandLineHeaders(choice, env) } };
}

function modelTargets(choice: TargetChoice, config: LabConfig, env: Environment): readonly TargetSpec[] {
  const models = [...new Set(choice.models)];
  if (models.length === 0) return [];
  const known = config.targets.filter((target) => models.includes(target.model));
  if (choice.baseUrl === undefined && models.every((model) => known.some((target) => target.model === model))) {
    return known.map((target) => fromConfig(target, choice, config, env));
  }
  const server = defaultServer(choice, config, env);
  return server === null ? [] : models.map((model) => ({ name: model, model, ...server }));
}

function namedTarget(text: string, choice: TargetChoice, config: LabConfig, env: Environment): TargetSpec {
  if (!text.includes("=")) return fromConfig(configTarget(text, config), choice, config, env);
  const { name, model, url } = splitTarget(text);
  const server = parseServerUrl(url, `--target ${name}`);
  const headers = { ...server.headers, ...commandLineHeaders(choice, env) };
  return { name, model, server, kind: choice.serverKind ?? null, headers };
}

function withDistinctNames(targets: readonly TargetSpec[]): readonly TargetSpec[] {
  const names = targets.map((target) => target.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UserError(`two targets are named "${twice}"; write --target NAME=MODEL@URL`);
  return targets;
}

function configTarget(name: string, config: LabConfig): LabConfig["targets"][number] {
  const found = config.targets.find((target) => target.name === name);
  if (found !== undefined) return found;
  const names = config.targets.map((target) => target.name);
  const hint = names.length === 0 ? "; write NAME=MODEL@URL, or name it in lab.yaml" : suggestion(name, names);
  throw new UserError(`--target: there is no target "${name}"${hint}`);
}

function fromConfig(
  target: LabConfig["targets"][number],
  choice: TargetChoice,
  config: LabConfig,
  env: Environment,
): TargetSpec {
  const where = `lab.yaml: target ${target.name}`;
  const server = parseServerUrl(target.baseUrl, where);
  return {
    name: target.name,
    model: target.model,
    server,
    kind: choice.serverKind ?? target.serverKind ?? config.defaults.serverKind ?? null,
    headers: {
      ...server.headers,
      ...configHeaders(config.defaults, env, "lab.yaml"),
      ...configHeaders(target, env, where),
      ...commandLineHeaders(choice, env),
    },
  };
}

function splitTarget(text: string): { readonly name: string; readonly model: string; readonly url: string } {
  // The URL is what follows the first "@" before a scheme, so that a model may hold "@" and a URL may hold credentials.
  const match = /^([^=]+)=(.+?)@([a-z][a-z0-9+.-]*:\/\/.+)$/i.exec(text) ?? /^([^=]+)=(.+)@([^@]+)$/.exec(text);
  const [, name, model, url] = match ?? [];
  if (name === undefined || model === undefined || url === undefined) {
    throw new UserError(`--target: "${text}" is not NAME=MODEL@URL, e.g. local=qwen3@http://127.0.0.1:8000/v1`);
  }
  return { name: name.trim(), model: model.trim(), url: url.trim() };
}

function commandLineHeaders(choice: TargetChoice, env: Environment): Readonly<Record<string, string>> {
  const given = choice.headers.map((text) => {
    const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new UserError(`--header: write 'Name: value' in one argument`);
    return checkedHeader(name, value, "--header");
  });
  return { ...keyHeader(choice.apiKeyEnv, env, "--api-key-env"), ...Object.fromEntries(given) };
}

function configHeaders(
  source: { readonly headers?: Readonly<Record<string, string>> | undefined; readonly apiKeyEnv?: string | undefined },
  env: Environment,
  where: string,
): Readonly<Record<string, string>> {
  const given = Object.entries(source.headers ?? {}).map(([name, value]) => checkedHeader(name, value, where));
  return { ...keyHeader(source.apiKeyEnv, env, where), ...Object.fromEntries(given) };
}

function keyHeader(name: string | undefined, env: Environment, where: string): Readonly<Record<string, string>> {
  if (name === undefined) return {};
  const key = env[name]?.trim();
  if (!key) throw new UserError(`${where}: the environment variable ${name} is not set; export it or name another`);
  const [header, value] = checkedHeader("authorization", `Bearer ${key}`, `${where} ${name}`);
  return { [header]: value };
}

/** Values are never repeated in the message: they may be secrets. */
function checkedHeader(name: string, value: string, where: string): readonly [string, string] {
  const lower = name.toLowerCase();
  try {
    validateHeaderName(lower);
    validateHeaderValue(lower, value);
  } catch {
    throw new UserError(`${where}: the header ${JSON.stringify(name)} holds characters that HTTP does not allow`);
  }
  if (["host", "content-length", "transfer-encoding", "connection"].includes(lower)) {
    throw new UserError(`${where}: the header ${lower} is set by the lab itself; leave it out`);
  }
  return [lower, value];
}
