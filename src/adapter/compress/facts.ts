import { cutPieces } from "./pieces.ts";
import type { Segment } from "./segments.ts";

/** What must outlive compression word for word. */
export type FactKind =
  | "path"
  | "url"
  | "flag"
  | "service"
  | "command"
  | "required_argument"
  | "error_line"
  | "exit_code"
  | "negative_intent";

/**
 * A fact and where it stands. `key` names its content: facts of one key say the same. `once`: one place that says it is
 * enough; otherwise it belongs to its place, as an exit code belongs to its call.
 */
export interface Fact extends Segment {
  readonly kind: FactKind;
  readonly key: string;
  readonly once: boolean;
}

/** Whose words a text is; what counts as a fact depends on it. */
export type Speaker = "user" | "assistant" | "tool" | "instructions";

/** Longest line that is kept whole for one word in it; of a longer one, the surroundings of the word. */
const longestLine = 600;
const surroundings = 160;
const longestToken = 1024;

const betweenTokens = "\\s\"'`<>()[\\]{}|;,、。，；「」『』（）［］｛｝【】“”";
/** What every token holds that is a fact whoever writes it, see `tokenKind`: most words of a long output have none of it. */
const tellingLetters = `[/\\\\~]|\\.[A-Za-z]|--[A-Za-z]|(?<![^${betweenTokens}])-[A-Za-z]|(?:Make|Docker|Container|Gem|Rake|Proc|Vagrant|Jenkins)file|LICENSE|CODEOWNERS`;
const telling = new RegExp(tellingLetters, "g");
/** Of a user's own words, more kinds of tokens are facts: values and identifiers. */
const tellingOfUser = new RegExp(`${tellingLetters}|[=＝]|#\\d|-[0-9A-Fa-f]`, "g");
const tokenEnd = new RegExp(`[${betweenTokens}]`, "g");
const endsToken = new RegExp(`[${betweenTokens}]`);
const serviceName = /^[\w@.:\\-]+\.(?:service|socket|timer|target|mount|automount|path|slice|scope|device)$/;
const knownFile =
  /(?:^|[^\w.-])(?:Makefile|Dockerfile|Containerfile|Gemfile|Rakefile|Procfile|Vagrantfile|Jenkinsfile|LICENSE|CODEOWNERS)$/;
const fileName =
  /[\w\u0080-\uffff-]\.(?:[cm]?[jt]sx?|json[c5l]?|ya?ml|toml|ini|conf|cfg|cnf|env|lock|md|mdx|txt|log|csv|tsv|xml|html?|s?css|less|vue|svelte|py|pyi|ipynb|rb|rs|go|mod|sum|java|kts?|gradle|scala|swift|mm?|c|cc|cpp|cxx|h|hh|hpp|cs|fs|php|pl|pm|lua|sh|bash|zsh|fish|ps1|bat|cmd|sql|db|sqlite3?|proto|graphql|tf|tfvars|hcl|service|timer|socket|diff|patch|pem|crt|key|pub|png|jpe?g|gif|svg|webp|pdf|docx?|xlsx?|pptx?|zip|t?gz|bz2|xz|zst|tar|so|dll|exe|bin|gguf|safetensors|whl|deb|rpm|out|pid|sock|bak|tmp|orig|rej)(?![\w-])/i;
const dotFile = /^\.[a-z][\w-]*(?:\.[\w-]+)*$/i;
const proseSlash =
  /^(?:and\/or|or\/and|he\/she|she\/he|his\/her|him\/her|s\/he|yes\/no|on\/off|true\/false|either\/or|input\/output|i\/o|n\/a|w\/o|read\/write|client\/server|pros\/cons|km\/h|tcp\/ip|ci\/cd|24\/7|[\d.,]+(?:\/[\d.,]+)+)$/i;
