import { z } from "zod";
import { probeSuiteSchema } from "./probe-suite.ts";
import { agentShapeSchema, scenarioSchema, suiteSchema } from "./scenario.ts";

/** JSON Schemas (draft 2020-12) of the files in `scenarios/`, by kind, for editors and other programs. */
export function scenarioJsonSchemas(): Record<string, object> {
  return {
    scenario: jsonSchema("harness-lab scenario", scenarioSchema),
    suite: jsonSchema("harness-lab suite", suiteSchema),
    probes: jsonSchema("harness-lab suite of conversations", probeSuiteSchema),
    "agent-shape": jsonSchema("harness-lab agent shape", agentShapeSchema),
  };
}

// "input": what a person writes, where keys with a default may be left out.
function jsonSchema(title: string, schema: z.ZodType): object {
  return { title, ...z.toJSONSchema(schema, { io: "input" }) };
}
