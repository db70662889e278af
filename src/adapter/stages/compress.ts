import type { ChatRequest } from "../../protocol/chat.ts";
import type { Usage } from "../../protocol/reply.ts";
import { type Compression, compressInSteps } from "../compress/compress-history.ts";
import { messagesSize, utf8Length } from "../compress/text-size.ts";
import { proceed, type RequestStep, type Stage } from "../stage.ts";

/** Bytes of the tools of a request as they are sent. */
function toolsSize(request: ChatRequest): number {
  return request.tools === undefined || request.tools.length === 0 ? 0 : utf8Length(JSON.stringify(request.tools));
}

/** Shortens long histories without losing what a call could need; reports usage as if nothing had been left out. */
export const compress: Stage = {
  name: "compress",
  summary:
    "shortens histories beyond the budget, keeps facts word for word, and reports the usage of the whole history",
  open(turn) {
    /** By how much the prompt of the turn's own history shrank; a reply to a request that grew in between is measured by it too. */
    let shrunk: { readonly bytes: number; readonly asked: number } | null = null;
    return {
      onRequest(request) {
        const { budgetBytes } = turn.config.compress;
        const bytes = messagesSize(request.messages);
        if (bytes <= budgetBytes) return proceed(request);
        const steps = compressInSteps(request.messages, budgetBytes, request.tools, bytes);
        const first = steps.next();
        return first.done === true ? conclude(request, first.value) : goOn(request, steps);
      },
      onResponse() {
        const by = shrunk;
        if (by === null) return null;
        return (event) => (event.kind === "end" ? [{ ...event, usage: wholeUsage(event.usage, by) }] : [event]);
      },
    };

    /** A history of megabytes takes a second: other requests go on in between. */
    async function goOn(request: ChatRequest, steps: Generator<void, Compression>): Promise<RequestStep> {
      for (;;) {
        await turn.pause();
        const step = steps.next();
        if (step.done === true) return conclude(request, step.value);
      }
    }

    function conclude(request: ChatRequest, compression: Compression): RequestStep {
      const { budgetBytes } = turn.config.compress;
      if (compression.kind === "untouched") return proceed(request);
      const { bytesBefore, bytesAfter, fits, dropped } = compression;
      const first = shrunk === null;
      shrunk ??= { bytes: bytesBefore - bytesAfter, asked: bytesAfter + toolsSize(request) };
      turn.trace({
        stage: "compress",
        decision: fits ? "compressed" : "too_long",
        reason: fits
          ? `the history is ${bytesBefore} bytes long and the budget ${budgetBytes}`
          : `what must be kept is alone ${bytesAfter} bytes long and the budget ${budgetBytes}`,
        before: { bytes: bytesBefore },
        after: { bytes: bytesAfter, spans: dropped.length, dropped: ledger(compression) },
      });
      if (first) for (const { reason, text } of dropped) turn.drop("compress", dropReasons[reason], text);
      return proceed({ ...request, messages: compression.messages });
    }
  },
};

const dropReasons: Readonly<Record<(Compression & { kind: "compressed" })["dropped"][number]["reason"], string>> = {
  repeated: "a line that only repeats another",
  old_output: "output of an earlier turn, with little to do with the question",
  background: "background of earlier turns",
  earlier_output: "output of this turn, with little to do with the question",
  last_output: "the latest output, with little to do with the question",
  instructions: "instructions that others say as well",
};

/** Where each text was left out; the texts themselves stand in the trace's list of what was dropped. */
function ledger(compression: Compression & { kind: "compressed" }) {
  return compression.dropped.map(({ message, part, start, end, reason }) => ({ message, part, start, end, reason }));
}

/** What the prompt would have cost whole: clients decide by it when to shorten their history themselves. */
function wholeUsage(usage: Usage | null, by: { readonly bytes: number; readonly asked: number }): Usage | null {
  if (usage === null || usage.promptTokens === null || by.asked <= 0) return usage;
  const tokensPerByte = usage.promptTokens / by.asked;
  return { ...usage, promptTokens: Math.round(usage.promptTokens + by.bytes * tokensPerByte) };
}
