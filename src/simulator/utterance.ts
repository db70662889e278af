import type { Tool } from "../protocol/chat.ts";
import { findFormat } from "../protocol/formats/index.ts";
import { renderMarker } from "../protocol/formats/marker.ts";
import type { JsonObject } from "../protocol/json.ts";
import { minimalArguments } from "./minimal-arguments.ts";
import {
  cardCalls,
  type ProfileCall,
  type ProfileCard,
  type ProfileModel,
  writtenArguments,
} from "./profile-schema.ts";
import { firstTool, type Question, systemText, userText } from "./question.ts";
import { fillSeen } from "./seen.ts";

/** A call as the model writes it. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly format: string;
}

/** A failure that a card asks for. */
export interface CardFailure {
  readonly status: number;
  readonly message: string;
}

/** What a model says, before any server has seen it. Joined: thought, `before`, calls or `text`, `after`. */
export interface Utterance {
  /** Text inside `<think>…</think>`; null = the model does not think. */
  readonly thought: string | null;
  readonly before: string;
  readonly calls: readonly WrittenCall[];
  /** Text or marker; "" beside calls. */
  readonly text: string;
  readonly isMarker: boolean;
  readonly after: string;
  readonly finish: string | null;
  readonly failure: CardFailure | null;
}

const longestTask = 200;
const markerInPrompt = /\{\{([A-Z][A-Z0-9_]*):/u;
const japanese = /[\u3040-\u30ff\u4e00-\u9fff]/u;

/** Plays a card: names, arguments and markers that depend on the request are filled in. */
export function playCard(written: ProfileCard | undefined, model: ProfileModel, question: Question): Utterance {
  if (written === undefined) return plainText(nothingPrepared(question));
  const card = fillSeen(written, question.prompt);
  const calls = cardCalls(card).flatMap((call) => resolveCall(call, model, question) ?? []);
  const marker = card.marker === undefined ? null : resolveMarker(card.marker, question);
  const before = `${card.before ?? ""}${calls.length > 0 || marker !== null ? (card.text ?? "") : ""}`;
  const rest = {
    thought: card.reasoning ?? null,
    finish: card.finish ?? null,
    failure: failureOf(card),
  };
  if (calls.length > 0) {
    return { ...rest, before: onOwnLine(before), calls, text: "", isMarker: false, after: nextLine(card.after) };
  }
  if (marker !== null) {
    return { ...rest, before: onOwnLine(before), calls: [], text: marker, isMarker: true, after: nextLine(card.after) };
  }
  const asksForMore = cardCalls(card).length > 0 || card.marker !== undefined;
  const text = `${before}${card.text ?? ""}${card.after ?? ""}`;
  return {
    ...rest,
    before: "",
    calls: [],
    text: text === "" && asksForMore ? nothingPrepared(question) : text,
    isMarker: false,
    after: "",
  };
}

/** A call of a profile for this request; null where it wants "*" and the request declares no tool. */
export function resolveCall(call: ProfileCall, model: ProfileModel, question: Question): WrittenCall | null {
  const tool =
    call.tool === "*" ? firstTool(question) : question.tools.find((each) => each.function.name === call.tool);
  if (call.tool === "*" && tool === undefined) return null;
  return {
    name: tool?.function.name ?? call.tool,
    arguments: writtenArguments(call) ?? (tool === undefined ? {} : leastArguments(tool, question)),
    format: call.format ?? model.format,
  };
}

/** Calls that a grammar of `nativeFormat` writes in place of an utterance: only declared tools, and under `named` only that one. */
export function grammarCalls(
  utterance: Utterance,
  model: ProfileModel,
  question: Question,
  nativeFormat: string,
  most: number | undefined,
): WrittenCall[] {
  const allowed = (name: string): boolean =>
    question.choice === "named" && question.namedTool !== null
      ? name === question.namedTool
      : question.tools.some((tool) => tool.function.name === name);
  const own = utterance.calls.filter((call) => allowed(call.name));
  const forced = model.forced === undefined ? null : resolveCall(model.forced, model, question);
  const chosen = own.length > 0 ? own : forced !== null && allowed(forced.name) ? [forced] : leastCall(question);
  return chosen.slice(0, most).map((call) => ({ ...call, format: nativeFormat }));
}

/** Text of calls, each in its own format, as the formats' own join would write them. */
export function renderCalls(calls: readonly WrittenCall[]): string {
  const [first] = calls;
  if (first === undefined) return "";
  if (calls.every((call) => call.format === first.format)) return findFormat(first.format)?.render(calls) ?? "";
  return calls.map((call) => renderCalls([call])).join("\n");
}

function leastCall(question: Question): WrittenCall[] {
  const tool = firstTool(question);
  return tool === undefined
    ? []
    : [{ name: tool.function.name, arguments: leastArguments(tool, question), format: "" }];
}

function leastArguments(tool: Tool, question: Question): JsonObject {
  return minimalArguments(tool, taskOf(question));
}

function resolveMarker(marker: string, question: Question): string | null {
  const colon = marker.indexOf(":");
  const name = (colon === -1 ? marker : marker.slice(0, colon)).trim();
  const task = colon === -1 ? "" : marker.slice(colon + 1).trim();
  const wanted = name === "*" ? markerInPrompt.exec(systemText(question))?.[1] : name;
  if (wanted === undefined) return null;
  return renderMarker(wanted, task === "" || task === "…" ? taskOf(question).replace(/[{}]/gu, "") : task);
}

/** The user's text as one line of bearable length. */
function taskOf(question: Question): string {
  const line = userText(question).replace(/\s+/gu, " ").trim();
  return [...line].slice(0, longestTask).join("");
}

function nothingPrepared(question: Question): string {
  return japanese.test(userText(question))
    ? "それについては何も用意がありません。"
    : "I have nothing prepared for this.";
}

function plainText(text: string): Utterance {
  return { thought: null, before: "", calls: [], text, isMarker: false, after: "", finish: null, failure: null };
}

function failureOf(card: ProfileCard): CardFailure | null {
  if (card.error === undefined) return null;
  return typeof card.error === "string"
    ? { status: 500, message: card.error }
    : { status: card.error.status ?? 500, message: card.error.message };
}

function onOwnLine(before: string): string {
  return before === "" || /\s$/u.test(before) ? before : `${before}\n`;
}

function nextLine(after: string | undefined): string {
  if (after === undefined || after === "") return "";
  return /^\s/u.test(after) ? after : `\n${after}`;
}
