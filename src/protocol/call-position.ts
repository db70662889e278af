import type { UserRequest } from "./user-request.ts";

/** A stretch of text with its surroundings, as far as its place can tell whether it acts or is only spoken of. */
export interface PlaceInput {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** True where only the place can make it a call: JSON or code without markup of its own. */
  readonly bare: boolean;
  /** What the latest user turn asks for: something to be done, or an example to be shown. */
  readonly request: UserRequest;
  /** The fenced block it stands in, if any. */
  readonly fence: Fence | undefined;
}

/**
 * Where a stretch stands: a `call` acts, anything else is spoken of, for the reason given. `undeclared`: nothing but its keys
 * looks like a call, and its name is no tool's: data.
 */
export type Place =
  | { readonly kind: "call" }
  | {
      readonly kind: "quoted";
      readonly reason:
        | "code_span"
        | "fence"
        | "quotation"
        | "mid_sentence"
        | "refusal"
        | "example"
        | "conditional"
        | "text_follows"
        | "undeclared";
    };

const sentenceEnd = /(?:^|[.!?:;。！？：；…」』)）>*~✨🙂😊]|\p{Extended_Pictographic})\s*$/u;

/** Words by which a writer says that what stands beside them is an example or a description. */
const exampleWords =
  /\b(?:for example|for instance|e\.g\.|an? example|looks? like|(?:is|was|be|being) written|written as|the (?:format|syntax)|in the form(?:at)?|would (?:write|emit|output|look|be|send)|(?:models?|assistants?|it|they) (?:writes?|wrote|emits?|emitted|prints?|printed|outputs?|produced?|sends?|sent|said)|samples?|templates?|documentation|placeholder|illustrat\w*)\b|例えば|たとえば|例[:：はを]|という形|形式(?:は|で書|です|を)|書式|のように書|のような(?:形|実行|呼び出し)|(?:と|を)(?:書き|出力|表し)ます|例如|比如|格式|写作|写成|示例|形如/i;
const doVerbs =
  "(?:run|execute|call|do|use|send|perform|invoke|delete|issue|make|emit|output|print|proceed|carry (?:it|this|that) out)";
/** Words of refusal or negation about doing it. */
const refusalWords = new RegExp(
  `\\b(?:won't|will not|can(?:no|')t|cannot|can not|refuse to|refused to|not going to|shouldn't|should not|must not|mustn't|do not|don't|does not|doesn't|did not|didn't|never|not allowed to|unable to|avoid)\\s+(?:\\w+\\s+){0,3}?${doVerbs}(?:ning|ting|ing)?\\b|\\bI(?: must| have to)? (?:refuse|decline)\\b|(?:実行|呼び出し|呼ば|使い|使わ|行い|送信|削除)(?:は)?(?:しません|しない|いません|ません|ないで|できません|たくありません|いたしません)|お断り|控え(?:ます|る|させ)|(?:不会|不能|无法|拒绝|不应|不可以|不要|不得)(?:再|去|直接)?(?:执行|调用|运行|使用|发送|删除)`,
  "i",
);
const conditionalWords =
  /\b(?:if you (?:want|like|run|ran|need|prefer|confirm|agree)|would you like|should i|shall i|do you want|could run|(?:i|we) (?:could|can|might|would) (?:run|use|call|send)|you (?:can|could|may|might) (?:run|use|call|send)|once you (?:confirm|agree|approve))\b|(?:実行|計算|呼び出|送信)(?:し)?(?:たら|すれば|する場合|した場合|するなら|しても(?:よ|い))|(?:もし|よければ|よろしければ|必要なら|ご希望なら)|しましょうか|ますか[？?。]?\s*$|如果|要不要|是否(?:需要|要)|需要的话/i;
/** The writer says that it acts now. */
const announces =
  /\b(?:I'll|I will|let me|I am going to|I'm going to|now|calling|running|checking|searching|looking|using|one moment|here goes)\b[^.!?\n]{0,80}$|(?:ます|ますね|するね|みるね|てみる|します|しますね)\s*$|(?:我来|我先|我去|现在|这就|马上|正在)[^。！？\n]{0,40}$/i;
/** What follows a call as if it had been answered already. */
const reportsAnswer =
  /^\s*(?:(?:Done|Finished|Completed?|Success(?:fully)?|Sent|Saved|Created|Added|Booked|Updated|All set|OK|Okay)\b|完了|(?:設定|保存|登録|送信|作成|追加|更新|予約)(?:しました|した|完了|済)|已(?:经)?(?:完成|保存|发送|创建|添加|更新|设置|预订)|(?:Observation|観察|观察)\s*[:：]|<tool_response>|✿RESULT✿)/i;