const scheme = /[a-z][a-z0-9+.-]{1,15}:\/\/[^/]/i;
const flag = /^--?[A-Za-z][\w-]*(?:=.*)?/;
const permissions = /^-(?:[r-][w-][xsS-]){2}[r-][w-][xtT-]/;
const assignment = /^[A-Za-z_][\w.-]{0,60}[=＝].+/;
const identifier = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{12,}|[A-Z][A-Z0-9]{0,9}-\d+|#\d+|@[\w-]+\/[\w.-]+)/i;

/** Names that nobody writes but to have them run. */
const plainCommands =
  "pwd|ls|rg|grep|egrep|journalctl|systemctl|git|npm|npx|pnpm|yarn|docker|podman|kubectl|helm|terraform|ansible(?:-playbook)?|curl|wget|sudo|apt(?:-get)?|dnf|yum|brew|pip3?|cargo|rustc|chmod|chown|rm|cp|mv|mkdir|rmdir|sed|awk|tar|ssh|scp|rsync|psql|mysql|sqlite3|redis-cli|vitest|jest|pytest|tsc|eslint|biome|pkill|lsof|netstat|dmesg|uname|whoami|xargs|chroot|crontab|openssl|ffmpeg|jq|yq|python3?|deno|bunx?|nginx -|ps aux|df -|du -";
/** Names that are words of a language too: they count before an option, a path or a file. */
const spokenCommands =
  "cat|date|find|make|test|time|go|head|tail|sort|echo|which|service|node|kill|touch|watch|diff|patch|less|more|nano|vim?|env|export|source|mount|ping|host|dig|top|free|id|env|file|stat|cut|join|split|code";
