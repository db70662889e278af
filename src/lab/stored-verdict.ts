import { isJsonObject } from "../protocol/json.ts";
import type { StoredRun } from "./capture/open-run.ts";
import { StoreError } from "./capture/store-error.ts";
import { exitCodeOf, type GateVerdict } from "./gate/verdict.ts";

/** What a gate said of a stored run; null where it was never gated. @throws StoreError where verdict.json is damaged */
export async function storedVerdict(stored: StoredRun): Promise<GateVerdict | null> {
  const found: unknown = await stored.verdict();
  if (found === null) return null;
  if (
    isJsonObject(found) &&
    typeof found["kind"] === "string" &&
    Object.hasOwn(exitCodeOf, found["kind"]) &&
    Array.isArray(found["checks"]) &&
    Array.isArray(found["notes"]) &&
    isJsonObject(found["proof"]) &&
    (found["comparison"] === null || isJsonObject(found["comparison"]))
  )
    return found as unknown as GateVerdict;
  throw new StoreError(`${stored.folder}/verdict.json is damaged; lab gate makes it anew`);
}
