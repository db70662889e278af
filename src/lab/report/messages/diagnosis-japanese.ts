import { serverRecord } from "../../../protocol/servers/index.ts";
import type { ServerKind } from "../../../protocol/servers/server.ts";
import type { CallProblem } from "../../classify/classification.ts";
import {
  type DiagnosisFacts,
  type DiagnosisParts,
  detail,
  isProbeCode,
  named,
  type SeenByMode,
} from "./diagnosis-facts.ts";
import { probeHappenedJapanese } from "./probe-japanese.ts";

/** One diagnosis in Japanese: what happened and how often, what mends it, and what is only inferred. */
export function diagnosisJapanese(facts: DiagnosisFacts): DiagnosisParts {
  return { happened: happened(facts), fix: fixJapanese(facts), caveat: caveat(facts) };
}

/** What can be wrong with a call. */
export const problemsJapanese: Readonly<Record<CallProblem, string>> = {
  not_json: "JSON ではない",
  not_an_object: "オブジェクトではない",
  missing_required: "必須引数の欠落",
  unknown_argument: "未知の引数",
  wrong_type: "型の不一致",
  not_in_enum: "許されない値",
  constraint: "制約違反",
  escaped_twice: "二重エスケープ",
  undeclared_tool: "渡されていないツール",
  schema_unusable: "ツールのスキーマが使用不能",
  too_many: "呼び出しが多すぎる",
  too_few: "呼び出しが足りない",
  no_id: "呼び出し ID なし",
  same_id: "同じ ID の呼び出し",
  index_reused: "同じ index の別の呼び出し",
  legacy_field: "旧 function_call 欄",
  other_choice: "別の choice にある呼び出し",
  arguments_as_object: "引数が文字列化されていない",
  arguments_as_text: "引数が文字列",
  name_residue: "ツール名に残骸",
  merged_calls: "複数の呼び出しの連結",
  repeated: "同じ呼び出しの繰り返し",
  two_readings: "読み方が二通り",
};

/** How a server is named in an order to start it. */
function started(kind: ServerKind): string {
  const { title, recognition } = serverRecord(kind);
  return recognition === null ? "サーバー" : `${title} `;
}

function happened(facts: DiagnosisFacts): string {
  const seen = `${facts.of} 件中 ${facts.count} 件`;
  const format = detail(facts, "format");
  const call = format === null ? "呼び出し" : `${format} 形式の呼び出し`;
  const { code } = facts;
  if (isProbeCode(code)) return probeHappenedJapanese(code, facts);
  switch (code) {
    case "parser_mismatch":
      return `モデルはツールを呼んでいます。${seen}の返答に完全な${spaced(call)}がありますが、サーバーのパーサーが読み取れていません${manner(facts)}。`;
    case "parser_missing":
      return `モデルはツールを呼んでいますが、このサーバーには呼び出しを読むパーサーがありません。${seen}の返答に完全な${spaced(call)}があります${manner(facts)}。`;
    case "format_drift":
      if (facts.details["served"] === 0)
        return `${seen}の返答で、完全な${spaced(call)}が届いていません。1 件だけではパーサーの問題か偶然かを区別できません。試行数を増やして測り直してください。`;
      return `モデルの書式が揺れています。正しく届いた呼び出しがある一方で、${seen}の返答は${spaced(call)}でした。パーサーの問題ではありません。`;
    case "tools_refused":
      return `サーバーがこのモデルでのツール使用を拒否しています。ツール付きリクエスト ${seen}がエラーになりました${quoted(detail(facts, "message"))}。`;
    case "tools_not_in_prompt":
      return `ツール定義がモデルに正しく届いていません。チャットテンプレートが組み立てたプロンプトから定義が抜けているか、壊れています（${seen}に影響）。`;
    case "system_prompt_dropped":
      return `ツールを渡すと、チャットテンプレートがシステムプロンプトを捨てています（${seen}に影響）。`;
    case "server_fails_on_output":
      return `${format === null ? "モデルの出力" : `モデルが書いた完全な${spaced(call)}`}をサーバーが処理できていません。${seen}がサーバー自身の解析エラーで終わりました${quoted(detail(facts, "message"))}。`;
    case "fabricated_provenance":
      return `モデルが実行の事実を捏造しています。${seen}の返答が、呼んでいないツールを使ったと述べています${quoted(words(facts))}。`;
    case "value_ahead":
      return `モデルがツールの実行前に値を先走って答えています。${seen}の返答が該当します${quoted(words(facts))}。`;
    case "prose_command":
      return `モデルがツールを呼ばず、コマンドを文章として書いています。${seen}の返答が該当します${quoted(words(facts))}。`;
    case "declines_known_answers":
      return `モデルは「答えを知っている」と思うとツールを省きます。暗記可能な質問では、${seen}の返答に呼び出しがなく、知りえない質問では呼んでいます。`;
    case "no_attempt":
      return `モデルが呼び出さずに答えています。${detail(facts, "contract") === "marker" ? "マーカー契約" : "ネイティブツール（auto）"}で、${seen}の返答には、届いたものにも本文に漏れたものにも呼び出しの試みがありません。`;
    case "invalid_arguments":
      return `モデルの引数がツールのスキーマに合っていません。${seen}の返答が該当します${bracketed(named(detail(facts, "problems"), problemsJapanese))}。`;
    case "undeclared_tool":
      return `モデルが渡されていないツールを呼んでいます。${seen}の返答が該当します${quoted(detail(facts, "tool", "name"))}。`;
    case "budget_too_small":
      return `トークン上限のため、呼び出しの途中で返答が切れています。${seen}の返答が該当します${bracketed(prefixed("max_tokens ", detail(facts, "maxTokens")))}。`;
    case "context_cut":
      return `サーバーがプロンプトをコンテキスト長に合わせて切り詰めています。${seen}のサンプルが該当します${bracketed(prefixed("コンテキスト長 ", detail(facts, "contextLength", "context")))}。その返答からモデルの良し悪しは判断できません。`;
    case "choice_ignored":
      return `tool_choice が守られていません。${seen}の返答が指定に反しています${bracketed(detail(facts, "choice", "arm"))}。`;
    case "quoted_call_served":
      return `呼び出しを引用しただけの文章を、サーバーが本物の呼び出しにしています。${seen}の返答が該当します。`;
    case "required_hides_fault":
      return `tool_choice "required" が不具合を隠しています。required では、${seen}に正しい呼び出しがありますが、これは文法制約が書かせたもので、パーサーを通っていません。実際の動作は "auto" で確かめる必要があります。`;
    case "stream_differs":
      return `同じリクエストでも、ストリーミングの有無で結果が変わります。${seen}の返答が該当します。クライアントが使う方式で確かめてください。`;
    case "network":
      return `${seen}のリクエストで使える応答が得られませんでした${quoted(detail(facts, "cause", "phase"))}。モデルについては何も分かりません。`;
    case "adapter_lost_call":
      return `モデルサーバーの応答は正しかったのに、アダプターを通ると正しくなくなりました。${seen}のサンプルが該当します${bracketed(prefixed("段階 ", detail(facts, "stage")))}${quoted(detail(facts, "reason"))}。`;
    case "adapter_made_call":
      return `モデルが試みてもいない呼び出しを、アダプターが渡しました。${seen}のサンプルが該当します${bracketed(prefixed("段階 ", detail(facts, "stage")))}${quoted(detail(facts, "reason"))}。アダプターとして最も重い誤りです。`;
    case "adapter_failed":
      return `アダプター自身がエラーを返しました。${seen}のサンプルが該当します${quoted(detail(facts, "reason"))}。`;
    case "adapter_worse":
      return `直接なら正しく答えた同じ質問のうち、${seen}がアダプター経由では失敗しました${bracketed(prefixed("段階 ", detail(facts, "stage")))}。逆は ${detail(facts, "better") ?? "0"} 件で、偶然では説明できません。`;
    case "no_fault":
      return `不具合は見つかりませんでした。${seen}の返答が指示どおりに届いています。`;
  }
  return code satisfies never;
}

