import { eventsOf } from "./support.ts";

/** The ids of one answer, as a client meets them. */
export interface AnswerIds {
  /** Of each event, or of the body; null where there is none. Errors are left out. */
  readonly replies: readonly (string | null)[];
  /** Of each call: the ids that its entries gave, in order. */
  readonly calls: readonly (readonly string[])[];
}

interface Entry {
  readonly index?: number;
  readonly id?: string;
}

interface Event {
  readonly id?: string;
  readonly error?: unknown;
  readonly choices?: readonly {
    readonly message?: { readonly tool_calls?: readonly Entry[] };
    readonly delta?: { readonly tool_calls?: readonly Entry[] };
  }[];
}

/** Reads the ids of an answer: a body, or a whole stream. */
export function answerIds(body: string, isStream: boolean): AnswerIds {
  const events = (isStream ? eventsOf(body) : [JSON.parse(body)]).filter((event) => event !== "[DONE]") as Event[];
  const given = events.filter(({ error }) => error === undefined);
  const calls: string[][] = [];
  for (const { choices } of given) {
    const part = choices?.[0]?.message ?? choices?.[0]?.delta ?? {};
    for (const [position, { index = position, id }] of (part.tool_calls ?? []).entries()) {
      calls[index] ??= [];
      if (id !== undefined) calls[index]?.push(id);
    }
  }
  return { replies: given.map(({ id }) => id ?? null), calls: calls.filter((ids) => ids !== undefined) };
}

/** What can be compared answer by answer: one id for all of it, and how often and how each call is named. */
export function idPattern({ replies, calls }: AnswerIds) {
  return {
    everyEventHasOne: !replies.includes(null),
    replies: new Set(replies).size,
    calls: calls.map((ids) => ids.map((id) => nameOf(partsOf(id)))),
  };
}

/** Classes of characters, each within all that come after it. */
const alphabets: readonly (readonly [string, RegExp])[] = [
  ["digits", /^[0-9]*$/],
  ["8, 9, a or b", /^[89ab]*$/],
  ["hexadecimal digits", /^[0-9a-f]*$/],
  ["small letters and digits", /^[0-9a-z]*$/],
  ["letters and digits", /^[0-9a-zA-Z]*$/],
];

function alphabetOf(text: string): string {
  return alphabets.find(([, all]) => all.test(text))?.[0] ?? "other characters";
}

function partsOf(id: string): { readonly prefix: string; readonly rest: string } {
  const rest = /[^-_]*$/.exec(id)?.[0] ?? "";
  return { prefix: id.slice(0, id.length - rest.length), rest };
}

/** A number has as many digits as it needs; anything else has its length. */
function nameOf({ prefix, rest }: ReturnType<typeof partsOf>): string {
  return /^[0-9]{1,8}$/.test(rest) ? `${prefix}NUMBER` : `${prefix}${"x".repeat(rest.length)}`;
}

/**
 * The kinds of ids among those of many answers, one of each: prefix and length, the characters they begin with and go on with,
 * and whether no two are the same. Wants some dozens of each to tell alphabets apart.
 */
export function idKinds(ids: readonly string[]) {
  const kinds = new Map<string, string[]>();
  for (const id of ids) {
    const name = nameOf(partsOf(id));
    kinds.set(name, [...(kinds.get(name) ?? []), id]);
  }
  return Object.fromEntries(
    [...kinds].sort().map(([name, all]) => {
      const rests = all.map((id) => partsOf(id).rest);
      const kind = {
        longest: Math.max(...rests.map((rest) => rest.length)),
        begins: alphabetOf(rests.map((rest) => rest.slice(0, 1)).join("")),
        goesOn: alphabetOf(rests.map((rest) => rest.slice(1)).join("")),
        distinct: new Set(all).size === all.length,
      };
      return [name, kind];
    }),
  );
}
