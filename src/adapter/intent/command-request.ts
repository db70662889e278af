import { readTail, type Selector } from "../relay/selector.ts";
import { listed } from "../shell/listed.ts";

/** A whole user turn that is nothing but a wish to run one command. */
export interface CommandRequest {
  /** The command as the user wrote it; not yet read as shell. */
  readonly command: string;
  /** `delimited`: in backticks, quotes or a code block. `spoken`: without, behind a verb. `bare`: the turn is the command. */
  readonly form: "delimited" | "spoken" | "bare";
  /** The part of the result that the user wants back and nothing else; null where the model may answer. */
  readonly selector: Selector | null;
  readonly language: "en" | "ja";
}

const longestTurn = 1200;
/** Stands for a delimited command while the words around it are read. */
const hole = "\u0001";

const polite = "(?:(?:please|pls|kindly|just|now|ok|okay|hi|hey|hello)[,!.]? )*";
const place =
  "(?:(?:in|using|with|use|via) (?:the |a |your |my )?(?:shell|terminal|console|bash|command line|shell tool|exec_command|exec_command tool|bash tool)(?:,? (?:to )?|: ?))?";
const object =
  "(?:(?:the|this|that|a|following|shell|bash|terminal|read-only|simple|exact|single)\\s+)*(?:commands?)?\\s*:?\\s*";
const english: readonly string[] = [
  `${polite}${place}${polite}(?:run|execute|exec|invoke|issue)(?:\\s+|: ?)${object}#`,
  `${polite}(?:show|give|tell|print|get|fetch|return)(?: me| us)?(?: the)?(?: current| exact| raw| full)? (?:output|result)s? (?:of|from)(?: running| executing)? ${object}#`,
  `${polite}(?:show|display) me #`,
];
const englishEnd = "(?: command)?(?:,? (?:please|for me|right now|once))*";

const lead =
  "(?:(?:すみません|では|じゃあ|それでは|今すぐ|いますぐ|ちょっと|ターミナルで|シェルで|コマンドラインで|端末で|bashで|まず|ここで|(?:現在の|この|今の|カレント)(?:ディレクトリ|フォルダ)で)[、,，]?\\s*)*(?:(?:次|以下|この|下記)の?)?(?:シェル)?(?:コマンド)?\\s*(?:[:：、]|を実行(?:して)?(?:ください|下さい)?\\s*[:：。]?)?\\s*";
const japaneseEnd =
  "(?:ください|下さい|くれ|ちょうだい|頂戴|ほしい(?:です)?|欲しい(?:です)?|みて(?:ください|下さい|くれ)?|ね|よ)?";
const japaneseVerb = `(?:実行(?=[。.!！\\s]*$)|実行(?:して|せよ|しろ|をお願い(?:します|いたします)?|お願い(?:します)?|願います|する(?=[。\\s]*$)|し(?=[、,]))|走らせて|叩いて|たたいて|打って|ランして|run ?して|やって)${japaneseEnd}`;
const japaneseShow = `(?:見せて|表示して|教えて|出して|出力して|返して)${japaneseEnd}`;
const japanese: readonly string[] = [
  `${lead.replace("コマンド)?", "コマンド)")}を実行(?:して|お願いします)${japaneseEnd}\\s*[:：。、]?\\s*#`,
  `${lead}#\\s*(?:という)?(?:の?コマンド)?\\s*(?:を|だけ)?\\s*${japaneseVerb}`,
  `${lead}#\\s*(?:コマンド)?の?(?:実行)?(?:結果|出力)?\\s*を\\s*${japaneseShow}`,
  // What is wanted of the command stands between it and the verb, so it is read as a tail of its own.
  `${lead}#\\s*(?:コマンド)?の(?=(?<tail>[^\\u0001。、\\n]{1,30}(?:だけ|のみ)[^\\u0001。\\n]{1,20})[。.!！]?$)[^\\u0001]*`,
];

interface RequestPattern {
  readonly language: "en" | "ja";
  readonly pattern: RegExp;
}

