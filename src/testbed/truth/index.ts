import type { TruthReader } from "../../protocol/known-truth.ts";
import { outcomeOf } from "./conformance.ts";
import { observe } from "./observe.ts";
import { comparedFindings, truthOf } from "./sample-truth.ts";

/** The truth of scripted models, read without the lab and without the readers of formats. */
export const truthReader: TruthReader = { comparedFindings, observe, truthOf, outcomeOf };
