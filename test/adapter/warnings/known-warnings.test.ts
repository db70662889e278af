import { describe, expect, it } from "vitest";
import { knownWarnings, setWarningsApart } from "../../../src/adapter/warnings/known-warnings.ts";

describe("known harmless warnings", () => {
  it.each([
    ["setlocale", "/bin/bash: warning: setlocale: LC_ALL: cannot change locale (xx_YY.UTF-8)"],
    ["setlocale", "bash: warning: setlocale: LC_ALL: cannot change locale (ja_JP.UTF-8): No such file or directory"],
    ["setlocale", "sh: warning: setlocale: LC_CTYPE: cannot change locale (UTF-8)"],
    ["terminal-process-group", "bash: cannot set terminal process group (-1): Inappropriate ioctl for device"],
    ["no-job-control", "bash: no job control in this shell"],
    ["not-a-tty", "stdin: is not a tty"],
    ["not-a-tty", "mesg: ttyname failed: Inappropriate ioctl for device"],
    ["no-term", "tput: No value for $TERM and no -T specified"],
    ["man-locale", "man: can't set the locale; make sure $LC_* and $LANG are correct"],
    ["locale-default", "locale: Cannot set LC_ALL to default locale: No such file or directory"],
  ])("%s is set apart: %j", (name, line) => {
    expect(setWarningsApart(`${line}\n/workspace\n`)).toEqual({
      output: "/workspace\n",
      apart: [{ name, text: line }],
    });
    expect(setWarningsApart(line)).toEqual({ output: "", apart: [{ name, text: line }] });
  });

  it("takes perl's whole block", () => {
    const block = [
      "perl: warning: Setting locale failed.",
      "perl: warning: Please check that your locale settings:",
      "\tLANGUAGE = (unset),",
      '\tLC_ALL = "ja_JP.UTF-8",',
      '\tLANG = "en_US.UTF-8"',
      "    are supported and installed on your system.",
      'perl: warning: Falling back to the standard locale ("C").',
    ].join("\n");
    expect(setWarningsApart(`${block}\nv5.36\n`)).toMatchObject({ output: "v5.36\n", apart: { length: 7 } });
  });

  it.each([
    "warning: setlocale: something else",
    "/bin/bash: warning: setlocale: LC_ALL: cannot change locale (xx) and then some",
    "/bin/bash: warning: here-document at line 1 delimited by end-of-file",
    "bash: no such file or directory",
    "cat: x: Permission denied",
    "warning: LF will be replaced by CRLF",
    "npm warn config production Use `--omit=dev` instead.",
    "Warning: Permanently added 'h' (ED25519) to the list of known hosts.",
    "ls: cannot access 'x': No such file or directory",
    "LC_ALL = x",
    "perl: warning: something new",
    "警告: ロケールを設定できません",
  ])("leaves an unknown one alone: %j", (line) => {
    expect(setWarningsApart(`${line}\nx\n`)).toEqual({ output: `${line}\nx\n`, apart: [] });
  });

  it("leaves the same words alone further down: there the command printed them", () => {
    const log = "Jan 1 start\n/bin/bash: warning: setlocale: LC_ALL: cannot change locale (xx)\nend\n";
    expect(setWarningsApart(log)).toEqual({ output: log, apart: [] });
  });

  it("knows the cause of each", () => {
    for (const warning of knownWarnings) expect(warning.cause).toMatch(/^[A-Z].*\.$/);
  });
});
