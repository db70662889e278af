import type { ChatMessage } from "../../protocol/chat.ts";

/** Bytes of `text` from `start` to `end` in UTF-8; an unpaired surrogate counts as the U+FFFD it is sent as. */
export function utf8Length(text: string, start = 0, end = text.length): number {
  let length = end - start;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) length += 1;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1))) {
      // Four bytes for two units.
      length += 2;
      at += 1;
    } else length += 2;
  }
  return length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Bytes of all that a model reads of the messages: texts, names and arguments of calls. Pictures are not counted. */
export function messagesSize(messages: readonly ChatMessage[]): number {
  let size = 0;
  for (const { content, tool_calls } of messages) {
    if (typeof content === "string") size += utf8Length(content);
    else if (Array.isArray(content))
      for (const part of content) if (typeof part["text"] === "string") size += utf8Length(part["text"]);
    for (const call of tool_calls ?? []) size += utf8Length(call.function.name) + utf8Length(call.function.arguments);
  }
  return size;
}
