import { forEachChild, parse, type SyntaxNode } from "unbash";
import { isJsonObject, parseJson } from "../../protocol/json.ts";
import { commandRisksOf } from "../shell/command-classes.ts";
import type { CommandRisk } from "../shell/command-risk.ts";
import { listed } from "../shell/listed.ts";
import { commandOfCall, type ShellTool } from "../shell/shell-tool.ts";
import type { Ban, Deed, NegativeIntent } from "./negative-intent.ts";

/** A call as far as a ban looks at it; `shell` is null where its tool runs no commands. */
export interface CallForm {
  readonly name: string;
  readonly argumentsText: string;
  readonly shell: ShellTool | null;
}

/** Tools that change files, by the names that clients give them. */
export const changingTools =
  /^(?:apply_patch|edit|edit_file|multi_?edit|write|write_file|create_file|str_replace\w*|replace|replace_in_file|insert\w*|delete_file|notebookedit|patch|write_to_file|search_replace)$/i;
/** Tools that only look, think or speak; a ban on running does not touch them. */
const lookingTools =
  /^(?:read|read_file|view|view_image|glob|grep|grep_search|search|search_files|list|list_directory|list_dir|ls|todo\w*|update_plan|request_user_input|ask\w*|skill|final_answer|think|tool_search|list_mcp_resource\w*|get_goal)$/i;
const webTools = /^(?:fetch_url|search_web|web_?fetch|web_?search|browser?\w*)$/i;

/** The words of the user that forbid a call; null where none does. */
export function forbiddenBy(intent: NegativeIntent, call: CallForm): string | null {
  switch (intent.kind) {
    case "none":
      return null;
    case "blanket": {
      if (/^(?:final_answer|request_user_input)$/.test(call.name)) return null;
      if (intent.everything) return intent.phrase;
      // "Don't run it, just edit the file": a patch that goes through the shell is an edit.
      const command = call.shell === null ? null : commandOfCall(call.shell, call.argumentsText);
      if (command !== null && readShell(command).every(({ name }) => name === "apply_patch")) return null;
      return call.shell !== null || !(lookingTools.test(call.name) || changingTools.test(call.name))
        ? intent.phrase
        : null;
    }
    case "bound":
      return intent.bans.find((ban) => fits(ban, call))?.phrase ?? null;
    default:
      return intent satisfies never;
  }
}

const risksOfDeed: Readonly<Partial<Record<Deed, readonly CommandRisk[]>>> = {
  install: ["package_install"],
  restart: ["service_control"],
  deploy: ["infrastructure"],
  fetch: ["network"],
};
const wordsOfDeed: Readonly<Partial<Record<Deed, RegExp>>> = {
  delete:
    /(?:^|[\s;&|(])(?:sudo )?(?:rm|rmdir|unlink|shred|trash|del)\b|\bgit (?:clean|rm)\b|-delete\b|\bdrop (?:table|database)\b/i,
  commit: /\bgit (?:-\S+ )*(?:commit|add|merge|rebase|stash|reset|cherry-pick|revert)\b/i,
  push: /\bgit (?:-\S+ )*push\b|\b(?:npm|pnpm|yarn|cargo|twine|gem) publish\b|\bdocker push\b/i,
  deploy: /\bdeploy\b|\b(?:terraform|kubectl|helm|pulumi) (?:apply|up|install|upgrade|destroy|delete)\b/i,
};

function fits(ban: Ban, call: CallForm): boolean {
  const command = call.shell === null ? null : commandOfCall(call.shell, call.argumentsText);
  if (!doesDeed(ban.deed, call, command)) return false;
  if (ban.object === "" || isAllOfIt(ban.object)) return true;
  if (command === null) return namesObject(ban.object, pathsOfCall(call));
  const commands = readShell(command);
  if (ban.deed === "run") {
    // Who reads or edits a file runs nothing that stands in it.
    return commands.some(({ name, line }) =>
      wordsOf(ban.object).includes(name.toLowerCase())
        ? namesCommand(ban.object, name, line)
        : !passiveCommands.has(name) && namesObject(ban.object, `${name} ${line}`),
    );
  }
  const text = commands.map(({ name, line }) => `${name} ${line}`).join("\n");
  if (ban.deed === "deploy") return true;
  // A push without a branch may be the one that was forbidden, and a name in another script is not seen in a command.
  if (ban.deed === "push" && /git (?:-\S+ )*push(?: -\S+)*(?: \S+)?$/m.test(text)) return true;
  if (!/[a-z]/i.test(ban.object) && !lookalikes.some(([said]) => said.test(ban.object))) return true;
  return namesObject(ban.object, text);
}

/** Commands whose arguments are read or written as data, never run. */
const passiveCommands = new Set(
  listed(
    "cat, ls, head, tail, wc, rg, grep, egrep, fgrep, sed, awk, cut, sort, uniq, tr, diff, cmp, stat, file, find, fd, tree, echo, printf, cd, pwd, mkdir, touch, cp, mv, ln, tee, rm, less, more, nl, jq, yq, apply_patch, basename, dirname, realpath, readlink, which, type, test, true, false, date, git",
  ),
);

interface ShellPart {
  readonly name: string;
  /** Its words behind the name; of a patch, the files that it names. */
  readonly line: string;
}

/** The simple commands in a shell text, without the bodies of here-documents. */
function readShell(command: string): readonly ShellPart[] {
  const found: ShellPart[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") {
      const said = [
        node.name?.value ?? "",
        ...node.suffix.flatMap((part) => (part.type === "Word" ? [part.value] : [])),
      ];
      const targets = node.redirects.flatMap((part) => (part.type === "Redirect" ? [part.target?.value ?? ""] : []));
      // "sudo npm test" runs npm.
      const start = said.findIndex((word) => !/^(?:sudo|env|time|nohup|command|exec|nice|-\S*|\w+=.*)$/.test(word));
      const [program = "", ...words] = [...(start < 0 ? said : said.slice(start)), ...targets];
      const name = program.replace(/^.*\//s, "");
      if (start > 0) found.push({ name: said[0] ?? "", line: "" });
      const patched =
        name === "apply_patch" ? [...command.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.*)$/gm)] : [];
      found.push({ name, line: patched.length > 0 ? patched.map((match) => match[1]).join(" ") : words.join(" ") });
    }
    forEachChild(node, visit);
  };
  visit(parse(command.slice(0, 20_000)));
  return found;
}

