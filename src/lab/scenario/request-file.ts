import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { type ChatMessage, chatRequestSchema, messageText, type Tool, type ToolChoice } from "../../protocol/chat.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../protocol/json.ts";
import { type Cell, type PlannedSample, runningOrder } from "./plan.ts";
import type { Arm, Expectation, Language, Suite } from "./scenario.ts";
import { ScenarioProblems } from "./scenario-problems.ts";

/** A user's own Chat Completions request, taken apart: what a plan varies, and `extra`, which is sent as it was. */
export interface UserRequest {
  /** From the file's name; stands where other samples have their scenario. */
  readonly id: string;
  readonly language: Language;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  readonly maxTokens: number;
  readonly temperature: number | null;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A request without a limit of its own gets this many tokens: enough for a thinking model to reach its call. */
const defaultMaxTokens = 2048;

/**
 * Reads `--request FILE`: a bare chat body, or a capture `{meta, headers, body}` whose headers are not used. Throws
 * {@link ScenarioProblems} with one line that says what is wrong with the file.
 */
export async function readUserRequest(path: string): Promise<UserRequest> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const reason = code === "ENOENT" ? "no such file" : code === "EISDIR" ? "is a folder, not a file" : String(error);
    throw new ScenarioProblems([`${path}: ${reason}`]);
  }
  const result = parseUserRequest(bytes.toString("utf8"), path);
  if ("problem" in result) throw new ScenarioProblems([`${path}: ${result.problem}`]);
  return result;
}

/** The pure part of {@link readUserRequest}. */
export function parseUserRequest(text: string, path: string): UserRequest | { readonly problem: string } {
  const json = parseJson(text.replace(/^\uFEFF/, ""));
  if (json === undefined) return { problem: `is not JSON${jsonErrorPlace(text)}` };
  if (!isJsonObject(json)) return { problem: "is not a JSON object" };
  const body = json["messages"] === undefined && isJsonObject(json["body"]) ? json["body"] : json;
  if (body["messages"] === undefined && body["input"] !== undefined) {
    return { problem: 'is a Responses request ("input"); give a Chat Completions body ("messages")' };
  }
  if (body["messages"] === undefined) {
    return { problem: 'has no "messages"; give a chat body or a capture {meta, headers, body}' };
  }
  const read = chatRequestSchema.safeParse(body);
  if (!read.success) {
    const issue = read.error.issues[0];
    return { problem: `"${issue?.path.join(".") ?? ""}" is not as a chat request has it: ${issue?.message ?? ""}` };
  }
  const tools = read.data.tools ?? [];
  if (tools.length === 0) return { problem: 'declares no "tools", so there is nothing that could be called' };
  return {
    id: idOf(path),
    language: languageOf(read.data.messages),
    messages: read.data.messages,
    tools,
    maxTokens: read.data.max_tokens ?? ownLimit(body) ?? defaultMaxTokens,
    temperature: read.data.temperature ?? null,
    extra: Object.fromEntries(Object.entries(body).filter(([key]) => !takenApart.includes(key))),
  };
}

const takenApart: readonly string[] = [
  "model",
  "messages",
  "tools",
  "tool_choice",
  "stream",
  "stream_options",
  "seed",
  "temperature",
  "max_tokens",
  "max_completion_tokens",
];

interface RequestArm extends Arm {
  readonly toolChoice: ToolChoice;
}

/** `named` needs that only one tool is there: with several, no one but the user knows which should be called. */
function requestArms({ tools }: UserRequest): readonly RequestArm[] {
  const [only] = tools;
  const arm = (choice: "auto" | "required" | "none"): RequestArm => ({
    id: choice,
    contract: "native",
    choice,
    toolChoice: choice,
  });
  const named: readonly RequestArm[] =
    tools.length !== 1 || only === undefined
      ? []
      : [
          {
            id: "named",
            contract: "native",
            choice: "named",
            toolChoice: { type: "function", function: { name: only.function.name } },
          },
        ];
  return [arm("auto"), arm("required"), ...named, arm("none")];
}

/** Name of the suite that a user's own request makes. */
export const requestSuiteId = "request";

/** The suite that sends a user's request through every choice, streamed and not. */
export function requestSuite(request: UserRequest): Suite {
  return {
    id: requestSuiteId,
    arms: requestArms(request).map(({ id, contract, choice }) => ({ id, contract, choice })),
    stream: [false, true],
    scenarios: { ids: [request.id] },
    fallback: [],
    also: [],
  };
}

/** The samples of {@link requestSuite} on one target, in running order. A valid call of any declared tool counts. */
export function planRequest(options: {
  readonly target: string;
  readonly routes: readonly string[];
  readonly request: UserRequest;
  readonly trials: number;
  readonly seed: string;
}): readonly PlannedSample[] {
  const { request, routes } = options;
  const suite = requestSuite(request);
  const cells = requestArms(request).flatMap((arm) =>
    suite.stream.flatMap((stream) => routes.map((route) => requestCell(request, suite.id, arm, stream, route))),
  );
  return runningOrder(cells, options);
}

function requestCell(request: UserRequest, suite: string, arm: RequestArm, stream: boolean, route: string): Cell {
  const expectation: Expectation = {
    tools: request.tools,
    contract: arm.contract,
    wanted: null,
    markerRule: null,
    memorizable: false,
    oracle: [],
    nonce: null,
    judge: "any_call",
  };
  return {
    route,
    factors: {
      suite,
      scenario: request.id,
      // A real client's payload, whatever its size, and a task that its sender thinks needs a tool.
      shape: "agent",
      class: "unmemorizable",
      language: request.language,
      contract: arm.contract,
      arm: arm.id,
      stream,
    },
    usesNonce: false,
    fill: () => ({
      nonce: null,
      expectation,
      messages: request.messages,
      tools: request.tools,
      toolChoice: arm.toolChoice,
      maxTokens: request.maxTokens,
      temperature: request.temperature,
      extra: request.extra,
    }),
  };
}

/** Newer clients write the limit as `max_completion_tokens`; local servers read `max_tokens`. */
function ownLimit(body: JsonObject): number | undefined {
  const limit = body["max_completion_tokens"];
  return typeof limit === "number" && Number.isInteger(limit) && limit > 0 ? limit : undefined;
}

/** The language of the last question: Japanese where it has kana or kanji. */
function languageOf(messages: readonly ChatMessage[]): Language {
  const question = messages.findLast((message) => message.role === "user");
  const text = messageText(question ?? { role: "user" });
  return /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(text) ? "ja" : "en";
}

function idOf(path: string): string {
  const name = basename(path, extname(path)).toLowerCase();
  const id = name.replace(/[^a-z0-9_-]+/g, "-").replace(/^[-_]+|-+$/g, "");
  return id === "" ? "request" : id;
}

function jsonErrorPlace(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return error instanceof Error ? ` (${error.message.replace(/\s+/g, " ").slice(0, 120)})` : "";
  }
}
