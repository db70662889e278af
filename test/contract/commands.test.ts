import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { displayLanguages } from "../../src/cli/messages.ts";
import type { OptionSpec } from "../../src/cli/options.ts";
import { program } from "../../src/cli/program.ts";
import { fakeWorld } from "../cli/fake-world.ts";

async function lab(...argv: readonly string[]) {
  const world = fakeWorld({ argv });
  const narrow = { ...world, stdout: { ...world.stdout, columns: 80 } };
  const code = await program(commands, narrow);
  return { code, out: world.out(), err: world.err() };
}

it("no two commands share a name", () => {
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
});

describe.each(displayLanguages)("help in %s", (lang) => {
  it("names every command, within 80 columns", async () => {
    const { code, out } = await lab("--help", "--lang", lang);
    expect(code).toBe(0);
    for (const { name } of commands) expect(out).toContain(`lab ${name}`);
    for (const line of out.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  });

  it.each(commands)("of $name says all its options, breaks no word and keeps within 80 columns", async (command) => {
    const { code, out, err } = await lab(command.name, "--help", "--lang", lang);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.replace(/\s/g, "")).toContain(command.describe[lang].replace(/\s/g, ""));
    for (const [name, { describe: text }] of Object.entries(command.options)) {
      expect(out).toContain(`--${name}`);
      expect(out.replace(/\s/g, "")).toContain(text[lang].replace(/\s/g, "").slice(0, 12));
      for (const word of text.en.split(/\s+/))
        if (lang === "en") expect(out.split(/[\s[(]+/)).toContain(word.replace(/^\(/, ""));
    }
    for (const line of out.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  });

  it.each(commands)("of $name gives defaults in words in this language", ({ options }) => {
    for (const { fallback } of Object.values<OptionSpec>(options)) {
      if (fallback === undefined) continue;
      // What is typed as it stands has no blank; a sentence is in two languages.
      if (typeof fallback === "string") expect(fallback).toMatch(/^\S+$/);
      else if (lang === "ja") expect(fallback.ja).toMatch(/[ぁ-んァ-ヶ一-龯]/);
    }
  });
});

describe.each(commands)("command $name", (command) => {
  const words = command.positionals.map(({ name }) => name);

  it("refuses an unknown option in one line, offers the nearest, and exits with 2", async () => {
    const [some = "help"] = Object.keys(command.options);
    const wrong = `${some.slice(0, -1)}x${some.slice(-1)}`;
    const { code, out, err } = await lab(command.name, ...words, `--${wrong}`);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(new RegExp(`^lab: lab ${command.name} has no option --${wrong} \\(did you mean --.+\\?\\)\n$`));
  });

  it("is offered where its name is misspelt", async () => {
    const { code, err } = await lab(`${command.name}x`);
    expect(code).toBe(2);
    expect(err).toBe(`lab: there is no command "${command.name}x" (did you mean "${command.name}"?)\n`);
  });

  it("wants a value for every option that is no switch", async () => {
    for (const [name, option] of Object.entries(command.options)) {
      if (option.kind === "flag") continue;
      const { code, err } = await lab(command.name, ...words, `--${name}`);
      expect(code).toBe(2);
      expect(err).toMatch(/^lab: .+\n$/);
    }
  });
});
