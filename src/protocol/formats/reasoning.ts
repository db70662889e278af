/** How a family marks the thinking in front of its reply. */
export interface ReasoningWrapper {
  readonly name: string;
  /** At the beginning of a reply; sticky. */
  readonly open: RegExp;
  /** Where the thinking ends; global. What it matches belongs to neither side. */
  readonly close: RegExp;
  /** True where templates put the opening into the prompt, so that a reply may hold the closing alone. */
  readonly opensInPrompt: boolean;
  /** True where the opening is made of plain words: without its closing it is speech like any other. */
  readonly plainWords: boolean;
  readonly models: string;
}

/** Every wrapper known, the more specific ones first. Some tokenizers put a suffix into every tag: `<think:opensource>`. */
export const reasoningWrappers: readonly ReasoningWrapper[] = [
  {
    name: "seed_think",
    open: /<seed:think>/y,
    close: /<\/seed:think>/g,
    opensInPrompt: true,
    plainWords: false,
    models: "Seed-OSS",
  },
  {
    name: "mm_think",
    open: /<mm:think>/y,
    close: /<\/mm:think>/g,
    opensInPrompt: true,
    plainWords: false,
    models: "MiniMax M3",
  },
  {
    name: "think",
    open: /<(?:[a-z]{2,8}:)?(?:think|thinking|thought|reasoning)(?::[\w-]{1,24})?>/y,
    close: /<\/(?:[a-z]{2,8}:)?(?:think|thinking|thought|reasoning)(?::[\w-]{1,24})?>/g,
    opensInPrompt: true,
    plainWords: false,
    models: "DeepSeek, Qwen3, QwQ, GLM, MiniMax M2, Kimi K2, Nemotron, Hunyuan, Step3, ERNIE, Hy3 and others",
  },
  {
    name: "mistral_think",
    open: /\[THINK\]/y,
    close: /\[\/THINK\]/g,
    opensInPrompt: true,
    plainWords: false,
    models: "Magistral, Ministral Reasoning",
  },
  {
    name: "harmony_analysis",
    // A recipient in the header makes a call of it, whatever the channel.
    open: /(?:<\|start\|>assistant)?<\|channel\|>analysis\s*<\|message\|>/y,
    // The call of the next message begins with its own header, which stays.
    close: /<\|end\|>|(?=<\|start\|>|<\|channel\|>)/g,
    opensInPrompt: false,
    plainWords: false,
    models: "gpt-oss",
  },
  {
    // All special tokens stripped: the channel's name runs into the text, and the next role into its end.
    name: "harmony_stripped",
    open: /analysis(?=\S)/y,
    close: /assistant(?=(?:commentary|final|analysis)\S?)|(?=commentary to=)/g,
    opensInPrompt: false,
    plainWords: true,
    models: "gpt-oss without its special tokens",
  },
  {
    name: "gemma4_thought",
    open: /<\|channel>thought\b\n?/y,
    close: /<channel\|>/g,
    opensInPrompt: false,
    plainWords: false,
    models: "Gemma 4",
  },
  {
    name: "cohere_thinking",
    open: /<\|START_THINKING\|>/y,
    close: /<\|END_THINKING\|>/g,
    opensInPrompt: true,
    plainWords: false,
    models: "Command R7B, Command A",
  },
  {
    name: "kimi_k3_think",
    open: /<\|open\|>think<\|sep\|>/y,
    close: /<\|close\|>think<\|sep\|>/g,
    opensInPrompt: true,
    plainWords: false,
    models: "Kimi K3",
  },
  {
    name: "inkling_thinking",
    open: /(?:<\|message_model\|>)?<\|content_thinking\|>/y,
    close: /<\|end_message\|>|(?=<\|message_model\|>)/g,
    opensInPrompt: false,
    plainWords: false,
    models: "Inkling",
  },
  {
    name: "muse_self",
    open: /(?:<\|start\|>assistant)? ?to=self<\|message\|>/y,
    close: /<\|eom\|>|(?=<\|start\|>)/g,
    opensInPrompt: false,
    plainWords: false,
    models: "Muse Glimmer",
  },
  {
    name: "granite_thought",
    open: /Here(?: is|'s) my thought process:/y,
    close: /Here(?: is|'s) my response:/g,
    opensInPrompt: false,
    plainWords: true,
    models: "Granite 3.2, 3.3",
  },
  {
    name: "apriel_steps",
    open: /Here are my reasoning steps:/y,
    close: /\[BEGIN FINAL RESPONSE\]/g,
    opensInPrompt: true,
    plainWords: true,
    models: "Apriel 1.5, 1.6",
  },
];

/** What may stand between the thinking and the reply proper: the header of the channel or part that holds the answer. */
const speechHeader =
  /\s*(?:(?:<\|start\|>assistant)?<\|channel\|>final\s*(?:<\|constrain\|>\w+)?<\|message\|>|<\|START_(?:RESPONSE|TEXT)\|>|\[BEGIN FINAL RESPONSE\]|<\|open\|>response<\|sep\|>|<response>)/y;
/** The same where special tokens were stripped: only behind thinking that was stripped in the same way. */
const strippedHeader = /final(?=\S)/y;

/** A closing in quotation marks or code is spoken of. */
const quotedBefore = /[`'"「『“‘(]/;
/** As many thoughts may follow each other. */
const mostBlocks = 32;

/** A reply's leading thinking and the reply proper; offsets are UTF-16 units of the text. */
export interface SplitReasoning {
  /** The thinking without its markers; "" where there is none. */
  readonly inside: string;
  readonly insideStart: number;
  /** Where the reply proper begins; the text's length where the thinking does not end. */
  readonly from: number;
  /** False where the thinking was opened and not closed. */
  readonly closed: boolean;
  /** Name of the wrapper; null where there is no thinking. */
  readonly wrapper: string | null;
}

/** End of a sticky pattern's match at `at`; null where it does not match. */
function matchEnd(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function firstInk(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? "")) at++;
  return at;
}

/** Thinking that is opened at `at`; null where none is. */
function leading(text: string, at: number): SplitReasoning | null {
  for (const wrapper of reasoningWrappers) {
    const insideStart = matchEnd(wrapper.open, text, at);
    if (insideStart === null) continue;
    wrapper.close.lastIndex = insideStart;
    const close = wrapper.close.exec(text);
    if (close === null && wrapper.plainWords) continue;
    const inside = text.slice(insideStart, close?.index);
    const from = close === null ? text.length : close.index + close[0].length;
    return { inside, insideStart, from, closed: close !== null, wrapper: wrapper.name };
  }
  return null;
}

/** Thinking whose opening stood in the prompt: all before a lone closing. */
function openedInPrompt(text: string): SplitReasoning | null {
  for (const wrapper of reasoningWrappers) {
    if (!wrapper.opensInPrompt) continue;
    wrapper.close.lastIndex = 0;
    const close = wrapper.close.exec(text);
    if (close === null || quotedBefore.test(text[close.index - 1] ?? "")) continue;
    const inside = text.slice(0, close.index);
    // An opening in the middle of the text is spoken of, and so is the closing behind it.
    if (new RegExp(wrapper.open.source).test(inside)) continue;
    return { inside, insideStart: 0, from: close.index + close[0].length, closed: true, wrapper: wrapper.name };
  }
  return null;
}

/**
 * Splits off the thinking that a reply holds in its own text, whichever wrapper stands around it. Only what stands at the
 * beginning counts, and a closing whose opening stood in the prompt; of thoughts behind each other, the first one is given.
 */
export function splitReasoning(text: string): SplitReasoning {
  const first = leading(text, firstInk(text, 0)) ?? openedInPrompt(text);
  if (first === null) {
    return { inside: "", insideStart: 0, from: matchEnd(speechHeader, text, 0) ?? 0, closed: true, wrapper: null };
  }
  let { from, closed } = first;
  for (let blocks = 1; closed && blocks < mostBlocks; blocks++) {
    const next = leading(text, firstInk(text, from));
    if (next === null || next.from === from) break;
    ({ from, closed } = next);
    if (!closed) return next;
  }
  if (!closed) return { ...first, from };
  const header =
    matchEnd(speechHeader, text, from) ??
    (first.wrapper === "harmony_stripped" ? matchEnd(strippedHeader, text, from) : null);
  return { ...first, from: header ?? from };
}