/** What a call of a tool for files is about. */
function pathsOfCall(call: CallForm): string {
  const parsed = parseJson(call.argumentsText);
  if (!isJsonObject(parsed)) return `${call.name} ${call.argumentsText}`;
  const named = Object.entries(parsed).filter(([key]) => /path|file|url|uri|target|dir|name|pattern|query/i.test(key));
  const patched = [...call.argumentsText.matchAll(/\*\*\* (?:Add|Update|Delete) File: (.*?)(?:\\n|$)/g)].map(
    (match) => match[1],
  );
  return [call.name, ...named.map(([, value]) => String(value)), ...patched].join(" ");
}

/** "Don't run git push" names git, but only its push. */
function namesCommand(object: string, name: string, line: string): boolean {
  const words = wordsOf(object);
  if (name.length < 2 || !words.includes(name.toLowerCase()) || /^(?:test|find|type|file|sort|which)$/.test(name))
    return false;
  const others = words.filter((word) => word !== name.toLowerCase() && /^[\w./:@-]+$/.test(word));
  const spoken = ` ${line.toLowerCase()} `;
  return others.length === 0 || others.some((word) => spoken.includes(word));
}

function doesDeed(deed: Deed, call: CallForm, command: string | null): boolean {
  const words = wordsOfDeed[deed];
  switch (deed) {
    case "run":
      return command !== null || !(lookingTools.test(call.name) || changingTools.test(call.name));
    case "change":
    case "create":
      if (changingTools.test(call.name)) return true;
      return (
        command !== null &&
        commandRisksOf(command).some(
          (risk) => risk === "file_mutation" || risk === "redirect" || risk === "here_document",
        )
      );
    case "read":
      return command !== null || lookingTools.test(call.name);
    case "fetch":
      if (webTools.test(call.name)) return true;
      break;
    case "delete":
      if (/delete|remove/i.test(call.name)) return true;
      break;
    case "install":
    case "commit":
    case "push":
    case "restart":
    case "deploy":
      break;
    default:
      return deed satisfies never;
  }
  if (command === null) return false;
  const risks = risksOfDeed[deed] ?? [];
  return words?.test(command) === true || commandRisksOf(command).some((risk) => risks.includes(risk));
}

