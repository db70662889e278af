import type { ToolChoiceWord } from "../protocol/chat.ts";
import { findSetUp } from "./matrices/find-set-up.ts";
import { type Asked, askedValues, type Cell, cellOf, formOfText, type Mode, type SetUp } from "./matrices/outcome.ts";
import {
  cardCalls,
  compilePattern,
  type ProfileCard,
  type ProfileModel,
  type ProfileRule,
  type SimulatorProfile,
} from "./profile-schema.ts";
import { seenPatterns } from "./seen.ts";

export { profileJsonSchema, profileSchema, type SimulatorProfile } from "./profile-schema.ts";

const modes: readonly Mode[] = ["body", "stream"];
const words: readonly ToolChoiceWord[] = ["auto", "required", "named", "none"];
const callTags = /<tool_call>|<function=/;

/**
 * What is wrong with a profile beyond its keys, one line each that begins with the path: patterns that do not compile, cards
 * without content, set-ups and cells that no real server was measured for. Empty = it can be simulated.
 */
export function checkProfile(profile: SimulatorProfile): string[] {
  return Object.entries(profile.models).flatMap(([name, model]) => checkModel(profile, model, `models.${name}`));
}

function checkModel(profile: SimulatorProfile, model: ProfileModel, path: string): string[] {
  const choice = model.template === undefined ? profile.server : { ...profile.server, template: model.template };
  const setUp = findSetUp(choice, model.format);
  const rules: readonly ProfileRule[] = model.rules ?? [];
  const reachable = rules.flatMap((rule, index) => checkRule(rule, model, setUp, `${path}.rules[${index}]`));
  const fallback =
    model.default === undefined ? [] : checkCard(model.default, model, setUp, askedValues, modes, `${path}.default`);
  return [
    ...(typeof setUp === "string" ? [`${model.template === undefined ? "server" : `${path}.template`}: ${setUp}`] : []),
    ...reachable,
    ...fallback,
  ];
}

function checkRule(rule: ProfileRule, model: ProfileModel, setUp: SetUp | string, path: string): string[] {
  const { when = {} } = rule;
  const problems: string[] = [];
  for (const key of ["user", "system", "prompt", "choice", "tools"] as const) {
    const pattern = when[key];
    if (typeof pattern !== "string") continue;
    const compiled = compilePattern(pattern);
    if (typeof compiled === "string") problems.push(`${path}.when.${key}: ${compiled}`);
  }
  if (problems.length > 0) return problems;
  const asked = askedValues.filter((value) => canBeAsked(value, when));
  const possibleModes = modes.filter((mode) => when.stream === undefined || when.stream === (mode === "stream"));
  return rule.cards.flatMap((card, index) =>
    checkCard(card, model, setUp, asked, possibleModes, `${path}.cards[${index}]`),
  );
}

function canBeAsked(asked: Asked, when: NonNullable<ProfileRule["when"]>): boolean {
  if (asked === "no_tools" ? when.tools !== undefined && when.tools !== false : when.tools === false) return false;
  if (when.choice === undefined) return true;
  const pattern = compilePattern(when.choice);
  if (typeof pattern === "string") return false;
  return asked === "no_tools" ? words.some((word) => pattern.test(word)) : pattern.test(asked);
}

function checkCard(
  card: ProfileCard,
  model: ProfileModel,
  setUp: SetUp | string,
  asked: readonly Asked[],
  possibleModes: readonly Mode[],
  path: string,
): string[] {
  const calls = cardCalls(card);
  const problems: string[] = [];
  if (card.call !== undefined && card.calls !== undefined) problems.push(`${path}: give call or calls, not both`);
  if (calls.length > 0 && card.marker !== undefined) problems.push(`${path}: a card is a call or a marker, not both`);
  if (
    calls.length === 0 &&
    [card.text, card.marker, card.reasoning, card.error, card.before, card.after].every((value) => value === undefined)
  ) {
    problems.push(`${path}: the card is empty; give it text, call, calls, marker or error`);
  }
  for (const pattern of seenPatterns(JSON.stringify(card))) {
    const compiled = compilePattern(pattern);
    if (typeof compiled === "string") problems.push(`${path}: {{seen:${pattern}}}: ${compiled}`);
  }
  if (problems.length > 0 || typeof setUp === "string") return problems;

  const forms =
    calls.length > 0 ? [...new Set(calls.map((call) => call.format ?? model.format))] : [writtenForm(card, setUp)];
  const thought = card.reasoning !== undefined;
  const quotes = [card.text, card.before, card.after].some((text) => text !== undefined && callTags.test(text));
  for (const value of asked) {
    for (const mode of possibleModes) {
      const found = forms.map((form) => cellOf(setUp, form, value, thought));
      const missing = forms.find((_, index) => found[index] === undefined);
      const where = `tool_choice ${value === "no_tools" ? "absent (no tools)" : value}, ${mode === "body" ? "not streamed" : "streamed"}`;
      if (missing !== undefined) {
        return [
          `${path}: ${setUp.name} was not measured with ${describeForm(missing, thought)}, ${where}; narrow the rule with \`when\``,
        ];
      }
      const first = found[0]?.[mode];
      if (found.some((cell) => cell?.[mode] !== first)) {
        return [
          `${path}: ${setUp.name} treats the formats ${forms.join(" and ")} differently (${where}); give them cards of their own`,
        ];
      }
      if (card.after !== undefined && calls.length > 0 && afterIsUnmeasured(setUp, first)) {
        return [`${path}.after: text behind a call was not measured on ${setUp.name}`];
      }
      if (
        quotes &&
        first !== "refused" &&
        ["hermes", "qwen3_coder"].some((form) => cellOf(setUp, form, value, thought)?.[mode] !== "leaked")
      ) {
        return [
          `${path}: text with call markup would be read by ${setUp.name} (${where}); write it as \`call\`, with its format, so that the measured outcome is used`,
        ];
      }
    }
  }
  return [];
}

function afterIsUnmeasured(setUp: SetUp, outcome: Cell[Mode] | undefined): boolean {
  if (outcome === "call") return setUp.afterCall === undefined;
  return outcome === "swallowed" && setUp.afterSwallowed === undefined;
}

function describeForm(form: string, thought: boolean): string {
  const what =
    form === "text" || form === "marker" ? form : form === "braced" ? "text that holds {" : `calls in ${form}`;
  return thought ? `${what} behind thinking` : what;
}

/** The row of the matrix for a card without calls. */
function writtenForm(card: ProfileCard, setUp: SetUp): string {
  return formOfText(`${card.before ?? ""}${card.text ?? ""}${card.after ?? ""}`, card.marker !== undefined, setUp);
}
