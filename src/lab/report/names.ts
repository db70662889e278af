import { serverRecord } from "../../protocol/servers/index.ts";
import type { ServerKind } from "../../protocol/servers/server.ts";
import type { Messages } from "./messages/messages.ts";
import type { QuoteKind } from "./quotes.ts";

/** What a quoted reply shows, in words. */
export function quoteName(kind: QuoteKind, messages: Messages): string {
  return kind === "leaked" || kind === "swallowed" ? messages.outcomes[kind] : messages.findings[kind];
}

/** What a server is called. */
export function serverName(kind: ServerKind, messages: Messages): string {
  const { title, recognition } = serverRecord(kind);
  return recognition === null ? messages.words.otherServer : title;
}

/** Why a sample was not measured, in words; a reason that is not known here is shown as it is. */
export function reasonName(reason: string, messages: Messages): string {
  if (reason === "not_sent") return messages.words.notSent;
  if (reason === "target_not_met") return messages.words.targetNotMet;
  if (reason === "target_changed") return messages.words.targetChanged;
  if (reason === "lost") return messages.words.lost;
  const names: Readonly<Record<string, string>> = messages.notMeasured;
  return names[reason] ?? reason;
}
