import type { CardSource } from "./deck.ts";
import { findSetUp } from "./matrices/find-set-up.ts";
import { cellOf, formOfText, type Mode, type Outcome, type SetUp } from "./matrices/outcome.ts";
import type { ProfileModel, SimulatorProfile } from "./profile-schema.ts";
import { askedOf, type Question } from "./question.ts";
import { type Serving, serve } from "./serving.ts";
import { grammarCalls, playCard, type Utterance } from "./utterance.ts";

/** A model's reply as this server would give it. `refused`: nothing was generated. */
export interface Answer {
  readonly utterance: Utterance;
  readonly serving: Serving;
  readonly setUp: SetUp;
  readonly refused: boolean;
}

export interface AnswerOptions {
  /** Most tokens that may be generated. */
  readonly limit: number;
  readonly splitThinking?: boolean;
  /** The text as generated, without any parser or grammar: raw routes. */
  readonly raw?: boolean;
}

/** A model belongs to one profile, and its set-up is asked for with every request. */
const setUps = new WeakMap<ProfileModel, SetUp>();

/** The measured set-up of a model in a checked profile. @throws Error where the profile was never checked. */
export function setUpOf(profile: SimulatorProfile, model: ProfileModel): SetUp {
  const known = setUps.get(model);
  if (known !== undefined) return known;
  const choice = model.template === undefined ? profile.server : { ...profile.server, template: model.template };
  const setUp = findSetUp(choice, model.format);
  if (typeof setUp === "string") throw new Error(setUp);
  setUps.set(model, setUp);
  return setUp;
}

/** Draws a card, writes it and looks up what this set-up was measured to make of it. */
export function answerQuestion(
  profile: SimulatorProfile,
  cards: CardSource,
  question: Question,
  options: AnswerOptions,
): Answer {
  const model = profile.models[question.model];
  if (model === undefined) throw new Error(`model ${question.model} is not in the profile`);
  const setUp = setUpOf(profile, model);
  const asked = askedOf(question);
  const mode: Mode = question.stream ? "stream" : "body";
  // A refusal comes before anything is generated, so it draws nothing.
  if (options.raw !== true && setUp.cells["text"]?.[asked]?.[mode] === "refused") {
    const utterance = playCard({ text: "" }, model, question);
    return { utterance, serving: serveAs(utterance, "refused"), setUp, refused: true };
  }
  const draw = cards.draw(question);
  const played = playCard(draw?.card, model, question);
  // A raw route knows neither tools nor roles: it repeats what the chat route had made of the same prompt.
  const utterance = (options.raw === true ? draw?.first : null) ?? played;
  if (draw !== undefined) draw.first ??= played;
  const outcome = options.raw === true ? "leaked" : outcomeOf(utterance, question, setUp);
  return { utterance, serving: serveAs(utterance, outcome), setUp, refused: false };

  function serveAs(said: Utterance, effect: Outcome): Serving {
    const grammar = effect === "forced_call" || effect.endsWith("_then_call") || effect === "converted_call";
    const most = setUp.forcedCalls[asked];
    return serve({
      utterance: said,
      outcome: effect,
      setUp,
      mode,
      asked,
      limit: options.limit,
      forcedCalls: grammar && model !== undefined ? grammarCalls(said, model, question, setUp.nativeFormat, most) : [],
      canBeForced: model?.forced !== undefined,
      splitThinking: options.raw !== true && options.splitThinking !== false,
    });
  }
}

/** The measured outcome of an utterance. @throws Error on a cell that was not measured: checkProfile refuses such profiles. */
function outcomeOf(utterance: Utterance, question: Question, setUp: SetUp): Outcome {
  const asked = askedOf(question);
  const mode: Mode = question.stream ? "stream" : "body";
  const form = utterance.calls[0]?.format ?? formOfText(utterance.text, utterance.isMarker, setUp);
  const outcome = cellOf(setUp, form, asked, utterance.thought !== null)?.[mode];
  if (outcome === undefined) {
    throw new Error(`${setUp.name} was not measured with ${form}, tool_choice ${asked}, ${mode}`);
  }
  if (outcome !== "call" || question.tools.length === 0) return outcome;
  const declared = utterance.calls.every((call) => question.tools.some((tool) => tool.function.name === call.name));
  if (declared || setUp.undeclared === "as_declared") return outcome;
  return setUp.undeclared === "swallowed" ? "swallowed" : "converted_call";
}
