/** What stands where a secret stood. */
export const redacted = "[redacted]";

const secretHeaders =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|.*api-?key.*|.*(?:access|auth|secret)-?token.*|x-auth.*)$/i;
/** Names already looked at: a server sends the same ones with every answer. */
const headerNames = new Map<string, boolean>();
const mostHeaderNames = 256;

function isSecretHeader(name: string): boolean {
  let secret = headerNames.get(name);
  if (secret === undefined) {
    secret = secretHeaders.test(name);
    if (headerNames.size < mostHeaderNames) headerNames.set(name, secret);
  }
  return secret;
}

const secretParameters = /([?&](?:api[-_]?key|key|access[-_]?token|token|auth)=)[^&#\s"'<>]+/gi;
/** Shapes of keys that are secret wherever they stand. */
const knownKeys =
  /\b(?:sk-[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[A-Z0-9]{16}|xox[abpr]-[A-Za-z0-9-]{20,})/g;
const bearer = /\b(Bearer\s+)[A-Za-z0-9._~+/=-]{16,}/gi;
const userinfo = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>?#]+@/gi;
/** Shorter values are words or placeholders such as "none"; replacing them everywhere would garble texts. */
const shortestSecret = 8;

/** Removes secrets from texts: the ones these headers carry, and everything that has the shape of a key. */
export interface Redactor {
  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  text(text: string): string;
}

/** A redactor that also knows the secrets sent in `sentHeaders`, so that an echo of them is found in any body. */
export function createRedactor(sentHeaders: Readonly<Record<string, string>>): Redactor {
  const sent = Object.entries(sentHeaders)
    .filter(([name]) => isSecretHeader(name))
    .flatMap(([, value]) => [value, value.replace(/^\S+\s+/, "")])
    .map((value) => value.trim())
    .filter((value) => value.length >= shortestSecret)
    .sort((left, right) => right.length - left.length);
  const text = (value: string): string => {
    let clean = value;
    for (const secret of sent) if (clean.includes(secret)) clean = clean.split(secret).join(redacted);
    if (!mayHoldSecret(clean)) return clean;
    return clean
      .replace(knownKeys, redacted)
      .replace(bearer, `$1${redacted}`)
      .replace(userinfo, `$1${redacted}@`)
      .replace(secretParameters, `$1${redacted}`);
  };
  return {
    text,
    headers: (headers) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? redacted : text(value)]),
      ),
  };
}

/** Marks without one of which no text holds a key or userinfo. What prose hardly ever holds is looked for at little cost. */
function mayHoldSecret(text: string): boolean {
  return (
    (text.includes("_") && /hf_|gh[pousr]_/.test(text)) ||
    (text.includes("-") && text.includes("sk-")) ||
    text.includes("AKIA") ||
    text.includes("xox") ||
    text.includes("@") ||
    /bearer/i.test(text) ||
    (text.includes("=") && /(?:key|token|auth)=/i.test(text))
  );
}

/** A URL as it may be shown and stored: without userinfo and without keys in its query. */
export function publicUrl(url: string): string {
  return url.replace(userinfo, "$1").replace(secretParameters, `$1${redacted}`);
}
