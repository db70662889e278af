import { type Automaton, createAutomaton } from "./automaton.ts";
import { ScriptedModelError } from "./scripted-model-error.ts";
import { tokenTypes, type Vocabulary } from "./vocabulary.ts";

/** A text that a model writes with a probability; those of one script add up to 1. */
export interface ScriptBranch {
  readonly probability: number;
  readonly text: string;
}

/** What a model writes when its script is asked for. */
export interface Script {
  readonly name: string;
  readonly branches: readonly ScriptBranch[];
}

/** How texts become tokens. */
export interface CutOptions {
  /** Texts that are one token each wherever a script writes them first, as in real vocabularies. */
  readonly tags: readonly string[];
  /** Tags that a server counts as control tokens and may strip from the text. */
  readonly controlTags: readonly string[];
  /** Texts on whose end a token must end: the triggers of a server's grammar. */
  readonly align: readonly string[];
  /** Characters of a piece, where possible. */
  readonly pieceLength: number;
  /** Temperature at which branch probabilities hold. */
  readonly temperature: number;
  /** Tokens that a prompt can end with; a script begins after them. */
  readonly starts: readonly number[];
  /** Texts that no piece may hold, lest it swallow a marker or the end of a prompt. */
  readonly forbidden: readonly string[];
}

/** Longest piece that is tried, in characters: texts that repeat themselves need long ones to be told apart. */
const longestPiece = 48;

/**
 * A piece that is nothing but a tag must not exist: llama-server refuses every request with tools (400 "Grammar trigger
 * word should be marked as preserved token") when its trigger happens to be one token.
 */
const bareTag = /^\s*(?:<[^<>\n]*[>=]|\[[A-Z_]+\]|\{)\s*$/;

/** Cuts every script into tokens of the vocabulary, adding pieces. Throws {@link ScriptedModelError} where one cannot be cut. */
export function cutScripts(scripts: readonly Script[], vocabulary: Vocabulary, options: CutOptions): Automaton {
  const automaton = createAutomaton();
  const tags = new Map<string, number>();
  for (const tag of options.tags) tags.set(tag, vocabulary.add(tag, tokenTypes.user));
  for (const tag of options.controlTags) tags.set(tag, vocabulary.add(tag, tokenTypes.control));
  for (const [index, script] of scripts.entries()) {
    for (const branch of script.branches) {
      const cutter = createCutter(branch.text, index, { automaton, vocabulary, tags, options });
      const logit = options.temperature * Math.log(branch.probability);
      if (!cutter.cut(logit)) {
        throw new ScriptedModelError(
          `script "${script.name}" cannot be cut into tokens of its own: put it into another file, or shorten what it repeats near ${JSON.stringify(cutter.stuckAt())}`,
        );
      }
    }
  }
  return automaton;
}

interface CutContext {
  readonly automaton: Automaton;
  readonly vocabulary: Vocabulary;
  readonly tags: ReadonlyMap<string, number>;
  readonly options: CutOptions;
}

/** Cuts one text, going back where a piece leads nowhere. */
function createCutter(
  text: string,
  script: number,
  { automaton, vocabulary, tags, options }: CutContext,
): { cut(logit: number): boolean; stuckAt(): string } {
  const characters = [...text];
  const isTag = (token: number): boolean => [...tags.values()].includes(token);
  const isPiece = (token: number): boolean =>
    !isTag(token) && !options.starts.includes(token) && vocabulary.types[token] === tokenTypes.user;
  const offsets = offsetsOf(characters);
  const slice = (from: number, to: number): string => text.slice(offsets[from], offsets[to]);
  const tagAt = (at: number): [string, number] | undefined =>
    [...tags].find(([tag, token]) => text.startsWith(tag, offsets[at]) && !automaton.writes(script, token));
  const bounds = boundaries(text, offsets, options.align);
  let furthest = 0;
  /** Going back is for the last few pieces; a text that needs more has no solution worth looking for. */
  let tries = 4 * characters.length + 200;

  const candidates = (at: number): readonly { readonly token: () => number; readonly length: number }[] => {
    const tag = tagAt(at);
    if (tag !== undefined) return [{ token: () => tag[1], length: [...tag[0]].length }];
    const within = Math.min(longestPiece, characters.length - at);
    const stops = range(1, within);
    const hard = stops.find((length) => bounds.has(at + length)) ?? within;
    const limit = stops.find((length) => tagAt(at + length) !== undefined && length < hard) ?? hard;
    const preferred = Math.min(options.pieceLength, limit);
    // Last of all a piece that runs into a tag: better a tag in two tokens than no model.
    const lengths = [...range(preferred, limit), ...range(1, preferred - 1).reverse(), ...range(limit + 1, hard)];
    return lengths.flatMap((length) => {
      const piece = slice(at, at + length);
      return tags.has(piece) || bareTag.test(piece) || options.forbidden.some((part) => piece.includes(part))
        ? []
        : [{ token: () => vocabulary.piece(piece), length }];
    });
  };

  const from = (states: readonly number[], at: number, logit: number): boolean => {
    furthest = Math.max(furthest, at);
    if (at === characters.length) return vocabulary.ends.some((end) => addAll(states, end, logit));
    if (tries-- <= 0) return false;
    for (const { token, length } of candidates(at)) {
      const next = token();
      if (automaton.writes(script, next) || !addAll(states, next, logit)) continue;
      if (from([next], at + length, 0)) return true;
      for (const _state of states) automaton.undo();
    }
    return false;
  };
  const addAll = (states: readonly number[], to: number, logit: number): boolean => {
    const [state] = states;
    // A tag, or the end, follows many texts in many scripts: where a piece comes before it, that alone may lead to it.
    const common = vocabulary.ends.includes(to) || isTag(to);
    if (common && states.length === 1 && state !== undefined && isPiece(state)) {
      if (automaton.add({ script, from: state, to, logit, carrier: "token" })) return true;
    }
    for (const [added, from] of states.entries()) {
      if (automaton.add({ script, from, to, logit, carrier: "both" })) continue;
      for (let index = 0; index < added; index++) automaton.undo();
      return false;
    }
    return true;
  };
  return {
    cut: (logit) => from(options.starts, 0, logit),
    stuckAt: () => slice(Math.max(0, furthest - 10), Math.min(characters.length, furthest + 20)),
  };
}

/** Where each character begins in the text, and where the text ends. */
function offsetsOf(characters: readonly string[]): readonly number[] {
  const offsets = [0];
  for (const character of characters) offsets.push((offsets.at(-1) ?? 0) + character.length);
  return offsets;
}

/** Positions (in characters) at which a token must end. */
function boundaries(text: string, offsets: readonly number[], align: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const trigger of align) {
    for (let at = text.indexOf(trigger); at !== -1; at = text.indexOf(trigger, at + 1)) {
      found.add(offsets.indexOf(at + trigger.length));
    }
  }
  return found;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
