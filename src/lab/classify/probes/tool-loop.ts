import { callKey } from "../../../protocol/hand-on.ts";
import { finalAnswerTool } from "../../scenario/dialogue.ts";
import { codeShape } from "../../scenario/template.ts";
import type { ProbeFault, ProbeResult } from "../classification.ts";
import {
  blocked,
  errorExcerpt,
  excerpt,
  failed,
  fault,
  holds,
  isLost,
  type ProbeView,
  refusedFollowUp,
  resultOf,
  servedIn,
  textOf,
  tokenFacts,
  withoutCall,
} from "./probe-view.ts";

/** Call, result, answer: does the result come back, do ids and prompts hold, does the conversation end. */
export function judgeRoundTrip(view: ProbeView): ProbeResult {
  const stopped = withoutCall(view);
  if (stopped !== null) return stopped;
  const { turns } = view;
  const facts = tokenFacts(turns);
  const refused = refusedFollowUp(view);
  if (refused !== null) return failed([refused], facts);
  if (turns.slice(1).some(isLost)) return blocked(facts);
  const faults = [...idFaults(view), ...stepFaults(view)];
  const last = turns.at(-1);
  if (servedIn(last).length > 0) return failed([...faults, endless(view)], facts);
  return resultOf([...faults, ...answerFaults(view, textOf(last))], facts);
}

/** Every turn under `required`, ending by the tool that gives the answer. */
export function judgeFinalAnswer(view: ProbeView): ProbeResult {
  const { turns, server, probe } = view;
  const facts = tokenFacts(turns);
  const faults: ProbeFault[] = [];
  const [first, second] = turns;
  const fellBack = first?.error !== null && first?.error !== undefined && second !== undefined && second.error === null;
  if (fellBack)
    faults.push(
      fault(
        "required_refused",
        first.judgement.measured ? first.judgement.owner : "server_limit",
        errorExcerpt(first.error ?? ""),
      ),
    );
  const answered = fellBack ? turns.slice(1) : turns;
  if (answered.some(isLost)) return faults.length > 0 ? failed(faults, facts) : blocked(facts);
  const end = answered.findIndex((turn) => servedIn(turn).some(({ name }) => name === finalAnswerTool));
  const until = end === -1 ? answered : answered.slice(0, end + 1);
  const prose = until.find((turn) => turn.error === null && servedIn(turn).length === 0);
  if (prose !== undefined && !fellBack) {
    const ignored = server.ignoredChoices.includes("required") || server.requiredAllowsText;
    faults.push(fault("prose_under_required", ignored ? "server_limit" : "server_parser", excerpt(textOf(prose))));
  }
  if (end === -1) {
    const refused = refusedFollowUp(view);
    if (refused !== null) return failed([...faults, refused], facts);
    const lost = lostOnTheWay(view);
    // What is not forced is the model's to do, and prose was named already; what was never shown it cannot hand on.
    if (lost !== null) faults.push(fault("result_not_in_prompt", "template", lost));
    else if (prose === undefined || fellBack) faults.push(fault("final_answer_missing", "model", ""));
    return failed(faults, facts);
  }
  const answer = servedIn(answered[end])
    .filter(({ name }) => name === finalAnswerTool)
    .map((call) => JSON.stringify(call.arguments))
    .join(" ");
  const worked = until.some((turn) => servedIn(turn).some(({ name }) => name === probe.call));
  if (!worked && probe.call !== null && !probe.answer.every((wanted) => holds(answer, wanted)))
    faults.push(fault("final_answer_unfounded", "model", excerpt(answer)));
  else faults.push(...answerFaults(view, answer));
  const closing = answered.at(-1);
  if (closing !== undefined && closing !== answered[end] && closing.error !== null)
    faults.push(fault("followup_refused", "template", errorExcerpt(closing.error)));
  return resultOf(faults, facts);
}

/** What is wrong with an answer that rests on results. */
export function answerFaults(view: ProbeView, answer: string): readonly ProbeFault[] {
  const { probe, turns } = view;
  const given = view.handedBack.join("\n");
  const invented = (answer.match(codeShape) ?? []).filter(
    (code) => !given.includes(code) && !probe.answer.includes(code),
  );
  if (invented.length > 0) return [fault("result_invented", "model", invented.join(", "))];
  const missing = probe.answer.find((wanted) => !holds(answer, wanted));
  if (missing === undefined) return [];
  const lost = lostOnTheWay(view);
  if (lost !== null) return [fault("result_not_in_prompt", "template", lost)];
  // What was never handed back cannot be in the prompt: a step was left out.
  if (!given.includes(missing)) return [fault("result_ignored", "model", excerpt(answer), "inferred")];
  const shown = view.inPrompt(missing);
  const counted = turns.flatMap(({ reply }) => reply?.usage?.promptTokens ?? []);
  const [before, after] = [counted.at(-2), counted.at(-1)];
  // A prompt that does not grow by a whole exchange cannot hold it.
  if (shown === null && before !== undefined && after !== undefined && after <= before)
    return [fault("result_not_in_prompt", "template", missing, "inferred")];
  return [fault("result_ignored", "model", excerpt(answer), shown === true ? "shown" : "inferred")];
}

/** A code that was handed back and does not stand in the prompt that the server shows. */
function lostOnTheWay({ handedBack, inPrompt }: ProbeView): string | null {
  return (handedBack.join("\n").match(codeShape) ?? []).find((code) => inPrompt(code) === false) ?? null;
}

/** Two calls of one reply that share an id, or have none: their results cannot be told apart. */
function idFaults({ turns }: ProbeView): readonly ProbeFault[] {
  for (const { reply } of turns) {
    const ids = (reply?.calls ?? []).map(({ id }) => id);
    if (ids.some((id) => id === null || id === "")) return [fault("call_ids_broken", "server_parser", "no id")];
    if (new Set(ids).size < ids.length) return [fault("call_ids_broken", "server_parser", ids.join(", "))];
  }
  return [];
}

/** A later step needs what an earlier result said. */
function stepFaults({ probe, turns }: ProbeView): readonly ProbeFault[] {
  const { carried } = probe;
  if (carried === null) return [];
  const later = turns
    .slice(1)
    .flatMap(servedIn)
    .filter(({ name }) => name !== probe.call);
  const [first] = later;
  if (first === undefined || later.some((call) => holds(JSON.stringify(call.arguments), carried))) return [];
  return [fault("step_not_carried", "model", excerpt(JSON.stringify(first.arguments)))];
}

/** The conversation ran to its bound: the same call again, or ever new ones. */
function endless(view: ProbeView): ProbeFault {
  const keys = view.turns.flatMap(servedIn).map((call) => callKey(call));
  const repeated = keys.length - new Set(keys).size;
  const lost = lostOnTheWay(view);
  return lost !== null
    ? fault("result_not_in_prompt", "template", lost)
    : fault("call_loop", "model", `${keys.length} calls, ${repeated} of them again`);
}
