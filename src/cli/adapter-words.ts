import type { AdapterConfig } from "../adapter/adapter-config.ts";
import type { UpstreamFacts } from "../adapter/turn.ts";
import { serverRecord } from "../protocol/servers/index.ts";
import type { DisplayLanguage } from "./messages.ts";

/** What the adapter says of itself when it starts. */
export interface Start {
  readonly url: string;
  readonly upstream: string;
  readonly facts: UpstreamFacts | null;
  readonly config: AdapterConfig;
  /** How tools will be put to the model. */
  readonly prompt: string;
  readonly traces: string | null;
  readonly keyed: boolean;
}

/** The lines that the adapter prints at start: where it is, what it does and what it will not do. */
export function startWords(start: Start, language: DisplayLanguage): readonly string[] {
  return language === "ja" ? japanese(start) : english(start);
}

function kindOf({ facts }: Start, unknown: string): string {
  if (facts === null) return unknown;
  return `${serverRecord(facts.kind).title}${facts.version === null ? "" : ` ${facts.version}`}`;
}

/** The router acts on what the intent stage reads. */
function routes({ disable }: AdapterConfig): boolean {
  return !disable.includes("router") && !disable.includes("intent");
}

function english(start: Start): readonly string[] {
  const { config } = start;
  const readOnly = config.profile === "read-only";
  return [
    `adapter on ${start.url}/v1${start.keyed ? " (key wanted)" : ""}, in front of ${start.upstream}`,
    `  model server: ${kindOf(start, "not reached yet; asked again with the first request")}`,
    `  prompt:       ${start.prompt}`,
    `  profile:      ${config.profile}: ${
      readOnly
        ? "commands that are not plainly read-only are answered with the reason, and withheld when the model calls for them, as are tools that change files"
        : routes(config)
          ? "plainly read-only commands become tool calls at once; all others are left to the model and to your client's approval"
          : "commands are left to the model and to your client's approval"
    }`,
    `  web:          ${config.web.enabled ? `on; fetch_url${config.web.searxng === null ? "" : " and search_web"} for pages that stand in the conversation` : "off"}`,
    `  stages off:   ${config.disable.length === 0 ? "none" : config.disable.join(", ")}${
      config.disable.includes("intent")
        ? '; without intent nothing is routed or relayed, and "do not run" is not heeded'
        : ""
    }`,
    `  traces:       ${start.traces ?? "not kept"}`,
    "  It never runs a command itself, keeps no conversation, and sends nothing anywhere but to the model server" +
      `${config.web.enabled ? " and the pages above" : ""}.`,
  ];
}

function japanese(start: Start): readonly string[] {
  const { config } = start;
  const readOnly = config.profile === "read-only";
  return [
    `アダプター: ${start.url}/v1${start.keyed ? "(キーが必要)" : ""} → ${start.upstream}`,
    `  モデルサーバー: ${kindOf(start, "まだ応答がありません。最初のリクエストで確認し直します")}`,
    `  プロンプト:     ${start.prompt}`,
    `  プロファイル:   ${config.profile}: ${
      readOnly
        ? "読み取り専用と言い切れないコマンドには理由を返し、モデルが呼び出しても渡しません。ファイルを変えるツールも同じです"
        : routes(config)
          ? "読み取り専用と言い切れるコマンドはすぐツール呼び出しにし、ほかはモデルとクライアントの承認に任せます"
          : "コマンドはモデルとクライアントの承認に任せます"
    }`,
    `  Web:            ${config.web.enabled ? `有効。会話に現れたページだけを fetch_url${config.web.searxng === null ? "" : " と search_web"} で読みます` : "無効"}`,
    `  無効の段階:     ${config.disable.length === 0 ? "なし" : config.disable.join(", ")}${
      config.disable.includes("intent")
        ? "。intent がないと、router と relay は働かず、「実行しないで」も守られません"
        : ""
    }`,
    `  トレース:       ${start.traces ?? "残しません"}`,
    `  コマンドを自分で実行することはなく、会話を保存せず、モデルサーバー${config.web.enabled ? "と上記のページ" : ""}以外へは何も送りません。`,
  ];
}
