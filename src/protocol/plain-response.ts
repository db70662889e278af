import { type PlainBody, type PlainFields, PlainMessage, standFor } from "./plain-message.ts";

/** What a {@link plainResponse} is made of. */
export interface PlainResponseParts {
  /** 200 to 599, none that forbids a body. */
  readonly status: number;
  readonly headers: Headers | PlainFields;
  readonly body: PlainBody;
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
export function takePlainContent(response: Response): PlainBody | undefined {
  return PlainMessage.of(response)?.take() ?? undefined;
}

class PlainResponse extends PlainMessage<Response> {
  readonly status: number;
  readonly ok: boolean;
  readonly statusText: string;

  constructor({ status, statusText, headers, body }: PlainResponseParts) {
    super(headers, body);
    this.status = status;
    this.statusText = statusText ?? "";
    this.ok = status >= 200 && status < 300;
  }

  protected make(headers: Headers, body: PlainBody | null): Response {
    return new Response(body, { status: this.status, statusText: this.statusText, headers });
  }
}

standFor(PlainResponse, () => Response);
