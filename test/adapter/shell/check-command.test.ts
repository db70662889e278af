import { describe, expect, it } from "vitest";
import { allowedCommands } from "../../../src/adapter/shell/allowed-commands.ts";
import { checkCommand } from "../../../src/adapter/shell/check-command.ts";
import { commandRisks } from "../../../src/adapter/shell/command-risk.ts";
import { renderCommand } from "../../../src/adapter/shell/render-command.ts";
import { allowedExamples, namedRisks, redTeam } from "./red-team.ts";

const nowhere = { directory: null };
const rendered = (text: string, directory: string | null = null): string => {
  const check = checkCommand(text, { directory });
  return check.kind === "allowed" ? renderCommand(check.words) : "";
};

describe("the red team's commands", () => {
  for (const [attempt, commands] of Object.entries(redTeam))
    it.each(commands.map((command) => [command]))(`refuses ${attempt}: %j`, (command) => {
      expect(rendered(command)).toBe("");
    });

  it("are many", () => {
    expect(Object.values(redTeam).flat().length).toBeGreaterThan(400);
  });

  it.each(["/", "/srv/www", "/home/u/.ssh", "/dev", "/proc/self", "/home/u/project"])(
    "are refused below %s as well",
    (directory) => {
      const letThrough = Object.values(redTeam)
        .flat()
        .filter((command) => rendered(command, directory) !== "");
      expect(letThrough).toEqual([]);
    },
  );
});

describe("allowed commands", () => {
  it.each(allowedExamples)("%j is called as %j", (text, expected) => {
    expect(rendered(text)).toBe(expected);
  });

  it("rg runs without its configuration file and without names that hold credentials", () => {
    const text = rendered("rg -n 'a|b' src");
    expect(text).toMatch(/^rg --no-config --iglob '!\{[^}]*id_rsa\*[^}]*\}' -n 'a\|b' src$/);
  });

  it.each(allowedCommands.map((command) => [command.name, command] as const))(
    "each option of %s stands once",
    (_, command) => {
      const names = command.options.flatMap((option) => option.names);
      expect(new Set(names).size).toBe(names.length);
    },
  );

  it("takes the working directory into account where it is known", () => {
    expect(rendered("cat config", "/home/u/.ssh")).toBe("");
    expect(rendered("cat shadow", "/etc")).toBe("");
    expect(rendered("cat sda", "/dev")).toBe("");
    expect(rendered("rg x /home/u/project/src", "/home/u/project")).not.toBe("");
    expect(rendered("rg x /home/u/projects", "/home/u/project")).toBe("");
    expect(rendered("rg x /home/u/project/../other", "/home/u/project")).toBe("");
    expect(rendered("ls -a /home/u/project", "/home/u/project")).toBe("ls -a /home/u/project");
  });
});

describe("the reason of a refusal", () => {
  it.each(namedRisks)("%j is refused for %s", (text, risk) => {
    expect(checkCommand(text, nowhere)).toMatchObject({ kind: "refused", risk });
  });

  it("has a sentence in both languages for every risk", () => {
    for (const words of Object.values(commandRisks)) {
      expect(words.english).toMatch(/^[A-Z].*\.$/);
      expect(words.japanese).toMatch(/。$/);
    }
  });
});
