import { createLineSplitter, maxLineLength } from "./lines.ts";
import { createProblemList, excerpt } from "./problems.ts";
import { createUtf8Decoder } from "./utf8.ts";

/** One server-sent event. `data` is its data lines joined by LF; `terminated` is false where the stream ended inside it. */
export interface SseEvent {
  readonly event: string | null;
  readonly data: string;
  readonly id: string | null;
  readonly terminated: boolean;
}

/** Reads server-sent events from pieces of any size. Never throws; what could not be read is named in `problems`. */
export interface SseDecoder {
  /** Events that the piece completed. Text is taken as already decoded. */
  push(piece: Uint8Array | string): SseEvent[];
  /** The event that the stream left unfinished, if any. */
  end(): SseEvent[];
  problems(): readonly string[];
  /** What was dropped for its length: parts of the stream that nobody has read. */
  losses(): readonly string[];
}

/** A decoder for one stream: CR, LF and CRLF, a byte order mark, comments, several data lines, limits on length. */
export function createSseDecoder(options: { limit?: number } = {}): SseDecoder {
  const limit = options.limit ?? maxLineLength;
  const problems = createProblemList();
  const losses = createProblemList();
  const text = createUtf8Decoder();
  const lines = createLineSplitter({ carriageReturn: true, limit });
  let atStart = true;
  let data: string[] = [];
  let dataLength = 0;
  let event: string | null = null;
  let id: string | null = null;

  function split(piece: Uint8Array | string): (string | null)[] {
    let decoded = typeof piece === "string" ? piece : text.push(piece);
    if (atStart && decoded !== "") {
      atStart = false;
      if (decoded.startsWith("\uFEFF")) decoded = decoded.slice(1);
    }
    return lines.push(decoded);
  }

  function readLine(line: string | null): void {
    if (line === null) {
      losses.add(`a line is longer than ${limit} characters and was dropped`);
    } else if (line.startsWith("data:")) {
      addData(fieldValue(line, 4));
    } else if (!line.startsWith(":")) {
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : fieldValue(line, colon);
      if (name === "data") addData(value);
      else if (name === "event") event = value;
      else if (name === "id") id = value;
      else if (name !== "retry") problems.add(`a line between the events is no field of one: ${excerpt(line)}`);
    }
  }

  function addData(value: string): void {
    dataLength += value.length + 1;
    if (dataLength <= limit + 1) data.push(value);
  }

  function dispatch(terminated: boolean): SseEvent[] {
    const joined = data.length === 1 ? (data[0] ?? "") : data.join("\n");
    const complete = data.length > 0 && dataLength <= limit + 1;
    if (dataLength > limit + 1) losses.add(`an event is longer than ${limit} characters and was dropped`);
    const events = complete ? [{ event, data: joined, id, terminated }] : [];
    data = [];
    dataLength = 0;
    event = null;
    return events;
  }

  function read(completed: readonly (string | null)[]): SseEvent[] {
    const events: SseEvent[] = [];
    for (const line of completed) {
      if (line === "") events.push(...dispatch(true));
      else readLine(line);
    }
    return events;
  }

  return {
    push: (piece) => read(split(piece)),
    end() {
      const events = read(lines.push(text.end()));
      const rest = lines.end();
      if (rest !== undefined) readLine(rest);
      events.push(...dispatch(false));
      if (text.damaged()) problems.add("the body holds bytes that are not UTF-8; they are shown as U+FFFD");
      return events;
    },
    problems: () => problems.list(),
    losses: () => losses.list(),
  };
}

function fieldValue(line: string, colon: number): string {
  return line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
}

/** The event as bytes on the wire, with the blank line that ends it. */
export function encodeSseEvent(event: { data: string; event?: string | null; id?: string | null }): string {
  const name = event.event == null ? "" : `event: ${event.event}\n`;
  const id = event.id == null ? "" : `id: ${event.id}\n`;
  const data = event.data
    .split(/\r\n|\n|\r/)
    .map((line) => `data: ${line}\n`)
    .join("");
  return `${name}${id}${data}\n`;
}
