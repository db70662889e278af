import { setTimeout as sleep } from "node:timers/promises";
import { TransportError } from "../../protocol/handler.ts";
import type { Answer, Ask, Question } from "../../protocol/servers/probe.ts";

/** How long to wait, whom to tell, and when to stop. */
export interface WaitOptions {
  /** Milliseconds. */
  readonly patienceMs: number;
  readonly clock: { now(): number };
  readonly note: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds between two looks: short at first, since small models are there in a moment. */
const firstPause = 250;
const longestPause = 2000;

/** Does this answer say "not yet"? Servers answer 503 on every route while their model loads. */
export function saysLoading(answer: Answer | TransportError): boolean {
  return !TransportError.is(answer) && answer.status === 503;
}

/**
 * Asks again and again while `notYet` holds of the answer, and gives back the first other answer, or the last one when the
 * patience is spent or the signal is aborted. The first pause is announced with `words`.
 */
export async function askUntil(
  ask: Ask,
  question: Question,
  notYet: (answer: Answer | TransportError) => boolean,
  words: string,
  options: WaitOptions,
): Promise<Answer | TransportError> {
  const { clock, signal } = options;
  const deadline = clock.now() + options.patienceMs;
  let pause = firstPause;
  for (let first = true; ; first = false) {
    const answer = await ask(question);
    if (!notYet(answer) || clock.now() >= deadline || signal?.aborted === true) return answer;
    if (first) options.note(`${words}; waiting up to ${seconds(options.patienceMs)}`);
    await rest(Math.min(pause, Math.max(0, deadline - clock.now())), signal);
    pause = Math.min(pause * 2, longestPause);
  }
}

/** Calls `note` once where something takes longer than a few seconds. */
export async function notingDelay<T>(work: Promise<T>, words: string, note: (text: string) => void): Promise<T> {
  const timer = setTimeout(() => note(words), longUnanswered);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

const longUnanswered = 5000;

/** Waits, and no longer than until the signal is aborted. */
export async function rest(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

/** Milliseconds in words. */
export function seconds(milliseconds: number): string {
  return milliseconds >= 90_000 ? `${Math.round(milliseconds / 60_000)} min` : `${Math.round(milliseconds / 1000)} s`;
}