/** Objects that mean all things of the deed: "don't delete any files". */
function isAllOfIt(object: string): boolean {
  return /^(?:any|the|my|all|other|more|new|existing|of|additional|a|an|files?|folders?|director(?:y|ies)|packages?|dependenc(?:y|ies)|services?|servers?|anything|code|changes?|commits?|else|it|them|this|that|yet|for now|\s|ファイル|パッケージ|サービス|サーバー?|依存(?:関係)?|何も|コード|変更|勝手に|まだ|を|は|も|の|に)*$/i.test(
    object,
  );
}

/** What people call a thing, and how it looks in a command. */
const lookalikes: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\btests?\b|\btest suite\b|\bspecs?\b|テスト|試験/i,
    /\b(?:tests?|vitest|jest|mocha|pytest|unittest|nose2?|tox|rspec|phpunit|ctest|playwright|cypress|karma|ava|testthat|check)\b/i,
  ],
  [
    /\bbuilds?\b|ビルド/i,
    /\b(?:build|make|tsc|webpack|vite|rollup|esbuild|compile|gcc|javac|ninja|cmake|msbuild|gradle|mvn)\b/i,
  ],
  [/\blint(?:er|ers|ing)?\b|リント/i, /\b(?:lint|eslint|biome|ruff|flake8|pylint|clippy|golangci-lint|rubocop)\b/i],
  [/\bmigrations?\b|マイグレーション/i, /migrat|alembic|flyway|prisma|knex|db:(?:migrate|push)/i],
  [
    /\bservers?\b|サーバー?/i,
    /\b(?:serve|server|start|dev|up|runserver|uvicorn|gunicorn|rails s|http\.server|nodemon|listen)\b/i,
  ],
  [/\bdeploy(?:ment|ments)?\b|デプロイ/i, /deploy|terraform|kubectl|helm/i],
  [/\binstall(?:er|ation|s)?\b|インストール/i, /\binstall\b|\b(?:npm|pnpm|yarn) (?:i|add|ci)\b/i],
  [/\bformatters?\b|フォーマッタ?/i, /\b(?:prettier|fmt|format|black|gofmt|rustfmt)\b/i],
  [/\bbenchmarks?\b|ベンチ(?:マーク)?/i, /bench/i],
  [/\bdocker\b|\bcontainers?\b|コンテナ/i, /\b(?:docker|podman|nerdctl|compose)\b/i],
  [/\bdatabases?\b|\bdb\b|データベース/i, /\b(?:psql|mysql|sqlite3|mongosh?|redis-cli|db)\b|\.db\b|\.sqlite/i],
  [/本番|\bprod(?:uction)?\b/i, /\bprod/i],
  [/\bpython\b|パイソン/i, /\b(?:python[23]?|pip3?|pytest|\S+\.py)\b/i],
  [
    /\bshell scripts?\b|\bscripts?\b|スクリプト/i,
    /\.(?:sh|py|js|ts|mjs|rb|pl)\b|\bscript|\b(?:bash|sh|python3?|node|tsx) \S/i,
  ],
];
/** Words of a phrase that name nothing. */
const emptyWords =
  /^(?:the|a|an|any|all|my|our|your|this|that|these|those|of|for|in|on|to|with|from|at|and|or|it|its|them|command|commands|file|files|script|scripts|tool|tools|again|yet|now|anything|else|like|such|as|just|here|is|are|be|not|please|folder|directory|run|suite|whole|entire|full|new|existing|code)$/;

/** Whether a command or a call names what a phrase names. */
export function namesObject(object: string, text: string): boolean {
  const lower = text.toLowerCase();
  if (lookalikes.some(([said, seen]) => said.test(object) && seen.test(text))) return true;
  const words = wordsOf(object);
  return words.some((word) => {
    const stem = /^[a-z]{4,}s$/.test(word) ? word.slice(0, -1) : word;
    return /^[\w.-]+$/.test(stem)
      ? new RegExp(`(?:^|[^\\w])${stem.replaceAll(/[.+*?^$()[\]{}|\\/-]/g, "\\$&")}`, "i").test(lower)
      : lower.includes(stem);
  });
}

/** The words of a phrase that name something; Japanese and Latin letters are parted, particles left out. */
function wordsOf(object: string): readonly string[] {
  return object
    .toLowerCase()
    .split(
      /[^\p{L}\p{N}_./:@-]+|(?<=[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー])(?=[a-z0-9_./-])|(?<=[a-z0-9_./-])(?=[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}])|[はをのもでにへと](?=$|[\s、])/u,
    )
    .map((word) => word.replace(/^[.:]+|[.:]+$/g, ""))
    .filter((word) => word.length > 1 && !emptyWords.test(word));
}
