/**
 * Warnings of a user's environment that are known to say nothing about the command: where they come from and why they are harmless.
 * A warning whose cause and effect nobody has looked into does not belong here.
 */
interface KnownWarning {
  readonly name: string;
  /** Fits one whole line. */
  readonly line: RegExp;
  readonly cause: string;
  /** Lines that belong to it when they follow at once. */
  readonly following?: RegExp;
}

export const knownWarnings: readonly KnownWarning[] = [
  {
    name: "setlocale",
    line: /^(?:-?(?:\/\S*\/)?(?:ba|z|da|k)?sh: )(?:line \d+: )?warning: setlocale: LC_[A-Z]+: cannot change locale \([\w.@ -]*\)(?:: No such file or directory)?$/,
    cause: "The locale named in the environment is not installed; the shell uses C instead.",
  },
  {
    name: "perl-locale",
    line: /^perl: warning: (?:Setting locale failed\.|Falling back to (?:the standard locale \("C"\)|a fallback locale \("[\w.-]+"\))\.)$/,
    following:
      /^(?:perl: warning: Please check that your locale settings:|\t?\s*(?:LANGUAGE|LC_[A-Z]+|LANG) = .*|\s*are supported and installed on your system\.|perl: warning: Falling back to .*)$/,
    cause: "The locale named in the environment is not installed; perl uses C instead.",
  },
  {
    name: "man-locale",
    line: /^(?:man|manpath): can't set the locale; make sure \$LC_\* and \$LANG are correct$/,
    cause: "The locale named in the environment is not installed.",
  },
  {
    name: "locale-default",
    line: /^locale: Cannot set LC_[A-Z]+ to default locale: No such file or directory$/,
    cause: "The locale named in the environment is not installed.",
  },
  {
    name: "terminal-process-group",
    line: /^(?:-?(?:\/\S*\/)?bash: )cannot set terminal process group \(-?\d+\): (?:Inappropriate ioctl for device|Not a tty)$/,
    cause: "An interactive shell was started without a terminal.",
  },
  {
    name: "no-job-control",
    line: /^(?:-?(?:\/\S*\/)?(?:ba)?sh: )no job control in this shell$/,
    cause: "An interactive shell was started without a terminal.",
  },
  {
    name: "not-a-tty",
    line: /^(?:stdin: is not a tty|stty: (?:'?standard input'?|stdin|-): (?:Inappropriate ioctl for device|Not a typewriter)|mesg: (?:ttyname failed|cannot open): (?:Inappropriate ioctl for device|Success|No such device or address)|mesg: ttyname failed: .{1,60})$/,
    cause: "A start-up file sets up a terminal that is not there.",
  },
  {
    name: "no-term",
    line: /^(?:tput: No value for \$TERM and no -T specified|TERM environment variable not set\.|tput: unknown terminal "[\w-]{0,40}")$/,
    cause: "A start-up file asks for the terminal's colours; there is no terminal.",
  },
];

export interface SetApart {
  readonly name: string;
  readonly text: string;
}

export interface WarningSplit {
  readonly output: string;
  /** What was taken out, in order. */
  readonly apart: readonly SetApart[];
}

/**
 * Takes known warnings off the head of an output. A shell writes them before the command starts, so only the first lines can be
 * warnings: the same words further down were printed by the command (a log that is being read) and stay.
 */
export function setWarningsApart(output: string): WarningSplit {
  const apart: SetApart[] = [];
  let rest = output;
  let following: RegExp | undefined;
  while (rest !== "") {
    const end = rest.indexOf("\n");
    const line = (end < 0 ? rest : rest.slice(0, end)).replace(/\r$/, "");
    if (line.length > 400) break;
    const known = knownWarnings.find((warning) => warning.line.test(line));
    if (known === undefined && following?.test(line) !== true) break;
    if (known !== undefined) following = known.following;
    apart.push({ name: known?.name ?? apart.at(-1)?.name ?? "", text: line });
    rest = end < 0 ? "" : rest.slice(end + 1);
  }
  return apart.length === 0 ? { output, apart } : { output: rest, apart };
}
