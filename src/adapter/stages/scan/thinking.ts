import { type ReasoningWrapper, reasoningWrappers } from "../../../protocol/formats/reasoning.ts";

/** Text of a reply, told apart. */
export interface ThinkingPart {
  readonly kind: "speech" | "thinking";
  readonly text: string;
}

/** Tells leading thinking from speech while text arrives. */
export interface ThinkingSplitter {
  push(text: string): readonly ThinkingPart[];
  end(): readonly ThinkingPart[];
}

/** How much of a reply's beginning may be held back while it may still become an opening. */
const longestOpening = 48;
/** How much of a thought's end is held back because a closing may begin in it. */
const longestClosing = 40;

const marked = reasoningWrappers.filter((wrapper) => !wrapper.plainWords);

/**
 * A splitter for one reply: thinking that opens it, in any wrapper with markup, up to its closing; all else is speech. Thinking that is not
 * closed stays thinking. Openings made of plain words are left alone: without their end they are speech like any other.
 */
export function createThinkingSplitter(): ThinkingSplitter {
  let state: "start" | "thinking" | "speech" = "start";
  let held = "";
  let wrapper: ReasoningWrapper | null = null;

  function atStart(ended: boolean): readonly ThinkingPart[] {
    const ink = held.search(/\S/);
    if (ink === -1) return ended ? flush("speech") : [];
    const first = held[ink];
    if (first !== "<" && first !== "[") return toSpeech();
    for (const candidate of marked) {
      candidate.open.lastIndex = ink;
      const match = candidate.open.exec(held);
      if (match === null) continue;
      wrapper = candidate;
      state = "thinking";
      held = held.slice(ink + match[0].length);
      return inThinking(ended);
    }
    const open = held.slice(ink);
    return ended || open.length > longestOpening || /[>\]]\s/.test(open) ? toSpeech() : [];
  }

  function inThinking(ended: boolean): readonly ThinkingPart[] {
    if (wrapper === null) return flush("thinking");
    wrapper.close.lastIndex = 0;
    const close = wrapper.close.exec(held);
    if (close !== null) {
      const thought = held.slice(0, close.index);
      held = held.slice(close.index + close[0].length).replace(/^\s+/, "");
      state = "start";
      const parts: ThinkingPart[] = thought === "" ? [] : [{ kind: "thinking", text: thought }];
      // Another thought may follow; what does not open one is speech.
      return [...parts, ...(held === "" && !ended ? [] : atStart(ended))];
    }
    if (ended) return flush("thinking");
    const keep = Math.min(held.length, longestClosing);
    const text = held.slice(0, held.length - keep);
    held = held.slice(held.length - keep);
    return text === "" ? [] : [{ kind: "thinking", text }];
  }

  function toSpeech(): readonly ThinkingPart[] {
    state = "speech";
    return flush("speech");
  }

  function flush(kind: ThinkingPart["kind"]): readonly ThinkingPart[] {
    const text = held;
    held = "";
    return text === "" ? [] : [{ kind, text }];
  }

  return {
    push(text) {
      if (state === "speech") return [{ kind: "speech", text }];
      held += text;
      return state === "start" ? atStart(false) : inThinking(false);
    },
    end() {
      if (state === "speech") return [];
      return state === "start" ? atStart(true) : inThinking(true);
    },
  };
}
