import type { ToolCallFormat, WireForm } from "./format.ts";

/** A wire form with what is reported of a call in it. */
export interface OwnedForm {
  readonly format: string;
  readonly form: WireForm;
  readonly bare: boolean;
}

/** A literal with the forms that it can open, in the order of the registry. */
export interface Opener {
  readonly literal: string;
  readonly forms: readonly OwnedForm[];
}

/** Where the forms of a registry can begin, arranged for looking at each place of a text as briefly as possible. */
export interface OpenerIndex {
  /** Openers that count anywhere, by the code of their first character, then by that of the second (-1: of any). */
  readonly anywhere: ReadonlyMap<number, ReadonlyMap<number, readonly Opener[]>>;
  /** Openers that count at the beginning of a line or sentence only, by the code of their first character. */
  readonly words: ReadonlyMap<number, readonly Opener[]>;
  /** Forms that begin with a tool's name there, and what has to follow the name. */
  readonly names: readonly Opener[];
  /** One of these stands in every text with an opener in it: what openers begin with, or a whole one that begins with a letter or white space. */
  readonly marks: readonly string[];
  /** Finds one character at which an opener, or behind which a sentence, may begin. */
  readonly stops: RegExp;
  /** Characters behind which a sentence, or a call in place of one, may begin, by their codes. */
  readonly sentenceEnds: ReadonlyMap<number, SentenceEnd>;
}

/**
 * `free`: the next word begins a sentence, with white space in front or without. `spaced`: with it; without, it may be a part of
 * code or of an abbreviation, unless a marker between was stripped. `joined`: only what follows directly, behind a tag or bracket.
 */
export type SentenceEnd = "free" | "spaced" | "joined";

const sentenceEnds: readonly (readonly [string, SentenceEnd])[] = [
  ["\n。！？：；…」』）", "free"],
  [".!?:;", "spaced"],
  [")>]}", "joined"],
];
/** How much of an opener that begins with a letter is looked at before a stop is made of it: letters are frequent. */
const keyLength = 4;

const indexes = new WeakMap<readonly ToolCallFormat[], OpenerIndex>();

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|-]/g, "\\$&");
}

/** Every wire form of a registry; a format that is read under another's name has none of its own. */
function ownedForms(formats: readonly ToolCallFormat[]): readonly OwnedForm[] {
  return formats.flatMap((format) => [
    { format: format.name, form: format, bare: format.bare },
    ...(format.residue === undefined ? [] : [{ format: format.name, form: format.residue, bare: true }]),
  ]);
}

function openersOf(forms: readonly OwnedForm[], literalsOf: (form: WireForm) => readonly string[]): readonly Opener[] {
  const byLiteral = new Map<string, OwnedForm[]>();
  for (const owned of forms)
    for (const literal of new Set(literalsOf(owned.form)))
      byLiteral.set(literal, [...(byLiteral.get(literal) ?? []), owned]);
  return [...byLiteral].map(([literal, owners]) => ({ literal, forms: owners }));
}

function groupBy(openers: readonly Opener[], keyOf: (literal: string) => number): Map<number, readonly Opener[]> {
  const groups = new Map<number, readonly Opener[]>();
  for (const opener of openers) {
    const key = keyOf(opener.literal);
    groups.set(key, [...(groups.get(key) ?? []), opener]);
  }
  return groups;
}

const firstCode = (literal: string): number => literal.charCodeAt(0);
const secondCode = (literal: string): number => (literal.length > 1 ? literal.charCodeAt(1) : -1);

/** One character, with what has to follow it, as far as the text goes: `f(?=u(?:n(?:c|$)|$)|$)`. */
function keyPattern(key: string): string {
  const [first = "", ...rest] = key;
  return `${escaped(first)}(?=${rest.reduceRight((behind, character) => `${escaped(character)}${behind === "" ? "" : `(?:${behind})`}|$`, "")})`;
}

function stopPattern(literals: readonly string[], ends: string): RegExp {
  const letters = literals.filter((literal) => /^[A-Za-z]/.test(literal));
  const others = literals.filter((literal) => !letters.includes(literal)).map((literal) => literal[0] ?? "");
  const keys = new Set(letters.map((literal) => literal.slice(0, keyLength)));
  const characters = [...new Set([...others, ...ends])].map(escaped).join("");
  return new RegExp([`[${characters}]`, ...[...keys].map(keyPattern)].join("|"), "g");
}

function marksOf(openers: readonly Opener[]): readonly string[] {
  const marks = openers.map(({ literal }) => (/^[A-Za-z\s]/.test(literal) ? literal : (literal[0] ?? "")));
  return [...new Set(marks)].filter((mark) => !marks.some((other) => other !== mark && mark.includes(other)));
}

/** The index of a registry, made once for each: a scanner is opened for every text of every reply. */
export function indexOpeners(formats: readonly ToolCallFormat[]): OpenerIndex {
  const known = indexes.get(formats);
  if (known !== undefined) return known;
  const forms = ownedForms(formats);
  const anywhere = openersOf(forms, (form) => (form.opensAt === "sentence" ? [] : form.openers));
  const words = openersOf(forms, (form) => (form.opensAt === "sentence" ? form.openers : []));
  const names = openersOf(forms, (form) => form.nameThen ?? []);
  const ends = words.length + names.length > 0 ? sentenceEnds : [];
  const byFirst = groupBy(anywhere, firstCode);
  const made: OpenerIndex = {
    anywhere: new Map([...byFirst].map(([code, openers]) => [code, groupBy(openers, secondCode)])),
    words: groupBy(words, firstCode),
    names,
    marks: marksOf([...anywhere, ...words, ...names]),
    stops: stopPattern(
      anywhere.map(({ literal }) => literal),
      ends.map(([characters]) => characters).join(""),
    ),
    sentenceEnds: new Map(
      ends.flatMap(([characters, kind]) => [...characters].map((character) => [firstCode(character), kind] as const)),
    ),
  };
  indexes.set(formats, made);
  return made;
}
