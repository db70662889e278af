/**
 * Head fields of a message before anybody needs a `Headers`: names in lower case, values as HTTP allows them. Not for
 * `set-cookie`, which may come several times.
 */
export type PlainFields = Readonly<Record<string, string>>;

/** A body in one piece. */
export type PlainBody = string | Uint8Array<ArrayBuffer>;

/**
 * What plain requests and responses have in common: their head and their body, both as they were given for as long as nobody needs
 * more. A class that extends it makes the real message and is then put in its place by {@link standFor}.
 */
export abstract class PlainMessage<Whole extends Request | Response> {
  #fields: PlainFields | null;
  #headers: Headers | null;
  readonly #given: PlainBody | null;
  #taken = false;
  #whole: Whole | null = null;

  constructor(headers: Headers | PlainFields, body: PlainBody | null) {
    const made = headers instanceof Headers;
    this.#headers = made ? headers : null;
    this.#fields = made ? null : headers;
    this.#given = body;
  }

  /** The message as one of this kind; null for any other. */
  static of(message: object): PlainMessage<Request | Response> | null {
    return #taken in message ? message : null;
  }

  /** Makes the real message. */
  protected abstract make(headers: Headers, body: PlainBody | null): Whole;

  /** The head as it was given; null once there is a `Headers`, which whoever has it may change. */
  fields(): PlainFields | null {
    return this.#fields;
  }

  /** The body where nobody has read it yet; undefined otherwise. */
  take(): PlainBody | null | undefined {
    if (this.#whole !== null || this.#taken) return undefined;
    this.#taken = this.#given !== null;
    return this.#given;
  }

  /** The real message, for everything that is asked more rarely. @throws TypeError where the body was read already */
  whole(): Whole {
    if (this.#taken) throw new TypeError("Body is unusable: it was read already");
    this.#whole ??= this.make(this.headers, this.#given);
    return this.#whole;
  }

  /** The real message where it has been made. */
  made(): Whole | null {
    return this.#whole;
  }

  get headers(): Headers {
    this.#headers ??= new Headers(this.#fields ?? {});
    this.#fields = null;
    return this.#headers;
  }

  get bodyUsed(): boolean {
    return this.#taken || this.#whole?.bodyUsed === true;
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.#given === null ? null : this.whole().body;
  }

  async text(): Promise<string> {
    const body = this.take();
    if (body === undefined) return this.whole().text();
    return typeof body === "string" ? body : decoder.decode(body ?? undefined);
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

const decoder = new TextDecoder();

/**
 * Makes a class of plain messages pass for `Native`, also to `instanceof`: what it does not answer by itself, methods and `own`
 * fields, is asked of the real message.
 */
export function standFor<Whole extends Request | Response>(
  Plain: { readonly prototype: PlainMessage<Whole> },
  Native: { readonly prototype: Whole },
  own: readonly string[],
): void {
  const members = { ...Object.getOwnPropertyDescriptors(PlainMessage.prototype) } as PropertyDescriptorMap;
  for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(Native.prototype))) {
    if (name in members || name in Plain.prototype || own.includes(name)) continue;
    members[name] =
      get === undefined
        ? {
            value(this: PlainMessage<Whole>, ...given: unknown[]) {
              return (value as (...values: unknown[]) => unknown).apply(this.whole(), given);
            },
          }
        : {
            get(this: PlainMessage<Whole>) {
              return get.call(this.whole());
            },
          };
  }
  for (const [name, member] of Object.entries(members))
    if (!Object.hasOwn(Plain.prototype, name))
      Object.defineProperty(Plain.prototype, name, { ...member, configurable: true });
  Object.setPrototypeOf(Plain.prototype, Native.prototype);
}

/** One field of a message's head, by its name in lower case; null where it has none. Makes no `Headers` where there is none yet. */
export function fieldOf(message: Request | Response, name: string): string | null {
  const fields = PlainMessage.of(message)?.fields();
  if (fields == null) return message.headers.get(name);
  return Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;
}

/** The lines `set-cookie` of a response. Makes no `Headers` where there is none yet. */
export function cookiesOf(response: Response): readonly string[] {
  return PlainMessage.of(response)?.fields() == null ? response.headers.getSetCookie() : [];
}

/** The head of a response with its `set-cookie`, in one line. Makes no `Headers` where there is none yet. */
export function allFieldsOf(response: Response): PlainFields {
  const cookies = cookiesOf(response);
  const fields = fieldsOf(response);
  return cookies.length === 0 ? fields : { ...fields, "set-cookie": cookies.join(", ") };
}

/** The head of a message, to be read only; without `set-cookie`. Makes no `Headers` where there is none yet. */
export function fieldsOf(message: Request | Response): PlainFields {
  const fields = PlainMessage.of(message)?.fields();
  if (fields != null) return fields;
  const read: Record<string, string> = {};
  for (const [name, value] of message.headers) if (name !== "set-cookie") read[name] = value;
  return read;
}
