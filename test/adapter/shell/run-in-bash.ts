import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What one command did in bash: each program that was started with its arguments, and whether anything was left behind. */
export interface ShellEffect {
  readonly started: readonly (readonly string[])[];
  /** Simple commands that bash itself carried out, builtins included. */
  readonly commands: number;
  readonly files: readonly string[];
  readonly errors: string;
}

export const stubHome = "/home/stub";

// One shell for all commands, each in a subshell of its own: starting a shell for each would take most of the time. The names come
// from a list separated by NUL. `pwd` is a builtin and is switched off, so that it is started like all others.
const driver = `
set -u
shopt -s nullglob dotglob
enable -n pwd
command_not_found_handle() { printf 'N%s\\0' "$*" >> "$LAB_LOG"; }
while IFS= read -r -d '' LAB_COMMAND; do
  ( set -T; LAB_N=0; trap 'LAB_N=$((LAB_N+1))' DEBUG; eval "$LAB_COMMAND"; trap - DEBUG; printf 'C%s\\0' "$((LAB_N-2))" >> "$LAB_LOG" ) 2>> "$LAB_ERRORS" < /dev/null > /dev/null
  files=(*)
  printf 'F%s\\0' "\${files[@]}" >> "$LAB_LOG"
  [ "\${#files[@]}" -eq 0 ] || /bin/rm -rf -- "\${files[@]}"
  errors=$(< "$LAB_ERRORS")
  printf 'R%s\\0' "$errors" >> "$LAB_LOG"
  : > "$LAB_ERRORS"
  printf 'E\\0' >> "$LAB_LOG"
done < "$LAB_COMMANDS"
`;
const stub = `#!/bin/sh
{ printf 'S\\0'; printf 'A%s\\0' "\${0##*/}" "$@"; } >> "$LAB_LOG"
`;

/** Runs commands in a real bash whose PATH holds nothing but stubs of these names, in an empty folder. */
export function runInBash(commands: readonly string[], stubs: readonly string[]): readonly ShellEffect[] {
  const root = mkdtempSync(join(tmpdir(), "harness-lab-shell-"));
  try {
    const bin = join(root, "bin");
    const empty = join(root, "empty");
    mkdirSync(bin);
    mkdirSync(empty);
    for (const name of stubs) {
      writeFileSync(join(bin, name), stub);
      chmodSync(join(bin, name), 0o755);
    }
    const log = join(root, "log");
    writeFileSync(log, "");
    writeFileSync(join(root, "errors"), "");
    writeFileSync(join(root, "commands"), commands.map((command) => `${command}\0`).join(""));
    const run = spawnSync("/bin/bash", ["--noprofile", "--norc", "-c", driver], {
      cwd: empty,
      env: {
        PATH: bin,
        HOME: stubHome,
        LAB_LOG: log,
        LAB_ERRORS: join(root, "errors"),
        LAB_COMMANDS: join(root, "commands"),
        LC_ALL: "C.UTF-8",
      },
      encoding: "utf8",
    });
    if (run.status !== 0) throw new Error(`bash ended with ${run.status}: ${run.stderr.slice(0, 500)}`);
    const effects = readLog(readFileSync(log, "utf8"));
    if (effects.length !== commands.length) throw new Error(`${commands.length} commands, ${effects.length} effects`);
    return effects;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function readLog(log: string): readonly ShellEffect[] {
  const effects: ShellEffect[] = [];
  let started: string[][] = [];
  let files: string[] = [];
  let counted = -1;
  let errors = "";
  for (const record of log.split("\0").slice(0, -1)) {
    const value = record.slice(1);
    switch (record[0]) {
      case "S":
        started.push([]);
        break;
      case "A":
        started.at(-1)?.push(value);
        break;
      case "N":
        started.push(["(not found)", value]);
        break;
      case "C":
        counted = Number(value);
        break;
      case "F":
        if (value !== "") files.push(value);
        break;
      case "R":
        errors = value;
        break;
      default:
        effects.push({ started, commands: counted, files, errors });
        started = [];
        files = [];
        counted = -1;
        errors = "";
    }
  }
  return effects;
}
