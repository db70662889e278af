import { allowedCommands } from "../../../src/adapter/shell/allowed-commands.ts";
import { allowedExamples, redTeam } from "./red-team.ts";

/** A random source that gives the same row for the same seed; in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const operands = [
  "src",
  "README.md",
  "a b",
  "it's",
  "x.log",
  "../up",
  "~",
  "~/notes",
  "/etc/hostname",
  "-",
  "--",
  "src/../lib",
  "日本語",
  'a"b',
  "a$b",
  "a`b",
  "a;b",
  "a|b",
  "a&b",
  "a>b",
  "a*b",
  "a?b",
  "[x]",
  "{a,b}",
  "a#b",
  "!x",
  "a\\b",
  "",
  " ",
  "a=b",
  "=ls",
  "%1",
  "^x",
  "a\nb",
  "a\tb",
  "~x",
  "nginx",
  "+%F",
  "+%s %N",
  "TODO",
  "foo|bar",
  "(x)",
  "a~b",
  "@",
  ":",
  "n'x\"y",
  ".github",
  "500",
  "+5",
  "\u00e9",
];
const fragments = [
  ";",
  "&",
  "&&",
  "||",
  "|",
  ">",
  "<",
  ">>",
  "<<",
  "<<<",
  "2>&1",
  "$(touch x)",
  "`touch x`",
  "$HOME",
  "${IFS}",
  "$'\\n'",
  '$"x"',
  "*",
  "?",
  "[a]",
  "{a,b}",
  "~",
  "~root",
  "\\",
  "\n",
  "\t",
  "\r",
  "'",
  '"',
  "#",
  " #",
  "!",
  "=",
  "()",
  "(",
  ")",
  "{",
  "}",
  "%",
  "^",
  "-",
  "--",
  "\u00a0",
  "\u200b",
  "\u3000",
  "\u2028",
  "\u2013",
  "\u201c",
  "\0".replace("\0", "\u0001"),
  " ",
  "  ",
  "..",
  "/",
  "\u00e9",
  "\u{1f600}",
  "; rm x",
  "&& touch x",
  "| sh",
  "> x",
  "& touch x",
  "\ntouch x",
  "$((1))",
  "<(ls)",
  ">(ls)",
  "a=1 ",
  "time ",
  "! ",
  "exec ",
  "command ",
  "\\\n",
];
const seeds = [
  ...Array.from({ length: 8 }, () => allowedExamples.map(([text]) => text)).flat(),
  ...Object.values(redTeam).flat(),
].filter((text) => text.length < 200);

/** Makes one command: an allowed or forbidden one, or one put together from its list, with up to four mutations. */
export function generateCommand(random: () => number): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const assembled = (): string => {
    const command = pick(allowedCommands);
    const words = [command.name];
    if (command.operands.kind === "units") words.push(pick(command.operands.subcommands));
    const count = Math.floor(random() * 5);
    for (let index = 0; index < count; index++) {
      if (random() < 0.45) {
        const option = pick(command.options);
        const name = pick(option.names);
        const value = pick([
          "5",
          "10",
          "err",
          "yes",
          "nginx",
          "now",
          "1 hour ago",
          "iso",
          "!*.md",
          "ts",
          pick(operands),
        ]);
        if (option.value === undefined) words.push(name);
        else if (random() < 0.5) words.push(name, quoted(value, random));
        else words.push(name.startsWith("--") ? `${name}=${quoted(value, random)}` : `${name}${quoted(value, random)}`);
      } else words.push(quoted(pick(operands), random));
    }
    if (command.operands.kind === "journal_fields" && random() < 0.7) words.push("-n", "20");
    return words.join(" ");
  };
  let text = random() < 0.45 ? assembled() : pick(seeds);
  const mutations = random() < 0.35 ? 0 : 1 + Math.floor(random() * 3);
  for (let index = 0; index < mutations; index++) text = mutate(text, random, pick);
  return text;
}

/** Writes a word in one of the ways people quote; not always correctly. */
function quoted(word: string, random: () => number): string {
  const way = random();
  if (way < 0.35) return word;
  if (way < 0.65) return `'${word}'`;
  if (way < 0.9) return `"${word}"`;
  return word.replaceAll(/[^\w./-]/g, "\\$&");
}

function mutate(text: string, random: () => number, pick: <T>(items: readonly T[]) => T): string {
  const at = Math.floor(random() * (text.length + 1));
  const kind = random();
  if (kind < 0.4) return `${text.slice(0, at)}${pick(fragments)}${text.slice(at)}`;
  if (kind < 0.5) return `${text.slice(0, at)}${text.slice(at + 1)}`;
  if (kind < 0.65) return `${text}${pick(["", " "])}${pick(fragments)}`;
  if (kind < 0.75) return `${text} ${quoted(pick(operands), random)}`;
  if (kind < 0.82) return `${text.slice(0, at)}${quoted(text.slice(at, at + 3), random)}${text.slice(at + 3)}`;
  if (kind < 0.9)
    return text
      .split(" ")
      .sort(() => random() - 0.5)
      .join(" ");
  if (kind < 0.95) return `${pick(fragments)}${text}`;
  return `${text}${pick(["; ", " && ", " | ", " "])}${pick(seeds)}`;
}
