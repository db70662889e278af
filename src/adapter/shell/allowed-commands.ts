import { listed } from "./listed.ts";

/**
 * The commands that may be called without asking the model, as data. What is not written here is refused: another command, another
 * option, another spelling of an option. To widen the list, add an option together with the reason why it can neither run a
 * program, write, follow links out of the tree, show hidden files, nor wait for input.
 */

/** What may stand as the value of an option. */
export type OptionValue =
  | { readonly kind: "pattern"; readonly pattern: RegExp }
  /** A whole number from 0 to `most`. */
  | { readonly kind: "count"; readonly most: number }
  /** Only attached to the option (`-I`, `-Iseconds`, `--color=never`), or left out. */
  | { readonly kind: "attached"; readonly pattern: RegExp };

export interface AllowedOption {
  /** All spellings, with their dashes. */
  readonly names: readonly string[];
  /** Absent: takes no value. */
  readonly value?: OptionValue;
  /** What the command must be restricted to when this option is given. */
  readonly restricts?: "inside";
}

/** What the words that are not options may be. */
export type AllowedOperands =
  | { readonly kind: "none" }
  | { readonly kind: "date_format" }
  /** Files or folders. `log`: reading a whole log is refused. `inside`: only in the working directory. */
  | {
      readonly kind: "paths";
      readonly least: number;
      readonly wholeLogs: "refused" | "allowed";
      readonly inside: boolean;
    }
  /** A search pattern, unless one of `patternOptions` makes it superfluous, then paths in the working directory. */
  | { readonly kind: "search"; readonly patternOptions: readonly string[] }
  | { readonly kind: "journal_fields" }
  | { readonly kind: "units"; readonly subcommands: readonly string[] };

export interface AllowedCommand {
  readonly name: string;
  readonly options: readonly AllowedOption[];
  /** `head -20`: a count as an option of its own, up to this. */
  readonly bareCount?: number;
  readonly operands: AllowedOperands;
  /** Put behind the name of the command, whatever the user wrote. */
  readonly added: readonly string[];
}

const words = /^[^\n]{1,200}$/u;
const none: readonly string[] = [];
const flags = (...names: readonly (readonly string[])[]): readonly AllowedOption[] =>
  names.map((all) => ({ names: all }));

const colour: AllowedOption = { names: ["--color"], value: { kind: "attached", pattern: /^(?:never|auto|always)$/ } };
/** Of a file that is read by lines. A log's tail is bounded by it as well. */
const lineCount: OptionValue = { kind: "count", most: 1000 };
const journalLines: OptionValue = { kind: "count", most: 500 };
const outputMode: OptionValue = {
  kind: "pattern",
  pattern:
    /^(?:short(?:-(?:full|iso|iso-precise|precise|monotonic|unix|delta))?|cat|json(?:-pretty)?|with-unit|verbose)$/,
};
const unitName = /^[A-Za-z0-9@:_.*?-]{1,200}$/;

/**
 * Names that hold credentials, kept out of a search through the tree; only sure ones, because what a search leaves out silently
 * misleads. Folders with hidden names are not entered at all. No group within a group: older versions refuse that.
 */
const searchExclusions = listed(`
    *.pem, *.key, *.p8, *.p12, *.pfx, *.ppk, *.jks, *.keystore, *.keytab, *.kdb, *.kdbx, *.gpg, *.ovpn, *.env,
    *.env.*, id_rsa*, id_dsa*, id_ecdsa*, id_ed25519*, secrets.*, credentials, credentials.*, passwords.*,
    htpasswd, kubeconfig, *.kubeconfig, *.tfstate, *.tfvars, shadow, gshadow, *_history, logins.json, key4.db,
    auth.json, wp-config.php, rclone.conf
  `);

