import { visibleText } from "../lab/report/terminal-text.ts";
import type { runOptions } from "./commands/run-options.ts";
import type { LabConfig } from "./config.ts";
import { discoveredTargets, portsToAsk } from "./discovery.ts";
import { UserError } from "./errors.ts";
import { findLocalServers, listedModels } from "./listed-models.ts";
import { openServer } from "./measure.ts";
import { messagesIn } from "./messages.ts";
import type { ValuesOf } from "./options.ts";
import type { RunSettings } from "./run-settings.ts";
import { planTargets, type TargetChoice, type TargetSpec } from "./target-specs.ts";
import type { World } from "./world.ts";

/** What a command line says of targets. */
export function targetChoice(
  values: Pick<ValuesOf<typeof runOptions>, "base-url" | "model" | "target" | "server-kind" | "api-key-env" | "header">,
): TargetChoice {
  return {
    baseUrl: values["base-url"],
    models: values.model,
    targets: values.target,
    serverKind: values["server-kind"],
    apiKeyEnv: values["api-key-env"],
    headers: values.header,
  };
}

/**
 * The targets that the command line and lab.yaml name; where no model is named the only one of the server, where no server is
 * named the one of this machine that has the model. @throws UserError
 */
export async function findTargets(
  choice: TargetChoice,
  config: LabConfig,
  settings: Pick<RunSettings, "timeouts" | "concurrency" | "language" | "quiet">,
  world: World,
): Promise<readonly TargetSpec[]> {
  const messages = messagesIn(settings.language);
  const say = (text: string): void => {
    if (!settings.quiet) world.stderr.write(`${visibleText(text)}\n`);
  };
  const plan = planTargets(choice, config, world.env);
  switch (plan.kind) {
    case "targets":
      return plan.targets;
    case "ask-models": {
      const handler = openServer(plan.server, settings, world);
      const models = await listedModels(handler, plan.server, world.signal).finally(() => handler.close());
      const model = onlyModel(models, plan.server.server.shown);
      say(messages.onlyModel(model));
      return [{ name: model, model, ...plan.server }];
    }
    case "nothing-named": {
      const ports = portsToAsk(world.env);
      const found = await findLocalServers(world.signal, ports);
      const targets = discoveredTargets({ models: choice.models, found, ports, kind: choice.serverKind ?? null });
      for (const target of targets) say(messages.discovered(target.model, target.server.shown));
      const { defaults } = config;
      const keyed = [choice.apiKeyEnv, defaults.apiKeyEnv].some((name) => name !== undefined);
      const headed = choice.headers.length > 0 || Object.keys(defaults.headers ?? {}).length > 0;
      if (keyed || headed) say(messages.keyWithheld());
      return targets;
    }
    default:
      return plan satisfies never;
  }
}

function onlyModel(models: readonly string[], server: string): string {
  const [only, ...others] = models;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw new UserError(`${server} lists no model; name one with --model`, { exitCode: 3 });
  const shown = models.slice(0, 8).join(", ");
  const more = models.length > 8 ? `, … (${models.length} in all)` : "";
  throw new UserError(`${server} has several models; name one or more with --model: ${shown}${more}`, { exitCode: 3 });
}
