import { expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { fakeWorld } from "./fake-world.ts";

async function lab(...argv: readonly string[]) {
  const world = fakeWorld({ argv });
  const code = await program(commands, world);
  return { code, out: world.out(), err: world.err() };
}

const at = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--lang", "en"] as const;

it.each([
  [["--suite", "request"], /^lab: --suite request measures a request of your own; name its file with --request\n$/],
  [["--min-context", "64000"], /^lab: --min-context goes with --suite choice\n$/],
  [["--suite", "round-tripp"], /^lab: --suite: there is no "round-tripp" \(did you mean "round-trip"\?\)\n$/],
  [["--suite", "choise"], /^lab: --suite: there is no "choise" \(did you mean "choice"\?\)\n$/],
  [["--suite", "history", "--scenario", "locker-jaa"], /there is no "locker-jaa" \(did you mean "locker-ja"\?\)/],
])("lab run %j is refused in one line, before anything is sent", async (options, line) => {
  const { code, out, err } = await lab("run", ...at, ...options);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(line);
});

it("lab scenarios list names the suites of conversations with their arms", async () => {
  const { code, out } = await lab("scenarios", "list", "--json");
  expect(code).toBe(0);
  const { suites } = JSON.parse(out) as { suites: { id: string; arms: string[] }[] };
  expect(suites.find(({ id }) => id === "history")?.arms).toContain("malformed-call");
});
