import type { ReadReply, ServedCall, ServerErrorBody, Usage } from "./reply.ts";

/**
 * What a streamed reply is made of, in order. `start`, `delta` and `end` of one thing belong together, `end` always closes.
 * A call ends when nothing can be added to it any more: at a new call in its place or at the end of the stream, so that no
 * consumer acts on half an argument. `raw` is a data line that is no readable chunk. The last event, and no other, is `done`
 * (the server said so) or `error` (an error object, or the stream just stopped); both carry everything received.
 */
export type StreamEvent =
  | { readonly kind: "text-start"; readonly choice: number }
  | { readonly kind: "text-delta"; readonly choice: number; readonly text: string }
  | { readonly kind: "text-end"; readonly choice: number }
  | { readonly kind: "reasoning-start"; readonly choice: number }
  | { readonly kind: "reasoning-delta"; readonly choice: number; readonly text: string }
  | { readonly kind: "reasoning-end"; readonly choice: number }
  | {
      readonly kind: "call-start";
      readonly choice: number;
      /** Number of the call within its choice, from 0 in order of appearance, whatever index the server gave it. */
      readonly call: number;
      readonly id: string | null;
      readonly name: string;
    }
  | { readonly kind: "call-delta"; readonly choice: number; readonly call: number; readonly argumentsText: string }
  | { readonly kind: "call-end"; readonly choice: number; readonly call: number; readonly served: ServedCall }
  | { readonly kind: "raw"; readonly data: string }
  | { readonly kind: "usage"; readonly usage: Usage }
  | { readonly kind: "done"; readonly reply: ReadReply }
  | { readonly kind: "error"; readonly error: ServerErrorBody | null; readonly reply: ReadReply };
