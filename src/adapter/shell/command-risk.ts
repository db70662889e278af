/** Why a command is not passed on without the model: what it would do, or what cannot be told about it. */
export type CommandRisk =
  | "infrastructure"
  | "privilege"
  | "service_control"
  | "package_install"
  | "git_change"
  | "file_mutation"
  | "credential"
  | "network"
  | "program_launch"
  | "unbounded_log"
  | "here_document"
  | "substitution"
  | "redirect"
  | "pipe"
  | "several_commands"
  | "assignment"
  | "expansion"
  | "hidden_files"
  | "outside_workspace"
  | "special_file"
  | "unlisted_option"
  | "unlisted_command"
  | "unreadable";

interface RiskSentence {
  readonly english: string;
  readonly japanese: string;
}

/** One sentence a risk, in the order of how much it tells; the first one found in a command is the one that is named. */
export const commandRisks: Readonly<Record<CommandRisk, RiskSentence>> = {
  infrastructure: {
    english: "It changes or queries infrastructure (a cluster, a cloud account, a deployment).",
    japanese: "インフラ（クラスタ、クラウド、デプロイ）の変更や照会を行うコマンドです。",
  },
  privilege: {
    english: "It asks for the rights of another user.",
    japanese: "別のユーザーの権限で実行するコマンドです。",
  },
  service_control: {
    english: "It starts, stops, restarts or reconfigures a service, a process or the machine.",
    japanese: "サービス、プロセス、またはマシンの起動・停止・再起動・設定変更を行うコマンドです。",
  },
  package_install: {
    english: "It installs, updates or removes packages.",
    japanese: "パッケージのインストール・更新・削除を行うコマンドです。",
  },
  git_change: {
    english: "It changes a git repository or its remote.",
    japanese: "git リポジトリまたはリモートを変更するコマンドです。",
  },
  file_mutation: {
    english: "It creates, changes or deletes files.",
    japanese: "ファイルの作成・変更・削除を行うコマンドです。",
  },
  credential: {
    english: "It reads a place where keys, passwords or other credentials are kept.",
    japanese: "鍵・パスワードなどの認証情報が置かれる場所を読むコマンドです。",
  },
  network: {
    english: "It talks to other machines.",
    japanese: "他のマシンと通信するコマンドです。",
  },
  program_launch: {
    english: "It runs another program or script, whose effects cannot be told beforehand.",
    japanese: "別のプログラムやスクリプトを起動するため、影響を事前に判断できないコマンドです。",
  },
  unbounded_log: {
    english:
      "It reads a log without a limit; give a number of lines (at most 500) or a closed time window with a unit.",
    japanese: "上限なしでログを読むコマンドです。行数（500 行以内）か、ユニットと開始・終了時刻を指定してください。",
  },
  here_document: {
    english: "It contains a here-document.",
    japanese: "ヒアドキュメントを含みます。",
  },
  substitution: {
    english: "It contains a substitution ($…, backticks), whose value is not known here.",
    japanese: "置換（$… やバッククォート）を含み、その値をここでは判断できません。",
  },
  redirect: {
    english: "It redirects input or output.",
    japanese: "リダイレクトを含みます。",
  },
  pipe: {
    english: "It contains a pipe.",
    japanese: "パイプを含みます。",
  },
  several_commands: {
    english: "It is more than one plain command.",
    japanese: "単一の単純なコマンドではありません。",
  },
  assignment: {
    english: "It sets a variable.",
    japanese: "変数の設定を含みます。",
  },
  expansion: {
    english: "It contains a pattern (*, ?, {…}, ~name) that the shell expands to names not known here.",
    japanese: "シェルが展開するパターン（*、?、{…}、~name）を含み、対象をここでは判断できません。",
  },
  hidden_files: {
    english: "It shows or reads hidden files.",
    japanese: "隠しファイルを表示または読み取るコマンドです。",
  },
  outside_workspace: {
    english: "It searches or lists outside the working directory.",
    japanese: "作業ディレクトリの外を検索または一覧するコマンドです。",
  },
  special_file: {
    english: "It reads a device or a file of the running system.",
    japanese: "デバイスや稼働中のシステムの特殊ファイルを読むコマンドです。",
  },
  unlisted_option: {
    english: "It has an option or argument that is not on the list of allowed ones.",
    japanese: "許可リストにないオプションまたは引数を含みます。",
  },
  unlisted_command: {
    english: "It is not on the list of read-only commands.",
    japanese: "読み取り専用コマンドの許可リストにありません。",
  },
  unreadable: {
    english: "It cannot be read as one plain command.",
    japanese: "単一の単純なコマンドとして読み取れません。",
  },
};

const order = Object.keys(commandRisks) as readonly CommandRisk[];

/** The risk that tells most, of at least one. */
export function gravestRisk(risks: Iterable<CommandRisk>): CommandRisk | null {
  const found = new Set(risks);
  return order.find((risk) => found.has(risk)) ?? null;
}
