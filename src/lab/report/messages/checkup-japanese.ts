import type { Statement } from "../../diagnose/checkup-statement.ts";
import { type CheckupWords, number, text } from "./checkup-words.ts";

/** A check-up in Japanese. */
export const checkupJapanese: CheckupWords = {
  topics: {
    server: "サーバー",
    tools: "ツール",
    system: "システムプロンプト",
    auto: "auto",
    streamed: "auto(ストリーム)",
    parser: "パーサー",
    required: "required",
    results: "ツール結果",
    thinking: "思考",
    context: "コンテキスト",
    parity: "ストリーム一致",
    negative_intent: "呼び出し禁止",
    history: "履歴",
    relay: "結果の転記",
    language: "言語",
  },
  states: { good: "正常", fault: "異常", caution: "注意", unknown: "不明" },
  statement: sentence,
  inferred: "推定",
  healthy: "変更は不要です。呼び出しは通常もストリームも届いています。",
  unmeasured: (why) => `測定できなかったため、判断できません${why === "" ? "" : `(${why})`}。`,
  change: (advice) => `対処: ${advice}`,
  noOption: (happened) => `サーバーのオプションでは直りません。${happened}`,
  cure: (code, kind) => {
    switch (code) {
      case "tools_missing":
        if (kind === "llama-server")
          return "llama-server を --jinja とモデル系列のツール用テンプレート(--chat-template-file FILE)で起動してください。";
        return kind === "ollama"
          ? "Modelfile に .Tools を含む TEMPLATE を書くか、ツール対応のタグを使ってください。"
          : "ツールを出力するチャットテンプレートでサーバーを起動してください。";
      case "calls_refused":
        switch (kind) {
          case "ollama":
            return "Modelfile に .Tools を含む TEMPLATE(または RENDERER と PARSER)を書くか、ツール対応のタグを使ってください。";
          case "llama-server":
            return "llama-server を --jinja とモデル系列のツール用テンプレート(--chat-template-file FILE)で起動してください。";
          case "vllm":
            return "vLLM を --enable-auto-tool-choice と、モデルの形式に合う --tool-call-parser で起動してください。";
          default:
            return "モデルの形式に合うパーサーでサーバーを起動してください。";
        }
      case "tools_damaged":
        return kind === "ollama"
          ? "Modelfile の TEMPLATE でツールを JSON として出力してください({{ .Function }} ではなく {{ . }} か {{ json .Function }})。"
          : "すべてのツールと引数を出力するチャットテンプレートを使ってください。";
      case "system_dropped":
        return kind === "ollama"
          ? "Modelfile の TEMPLATE で .System を .Tools の {{ else }} 側ではなく並べて出力してください。"
          : "ツールがあってもシステムプロンプトを残すチャットテンプレートを使ってください。";
      case "results_lost":
      case "results_refused":
        return kind === "ollama"
          ? 'Modelfile の TEMPLATE に、結果を書く分岐 {{ else if eq .Role "tool" }} と {{ .Content }} を加えてください。'
          : "呼び出しとその結果を含む履歴を扱えるチャットテンプレートを使ってください。";
      case "answer_hidden":
        return "推論パーサーなしでサーバーを起動するか、モデルに思考させてください。思考のない回答は空で返ります。";
      case "context_exceeded":
        return "サーバーのコンテキスト長を増やしてください。ツール 1 つの短いリクエストも入りません。";
      case "calls_lost":
      case "calls_mixed":
      case "calls_not_made":
      case "calls_not_seen":
      case "calls_failed":
        return "ストリームを使わないか、サーバーを更新してください。通常なら届く呼び出しがストリームでは届きません。";
      case "parity_differs":
        return "ストリームを使わないか、サーバーを更新してください。同じ応答でもストリームでは違うものが返ります。";
      case "required_not_enforced":
        return "ここでは tool_choice required に頼らないでください。何も強制されません。";
      default:
        return "サーバーのログを確認してください。既知の構成に当てはまりません。";
    }
  },
  comparison: ({ outcome, mended, broken, before, now }, names) => {
    const counts = `届いた呼び出しは ${before.of} 件中 ${before.delivered} 件から ${now.of} 件中 ${now.delivered} 件`;
    const rest = [
      ...(mended.length === 0 ? [] : [`直ったもの: ${names(mended)}`]),
      ...(broken.length === 0 ? [] : [`悪くなったもの: ${names(broken)}`]),
    ].map((part) => `。${part}`);
    switch (outcome) {
      case "better":
        return `前回より良くなりました: ${counts}${rest.join("")}。`;
      case "worse":
        return `前回より悪くなりました: ${counts}${rest.join("")}。`;
      case "same":
        return `前回と同じです: ${counts}${rest.join("")}。`;
      case "unknown":
        return "どちらかの診断が測定できていないため、良し悪しは言えません。";
      default:
        return outcome satisfies never;
    }
  },
};

