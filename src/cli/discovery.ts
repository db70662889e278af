import { suggestion } from "../lab/scenario/nearest.ts";
import type { ServerKind } from "../protocol/servers/server.ts";
import { UserError } from "./errors.ts";
import { discoveryPorts, type FoundServer } from "./listed-models.ts";
import { parseServerUrl } from "./server-url.ts";
import { shellCommand } from "./shell-command.ts";
import type { TargetSpec } from "./target-specs.ts";

/** What was found on this machine, and what was wanted. */
export interface Discovery {
  /** Models that were named; none = whatever there is, if there is one. */
  readonly models: readonly string[];
  readonly found: readonly FoundServer[];
  readonly ports: readonly number[];
  readonly kind: ServerKind | null;
}

/** Ports of this machine that are asked where no server was named: LAB_DISCOVERY_PORTS, else the default ports of the known servers. */
export function portsToAsk(env: Readonly<Record<string, string | undefined>>): readonly number[] {
  const given = env["LAB_DISCOVERY_PORTS"];
  if (given === undefined || given.trim() === "") return discoveryPorts;
  return given.split(",").map((text) => {
    const port = Number(text.trim());
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new UserError(`LAB_DISCOVERY_PORTS: "${text.trim()}" is no port; write numbers with commas between them`);
    return port;
  });
}

/**
 * The targets that follow from what answers on this machine, without any key or header: they were meant for a server that the
 * user knows. @throws UserError, one line that says what was tried and what to write
 */
export function discoveredTargets({ models, found, ports, kind }: Discovery): readonly TargetSpec[] {
  const wanted = models.length > 0 ? [...new Set(models)] : [soleModel(found, ports)];
  return wanted.map((model) => {
    const server = parseServerUrl(holderOf(model, found, ports).baseUrl, "discovery");
    return { name: model, model, server, kind, headers: {} };
  });
}

/** The one server that lists the model. */
function holderOf(model: string, found: readonly FoundServer[], ports: readonly number[]): FoundServer {
  if (found.length === 0) throw nothingAnswers(model, ports);
  const holders = found.filter((server) => server.models.some((name) => isSameModel(model, name)));
  const [holder, ...others] = holders;
  if (holder === undefined) {
    const listed = found.map((server) => `${server.baseUrl} has ${someOf(server.models)}`).join("; ");
    const near = suggestion(
      model,
      found.flatMap((server) => server.models),
    );
    throw new UserError(`no server is named, and none of this machine lists ${model}${near}: ${listed}`);
  }
  if (others.length > 0) {
    const places = holders.map(({ baseUrl }) => baseUrl).join(" and ");
    throw new UserError(
      `${holders.length} servers of this machine list ${model}: ${places}; choose one with --base-url`,
    );
  }
  return holder;
}

/** The model of a machine with one server that has one model. */
function soleModel(found: readonly FoundServer[], ports: readonly number[]): string {
  const [server, ...others] = found;
  if (server === undefined) throw nothingAnswers(undefined, ports);
  const listed = found.map(({ baseUrl, models }) => `${baseUrl} has ${someOf(models)}`).join("; ");
  if (others.length > 0)
    throw new UserError(`${found.length} servers answer on this machine; choose with --base-url or --model: ${listed}`);
  const [model, ...further] = server.models;
  if (model === undefined || further.length > 0)
    throw new UserError(`no model is named; choose one or more with --model: ${listed}`);
  return model;
}

function nothingAnswers(model: string | undefined, ports: readonly number[]): UserError {
  const example = shellCommand(["lab", "run", "--base-url", "http://HOST:PORT/v1", "--model", model ?? "NAME"]);
  const tried = `ports ${ports.join(", ")} of 127.0.0.1 and ::1 were asked`;
  return new UserError(
    `no server is named and none answers on this machine (${tried}); write ${example}, or try lab demo`,
  );
}

function someOf(models: readonly string[]): string {
  const shown = models.slice(0, 5).join(", ");
  return models.length > 5 ? `${shown} and ${models.length - 5} more` : shown;
}

/** Ollama's "x" is "x:latest". */
function isSameModel(wanted: string, listed: string): boolean {
  return listed === wanted || listed === `${wanted}:latest`;
}
