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
    const made = isHeaders(headers);
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

/** By what it can do: to name `Headers` loads it. The values of fields are text. */
function isHeaders(headers: Headers | PlainFields): headers is Headers {
  return typeof headers.get === "function";
}

/**
 * Makes a class of plain messages pass for `native()`, also to `instanceof`: what it does not answer by itself is asked of the
 * real message. Node loads the web platform's classes when they are first named, which takes longer than a short command: they
 * are named when somebody asks for more than a plain message has.
 */
export function standFor<Whole extends Request | Response>(
  Plain: { readonly prototype: PlainMessage<Whole> },
  native: () => { readonly prototype: Whole },
): void {
  for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(PlainMessage.prototype)))
    if (!Object.hasOwn(Plain.prototype, name)) Object.defineProperty(Plain.prototype, name, member);
  const rest = new Proxy<object>(
    {},
    {
      getPrototypeOf: () => native().prototype,
      has: (_, name) => name in native().prototype,
      get(_, name, message: PlainMessage<Whole>) {
        // Whoever awaits a message asks for this.
        if (name === "then") return undefined;
        const { prototype } = native();
        const { get, value } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
        if (get !== undefined) return get.call(message.whole());
        if (typeof value !== "function") return Reflect.get(prototype, name, message);
        return (...given: unknown[]) => value.apply(message.whole(), given);
      },
    },
  );
  Object.setPrototypeOf(Plain.prototype, rest);
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