function sentence(statement: Statement, server: string): string {
  const { code } = statement;
  const streamed = statement.topic === "streamed" ? "ストリームの呼び出し" : "呼び出し";
  const shown = (key: string): string => text(statement, key);
  const all = `${number(statement, "of")}`;
  switch (code) {
    case "server_is":
      return `${server}${shown("version") === "" ? "" : ` ${shown("version")}`}、モデル ${shown("model")}。`;
    case "server_untried":
      return `${server}${shown("version") === "" ? "" : ` ${shown("version")}`}、モデル ${shown("model")}。この種類はソースコードから知るのみで、実機では試していません。`;
    case "tools_whole":
      return "ツールは完全な形でプロンプトに届いています。";
    case "tools_damaged":
      return "ツールが壊れた形でプロンプトに入っています(欠けているか、JSON ではありません)。";
    case "tools_missing":
      return "ツールがプロンプトに届いていません。";
    case "tools_cost":
      return `ツールはプロンプトの ${shown("tokens")} トークンを占めます。完全かどうかは確認できません。`;
    case "tools_unknown":
      return "ツールがプロンプトに届くかは確認できません。";
    case "system_kept":
      return "ツールがあってもシステムプロンプトは残ります。";
    case "system_dropped":
      return "ツールを渡すとシステムプロンプトが消えます。";
    case "system_unknown":
      return "システムプロンプトが残るかは確認できません。";
    case "calls_delivered":
      return `${streamed} ${all} 件中 ${shown("delivered")} 件が届きました。`;
    case "calls_lost":
      return `モデルは${inFormat(statement)}書いたのに、${streamed}は ${all} 件中 0 件しか届きません(${losses(statement)})。`;
    case "calls_refused":
      return shown("message") === ""
        ? "ストリームでもサーバーがツールを拒否します。"
        : `サーバーがツールを拒否します:「${shown("message")}」。`;
    case "calls_failed":
      return `モデルの出力でサーバーがエラーになります:「${shown("message")}」。`;
    case "calls_not_made":
      return `モデルは ${all} 回の応答で一度も呼び出しません。`;
    case "calls_not_seen":
      return `${all} 回の応答に呼び出しがありません。モデルが呼ばないのか、サーバーが飲み込んだのかは確認できません。`;
    case "calls_mixed":
      return `${streamed}は ${all} 件中 ${shown("delivered")} 件が届きました${losses(statement) === "" ? "" : `(${losses(statement)})`}。`;
    case "calls_unmeasured":
      return shown("why") === "cut"
        ? "測定できません: すべての応答が診断側のトークン上限で切れました。"
        : `測定できません${shown("why") === "" ? "" : `: ${shown("why")}`}。`;
    case "parser_named":
      return `呼び出しは ${shown("name")} が読み取ります。`;
    case "parser_inferred": {
      const other = shown("others") === "" ? "" : `(または同じものを読む ${shown("others")})`;
      return `呼び出しは --tool-call-parser ${shown("name")}${other} が読み取ります: ${inference(statement)}。`;
    }
    case "parser_active":
      return "呼び出しのパーサーは動作中ですが、名前は表示されません。";
    case "parser_none":
      return "呼び出しのパーサーが設定されていません。";
    case "parser_unknown":
      return "呼び出しのパーサーが動作しているかは確認できません。";
    case "required_enforced":
      return "tool_choice required は強制されます。挨拶にも呼び出しで答えます。";
    case "required_free":
      return "tool_choice required でも先に文章を書けるため、短い応答は呼び出しなしで終わることがあります。";
    case "required_not_enforced":
      return "tool_choice required が強制されていません。";
    case "required_not_testable":
      return `${server} は tool_choice required を無視するため、ここでは試せません。`;
    case "required_unknown":
      return "tool_choice required が強制されるかは確認できません。";
    case "results_used":
      return "ツールの結果はモデルに届き、回答に使われています。";
    case "results_lost":
      return "ツールの結果がモデルに届いていません。組み立てられたプロンプトに結果がありません。";
    case "results_refused":
      return `サーバーが、呼び出しとその結果を含む履歴を受け付けません（「${text(statement, "message")}」）。`;
    case "results_unused":
      return "ツールの結果を渡しましたが、この 1 回ではモデルが使わずに答えました。";
    case "results_unknown":
      return "ツールの結果がモデルに届くかは確認できませんでした。";
    case "thinking_none":
      return "モデルは思考しないか、思考がオフです。";
    case "thinking_apart":
      return shown("name") === ""
        ? "思考は分けて返ります。推論パーサーが動作しています。"
        : `思考は ${shown("name")} が分けて返します。`;
    case "thinking_in_text":
      return "思考が回答の中に残ります。取り出す推論パーサーがありません。";
    case "answer_hidden":
      return "推論パーサー(qwen3 またはその類)が回答全体を思考とみなし、content が空で返ります。";
    case "thinking_unknown":
      return "モデルが思考するかは確認できません。";
    case "context_is":
      return `${shown("tokens")} トークン。`;
    case "context_cuts":
      return `${shown("tokens")} トークン。長いプロンプトはエラーなしに切られます。エージェントでは num_ctx を増やしてください。`;
    case "context_exceeded":
      return `リクエストが入りません: ${shown("why")}。`;
    case "context_unknown":
      return "長さは確認できません。";
    case "parity_alike":
      return "同じリクエストは、通常でもストリームでも同じ呼び出しになります。";
    case "parity_differs":
      return `同じリクエストでも、ストリームでは返るものが違います(通常: ${served(statement, "whole")}、ストリーム: ${served(statement, "streamed")})。`;
    case "parity_unknown":
      return "通常とストリームの応答が一致するかは確認できませんでした。";
    case "intent_kept":
      return "ツールを呼ばないように言えば、モデルは呼びません。";
    case "intent_broken":
      return `ツールを呼ばないように言っても、モデルは呼び出します(${all} 回中 ${shown("called")} 回)。lab adapter で止められます。`;
    case "called_unasked":
      return `挨拶だけでも、モデルはツールを呼び出します(${all} 回中 ${shown("called")} 回)。`;
    case "intent_unknown":
      return "禁止した呼び出しをモデルが控えるかは確認できませんでした。";
    case "history_taken":
      return "壊れた呼び出しや他サーバーの ID を含む会話も受け付けられ、モデルは引き続き呼び出します。";
    case "history_refused":
      return `会話に${variants(statement)}があると、サーバーが拒否し(「${shown("message")}」)、以後のリクエストはすべて失敗します${statement.remedy === null ? "" : `。対策: ${statement.remedy}`}。`;
    case "history_poisons":
      return `会話に${variants(statement)}があると、モデルは呼び出さなくなります(${all} 回中 0 回)。`;
    case "history_unknown":
      return "壊れた呼び出しを含む会話がどうなるかは確認できませんでした。";
    case "relay_clean":
      return "結果は、添えられた警告なしに転記されます。";
    case "relay_noisy":
      return "結果だけを求めても、モデルは添えられた警告まで書きます。";
    case "relay_unknown":
      return "余計な警告なしに結果が転記されるかは確認できませんでした。";
    case "language_kept":
      return "日本語の質問には日本語で答えます。";
    case "language_left":
      return `日本語の質問に、モデルは${languages[shown("language")] ?? shown("language")}で答えます(${all} 回中 ${shown("left")} 回)。`;
    case "language_unknown":
      return "質問の言語で答えるかは確認できませんでした。";
    default:
      return code satisfies never;
  }
}

