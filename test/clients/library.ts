import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { isJsonObject, type JsonObject, parseJson } from "../../src/protocol/json.ts";
import type { Recipe } from "../../src/testbed/provision/recipe.ts";
import { decisions, type Stand } from "./agent-scenarios.ts";
import { inPlace, runClient } from "./client-run.ts";
import { provisioned } from "./provisioned.ts";

/** What a scenario of a library's program gave. */
export interface LibraryRun {
  readonly given: JsonObject;
  readonly work: string;
  decided(): readonly string[];
}

/** Runs one scenario of `programs/NAME.mjs` with the installed library against the stand's adapter. */
export function runLibrary(recipe: Recipe, { adapter }: Stand, scenario: string): Promise<LibraryRun> {
  return inPlace(async (place) => {
    const { paths } = await provisioned(recipe);
    const program = fileURLToPath(new URL(`programs/${recipe.name}.mjs`, import.meta.url));
    const before = adapter.traces().length;
    const command = [process.execPath, program, paths["folder"] ?? "", adapter.url, scenario] as const;
    const finished = await runClient(place, command);
    expect(finished, finished.stderr).toMatchObject({ exitCode: 0, timedOut: false, leftBehind: [] });
    expect(place.proxy.refused).toEqual([]);
    const given = parseJson(finished.stdout);
    return {
      given: isJsonObject(given) ? given : {},
      work: place.work,
      decided: () => decisions(adapter.traces().slice(before)),
    };
  });
}
