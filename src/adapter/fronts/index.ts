import { readChatRequest } from "./chat-request.ts";
import { openChatWriter } from "./chat-writer.ts";
import type { Front } from "./front.ts";
import { readResponsesRequest } from "./responses-request.ts";
import { openResponsesWriter } from "./responses-writer.ts";

export const chatFront: Front = { name: "chat", read: readChatRequest, openWriter: openChatWriter };
export const responsesFront: Front = {
  name: "responses",
  read: readResponsesRequest,
  openWriter: openResponsesWriter,
};
