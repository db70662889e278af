import { z } from "zod";

/** The keys that a schema knows for the object at `path`, over all alternatives of its unions. */
export function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const found = path.reduce<readonly z.core.$ZodType[]>(
    (schemas, key) => schemas.flatMap(alternatives).flatMap((each) => step(each, key)),
    [schema],
  );
  const keys = found
    .flatMap(alternatives)
    .flatMap((each) => (each instanceof z.ZodObject ? Object.keys(each.shape) : []));
  return [...new Set(keys)];
}

/** A schema without its wrappers (optional, default, …), a union as its members. */
function alternatives(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(alternatives);
  if (schema instanceof z.ZodPipe) return alternatives(schema.in);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodLazy
  ) {
    return alternatives(schema.unwrap());
  }
  return [schema];
}

function step(schema: z.core.$ZodType, key: PropertyKey): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) {
    const member: z.core.$ZodType | undefined = schema.shape[String(key)];
    return member === undefined ? [] : [member];
  }
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  return [];
}
