import {
  compilePattern,
  type ProfileCard,
  type ProfileModel,
  type ProfileRule,
  type SimulatorProfile,
} from "./profile-schema.ts";
import { type Question, systemText, userText } from "./question.ts";
import { createRandom, hashKey, type SeededRandom, shuffled } from "./random.ts";
import type { Utterance } from "./utterance.ts";

/** A card that was drawn, and what the model made of it when it was first played. */
export interface Draw {
  readonly card: ProfileCard;
  first: Utterance | null;
}

/** Chooses the card that a model plays. */
export interface CardSource {
  /** The card for a question; undefined where no rule matches and the model has no default. */
  draw(question: Question): Draw | undefined;
}

const rememberedDraws = 4096;

/**
 * Draws cards as a profile's rules say. A deck is kept per (model, rule, tool_choice, streamed or not) and reshuffled when
 * empty. Questions with the same messages, tools and seed get the same card, whatever else differs, so that replays and
 * checks draw nothing; without a seed every question is a fresh draw.
 */
export function createCardSource(profile: SimulatorProfile, seed: string): CardSource {
  const models = new Map(
    Object.entries(profile.models).map(([name, model]) => [name, prepareModel(name, model, seed)]),
  );
  const remembered = new Map<string, Draw>();
  const remember = (key: string, draw: Draw): void => {
    remembered.delete(key);
    remembered.set(key, draw);
    if (remembered.size > rememberedDraws)
      for (const oldest of remembered.keys()) return void remembered.delete(oldest);
  };
  return {
    draw(question) {
      const model = models.get(question.model);
      if (model === undefined) return undefined;
      const keys = question.seed === null ? [] : memoryKeys(question, question.seed);
      for (const key of keys) {
        const known = remembered.get(key);
        if (known === undefined) continue;
        for (const each of keys) remember(each, known);
        return known;
      }
      const card = model.draw(question);
      if (card === undefined) return undefined;
      const draw: Draw = { card, first: null };
      for (const key of keys) remember(key, draw);
      return draw;
    },
  };
}

/** By what was asked, and by the rendered prompt: a raw generation has nothing else to show. */
function memoryKeys(question: Question, seed: string): string[] {
  const prompt = hashKey(`${question.model}\u0000${seed}\u0000${question.prompt}`);
  const tools = question.tools.length === 0 ? "" : JSON.stringify(question.tools);
  return [hashKey(`${question.model}\u0000${seed}\u0000${JSON.stringify(question.messages)}\u0000${tools}`), prompt];
}

interface PreparedModel {
  draw(question: Question): ProfileCard | undefined;
}

function prepareModel(name: string, model: ProfileModel, seed: string): PreparedModel {
  const rules = (model.rules ?? []).map((rule, index) => ({
    matches: matcherOf(rule),
    rule,
    name: `${name}\u0000${index}`,
  }));
  const decks = new Map<string, { readonly random: SeededRandom; pile: ProfileCard[] }>();
  return {
    draw(question) {
      const user = userText(question);
      const system = systemText(question);
      const found = rules.find(({ matches }) => matches(question, user, system));
      if (found === undefined) return model.default;
      const key = `${found.name}\u0000${question.tools.length === 0 ? "no_tools" : question.choice}\u0000${question.stream}`;
      let deck = decks.get(key);
      if (deck === undefined) {
        deck = { random: createRandom(`${seed}\u0000deck\u0000${key}`), pile: [] };
        decks.set(key, deck);
      }
      if (found.rule.draw !== "deck") return weighted(found.rule.cards, deck.random);
      if (deck.pile.length === 0) deck.pile = shuffled(copies(found.rule.cards), deck.random);
      return deck.pile.pop();
    },
  };
}

function copies(cards: readonly ProfileCard[]): ProfileCard[] {
  return cards.flatMap((card) => Array.from({ length: card.n ?? 1 }, () => card));
}

function weighted(cards: readonly ProfileCard[], random: SeededRandom): ProfileCard | undefined {
  let left = random.below(cards.reduce((sum, card) => sum + (card.n ?? 1), 0));
  for (const card of cards) {
    left -= card.n ?? 1;
    if (left < 0) return card;
  }
  return undefined;
}

type Matcher = (question: Question, user: string, system: string) => boolean;

function matcherOf(rule: ProfileRule): Matcher {
  const { when = {} } = rule;
  const user = patternOf(when.user);
  const system = patternOf(when.system);
  const prompt = patternOf(when.prompt);
  const choice = patternOf(when.choice);
  const toolName = patternOf(typeof when.tools === "string" ? when.tools : undefined);
  return (question, userMessage, systemMessage) => {
    if (typeof when.tools === "boolean" && when.tools !== question.tools.length > 0) return false;
    if (when.stream !== undefined && when.stream !== question.stream) return false;
    if (when.last !== undefined && (question.messages.at(-1)?.role === "tool") !== (when.last === "tool")) return false;
    if (user !== null && !user.test(userMessage)) return false;
    if (system !== null && !system.test(systemMessage)) return false;
    if (prompt !== null && !prompt.test(question.prompt)) return false;
    if (choice !== null && !choice.test(question.choice)) return false;
    return toolName === null || question.tools.some((tool) => toolName.test(tool.function.name));
  };
}

/** A pattern of a checked profile; one that does not compile matches nothing, so that a wrong profile is not a wrong match. */
function patternOf(pattern: string | undefined): RegExp | null {
  if (pattern === undefined) return null;
  const compiled = compilePattern(pattern);
  return typeof compiled === "string" ? /(?!)/u : compiled;
}
