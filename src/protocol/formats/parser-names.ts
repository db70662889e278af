import type { ToolCallFormat } from "./format.ts";

/** A kind of server whose options name parsers. */
export type ParserServer = "vllm" | "sglang" | "ollama" | "llama-server";

/** The first vLLM that has the present names: 0.10 and older ones lack the parsers added since. */
const presentVllm: readonly [number, number] = [0, 11];

function isOlder(version: string | null, [major, minor]: readonly [number, number]): boolean {
  const match = /^v?(\d+)\.(\d+)/.exec(version ?? "");
  if (match === null) return false;
  const seenMajor = Number(match[1]);
  return seenMajor < major || (seenMajor === major && Number(match[2]) < minor);
}

/**
 * The options under which a server of this kind and version reads the format, the best choice first; empty where none does.
 * An unknown version (null) is taken for a present one.
 */
export function parserNamesFor(format: ToolCallFormat, kind: ParserServer, version: string | null): readonly string[] {
  const { parsers } = format;
  if (kind === "vllm") return isOlder(version, presentVllm) ? (parsers.vllm010 ?? parsers.vllm) : parsers.vllm;
  return kind === "sglang" ? [...parsers.sglang, ...(parsers.sglangNewer ?? [])] : parsers[kind];
}
