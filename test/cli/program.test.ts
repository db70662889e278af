import { describe, expect, it } from "vitest";
import { type Command, command } from "../../src/cli/commands/command.ts";
import { commands as realCommands } from "../../src/cli/commands/index.ts";
import { UserError } from "../../src/cli/errors.ts";
import { program } from "../../src/cli/program.ts";
import type { World } from "../../src/cli/world.ts";
import { fakeWorld } from "./fake-world.ts";

const text = (word: string) => ({ en: word, ja: `${word}(日本語)` });
const options = {
  model: { kind: "list", group: "target", describe: text("Models") },
  trials: { kind: "number", whole: true, min: 1, max: 10, group: "plan", describe: text("Repetitions"), fallback: "5" },
  temperature: { kind: "number", whole: false, min: 0, max: 2, group: "request", describe: text("Temperature") },
  shape: { kind: "choice", choices: ["small", "agent", "both"], group: "plan", describe: text("Shape") },
  format: { kind: "choices", choices: ["html", "csv"], group: "output", describe: text("Formats") },
  out: { kind: "text", group: "output", describe: text("Folder") },
  quiet: { kind: "flag", group: "output", describe: text("Quiet") },
} as const;

function commandsThat(work: (values: unknown, positionals: unknown) => Promise<number>): readonly Command[] {
  return [
    command({
      name: "measure",
      describe: text("Measure it"),
      options,
      load: async () => async (values, _world, positionals) => work(values, positionals),
    }),
    command({
      name: "show",
      describe: text("Show it"),
      positionals: [{ name: "run", describe: text("A run") }],
      options: { quiet: options.quiet },
      load: async () => async (values, _world, positionals) => work(values, positionals),
    }),
  ];
}

async function lab(
  argv: readonly string[],
  work: (values: unknown, positionals: unknown) => Promise<number> = async () => 0,
  world: Partial<World> = {},
) {
  const calls: { values: unknown; positionals: unknown }[] = [];
  const fake = fakeWorld({ argv, ...world });
  const code = await program(
    commandsThat(async (values, positionals) => {
      calls.push({ values, positionals });
      return work(values, positionals);
    }),
    fake,
  );
  return { code, calls, out: fake.out(), err: fake.err() };
}

describe("reading the command line", () => {
  it("hands typed values to the command that was named", async () => {
    const { code, calls, err } = await lab([
      "measure",
      "--model",
      "a",
      "b",
      "--trials=3",
      "--temperature",
      "0.25",
      "--shape",
      "both",
      "--format",
      "csv,html",
      "--model",
      "org/c:7b",
      "--quiet",
    ]);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(calls).toEqual([
      {
        values: {
          model: ["a", "b", "org/c:7b"],
          trials: 3,
          temperature: 0.25,
          shape: "both",
          format: ["csv", "html"],
          out: undefined,
          quiet: true,
        },
        positionals: {},
      },
    ]);
  });

  it("leaves what was not given undefined, so that lab.yaml can say it", async () => {
    const { calls } = await lab(["measure"]);
    expect(calls[0]?.values).toEqual({
      model: [],
      trials: undefined,
      temperature: undefined,
      shape: undefined,
      format: [],
      out: undefined,
      quiet: false,
    });
  });

  it("keeps a number-like name as the text it is", async () => {
    const { calls } = await lab(["show", "0012"]);
    expect(calls[0]?.positionals).toEqual({ run: "0012" });
  });

  it("ends with the code of the command", async () => {
    expect((await lab(["measure"], async () => 3)).code).toBe(3);
  });
});

describe("misuse is one line and exit 2", () => {
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      "an unknown command near a real one",
      ["measrue"],
      /^lab: there is no command "measrue" \(did you mean "measure"\?\)\n$/,
    ],
    [
      "an unknown command near none",
      ["xyzzy-plugh"],
      /^lab: there is no command "xyzzy-plugh" \(known: measure, show\)\n$/,
    ],
    [
      "an unknown flag",
      ["measure", "--trails", "3"],
      /^lab: lab measure has no option --trails \(did you mean --trials\?\)\n$/,
    ],
    ["an unknown flag with a value", ["measure", "--shap=both"], /has no option --shap \(did you mean --shape\?\)\n$/],
    ["a flag of another command", ["show", "latest", "--trials", "3"], /^lab: lab show has no option --trials/],
    ["a short flag", ["measure", "-m", "x"], /^lab: lab measure has no option -m/],
    ["a negated flag", ["measure", "--no-quiet"], /has no option --no-quiet \(did you mean --quiet\?\)\n$/],
    [
      "an unknown flag near none",
      ["measure", "--xyzzy-plugh"],
      /has no option --xyzzy-plugh; lab measure --help lists them\n$/,
    ],
    ["a flag before the command", ["--quiet", "measure"], /^lab: the command comes first, before --quiet/],
    [
      "a number that is none",
      ["measure", "--trials", "many"],
      /^lab: --trials wants a whole number from 1 to 10, not "many"\n$/,
    ],
    ["a number out of range", ["measure", "--trials", "0"], /from 1 to 10, not "0"\n$/],
    ["a fraction where a whole number belongs", ["measure", "--trials", "2.5"], /whole number from 1 to 10, not "2.5"/],
    ["hexadecimal", ["measure", "--trials", "0x3"], /not "0x3"/],
    [
      "a value not in the list",
      ["measure", "--shape", "smal"],
      /^lab: --shape: there is no "smal" \(did you mean "small"\?\)\n$/,
    ],
    [
      "one wrong value of several",
      ["measure", "--format", "csv,htm"],
      /^lab: --format: there is no "htm" \(did you mean "html"\?\)\n$/,
    ],
    [
      "a single option given twice",
      ["measure", "--trials", "1", "--trials", "2"],
      /^lab: --trials is given more than once/,
    ],
    [
      "an option without its value",
      ["measure", "--trials"],
      /^lab: Not enough arguments following: trials; lab measure --help says more\n$/,
    ],
    ["an empty value", ["measure", "--out="], /^lab: --out is given without a value\n$/],
    [
      "a missing positional",
      ["show"],
      /^lab: Not enough non-option arguments: got 0, need at least 1; lab show --help says more\n$/,
    ],
    ["a word too many", ["show", "latest", "extra"], /^lab: Unknown argument: extra; lab show --help says more\n$/],
  ];
  it.each(cases)("%s", async (_name, argv, line) => {
    const { code, calls, out, err } = await lab(argv);
    expect(err).toMatch(line);
    expect(err.split("\n")).toHaveLength(2);
    expect(out).toBe("");
    expect(code).toBe(2);
    expect(calls).toEqual([]);
  });
});

