import { type PlainBody, type PlainFields, PlainMessage, standFor } from "./plain-message.ts";
import { readUrl } from "./read-url.ts";

/** What a {@link plainRequest} is made of. `url` is absolute; `signal` null = it is never aborted. */
export interface PlainRequestParts {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers | PlainFields;
  readonly body: PlainBody | null;
  readonly signal: AbortSignal | null;
}

/**
 * A request with its body in one piece, for the paths on which thousands are made: the web platform's own makes a stream, a state
 * machine and an abort signal for each, and most handlers want none of them. It has every member of a `Request`; those that need
 * the real one make it when they are first asked. Throws TypeError for a URL that is none or holds credentials. `new Request(request.url, request)` copies it, `new Request(request)` does not.
 */
export function plainRequest(parts: PlainRequestParts): Request {
  return new PlainRequest(parts) as unknown as Request;
}

/** The body of a plain request nobody has read yet, in one piece; undefined for any other request. */
export function takePlainBody(request: Request): PlainBody | null | undefined {
  return PlainMessage.of(request)?.take();
}

/** The signal that can abort a request; null for a plain one that nothing aborts, so that no signal is made for it. */
export function abortSignalOf(request: Request): AbortSignal | null {
  return request instanceof PlainRequest ? (request as PlainRequest).given : request.signal;
}

class PlainRequest extends PlainMessage<Request> {
  readonly method: string;
  readonly url: string;
  readonly duplex = "half";
  /** What the sender can abort it with. */
  readonly given: AbortSignal | null;
  #signal: AbortSignal | null = null;

  constructor({ url: text, method, headers, body, signal }: PlainRequestParts) {
    super(headers, body);
    const url = readUrl(text);
    if (url.holdsCredentials) throw new TypeError(`${url.host}: a request's URL holds no credentials`);
    this.method = method;
    this.url = url.href;
    this.given = signal;
  }

  protected make(headers: Headers, body: PlainBody | null): Request {
    return new Request(this.url, { method: this.method, headers, body, signal: this.given });
  }

  get signal(): AbortSignal {
    // Also when the body has been read: the real request could no longer be made then.
    this.#signal ??= this.given ?? this.made()?.signal ?? new AbortController().signal;
    return this.#signal;
  }
}

standFor(PlainRequest, () => Request);
