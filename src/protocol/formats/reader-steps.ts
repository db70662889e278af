import type { CallReader, Meter, ReaderStep, ScannedCall } from "./format.ts";
import type { Reading, Steps } from "./reading.ts";

/** A reader written as one straight run over the candidate, suspended wherever the text ends and resumed when more has come. */
export function createReader(meter: Meter, run: (reading: Reading) => Steps<ReaderStep>): CallReader {
  const reading: Reading = { buffer: "", ended: false, at: 0, meter };
  const steps = run(reading);
  return {
    read(buffer, ended) {
      reading.buffer = buffer;
      reading.ended = ended;
      const { done, value } = steps.next();
      return done === true ? value : { kind: "more" };
    },
  };
}

/** A call that ends where the reading stands. */
export function callStep(reading: Reading, calls: readonly ScannedCall[]): ReaderStep {
  return { kind: "call", end: reading.at, calls };
}

/** What is known of a call that was cut or damaged. */
export interface Damage {
  readonly end: number;
  readonly reason: "cut" | "malformed";
  readonly name?: string | null;
  readonly argumentsText?: string;
}

/** A damaged block, with the whole calls that stood before the damage. */
export function brokenStep(calls: readonly ScannedCall[], damage: Damage): ReaderStep {
  const { end, reason, name = null, argumentsText = "" } = damage;
  return { kind: "broken", end, reason, calls, name, argumentsText };
}

/** A block that ends with the text, in the middle of its markup. */
export function cutStep(reading: Reading, calls: readonly ScannedCall[], name: string | null = null): ReaderStep {
  return brokenStep(calls, { end: reading.buffer.length, reason: "cut", name });
}

export const noStep: ReaderStep = { kind: "no" };
