import { z } from "zod";
import type { JsonObject } from "../../protocol/json.ts";

const parts = z.array(z.object({ type: z.literal("output_text"), text: z.string() })).min(1);
const nonEmpty = z.string().min(1);

/**
 * What Codex can read of each item. One that does not fit is dropped by it without a word, so nothing leaves the adapter that
 * has not been held against these.
 */
const itemSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message"), id: nonEmpty, role: z.literal("assistant"), content: parts }),
  z.object({
    type: z.literal("function_call"),
    id: nonEmpty,
    call_id: nonEmpty,
    name: nonEmpty,
    namespace: nonEmpty.optional(),
    arguments: z.string(),
  }),
  z.object({ type: z.literal("custom_tool_call"), id: nonEmpty, call_id: nonEmpty, name: nonEmpty, input: z.string() }),
  z.object({
    type: z.literal("reasoning"),
    id: nonEmpty,
    summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
  }),
  z.object({
    type: z.literal("web_search_call"),
    id: nonEmpty,
    status: z.literal("completed"),
    action: z.looseObject({}),
  }),
]);

/** Why a client could not read an item; null for one that it can. */
export function itemProblem(item: JsonObject): string | null {
  const read = itemSchema.safeParse(item);
  if (read.success) return null;
  const [issue] = read.error.issues;
  return issue === undefined ? "unreadable" : `${issue.path.join(".") || "the item"}: ${issue.message}`;
}