const command = new RegExp(
  `(?<![\\w./-])(?:(?:${plainCommands})(?![\\w./@])|(?:${spokenCommands}) +(?=-|\\S*[/.~]\\S))`,
  "g",
);
const promptLine = /^[ \t]*(?:\$|%|❯|PS [^>\n]{0,80}>) +\S.*$/gm;
const inlineCode = /`[^`\n]{1,300}`/g;
const fence = /^[ \t]*(?:```|~~~)[ \t]*(\w*)[^\n]*\n([\s\S]*?)(?:^[ \t]*(?:```|~~~)|$(?![\s\S]))/gm;
const shellNames: ReadonlySet<string> = new Set([
  "",
  "sh",
  "bash",
  "zsh",
  "shell",
  "console",
  "terminal",
  "fish",
  "powershell",
]);

const quoted = /"[^"\n]{1,200}"|「[^」\n]{1,200}」|『[^』\n]{1,200}』|“[^”\n]{1,200}”|(?<![\w])'[^'\n]{1,200}'(?!\w)/g;

const errorWord =
  /\b(?:errors?|fatal|fail(?:ed|ures?|s|ing)?|exceptions?|panic(?:ked)?|traceback|denied|refused|rejected|not found|no such|cannot|can't|could not|unable to|time[d-]? ?out|segmentation fault|core dumped|killed|abort(?:ed|ing)?|undefined reference|unresolved|unexpected|critical|emerg|corrupt(?:ed)?|out of memory|oom)\b|\berr!|\w(?:Error|Exception|Warning)\b|エラー|失敗|例外|見つかりません|ありません|拒否|できません|できなかっ|異常終了|强制|异常|错误|失败|未找到|无法/gi;
/** Names that systems give their errors: EACCES, ENOENT. */
const errorName = /\bE[A-Z]{4,14}\b/g;
const exitWord =
  /\bexit(?:ed|s)?\b[^\n\d]{0,40}-?\d+|\b(?:exit|return|status)[ _-]?(?:code|status|value)?["']?\s*[:=]\s*-?\d+|\breturn(?:ed)? (?:code )?-?\d+\b|\b(?:rc|returncode|errno|code)["']?\s*[=:]\s*-?\d+|\bsignal:? *(?:SIG)?\w+|(?:終了|リターン|戻り|返回|退出)(?:コード|ステータス|値|码|代码)[^\n\d]{0,10}-?\d+/gi;
/** Heads that clients put before a program's output. */
const frame =
  /^(?:Chunk ID: |Wall time: |Process (?:exited|running) |Original token count: |Total output lines: |Warning: truncated output|Output:|Exit code: |Exit Code: |Command: |Directory: |Signal: |Process Group PGID: ).*$/gm;

const negativeWord =
  /\b(?:do not|do ?n['’]?t|don['’]t|never|must ?n['’]?o?t|mustn['’]t|should ?n['’]?o?t|shouldn['’]t|may not|can not|cannot|not to|not allowed|without|avoid|no need|refrain|stop [a-z]+ing|leave [^\n.]{1,60} (?:alone|untouched|unchanged|as (?:it is|is|they are))|hands off|off[- ]limits|forbidden|prohibited|instead of|rather than|except|unless|only|exclude|excluding|skip|ignore|forget about|keep (?:out|away)|no longer)\b|しない(?!と)|するな|しちゃ|せず|ずに|(?:[わかさたなばまら]|[えけせてねべめれ])ない(?:で|こと|ように|まま)|なくて(?:いい|良い|よい|結構|も)|禁止|やめ|止め(?:て|ろ)|不要|触ら|触れ|絶対|だけ|以外|避け|控え|ダメ|駄目|だめ|\bNG\b|いらない|要らない|ままで|ままに|許可|勝手に|ないで|请勿|勿|禁止|不用|无需|不得|不准|不能|不可|别(?:再|去|动|改|用|执行|运行)?/gi;

/**
 * Finds the facts of a text of any length, in the order in which they stand; yields between pieces of it. A fact that belongs to
 * two pieces, as the lines of a code block may, is looked for in each by itself.
 */
export function* findFactsInPieces(
  text: string,
  speaker: Speaker,
  argumentNames: readonly string[],
): Generator<void, readonly Fact[]> {
  const pieces = cutPieces(text);
  if (pieces.length === 1) return findFacts(text, speaker, argumentNames);
  const facts: Fact[] = [];
  for (const piece of pieces) {
    const found = findFacts(text.slice(piece.start, piece.end), speaker, argumentNames, piece.start === 0);
    for (const { kind, start, end, key, once } of found)
      facts.push({ kind, start: start + piece.start, end: end + piece.start, key, once });
    yield;
  }
  return facts;
}

/**
 * Finds the facts of a text, in the order of their ends' starts. `argumentNames` are the required arguments of the tools on
 * offer: what a user says of one of them is kept. `atStart`: the text is not the further piece of a longer one.
 */
export function findFacts(
  text: string,
  speaker: Speaker,
  argumentNames: readonly string[],
  atStart = true,
): readonly Fact[] {
  const facts: Fact[] = [];
  const add = (kind: FactKind, span: Segment, key: string, once: boolean): void => {
    if (span.end > span.start) facts.push({ kind, start: span.start, end: span.end, key, once });
  };
  const addText = (kind: FactKind, span: Segment): void =>
    add(kind, span, text.slice(span.start, span.end).trim(), true);
  const addErrors = (): void => {
    for (const pattern of [errorWord, errorName])
      for (const span of around(text, pattern, lineAround)) add("error_line", span, untimed(text, span), false);
  };
  findTokens(text, speaker, add);
  if (speaker === "tool") {
    for (const match of text.matchAll(promptLine)) addText("command", spanOf(match));
    if (atStart)
      for (const match of text.slice(0, 2000).matchAll(frame)) add("exit_code", spanOf(match), match[0], false);
    addErrors();
  } else {
    for (const match of text.matchAll(inlineCode)) addText("command", spanOf(match));
    for (const span of fencedLines(text)) addText("command", span);
    for (const span of around(text, command, sentenceAround)) addText("command", span);
    for (const span of around(text, negativeWord, sentenceAround)) add("negative_intent", span, "", false);
  }
  for (const span of around(text, exitWord, lineAround)) add("exit_code", span, "", false);
  if (speaker === "user") {
    for (const match of text.matchAll(quoted)) addText("required_argument", spanOf(match));
    const named = argumentPattern(argumentNames);
    if (named !== null) for (const match of text.matchAll(named)) addText("required_argument", spanOf(match));
    addErrors();
  }
  return facts.sort((one, two) => one.start - two.start || two.end - one.end);
}

type Add = (kind: FactKind, span: Segment, key: string, once: boolean) => void;

function findTokens(text: string, speaker: Speaker, add: Add): void {
  for (const { start, end } of tellingTokens(text, speaker === "user" ? tellingOfUser : telling)) {
    if (end - start < 2 || end - start > longestToken) continue;
    const bare = text.slice(start, end).replace(/[.:!?…]+$/, "");
    const kind = tokenKind(bare, speaker, start > 0 ? (text[start - 1] ?? "") : "");
    if (kind !== null) add(kind, { start, end: start + bare.length }, bare, true);
  }
  for (const span of servicesInWords(text)) add("service", span, text.slice(span.start, span.end), true);
}

/** The tokens in which something telling stands, each once. */
function* tellingTokens(text: string, letters: RegExp): Generator<Segment> {
  let from = 0;
  for (;;) {
    letters.lastIndex = from;
    const match = letters.exec(text);
    if (match === null) return;
    let start = match.index;
    while (start > from && !endsToken.test(text[start - 1] ?? "")) start -= 1;
    tokenEnd.lastIndex = match.index;
    const end = tokenEnd.exec(text)?.index ?? text.length;
    yield { start, end };
    from = Math.max(end, match.index + 1);
  }
}

/** Finds what `serviceInWords` finds, but looks closely only where one of its words stands. */
function* servicesInWords(text: string): Generator<Segment> {
  let from = 0;
  for (;;) {
    serviceWord.lastIndex = from;
    const word = serviceWord.exec(text);
    if (word === null) return;
    serviceInWords.lastIndex = Math.max(from, word.index - longestBeforeService);
    const match = serviceInWords.exec(text);
    if (match === null) return;
    yield spanOf(match);
    from = match.index + match[0].length;
  }
}

const serviceWord = /service|daemon|unit|サービス|デーモン|ユニット/gi;
/** A name and a blank before the word. */
const longestBeforeService = 81;

const serviceInWords =
  /(?<![\w@.-])[\w@.-]{1,80} (?:service|daemon)\b|\b(?:service|daemon|unit) [\w@.-]{0,80}[\w@]|(?<![\w@.-])[\w@.-]{1,80} ?(?:サービス|デーモン|ユニット)|(?:サービス|デーモン|ユニット)(?:名)?[「『はの:： ]{0,3}[\w@.-]{0,80}[\w@]/gi;

/** Which kind of fact a token is by its letters, and the one in front of it; null for none. What it looks for, `telling` has to know. */
export function tokenKind(found: string, speaker: Speaker, before: string): FactKind | null {
  if (scheme.test(found)) return "url";
  if (found.startsWith("-")) return flag.test(found) && !permissions.test(found) ? "flag" : null;
  if (serviceName.test(found)) return "service";
  if (found.includes("/")) {
    if (before === "<" || proseSlash.test(found) || !/[\w\u0080-\uffff~.]/.test(found.replaceAll("/", ""))) return null;
    return "path";
  }
  if (found.includes("\\") && /[A-Za-z]:\\|^\\\\\w/.test(found)) return "path";
  if (found.startsWith("~")) return "path";
  if (found.includes(".") && (fileName.test(found) || dotFile.test(found))) return "path";
  if (knownFile.test(found)) return "path";
  if (found.includes("--") && /--[A-Za-z]/.test(found)) return "flag";
  if (speaker !== "user") return null;
  return assignment.test(found) || identifier.test(found) ? "required_argument" : null;
}

/** `name: value`, `name は value` and the like, for the argument names given. */
function argumentPattern(names: readonly string[]): RegExp | null {
  const words = names.filter((name) => /^[\w-]{2,64}$/.test(name)).slice(0, 200);
  if (words.length === 0) return null;
  return new RegExp(
    `(?<![\\w-])(?:${words.join("|")})(?![\\w-])["']?(?: ?[:=：＝] ?| ?[はを] ?| is | to | as | of )(?:"[^"\\n]{0,400}"|'[^'\\n]{0,400}'|「[^」\\n]{0,400}」|[^\\s、。,;「」]{1,400})`,
    "gi",
  );
}

function* fencedLines(text: string): Generator<Segment> {
  for (const match of text.matchAll(fence)) {
    const body = match[2] ?? "";
    if (!shellNames.has((match[1] ?? "").toLowerCase())) continue;
    let start = match.index + match[0].indexOf("\n") + 1;
    for (const line of body.split("\n")) {
      if (line.trim() !== "") yield { start, end: start + line.length };
      start += line.length + 1;
    }
  }
}

/** The spans that `find` makes of the matches, each once. */
function* around(text: string, pattern: RegExp, find: (text: string, at: number) => Segment): Generator<Segment> {
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index < last) continue;
    const span = find(text, match.index);
    last = Math.max(span.end, match.index + 1);
    // A match that the span ends in the middle of is kept whole as well.
    yield { start: span.start, end: Math.max(span.end, match.index + match[0].trimEnd().length) };
  }
}

