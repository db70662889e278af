import type { Judgement } from "../../scenario/probe.ts";
import type { ProbeResult } from "../classification.ts";
import { judgeLanguage } from "./language.ts";
import type { ProbeView } from "./probe-view.ts";
import {
  judgeCapability,
  judgeContext,
  judgeHistory,
  judgeNeed,
  judgeParity,
  judgeRelay,
  judgeSystemPrompt,
} from "./single-turn.ts";
import { judgeFinalAnswer, judgeRoundTrip } from "./tool-loop.ts";

const judges: Readonly<Record<Judgement, (view: ProbeView) => ProbeResult>> = {
  round_trip: judgeRoundTrip,
  need: judgeNeed,
  parity: judgeParity,
  history: judgeHistory,
  system_prompt: judgeSystemPrompt,
  context: judgeContext,
  final_answer: judgeFinalAnswer,
  capability: judgeCapability,
  relay: judgeRelay,
  language: judgeLanguage,
};

/** Turns the judged replies of one conversation into its result. Pure. */
export function judgeProbe(view: ProbeView): ProbeResult {
  return judges[view.probe.judgement](view);
}
