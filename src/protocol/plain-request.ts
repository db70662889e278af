/** What a {@link plainRequest} is made of. `url` is absolute; `signal` null = it is never aborted. */
export interface PlainRequestParts {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
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
export function takePlainBody(request: Request): string | Uint8Array<ArrayBuffer> | null | undefined {
  return request instanceof PlainRequest ? (request as PlainRequest).take() : undefined;
}

/** The signal that can abort a request; null for a plain one that nothing aborts, so that no signal is made for it. */
export function abortSignalOf(request: Request): AbortSignal | null {
  return request instanceof PlainRequest ? (request as PlainRequest).parts.signal : request.signal;
}

class PlainRequest {
  readonly parts: PlainRequestParts;
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly duplex = "half";
  #taken = false;
  #whole: Request | null = null;
  #signal: AbortSignal | null = null;

  constructor(parts: PlainRequestParts) {
    const url = new URL(parts.url);
    if (url.username !== "" || url.password !== "")
      throw new TypeError(`${url.host}: a request's URL holds no credentials`);
    this.parts = parts;
    this.method = parts.method;
    this.url = url.href;
    this.headers = parts.headers;
  }

  /** Everything that is asked more rarely. @throws TypeError where the body was read already */
  whole(): Request {
    if (this.#taken) throw new TypeError("Body is unusable: it was read already");
    const { url, method, headers, body, signal } = this.parts;
    this.#whole ??= new Request(url, { method, headers, body, signal });
    return this.#whole;
  }

  take(): PlainRequestParts["body"] | undefined {
    if (this.#whole !== null || this.#taken) return undefined;
    this.#taken = this.parts.body !== null;
    return this.parts.body;
  }

  get bodyUsed(): boolean {
    return this.#taken || this.#whole?.bodyUsed === true;
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.parts.body === null ? null : this.whole().body;
  }

  get signal(): AbortSignal {
    // Also when the body has been read: the real request could no longer be made then.
    this.#signal ??= this.parts.signal ?? this.#whole?.signal ?? new AbortController().signal;
    return this.#signal;
  }

  async text(): Promise<string> {
    const body = this.take();
    if (body === undefined) return this.whole().text();
    return typeof body === "string" ? body : new TextDecoder().decode(body ?? new Uint8Array());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const body = this.take();
    if (body === undefined) return this.whole().arrayBuffer();
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : (body ?? new Uint8Array());
    return bytes.slice().buffer;
  }
}

// What stands above is answered here; all else a Request has, its methods too, is asked of the real one.
for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(Request.prototype))) {
  if (name in PlainRequest.prototype || ["method", "url", "headers", "duplex", "constructor"].includes(name)) continue;
  Object.defineProperty(PlainRequest.prototype, name, {
    configurable: true,
    ...(member.get === undefined
      ? {
          value(this: PlainRequest, ...given: unknown[]) {
            return (member.value as (...values: unknown[]) => unknown).apply(this.whole(), given);
          },
        }
      : {
          get(this: PlainRequest) {
            return member.get?.call(this.whole());
          },
        }),
  });
}
Object.setPrototypeOf(PlainRequest.prototype, Request.prototype);