/** The line that a place is in. Only so far is looked as a line may be long: a text may be one line of megabytes. */
function lineAround(text: string, at: number): Segment {
  const from = Math.max(0, at - longestLine);
  const to = Math.min(text.length, at + longestLine);
  const before = text.slice(from, at).lastIndexOf("\n");
  const behind = text.slice(at, to).indexOf("\n");
  const start = from + before + 1;
  const end = behind === -1 ? to : at + behind;
  const whole = (before !== -1 || from === 0) && (behind !== -1 || to === text.length);
  return whole && end - start <= longestLine ? { start, end } : near(text, at, start, end);
}

function sentenceAround(text: string, at: number): Segment {
  const line = lineAround(text, at);
  let { start, end } = line;
  for (let place = at; place > line.start; place--) {
    if (/[。！？]/.test(text[place - 1] ?? "") || (text[place - 1] === " " && /[.!?]/.test(text[place - 2] ?? ""))) {
      start = place;
      break;
    }
  }
  for (let place = at; place < line.end; place++) {
    const letter = text[place] ?? "";
    if (/[。！？]/.test(letter) || (/[.!?]/.test(letter) && text[place + 1] === " ")) {
      end = place + 1;
      break;
    }
  }
  return { start, end };
}

/** The surroundings of a place in a very long line, from one space to another where there is one. */
function near(text: string, at: number, least: number, most: number): Segment {
  const start = Math.max(least, at - surroundings);
  const end = Math.min(most, at + surroundings);
  const space = start === least ? start : text.indexOf(" ", start) + 1;
  const last = end === most ? end : text.lastIndexOf(" ", end);
  return { start: whole(text, space > start && space <= at ? space : start), end: whole(text, last > at ? last : end) };
}

/** Moves a place from between the halves of a character. */
export function whole(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at + 1 : at;
}

const times =
  /\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?|^[A-Z][a-z]{2} +\d{1,2} |\[ *\d+(?:\.\d+)?\]/g;

/** A line without what only says when it was written and by which process: two of these are one message said twice. */
export function untimed(text: string, span: Segment): string {
  return text.slice(span.start, span.end).trim().replace(times, "#");
}

function spanOf(match: RegExpExecArray): Segment {
  return { start: match.index, end: match.index + match[0].length };
}
