import { isJsonObject, parseJson } from "./json.ts";
import { createNdjsonDecoder } from "./ndjson.ts";
import { excerpt } from "./problems.ts";
import { createReplyFolder } from "./reply-folder.ts";
import { createSseDecoder } from "./sse.ts";
import type { StreamEvent } from "./stream-event.ts";

/** How the objects of a stream are set apart on the wire. */
export type Framing = "sse" | "ndjson";

/** Reads a streamed reply from pieces of any size into stream events. Never throws. */
export interface StreamReader {
  push(piece: Uint8Array | string): StreamEvent[];
  /** The stream is over; `cut` says why where it did not end by itself. Gives the terminal event unless it was given before. */
  end(cut?: string): StreamEvent[];
  /** True once the terminal event was given; everything after it is ignored, as clients do. */
  ended(): boolean;
  /** True where something came after the terminal event. */
  overrun(): boolean;
}

/** A reader for one stream of chat chunks (`sse`) or Ollama native lines (`ndjson`); which of both stands in it, it sees itself. */
export function createStreamReader(framing: Framing): StreamReader {
  const decoder = framing === "sse" ? createSseDecoder() : createNdjsonDecoder();
  const folder = createReplyFolder();
  let number = 0;
  let ended = false;
  let overrun = false;

  function finish(done: boolean, events: StreamEvent[]): void {
    for (const problem of decoder.problems()) folder.problem(problem);
    for (const problem of decoder.losses()) folder.lose(problem);
    const { reply, error } = folder.finish(done, events);
    ended = true;
    events.push(error === null && reply.end === "complete" ? { kind: "done", reply } : { kind: "error", error, reply });
  }

  function read(data: string, terminated: boolean, events: StreamEvent[]): void {
    number += 1;
    if (framing === "sse" && data.trim() === "[DONE]") {
      finish(true, events);
      return;
    }
    const value = parseJson(data);
    const kind = isJsonObject(value) ? folder.fold(value, events) : "unknown";
    if (kind === "last") finish(true, events);
    if (kind !== "unknown") return;
    events.push({ kind: "raw", data });
    if (value !== undefined) return;
    const place = framing === "sse" ? `data of event ${number}` : `line ${number}`;
    const name = data.trim() === "" ? folder.problem : folder.lose;
    name(
      terminated ? `${place} is not JSON: ${excerpt(data)}` : `the stream stops inside the ${place}: ${excerpt(data)}`,
    );
  }

  function readAll(items: readonly { data: string; terminated: boolean }[]): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (const { data, terminated } of items) {
      if (ended) overrun = true;
      else read(data, terminated, events);
    }
    return events;
  }

  return {
    push: (piece) => readAll(decoder.push(piece)),
    end(cut) {
      const events = readAll(decoder.end());
      if (ended) return events;
      if (cut !== undefined) folder.problem(cut);
      finish(false, events);
      return events;
    },
    ended: () => ended,
    overrun: () => overrun,
  };
}
