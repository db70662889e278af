import type { Tool } from "../chat.ts";
import { type AppliedRepair, applied } from "./repair.ts";

/** The declared tools that a written name stands for, in order, with the repairs it took; several where names were run together. */
export interface ResolvedName {
  readonly names: readonly string[];
  readonly repairs: readonly AppliedRepair[];
}

/** Namespaces that model families put before the names of their tools in prompts, and models therefore copy. */
const namespace = /^(?:functions?|tools?|default_api|multi_tool_use)[./:]+/;
/** Kimi's ids carry the name: `functions.NAME:0`, and `functions_NAME_0` where a client had to sanitise it. */
const idForm = /^functions?[._/:]+(.+?)(?:[:_]\d+)?$/;
const longestName = 512;

/**
 * Finds the declared tool behind a name with remains of markup, a namespace or repetition around it; null where there is none.
 * Only a name that is declared to the letter is ever given back: none is completed, corrected or invented.
 */
export function resolveName(written: string, tools: readonly Tool[]): ResolvedName | null {
  const declared = new Set(tools.map((tool) => tool.function.name));
  if (declared.has(written)) return { names: [written], repairs: [] };
  if (written.length > longestName) return null;

  let name = written;
  const repairs: AppliedRepair[] = [];
  // What begins with a bracket of markup, and everything behind it, is a token of some template.
  const bare = name
    .replace(/^(?:<[^>]*>|["'`\s])+/, "")
    .replace(/\s*(?:<|\[[A-Z/]|\|>)[\s\S]*$/, "")
    .replace(/["'`\s(]+$/, "");
  if (bare !== name) {
    repairs.push(applied("marker_in_name", name, bare));
    name = bare;
    if (declared.has(name)) return { names: [name], repairs };
  }
  for (const inner of [name.replace(namespace, ""), idForm.exec(name)?.[1] ?? name]) {
    if (inner !== name && declared.has(inner))
      return { names: [inner], repairs: [...repairs, applied("namespace_in_name", name, inner)] };
  }
  const parts = splitNames(name, declared);
  if (parts !== null) return { names: parts, repairs: [...repairs, applied("doubled_name", name, parts.join(" "))] };
  return null;
}

/** A text cut into declared names without remainder, if there is exactly one way; null otherwise. */
function splitNames(text: string, declared: ReadonlySet<string>): readonly string[] | null {
  // ways[i]: how the text up to i can be cut; two ways are as bad as none, so counting stops there.
  const ways: { count: number; last: string }[] = Array.from({ length: text.length + 1 }, () => ({
    count: 0,
    last: "",
  }));
  const start = ways[0];
  if (start === undefined || text === "") return null;
  start.count = 1;
  for (let end = 1; end <= text.length; end++) {
    const here = ways[end];
    if (here === undefined) continue;
    for (const name of declared) {
      const before = name === "" ? undefined : ways[end - name.length];
      if (before === undefined || before.count === 0 || !text.startsWith(name, end - name.length)) continue;
      here.count += before.count;
      here.last = name;
    }
  }
  if (ways[text.length]?.count !== 1) return null;
  const names: string[] = [];
  for (let end = text.length; end > 0; end -= names[0]?.length ?? end) {
    const last = ways[end]?.last ?? "";
    if (last === "") return null;
    names.unshift(last);
  }
  return names.length > 1 ? names : null;
}
