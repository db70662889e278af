/** What a {@link plainResponse} is made of. */
export interface PlainResponseParts {
  /** 200 to 599, none that forbids a body. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly statusText?: string | undefined;
}

/**
 * A response with its body in one piece, for the paths on which thousands are made: the web platform's own makes a stream for each,
 * which whoever has the whole never needs. It has every member of a `Response`; those that need the real one make it when they
 * are first asked.
 */
export function plainResponse(parts: PlainResponseParts): Response {
  return new PlainResponse(parts) as unknown as Response;
}

/** The body of a plain response nobody has read yet, in one piece; undefined for any other response. */
export function takePlainContent(response: Response): string | Uint8Array<ArrayBuffer> | undefined {
  return response instanceof PlainResponse ? (response as PlainResponse).take() : undefined;
}

class PlainResponse {
  readonly parts: PlainResponseParts;
  readonly status: number;
  readonly headers: Headers;
  readonly ok: boolean;
  readonly statusText: string;
  #taken = false;
  #whole: Response | null = null;

  constructor(parts: PlainResponseParts) {
    this.parts = parts;
    this.status = parts.status;
    this.headers = parts.headers;
    this.statusText = parts.statusText ?? "";
    this.ok = parts.status >= 200 && parts.status < 300;
  }

  /** Everything that is asked more rarely. @throws TypeError where the body was read already */
  whole(): Response {
    if (this.#taken) throw new TypeError("Body is unusable: it was read already");
    const { status, statusText = "", headers, body } = this.parts;
    this.#whole ??= new Response(body, { status, statusText, headers });
    return this.#whole;
  }

  take(): PlainResponseParts["body"] | undefined {
    if (this.#whole !== null || this.#taken) return undefined;
    this.#taken = true;
    return this.parts.body;
  }

  get bodyUsed(): boolean {
    return this.#taken || this.#whole?.bodyUsed === true;
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.whole().body;
  }

  async text(): Promise<string> {
    const body = this.take() ?? (await this.whole().text());
    return typeof body === "string" ? body : new TextDecoder().decode(body);
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

// What stands above is answered here; all else a Response has, its methods too, is asked of the real one.
for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(Response.prototype))) {
  if (name in PlainResponse.prototype || ["status", "headers", "ok", "statusText", "constructor"].includes(name))
    continue;
  Object.defineProperty(PlainResponse.prototype, name, {
    configurable: true,
    ...(member.get === undefined
      ? {
          value(this: PlainResponse, ...given: unknown[]) {
            return (member.value as (...values: unknown[]) => unknown).apply(this.whole(), given);
          },
        }
      : {
          get(this: PlainResponse) {
            return member.get?.call(this.whole());
          },
        }),
  });
}
Object.setPrototypeOf(PlainResponse.prototype, Response.prototype);
