import type { ToolCallFormat } from "./format.ts";

/**
 * A format whose text is another's to the letter, so that text alone cannot tell them apart: it is read under the other's
 * name. It stands in the registry for its parsers and its models, and for what it renders.
 */
export function writtenLike(
  read: ToolCallFormat,
  own: Pick<ToolCallFormat, "name" | "parsers" | "models"> & Partial<Pick<ToolCallFormat, "render">>,
): ToolCallFormat {
  const { residue: _readOnce, glance: _glance, ...form } = read;
  return { ...form, openers: [], readAs: read.name, ...own };
}
