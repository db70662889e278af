import { z } from "zod";
import { messageSchema, toolSchema } from "../../protocol/chat.ts";
import { judgements } from "./probe.ts";
import { scenarioClasses, spokenLanguages } from "./scenario.ts";
import { placeholderProblems, placeholders } from "./template.ts";

const idSchema = z.string().regex(/^[a-z0-9][a-z0-9_-]*$/, "use lower-case letters, digits, hyphens and underscores");

const callSchema = z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.json()).default({}) });

/** A reply written by hand. `error`: the server's refusal in place of a reply, with status 400. */
const exampleReplySchema = z.strictObject({
  text: z.string().optional(),
  calls: z.array(callSchema).min(1).optional(),
  promptTokens: z.number().int().positive().optional(),
  error: z.string().optional(),
});
export type ExampleReply = z.infer<typeof exampleReplySchema>;

/** Replies of one sample in order, with the arm that they were given in (the suite's first where none is named). */
const exampleSchema = z.strictObject({ arm: z.string().optional(), replies: z.array(exampleReplySchema).min(1) });
export type ProbeExample = z.infer<typeof exampleSchema>;

const toolResultSchema = z.strictObject({
  tool: z.string(),
  /** In lower case; found anywhere in the arguments. */
  when: z.string().optional(),
  text: z.string(),
});

/** One arm. `tools`: the item's own (default), none, or so many in all, the rest taken from the agent shape. */
export const probeArmSchema = z.strictObject({
  id: idSchema,
  choice: z.enum(["auto", "required", "none"]).default("auto"),
  tools: z.union([z.enum(["own", "none"]), z.number().int().min(1).max(60)]).default("own"),
  /** Name of one of the item's `histories`. */
  history: z.string().optional(),
  size: z.strictObject({ share: z.number().positive().optional(), most: z.number().int().min(256) }).optional(),
  native: z.boolean().default(false),
});
export type ProbeArm = z.infer<typeof probeArmSchema>;

/** One question, with how its conversation goes on and what its replies must show. */
export const probeItemSchema = z.strictObject({
  id: idSchema,
  language: z.enum(spokenLanguages),
  class: z.enum(scenarioClasses).default("unmemorizable"),
  /** Arms that the item meets; all by default. */
  arms: z.array(z.string()).min(1).optional(),
  system: z.string(),
  user: z.string(),
  tools: z.array(toolSchema).min(1),
  /** Turns between the system message and the question, by the name that an arm gives them. */
  histories: z.record(z.string(), z.array(messageSchema)).default({}),
  results: z.array(toolResultSchema).default([]),
  call: z.string().nullable(),
  answer: z.array(z.string()).default([]),
  never: z.array(z.string()).default([]),
  carried: z.string().optional(),
  /** Text by which a reply shows that the persona was kept. */
  sign: z.string().min(1).optional(),
  followUp: z.string().optional(),
  examples: z.strictObject({
    good: exampleSchema,
    bad: exampleSchema,
    nearMiss: exampleSchema.extend({
      /** Nearly wrong, and still right. */
      passes: z.boolean().default(false),
    }),
  }),
});
export type ProbeItem = z.infer<typeof probeItemSchema>;

/** A suite whose samples are conversations: arms meet items, and code of the named judgement turns replies into a result. */
export const probeSuiteSchema = z
  .strictObject({
    id: idSchema,
    judgement: z.enum(judgements),
    stream: z.array(z.boolean()).min(1).default([false]),
    arms: z.array(probeArmSchema).min(1),
    items: z.array(probeItemSchema).min(1),
    maxTokens: z.number().int().positive().default(512),
    temperature: z.number().min(0).max(2).default(0.7),
    mostTurns: z.number().int().min(1).max(20).default(6),
  })
  .superRefine((suite, context) => {
    const problem = (path: readonly (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path: [...path], message });
    const arms = suite.arms.map(({ id }) => id);
    suite.arms.forEach(({ id }, index) => {
      if (arms.indexOf(id) !== index) problem(["arms", index, "id"], `names the arm ${id} a second time`);
      // What a server makes of a tool_choice is said by these names.
      if (["auto", "required", "named", "none"].includes(id))
        problem(["arms", index, "id"], `is the name of a tool_choice; give the arm one of its own`);
    });
    suite.items.forEach((item, index) => {
      const at = (...path: (string | number)[]) => ["items", index, ...path];
      const names = item.tools.map((tool) => tool.function.name);
      if (suite.items.findIndex(({ id }) => id === item.id) !== index) problem(at("id"), `is there twice: ${item.id}`);
      if (item.call !== null && !names.includes(item.call))
        problem(at("call"), `names a tool that "tools" does not declare: ${item.call} (declared: ${names.join(", ")})`);
      for (const name of item.arms ?? [])
        if (!arms.includes(name)) problem(at("arms"), `names an arm that the suite does not have: ${name}`);
      for (const arm of suite.arms) {
        const meets = item.arms === undefined || item.arms.includes(arm.id);
        if (meets && arm.history !== undefined && item.histories[arm.history] === undefined)
          problem(at("histories"), `lacks ${arm.history}, which the arm ${arm.id} names`);
      }
      const texts = [
        item.system,
        item.user,
        ...item.results.map(({ text }) => text),
        ...Object.values(item.histories).map((history) => JSON.stringify(history)),
      ];
      for (const text of texts) for (const what of placeholderProblems(text)) problem(at("user"), what);
      const known = new Set(texts.flatMap(placeholders));
      for (const text of [...item.answer, ...item.never, ...(item.carried === undefined ? [] : [item.carried])]) {
        const missing = placeholders(text).find((each) => !known.has(each));
        if (missing !== undefined) problem(at("answer"), `uses ${missing}, which nothing that is sent contains`);
      }
    });
  });
export type ProbeSuite = z.infer<typeof probeSuiteSchema>;
