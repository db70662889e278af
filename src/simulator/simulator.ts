import { type Handler, TransportError } from "../protocol/handler.ts";
import { answerQuestion } from "./answer.ts";
import { createCardSource } from "./deck.ts";
import type { SimulatedKind } from "./matrices/find-set-up.ts";
import type { SimulatorProfile } from "./profile-schema.ts";
import { createRandom } from "./random.ts";
import type { CreateDialect, ServerContext } from "./server-context.ts";
import { createLlamaServer } from "./servers/llama-server.ts";
import { createOllama } from "./servers/ollama.ts";
import { createOpenai } from "./servers/openai.ts";
import { createVllm } from "./servers/vllm.ts";

const dialects: Readonly<Record<SimulatedKind, CreateDialect>> = {
  vllm: createVllm,
  ollama: createOllama,
  "llama-server": createLlamaServer,
  openai: createOpenai,
};

export interface SimulatorOptions {
  /** A profile that `checkProfile` found nothing wrong with. */
  readonly profile: SimulatorProfile;
  /** The same seed and the same requests in the same order give the same bytes. */
  readonly seed: string;
  /** Milliseconds since the epoch, shown in replies only. */
  now(): number;
}

/** Pretends to be the server of a profile, with the models of that profile on it. */
export function createSimulator(options: SimulatorOptions): Handler {
  const { profile, seed } = options;
  const cards = createCardSource(profile, seed);
  const context: ServerContext = {
    profile,
    modelNames: Object.keys(profile.models),
    random: createRandom(`${seed}\u0000ids`),
    now: () => options.now(),
    answer: (question, answerOptions) => answerQuestion(profile, cards, question, answerOptions),
  };
  const dialect = dialects[profile.server.kind](context);
  return async (request) => {
    if (request.signal.aborted) throw new TransportError("aborted", "the request was aborted");
    let body = "";
    try {
      body = await request.text();
    } catch (cause) {
      throw new TransportError("aborted", "the request body could not be read", { cause });
    }
    return dialect({ method: request.method, path: pathOf(request.url), body, signal: request.signal });
  };
}

/** Path of an absolute URL without its query; cheaper than parsing the whole. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  if (start === -1) return "/";
  const end = url.slice(start).search(/[?#]/u);
  return end === -1 ? url.slice(start) : url.slice(start, start + end);
}
