import type { Stage } from "../stage.ts";
import { compress } from "./compress.ts";
import { finish } from "./finish.ts";
import { guard } from "./guard.ts";
import { intent } from "./intent.ts";
import { prompt } from "./prompt.ts";
import { prune } from "./prune.ts";
import { relay } from "./relay.ts";
import { repair } from "./repair.ts";
import { router } from "./router.ts";
import { scan } from "./scan.ts";
import { suppress } from "./suppress.ts";
import { validate } from "./validate.ts";
import { warnings } from "./warnings.ts";
import { web } from "./web.ts";

/** The order in which request hooks run, outermost first. */
export const requestOrder: readonly Stage[] = [
  intent,
  warnings,
  relay,
  router,
  suppress,
  finish,
  web,
  prune,
  compress,
  guard,
  prompt,
];

/** The order in which response hooks run, from the upstream outwards. */
export const responseOrder: readonly Stage[] = [
  prompt,
  scan,
  repair,
  guard,
  suppress,
  intent,
  web,
  finish,
  compress,
  validate,
];

/** Every stage. To add one: its file, and its place in one or both of the orders above. */
export const stages: readonly Stage[] = [...new Set([...requestOrder, ...responseOrder])];

/** Names of the stages, for `--disable` and the configuration. */
export const stageNames = stages.map((stage) => stage.name) as [string, ...string[]];