export const allowedCommands: readonly AllowedCommand[] = [
  {
    name: "pwd",
    options: flags(["-L", "--logical"], ["-P", "--physical"]),
    operands: { kind: "none" },
    added: none,
  },
  {
    // Without -s, -f and -r; an operand that is no format would set the clock.
    name: "date",
    options: [
      ...flags(["-u", "--utc", "--universal"], ["-R", "--rfc-email"]),
      { names: ["-d", "--date"], value: { kind: "pattern", pattern: /^[\p{L}\p{N} :+,./@-]{1,60}$/u } },
      { names: ["-I", "--iso-8601"], value: { kind: "attached", pattern: /^(?:date|hours|minutes|seconds|ns)$/ } },
    ],
    operands: { kind: "date_format" },
    added: none,
  },
  {
    name: "cat",
    options: flags(
      ["-n", "--number"],
      ["-b", "--number-nonblank"],
      ["-s", "--squeeze-blank"],
      ["-A", "--show-all"],
      ["-E", "--show-ends"],
      ["-T", "--show-tabs"],
      ["-v", "--show-nonprinting"],
      ["-e"],
      ["-t"],
      ["-u"],
    ),
    operands: { kind: "paths", least: 1, wholeLogs: "refused", inside: false },
    added: none,
  },
  {
    name: "head",
    options: [
      { names: ["-n", "--lines"], value: lineCount },
      { names: ["-c", "--bytes"], value: { kind: "count", most: 100_000 } },
      ...flags(["-q", "--quiet", "--silent"], ["-v", "--verbose"]),
    ],
    bareCount: 1000,
    operands: { kind: "paths", least: 1, wholeLogs: "allowed", inside: false },
    added: none,
  },
  {
    // Without -f, -F, --follow, --retry and --pid, which wait, and without -n +N, which has no end.
    name: "tail",
    options: [
      { names: ["-n", "--lines"], value: lineCount },
      { names: ["-c", "--bytes"], value: { kind: "count", most: 100_000 } },
      ...flags(["-q", "--quiet", "--silent"], ["-v", "--verbose"]),
    ],
    bareCount: 1000,
    operands: { kind: "paths", least: 1, wholeLogs: "allowed", inside: false },
    added: none,
  },
  {
    // Without --files0-from, which names further files.
    name: "wc",
    options: flags(
      ["-l", "--lines"],
      ["-w", "--words"],
      ["-c", "--bytes"],
      ["-m", "--chars"],
      ["-L", "--max-line-length"],
    ),
    operands: { kind: "paths", least: 1, wholeLogs: "allowed", inside: false },
    added: none,
  },
  {
    // Without -L, -H and --dereference…, which follow links.
    name: "ls",
    options: [
      ...flags(
        ["-l"],
        ["-1"],
        ["-h", "--human-readable"],
        ["-t"],
        ["-r", "--reverse"],
        ["-S"],
        ["-d", "--directory"],
        ["-F"],
        ["-p"],
        ["-i", "--inode"],
        ["-s", "--size"],
        ["-n", "--numeric-uid-gid"],
        ["-g"],
        ["-o"],
        ["-G", "--no-group"],
        ["-X"],
        ["-v"],
        ["-c"],
        ["-u"],
        ["-x"],
        ["-C"],
        ["-m"],
        ["--si"],
        ["--full-time"],
        ["--group-directories-first"],
      ),
      { names: ["-a", "--all"], restricts: "inside" },
      { names: ["-A", "--almost-all"], restricts: "inside" },
      { names: ["-R", "--recursive"], restricts: "inside" },
      colour,
      { names: ["--sort"], value: { kind: "attached", pattern: /^(?:none|size|time|version|extension)$/ } },
      { names: ["--time-style"], value: { kind: "attached", pattern: /^(?:full-iso|long-iso|iso|locale)$/ } },
    ],
    operands: { kind: "paths", least: 0, wholeLogs: "allowed", inside: false },
    added: none,
  },
  {
    // Without --hidden, --no-ignore…, -u, -L, --pre, -z and --hostname-bin (these three run programs), -f, --ignore-file and
    // positive globs (one that matches a hidden or ignored file brings it in). Its configuration file could add any of them.
    name: "rg",
    options: [
      ...flags(
        ["-i", "--ignore-case"],
        ["-S", "--smart-case"],
        ["-s", "--case-sensitive"],
        ["-n", "--line-number"],
        ["-N", "--no-line-number"],
        ["-l", "--files-with-matches"],
        ["--files-without-match"],
        ["-c", "--count"],
        ["--count-matches"],
        ["-w", "--word-regexp"],
        ["-x", "--line-regexp"],
        ["-F", "--fixed-strings"],
        ["-v", "--invert-match"],
        ["-o", "--only-matching"],
        ["-H", "--with-filename"],
        ["-I", "--no-filename"],
        ["--heading"],
        ["--no-heading"],
        ["--column"],
        ["-b", "--byte-offset"],
        ["-U", "--multiline"],
        ["--trim"],
        ["--stats"],
        ["--json"],
        ["--vimgrep"],
        ["-p", "--pretty"],
        ["-q", "--quiet"],
        ["--files"],
      ),
      { names: ["-e", "--regexp"], value: { kind: "pattern", pattern: words } },
      { names: ["-A", "--after-context"], value: { kind: "count", most: 100 } },
      { names: ["-B", "--before-context"], value: { kind: "count", most: 100 } },
      { names: ["-C", "--context"], value: { kind: "count", most: 100 } },
      { names: ["-m", "--max-count"], value: { kind: "count", most: 10_000 } },
      { names: ["-d", "--max-depth"], value: { kind: "count", most: 100 } },
      { names: ["-M", "--max-columns"], value: { kind: "count", most: 10_000 } },
      { names: ["-t", "--type"], value: { kind: "pattern", pattern: /^[a-z0-9+#-]{1,20}$/ } },
      { names: ["-T", "--type-not"], value: { kind: "pattern", pattern: /^[a-z0-9+#-]{1,20}$/ } },
      { names: ["-g", "--glob"], value: { kind: "pattern", pattern: /^![\w*./-]{1,100}$/ } },
      { names: ["--sort"], value: { kind: "pattern", pattern: /^(?:none|path|modified|accessed|created)$/ } },
      { names: ["--color"], value: { kind: "pattern", pattern: /^(?:never|auto|always|ansi)$/ } },
    ],
    operands: { kind: "search", patternOptions: ["-e", "--regexp", "--files"] },
    added: ["--no-config", "--iglob", `!{${searchExclusions.join(",")}}`],
  },
  {
    // Without -f, the vacuum, rotate and key commands, --cursor-file (writes), and every choice of another journal's place.
    name: "journalctl",
    options: [
      { names: ["-n", "--lines"], value: journalLines },
      { names: ["-u", "--unit", "--user-unit"], value: { kind: "pattern", pattern: unitName } },
      { names: ["-t", "--identifier"], value: { kind: "pattern", pattern: /^[A-Za-z0-9_.@-]{1,100}$/ } },
      {
        names: ["-p", "--priority"],
        value: {
          kind: "pattern",
          pattern:
            /^(?:[0-7]|emerg|alert|crit|err|warning|notice|info|debug)(?:\.\.(?:[0-7]|emerg|alert|crit|err|warning|notice|info|debug))?$/,
        },
      },
      { names: ["-g", "--grep"], value: { kind: "pattern", pattern: words } },
      { names: ["--case-sensitive"], value: { kind: "attached", pattern: /^(?:yes|no|true|false)$/ } },
      { names: ["-S", "--since"], value: { kind: "pattern", pattern: /^[A-Za-z0-9 :+.-]{1,60}$/ } },
      { names: ["-U", "--until"], value: { kind: "pattern", pattern: /^[A-Za-z0-9 :+.-]{1,60}$/ } },
      { names: ["-o", "--output"], value: outputMode },
      { names: ["-b", "--boot"], value: { kind: "attached", pattern: /^-?\d{1,3}$/ } },
      ...flags(
        ["-k", "--dmesg"],
        ["-r", "--reverse"],
        ["-q", "--quiet"],
        ["-x", "--catalog"],
        ["--utc"],
        ["--no-hostname"],
        ["--user"],
        ["--system"],
        ["--no-pager"],
      ),
    ],
    operands: { kind: "journal_fields" },
    added: ["--no-pager"],
  },
  {
    // Without -H, -M, --root and --image (another machine or tree).
    name: "systemctl",
    options: [
      ...flags(
        ["-a", "--all"],
        ["-l", "--full"],
        ["-q", "--quiet"],
        ["--failed"],
        ["--value"],
        ["--plain"],
        ["--no-legend"],
        ["--user"],
        ["--system"],
        ["--no-pager"],
      ),
      { names: ["-n", "--lines"], value: journalLines },
      { names: ["-o", "--output"], value: outputMode },
      { names: ["-t", "--type"], value: { kind: "pattern", pattern: /^[a-z,]{1,80}$/ } },
      { names: ["--state"], value: { kind: "pattern", pattern: /^[a-z,-]{1,80}$/ } },
      // The environment of a service is where its passwords are.
      { names: ["-p", "--property", "-P"], value: { kind: "pattern", pattern: /^(?!.*environ)[A-Za-z,]{1,200}$/i } },
    ],
    operands: {
      kind: "units",
      subcommands: ["status", "is-active", "is-enabled", "is-failed", "show", "list-units", "list-unit-files", "cat"],
    },
    added: ["--no-pager"],
  },
];