const languages: Readonly<Record<string, string>> = { en: "英語", zh: "中国語" };

function served(statement: Statement, key: "whole" | "streamed"): string {
  const words: Readonly<Record<string, string>> = {
    structured: "呼び出し",
    leaked: "本文に漏れた呼び出し",
    swallowed: "何も返らない",
    reasoning_only: "思考の中に残った呼び出し",
    truncated: "途中で切れた呼び出し",
    server_error: "エラー",
    refused: "拒否",
    none: "呼び出しなし",
  };
  return words[text(statement, key)] ?? text(statement, key);
}

function variants(statement: Statement): string {
  const words: Readonly<Record<string, string>> = {
    "malformed-call": "壊れた呼び出し",
    "foreign-ids": "他サーバーの呼び出し ID",
  };
  const names = text(statement, "variants") || text(statement, "variant");
  return names
    .split(",")
    .map((name) => words[name] ?? name)
    .join("か");
}

function inFormat(statement: Statement): string {
  const format = text(statement, "format");
  return format === "" ? "" : ` ${format} 形式で`;
}

function losses(statement: Statement): string {
  const part = (key: string, words: string): string[] =>
    number(statement, key) === 0 ? [] : [`${words} ${number(statement, key)} 件`];
  return [
    ...part("leaked", "本文に漏れた"),
    ...part("swallowed", "何も返らなかった"),
    ...part("none", "呼び出しのない応答"),
  ].join("、");
}

function inference(statement: Statement): string {
  const format = text(statement, "format");
  switch (text(statement, "why")) {
    case "reads":
      return `${format} 形式の呼び出しが届いたため`;
    case "writes":
      return `required のときサーバー自身が ${format} 形式で書くため`;
    default:
      return `${format} 形式の呼び出しの失われ方から`;
  }
}