function patternsFor(command: string): readonly RequestPattern[] {
  return [
    ...english.map((text) => ({
      language: "en" as const,
      pattern: new RegExp(
        `^${text.replace("#", command)}${englishEnd}(?:(?<=[A-Za-z0-9${hole}])[.!])?(?:(?:,? and(?: then)?|,? then|[,;.:—-]|(?<=[.!]))\\s+(?<tail>[^\\u0001]*))?$`,
        "isu",
      ),
    })),
    ...japanese.map((text) => ({
      language: "ja" as const,
      pattern: new RegExp(
        `^${text.replace("#", command)}${text.includes("<tail>") ? "" : "[。.!！、,\\s]*(?<tail>[^\\u0001]*)"}$`,
        "isu",
      ),
    })),
  ];
}

const delimitedPatterns = patternsFor(hole);
/** Commands without delimiters are plain ASCII and begin like a program's name. */
const spokenPatterns = patternsFor("(?<command>[a-z][a-z0-9_.+-]*(?: [!-~ ]*?)??)");
const bare = /^(?:[$%] )?(?<command>[a-z][a-z0-9_.-]*(?: [^\n]*)?)$/;
const fence =
  /^(?<before>[^`]*?)\s*```(?:bash|sh|shell|console|terminal|zsh|text)?[ \t]*\n(?<command>[^\n`]+)\n\s*```\s*(?<after>[^`]*)$/;
/** A sentence in front of a code block that asks for the block to be run. */
const fenceIntro = new RegExp(
  `^(?:${polite}${place}${polite}(?:run|execute) (?:(?:the|this|that|following|shell|bash|below)\\s+)*(?:command|it|this)?(?: below| for me)?(?:,? please)?\\s*[:.]?|(?:(?:次|以下|この|下記)の?)?(?:シェル)?コマンドを実行(?:して)?${japaneseEnd}\\s*[。:：]?)$`,
  "iu",
);
const delimiters: readonly (readonly [string, string])[] = [
  ["`", "`"],
  ["「", "」"],
  ["『", "』"],
  ['"', '"'],
  ["'", "'"],
  ["“", "”"],
];

/** A question, a condition, a quotation around the words: somebody speaks about a command. */
const speaksAbout =
  /[?？]|^\s*>|\b(?:if|unless|when|whenever|until|after|before|suppose|imagine|example|e\.g\.|would|could|should|might|what|why|how|does|translate|says?|said|readme|instead of|means?)\b|もし|なら(?!び)|場合|とき|たら|れば|例えば|たとえば|という(?:文|言葉|意味|指示)|翻訳|英訳|和訳|訳して|とは|って何|ですか|ますか|でしょうか|かな|べき|READMEに|と書|と言|って言/i;

/** Words that stand in sentences and hardly ever in commands. */
const proseWords = new Set(
  listed(
    "a, an, the, of, for, with, on, to, my, your, our, their, its, this, that, these, those, please, then, it, and, or, but, is, are, was, be, in, from, at, by, as, me, you, we, they, all, any, some, every, each, not, no, if, when, unless, whenever, after, before, because, until, while, whether, needed, necessary, possible, first, later, do, does, did, how, what, why, where, who, which, can, could, should, would, will, so, up, about, into, now, again, here, there, files, tests, test, command, commands, output, file, directory, folder, repo",
  ),
);
/** Sentences of scripts without blanks run on behind a name (`README.mdを…`). */
const glued =
  /[!-.0-~][\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\p{Script=Hangul}]|[\p{Script=Hiragana}]{2}/u;
/** Readers of files whose names are English words as well: bare, they need an operand that looks like a file. */
const wordlike = new Set(["cat", "head", "tail", "wc", "date"]);
const filelike = /[./_~\d"'-]|^[A-Z]/;

/**
 * Reads a user's turn as a whole wish to run one command, in English or Japanese; null for anything else. Questions, conditions,
 * quotations, translations and texts about commands are never one.
 */
export function readCommandRequest(turn: string): CommandRequest | null {
  const text = turn.trim();
  if (text === "" || text.length > longestTurn || text.includes(hole)) return null;
  // Long runs of blanks are no request, and the patterns below would try every way to share them out.
  if (/\s{4,}/.test(text)) return null;
  return readFenced(text) ?? readDelimited(text) ?? readSpoken(text) ?? readBare(text);
}

function readFenced(text: string): CommandRequest | null {
  const groups = fence.exec(text)?.groups;
  if (groups === undefined) return null;
  const { before = "", command = "", after = "" } = groups;
  if (!fenceIntro.test(before.trim())) return null;
  return request(command.trim().replace(/^[$%] /, ""), "delimited", after, isJapanese(before) ? "ja" : "en");
}

function readDelimited(text: string): CommandRequest | null {
  for (const [open, close] of delimiters) {
    const start = text.indexOf(open);
    const end = start < 0 ? -1 : text.indexOf(close, start + 1);
    if (end < 0) continue;
    const command = text
      .slice(start + 1, end)
      .trim()
      .replace(/^[$%] /, "");
    // The turn itself in quotation marks is a quotation, not a request.
    if (start === 0 && end === text.length - 1 && open !== "`") return null;
    const around = `${text.slice(0, start)}${hole}${text.slice(end + 1)}`;
    if (around === hole) return request(command, "delimited", "", "en");
    const found = match(delimitedPatterns, around);
    if (found !== null && command !== "") return request(command, "delimited", found.tail, found.language);
    // The first kind of delimiter in the text decides; a later one is part of something else.
    if (open === "`" || !isShellQuote(open)) return null;
  }
  return null;
}

/** A plain quote may as well belong to the command. */
function isShellQuote(open: string): boolean {
  return open === '"' || open === "'";
}

function readSpoken(text: string): CommandRequest | null {
  if (text.includes("\n") || text.includes("`")) return null;
  const found = match(spokenPatterns, text);
  const japaneseVerbForm =
    /^(?<path>[\w./~-]+)\s*を\s*(?<name>cat|ls|head|tail|wc)\s*して(?:ください|下さい|くれ|みて|ね)?[。.!！、,\s]*(?<tail>.*)$/isu.exec(
      text,
    )?.groups;
  if (japaneseVerbForm !== undefined && found === null)
    return request(
      `${japaneseVerbForm["name"]} ${japaneseVerbForm["path"]}`,
      "spoken",
      japaneseVerbForm["tail"] ?? "",
      "ja",
    );
  if (found === null || found.command === undefined) return null;
  const command = found.command.trim();
  return hasProse(command) ? null : request(command, "spoken", found.tail, found.language);
}

function readBare(text: string): CommandRequest | null {
  const command = bare.exec(text)?.groups?.["command"]?.trim();
  if (command === undefined || command.includes("`") || glued.test(command)) return null;
  const [name = "", ...operands] = command.split(/ +/);
  if (!/^[$%] /.test(text)) {
    if (hasProse(command)) return null;
    const plain = operands.filter((word) => !word.startsWith("-") && !word.startsWith("+"));
    if (wordlike.has(name) && plain.some((word) => !filelike.test(word))) return null;
  }
  return { command, form: "bare", selector: null, language: "en" };
}

function hasProse(command: string): boolean {
  const [, ...operands] = command.split(/ +/);
  return operands.some((word) => proseWords.has(word.toLowerCase()));
}

function match(
  patterns: readonly RequestPattern[],
  text: string,
): { readonly language: "en" | "ja"; readonly tail: string; readonly command: string | undefined } | null {
  for (const { language, pattern } of patterns) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const groups = found.groups ?? {};
    return { language, tail: groups["tail"] ?? "", command: groups["command"] };
  }
  return null;
}

function request(
  command: string,
  form: CommandRequest["form"],
  tail: string,
  language: CommandRequest["language"],
): CommandRequest | null {
  if (command === "" || command.includes("\n") || speaksAbout.test(tail)) return null;
  const reading = readTail(tail);
  return reading.kind === "other" ? null : { command, form, selector: reading.selector, language };
}

function isJapanese(text: string): boolean {
  return /[\u3040-\u30ff\u4e00-\u9fff]/.test(text);
}
