import { isJsonObject, type JsonObject, type JsonValue } from "../protocol/json.ts";
import { cardCalls, compilePattern, type ProfileCall, type ProfileCard, writtenArguments } from "./profile-schema.ts";

/** Ends at the last two of its closing braces, so that a pattern may end in one. */
const seenMark = /\{\{seen:((?:(?!\}\}(?!\})).)+)\}\}/gu;

/** Patterns of the `{{seen:…}}` in a text of JSON. */
export function seenPatterns(json: string): readonly string[] {
  return [...json.matchAll(seenMark)].map(([, pattern = ""]) => String(JSON.parse(`"${pattern}"`)));
}

/** A card with what its `{{seen:…}}` find in the rendered prompt in their place; its `unseen` text where one finds nothing. */
export function fillSeen(card: ProfileCard, prompt: string): ProfileCard {
  const all = JSON.stringify(card);
  if (!all.includes("{{seen:")) return card;
  let missing = false;
  const fill = (text: string): string =>
    text.replace(seenMark, (_mark, pattern: string) => {
      const found = lastMatch(pattern, prompt);
      missing ||= found === null;
      return found ?? "";
    });
  const text = (value: string | undefined): string | undefined => (value === undefined ? undefined : fill(value));
  const calls = cardCalls(card).map((call) => {
    const given = writtenArguments(call);
    return given === null
      ? call
      : { ...call, arguments: fillJson(given, fill) as NonNullable<ProfileCall["arguments"]> };
  });
  const { call: _call, calls: _calls, ...rest } = card;
  const filled: ProfileCard = {
    ...rest,
    ...(calls.length === 0 ? {} : { calls }),
    ...(card.text === undefined ? {} : { text: text(card.text) }),
    ...(card.before === undefined ? {} : { before: text(card.before) }),
    ...(card.after === undefined ? {} : { after: text(card.after) }),
  };
  return missing ? { text: card.unseen ?? "I cannot find that." } : filled;
}

function fillJson(value: JsonObject, fill: (text: string) => string): JsonObject {
  const each = (item: JsonValue): JsonValue => {
    if (typeof item === "string") return fill(item);
    if (Array.isArray(item)) return item.map(each);
    return isJsonObject(item) ? fillJson(item, fill) : item;
  };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, each(item)]));
}

function lastMatch(pattern: string, prompt: string): string | null {
  const compiled = compilePattern(pattern);
  if (typeof compiled === "string") return null;
  const last = [...prompt.matchAll(new RegExp(compiled.source, `${compiled.flags}g`))].at(-1);
  return last === undefined ? null : (last[1] ?? last[0]);
}
