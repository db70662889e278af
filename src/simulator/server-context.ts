import type { Answer, AnswerOptions } from "./answer.ts";
import type { SimulatorProfile } from "./profile-schema.ts";
import type { Question } from "./question.ts";
import type { SeededRandom } from "./random.ts";

/** What a dialect needs to answer as its server does. */
export interface ServerContext {
  readonly profile: SimulatorProfile;
  /** Models in the order of the profile. */
  readonly modelNames: readonly string[];
  /** For ids and chunk sizes; never for draws. */
  readonly random: SeededRandom;
  /** Milliseconds since the epoch. */
  now(): number;
  answer(question: Question, options: AnswerOptions): Answer;
}

/** Routes one request. The body is read already: JSON text, "" where there was none. */
export type Dialect = (request: DialectRequest) => Response;

export interface DialectRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** A server kind that the simulator can pretend to be. */
export type CreateDialect = (context: ServerContext) => Dialect;