describe("what commands throw", () => {
  it("says a user's error and each further problem on a line of its own", async () => {
    const { code, err } = await lab(["measure"], async () => {
      throw new UserError("a.yaml:1: first", { problems: ["a.yaml:2: second"] });
    });
    expect(err).toBe("lab: a.yaml:1: first\nlab: a.yaml:2: second\n");
    expect(code).toBe(2);
  });

  it("ends with 3 where requests had been sent", async () => {
    const { code } = await lab(["measure"], async () => {
      throw new UserError("the server is gone", { exitCode: 3 });
    });
    expect(code).toBe(3);
  });

  it("calls anything else an internal error: one line, exit 70", async () => {
    const { code, err } = await lab(["measure"], async () => {
      throw new Error("two\nlines");
    });
    expect(err).toBe("lab: internal error: two lines (LAB_DEBUG=1 shows where; please report it)\n");
    expect(code).toBe(70);
  });

  it("shows the stack with LAB_DEBUG=1", async () => {
    const { err } = await lab(
      ["measure"],
      async () => {
        throw new Error("broken");
      },
      { env: { LAB_DEBUG: "1" } },
    );
    expect(err).toContain("program.test.ts");
  });
});

describe("help and version", () => {
  it("lists every command, and runs none", async () => {
    const { code, out, err, calls } = await lab(["--help"]);
    expect(out).toMatch(/lab measure +Measure it/);
    expect(out).toMatch(/lab show <run> +Show it/);
    expect({ code, err, calls }).toEqual({ code: 0, err: "", calls: [] });
  });

  it("shows a command's options under headings, with what holds when they are not given", async () => {
    const { code, out, calls } = await lab(["measure", "--help"]);
    expect(out).toContain("What to ask:");
    expect(out).toMatch(/--trials +Repetitions .*\[default: 5\]/);
    expect(out).toMatch(/Shape \(small, agent, both\)/);
    expect({ code, calls }).toEqual({ code: 0, calls: [] });
  });

  it("takes `help` before a command for --help behind it", async () => {
    const { code, out } = await lab(["help", "measure"]);
    expect(code).toBe(0);
    expect(out).toBe((await lab(["measure", "--help"])).out);
    expect((await lab(["help"])).out).toBe((await lab(["--help"])).out);
  });

  it.each([
    ["--lang ja", ["measure", "--help", "--lang", "ja"], {}],
    ["a Japanese locale", ["measure", "--help"], { LANG: "ja_JP.UTF-8" }],
  ] as const)("speaks Japanese with %s", async (_name, argv, env) => {
    const japanese = [
      command({
        name: "measure",
        describe: text("Measure it"),
        options: {
          ...options,
          lang: { kind: "choice", choices: ["en", "ja"], group: "output", describe: text("Language") },
        },
        load: async () => async () => 0,
      }),
    ];
    const fake = fakeWorld({ argv, env });
    expect(await program(japanese, fake)).toBe(0);
    expect(fake.out()).toContain("Repetitions(日本語)");
    expect(fake.out()).toContain("測定内容:");
  });

  it("takes a bare `lab` for misuse and shows the help on standard error", async () => {
    const { code, out, err } = await lab([]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("lab measure");
  });

  it("answers --version with the version alone", async () => {
    expect(await lab(["--version"])).toMatchObject({ code: 0, out: "9.8.7\n", err: "" });
  });
});

describe.each(realCommands.map((entry) => [entry.name, entry] as const))("the command %s", (name, entry) => {
  it.each(["en", "ja"] as const)("describes itself and each of its options in %s", async (language) => {
    const fake = fakeWorld({ argv: [name, "--help"], env: { LANG: language === "ja" ? "ja_JP.UTF-8" : "C" } });
    expect(await program(realCommands, fake)).toBe(0);
    for (const option of Object.keys(entry.options)) expect(fake.out()).toContain(`--${option} `);
    for (const { describe: words } of [entry, ...Object.values(entry.options)]) {
      expect(words[language]).not.toBe("");
      expect(/[ぁ-んァ-ヶ一-龠]/.test(words[language])).toBe(language === "ja");
    }
  });
});
