import type { KnownSetUp, KnownTruth } from "../../protocol/known-truth.ts";
import type { Script } from "../scripted/cut-scripts.ts";
import type { ScriptedModelOptions } from "../scripted/scripted-model.ts";

/** What every set-up says of the model file that belongs to it. */
export interface SetUp {
  /** What is true of it because it was built so. */
  readonly truth: KnownSetUp;
  /** Jinja text inside the model; absent where the server brings the template. */
  readonly chatTemplate?: string | undefined;
  /** Triggers of the grammar that the server derives; a token must end where one ends. */
  readonly align?: readonly string[] | undefined;
  /** How a call begins that a grammar forces after a text which cannot end. */
  readonly openers?: readonly string[] | undefined;
  /** Texts that are one token each beside {@link familyTags}. */
  readonly tags?: readonly string[] | undefined;
}

/** Tags that are one token each in the vocabularies of the families. */
export const familyTags = ["<tool_call>", "</tool_call>", "<think>", "</think>"] as const;

/** What opens the thinking in the prompt of a set-up that does so. */
const opening = "<think>\n";

/** The model that plays these scripts under a set-up; the first one where a prompt asks for none. */
export function modelOptions(truths: readonly KnownTruth[], setUp: SetUp): ScriptedModelOptions {
  return {
    name: "scripted",
    scripts: truths.map((truth) => asScript(truth, setUp.truth.opensThinking === true)),
    fallback: truths[0]?.script ?? "",
    chatTemplate: setUp.chatTemplate,
    tags: [...familyTags, ...(setUp.tags ?? [])],
    align: setUp.align ?? ["<tool_call>\n"],
    openers: setUp.openers ?? [],
  };
}

function asScript({ script, text }: KnownTruth, opensThinking: boolean): Script {
  const written = opensThinking && text.startsWith(opening) ? text.slice(opening.length) : text;
  return { name: script, branches: [{ probability: 1, text: written }] };
}
