import { configSchemaWith } from "./config.ts";
import { stageNames } from "./stages/index.ts";

export type { AdapterConfig } from "./config.ts";

/** The schema of the adapter's configuration file. */
export const adapterConfigSchema = configSchemaWith(stageNames);