/** Latin words stand apart from Japanese ones by a space. */
function spaced(text: string): string {
  return /^[\x21-\x7e]/.test(text) ? ` ${text}` : text;
}

function words(facts: DiagnosisFacts): string | null {
  return detail(facts, "words", "quote", "text", "value");
}

function manner({ leaked, swallowed }: DiagnosisFacts): string {
  const parts = [...ways(leaked, "テキストとして漏出"), ...ways(swallowed, "跡形なく消失")];
  return parts.length === 0 ? "" : `（${parts.join("、")}）`;
}

function ways(seen: SeenByMode, what: string): string[] {
  const parts: string[] = [];
  if (seen.whole > 0) parts.push(`非ストリーミングでは ${seen.whole} 件が${what}`);
  if (seen.streamed > 0) parts.push(`ストリーミングでは ${seen.streamed} 件が${what}`);
  return parts;
}

function quoted(text: string | null): string {
  return text === null ? "" : `（「${text}」）`;
}

function bracketed(text: string | null): string {
  return text === null ? "" : `（${text}）`;
}

function prefixed(prefix: string, text: string | null): string | null {
  return text === null ? null : `${prefix}${text}`;
}

function fixJapanese({ fix, server }: DiagnosisFacts): string | null {
  if (fix === null) return null;
  switch (fix.kind) {
    case "flag":
      return `${started(server)}に ${fix.option} を付けて起動してください。`;
    case "modelfile":
      return `Modelfile を変更してください: ${fix.option}。`;
    case "template":
      return `チャットテンプレートを変更してください: ${fix.option}。`;
    case "model":
      return `別のモデルまたはタグを使ってください: ${fix.option}。`;
    case "request":
      return `リクエストを変更してください: ${fix.option}。`;
  }
  return fix.kind satisfies never;
}

function caveat(facts: DiagnosisFacts): string | null {
  if (facts.certainty === "shown") return null;
  const parser = detail(facts, "parser", "activeParser");
  if (parser !== null && facts.code === "parser_mismatch") {
    return `現在のパーサーが ${parser} だという点は、読めた形式と漏れた形式からの推定です。`;
  }
  if (facts.owner === "model") return "これは返答の傾向からの推定です。";
  return "これはサーバーの挙動からの推定で、サーバー自身が示した情報ではありません。";
}
