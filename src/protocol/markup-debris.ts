/** Tokens of templates that carry nothing: turn ends, wrappers around calls and answers, channel headers. */
const debris =
  "(?:</?(?:tool_calls?|answer|response|function_calls?|tools?)>|<\\|/?(?:im_end|im_start|eot_id|eom_id|end|return|call|start|eot|eom|end_of_text|endoftext|tool_calls?|tool_calls?_section_(?:begin|end)|tool_call_(?:begin|end|start)|START_RESPONSE|END_RESPONSE|START_TEXT|END_TEXT|message_model|end_message|python_tag)\\|>|<\\|start\\|>assistant|<\\|channel\\|>(?:final|commentary)\\s*<\\|message\\|>|<｜[^｜<>]{1,40}｜>|\\[/?TOOL_CALLS?\\]|</s>|<end_of_turn>|assistantfinal)";
const behind = new RegExp(`^\\s*${debris}`);
const before = new RegExp(`${debris}\\s*$`);
/** How far it is looked for at once. */
const reach = 80;

/** Offset behind the debris (and white space before it) that stands at `at`. */
export function skipDebris(text: string, at: number): number {
  let end = at;
  for (let match = behind.exec(text.slice(end, end + reach)); match !== null; ) {
    end += match[0].length;
    match = behind.exec(text.slice(end, end + reach));
  }
  return end;
}

/** A text without the debris at its end. */
export function withoutDebrisAtEnd(text: string): string {
  let kept = text;
  for (let match = before.exec(kept.slice(-reach)); match !== null; ) {
    kept = kept.slice(0, Math.max(0, kept.length - reach) + match.index);
    match = before.exec(kept.slice(-reach));
  }
  return kept;
}