const describesBehind =
  /^[ \t]*(?:のよう|という|って|を(?:使|書|送|出力)|などの|の形|と(?:出力|書|表示|いう)|(?:is|are|was|were|would|means|in the|as an?|tag|tags|block|format|syntax|in your|like)\b|这样|这种|的(?:格式|形式|写法))/i;

/** A fenced block of a text; offsets in UTF-16 units. */
export interface Fence {
  readonly start: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  readonly end: number;
}

/** Fenced code blocks of a text; one without an end runs to the end of the text. */
export function findFences(text: string): readonly Fence[] {
  if (!text.includes("```") && !text.includes("~~~")) return [];
  const fences: Fence[] = [];
  const line = /^[ \t]*(`{3,}|~{3,})[^\n]*$/gm;
  let open: { start: number; bodyStart: number; mark: string } | null = null;
  for (let match = line.exec(text); match !== null; match = line.exec(text)) {
    const mark = match[1] ?? "";
    if (open === null) open = { start: match.index, bodyStart: Math.min(text.length, line.lastIndex + 1), mark };
    else if (mark[0] === open.mark[0] && mark.length >= open.mark.length) {
      fences.push({ start: open.start, bodyStart: open.bodyStart, bodyEnd: match.index, end: line.lastIndex });
      open = null;
    }
  }
  if (open !== null)
    fences.push({ start: open.start, bodyStart: open.bodyStart, bodyEnd: text.length, end: text.length });
  return fences;
}

const quotationMarks: readonly (readonly [string, string])[] = [
  ["「", "」"],
  ["『", "』"],
  ["“", "”"],
  ["‘", "’"],
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
];

/** How much prose on each side is looked at: people say what something is right beside it. */
const reach = 240;

/**
 * Says whether a stretch stands where a call stands: the whole reply, a block of its own after an announcement, or the last
 * thing in the turn. Quotations, code spans, documented examples, refusals and conditionals never do.
 */
export function placeOf(input: PlaceInput): Place {
  const { text, start, end, request } = input;
  // A format that writes fences of its own is not fenced in by them.
  const ownFence = !input.bare && input.fence !== undefined && start <= input.fence.start;
  const fence = ownFence ? undefined : input.fence;
  const from = fence?.start ?? start;
  const to = fence?.end ?? end;
  const before = text.slice(Math.max(0, from - reach), from);
  const after = text.slice(to, to + reach);
  const shown = request.aboutCalls || (input.bare && (request.forDocument || (fence !== undefined && request.forCode)));

  if (fence !== undefined) {
    const alone = text.slice(fence.bodyStart, start).trim() === "" && text.slice(end, fence.bodyEnd).trim() === "";
    if (!alone || shown || after.trim() !== "") return { kind: "quoted", reason: "fence" };
  }
  const previous = text[from - 1] ?? "";
  const next = text[to] ?? "";
  if (previous === "`" && next === "`") return { kind: "quoted", reason: "code_span" };
  if (quotationMarks.some(([left, right]) => previous === left && next === right))
    return { kind: "quoted", reason: "quotation" };
  if (shown) return { kind: "quoted", reason: "example" };

  const lineBefore = before.slice(before.lastIndexOf("\n") + 1);
  const lineAfter = after.split("\n", 1)[0] ?? "";
  const last = after.trim() === "";
  if (lineBefore.trim() !== "" && !sentenceEnd.test(lineBefore) && !(last && announces.test(lineBefore)))
    return { kind: "quoted", reason: "mid_sentence" };
  if (input.bare && !last && !reportsAnswer.test(after)) return { kind: "quoted", reason: "text_follows" };
  if (describesBehind.test(lineAfter)) return { kind: "quoted", reason: "mid_sentence" };
  const said = lastParagraph(before);
  if (exampleWords.test(said)) return { kind: "quoted", reason: "example" };
  if (refusalWords.test(said) || refusalWords.test(firstParagraph(after))) return { kind: "quoted", reason: "refusal" };
  if (conditionalWords.test(said)) return { kind: "quoted", reason: "conditional" };
  return { kind: "call" };
}

function lastParagraph(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf("\n\n") + 1);
}

function firstParagraph(text: string): string {
  return text.trimStart().split("\n\n", 1)[0] ?? "";
}
