import type { Stage } from "../stage.ts";

/**
 * The order in which request hooks run, outermost first:
 * intent, warnings, relay, router, suppress, finish, web, prune, compress, prompt.
 */
export const requestOrder: readonly Stage[] = [];

/** The order in which response hooks run, from the upstream outwards: scan, repair, guard, suppress, intent, web, finish, compress, validate. */
export const responseOrder: readonly Stage[] = [];

/** Every stage. To add one: its file, and its place in one or both of the orders above. */
export const stages: readonly Stage[] = [...new Set([...requestOrder, ...responseOrder])];

/** Names of the stages, for `--disable` and the configuration. */
export const stageNames: readonly string[] = stages.map((stage) => stage.name);
