import type { AdapterCall } from "../events.ts";
import { type CurrentTurn, currentTurn, withoutClientQuotes } from "../intent/current-turn.ts";
import { type CallForm, forbiddenBy } from "../intent/forbidden-call.ts";
import { type NegativeIntent, readNegativeIntent } from "../intent/negative-intent.ts";
import { type RequestKind, readRequestKind } from "../intent/request-kind.ts";
import { withholdCalls } from "../intent/withhold.ts";
import { asShellTool, commandOfCall } from "../shell/shell-tool.ts";
import type { Stage } from "../stage.ts";
import { slot, type Turn } from "../turn.ts";

/** What the intent stage found out about a request. */
export interface RequestIntent {
  readonly kind: RequestKind;
  readonly turn: CurrentTurn;
  /** Always `none` for the client's own errands: only a person forbids. */
  readonly negative: NegativeIntent;
  /** Of the user's words; answers of the adapter use it. */
  readonly language: "en" | "ja";
}

/** Left by the intent stage for all stages that act on what the user wants. */
export const requestIntent = slot<RequestIntent>("intent");

/**
 * Reads what a request is for and what the user's turn forbids, and withholds the model's calls that are forbidden. The ban lasts
 * for this turn, with its tool results, and ends with the user's next words.
 */
export const intent: Stage = {
  name: "intent",
  summary: "tells user turns from the client's own requests; calls that the user forbade are withheld",
  open(turn) {
    const sent = currentTurn(turn.original.messages);
    const { kind, reason } = readRequestKind(turn.original, turn.client, sent);
    const current = turn.client.name === "opencode" ? withoutClientQuotes(sent) : sent;
    const words = current.said.join("\n");
    const byPerson = kind === "user_turn" || kind === "tool_continuation" || kind === "length_continuation";
    const negative: NegativeIntent = byPerson ? readNegativeIntent(words) : { kind: "none" };
    const language = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(words) ? "ja" : "en";
    turn.put(requestIntent, { kind, turn: current, negative, language });
    turn.trace({
      stage: "intent",
      decision: kind,
      reason,
      ...(negative.kind === "none" ? {} : { after: shown(negative) }),
    });
    if (negative.kind === "none") return null;
    return { onResponse: () => withholdCalls((call) => judge(turn, negative, language, call)) };
  },
};

function judge(
  turn: Turn,
  negative: NegativeIntent,
  language: "en" | "ja",
  call: AdapterCall,
): ReturnType<Parameters<typeof withholdCalls>[0]> {
  const form = callForm(turn, call);
  const phrase = forbiddenBy(negative, form);
  if (phrase === null) return { kind: "pass", call };
  const what = (form.shell === null ? null : commandOfCall(form.shell, call.argumentsText)) ?? call.name;
  turn.trace({
    stage: "intent",
    decision: "call_withheld",
    reason: `the user said: ${phrase}`,
    before: { name: call.name, arguments: call.argumentsText },
  });
  const short = what.length > 120 ? `${what.slice(0, 117)}...` : what;
  return {
    kind: "withhold",
    sentence:
      language === "ja"
        ? `「${phrase}」という指示があるため、\`${short}\` は実行しませんでした。`
        : `Not run: \`${short}\`, because you said "${phrase}".`,
  };
}

/** A call beside the shell tool that it belongs to, if it does. */
export function callForm(turn: Turn, call: AdapterCall): CallForm {
  const tool = turn.callable().find((candidate) => candidate.function.name === call.name);
  return { name: call.name, argumentsText: call.argumentsText, shell: tool === undefined ? null : asShellTool(tool) };
}

function shown(negative: NegativeIntent): { readonly ban: string; readonly phrases: readonly string[] } {
  switch (negative.kind) {
    case "none":
      return { ban: "none", phrases: [] };
    case "blanket":
      return { ban: negative.everything ? "everything" : "running", phrases: [negative.phrase] };
    case "bound":
      return { ban: "bound", phrases: negative.bans.map((ban) => ban.phrase) };
    default:
      return negative satisfies never;
  }
}
