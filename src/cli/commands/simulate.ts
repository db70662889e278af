import { listen } from "../../http/listen.ts";
import { createSimulator } from "../../simulator/simulator.ts";
import { exitCodes, oneLine, UserError } from "../errors.ts";
import { displayLanguage, messagesIn } from "../messages.ts";
import { readProfile } from "../profiles.ts";
import type { Execute } from "./command.ts";
import type { simulateOptions } from "./option-sets.ts";

/** `lab simulate`: serves a profile until the first Ctrl-C, which is how it is meant to end (exit 0). */
export const simulate: Execute<typeof simulateOptions> = async (values, world) => {
  const profile = await readProfile(values.profile ?? "steady", world);
  const handler = createSimulator({
    profile,
    seed: values.seed ?? world.randomHex(),
    now: () => world.clock.date().getTime(),
  });
  const host = values.host ?? "127.0.0.1";
  const listener = await listen(handler, {
    port: values.port ?? 0,
    host,
    onError: (error: unknown) => world.stderr.write(`lab: ${oneLine(error)}\n`),
  }).catch((error: unknown) => {
    throw new UserError(oneLine(error), { cause: error });
  });
  const models = Object.keys(profile.models).join(", ");
  world.stdout.write(`${messagesIn(displayLanguage(values.lang, world.env)).listening(listener.url, models)}\n`);
  await new Promise<void>((resolve) => {
    if (world.signal.aborted) resolve();
    else world.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await listener.close();
  return exitCodes.ok;
};
