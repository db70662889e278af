import type { ProbeFaultCode } from "../../classify/classification.ts";
import { type DiagnosisFacts, detail, type ProbeDiagnosisCode } from "./diagnosis-facts.ts";

/** What conversations show, as a table counts it. */
export const faultsJapanese: Readonly<Record<ProbeFaultCode, string>> = {
  call_not_made: "呼び出しなし",
  wrong_tool_chosen: "別のツール",
  lost_among_tools: "多数のツールの中で呼び出しなし",
  called_against_word: "実行しない指示に反して呼び出し",
  called_without_need: "不要な呼び出し",
  followup_refused: "次のリクエストの拒否",
  result_not_in_prompt: "結果がプロンプトにない",
  result_ignored: "結果が回答にない",
  result_invented: "結果の捏造",
  step_not_carried: "前の結果の不使用",
  call_loop: "呼び出しの繰り返し",
  call_ids_broken: "呼び出し ID の欠落・重複",
  final_answer_missing: "final_answer なし",
  final_answer_unfounded: "作業前の final_answer",
  prose_under_required: "required での散文",
  required_refused: "required の拒否",
  replies_differ_streamed: "ストリーミングで差異",
  history_refused: "履歴の拒否",
  history_poisons: "この履歴の後で呼び出しなし",
  system_prompt_unseen: "システムプロンプトが不明",
  context_cut_silently: "警告のない切り詰め",
  context_refused_early: "上限未満で拒否",
  context_recall: "全文が届いても想起できない",
  relay_wrong: "出力の伝達ミス",
  warning_relayed: "無害な警告の伝達",
  language_left_for_other: "別の言語",
  persona_lost: "ペルソナの喪失",
  thinking_in_text: "本文に思考が混入",
};

export const probeTitlesJapanese: Readonly<Record<ProbeDiagnosisCode, string>> = {
  call_not_made: "呼び出さずに回答",
  wrong_tool_chosen: "別のツールの呼び出し",
  lost_among_tools: "ツールが多すぎる",
  called_against_word: "実行しない指示に反した呼び出し",
  called_without_need: "不要な呼び出し",
  followup_refused: "次のリクエストの拒否",
  result_not_in_prompt: "ツールの結果がモデルに届かない",
  result_ignored: "ツールの結果の不使用",
  result_invented: "ツールの結果の捏造",
  step_not_carried: "前の結果を次の呼び出しに使わない",
  call_loop: "終わらない呼び出し",
  call_ids_broken: "呼び出し ID の欠落・重複",
  final_answer_missing: "終了しない",
  final_answer_unfounded: "作業前の終了",
  prose_under_required: "tool_choice required での散文",
  required_refused: "tool_choice required の拒否",
  history_refused: "履歴の拒否",
  history_poisons: "履歴による呼び出しの阻害",
  system_prompt_ignored: "システムプロンプトに従わない",
  context_refused_early: "表示より短いコンテキスト",
  context_recall: "長いプロンプトの冒頭を忘却",
  relay_wrong: "ツール出力の伝達ミス",
  warning_relayed: "無害な警告の伝達",
  language_left: "言語の逸脱",
  language_changes_calls: "言語で変わる呼び出し",
  persona_lost: "ペルソナの喪失",
  thinking_in_text: "回答への思考の混入",
  template_ignored: "独自テンプレートの不使用",
  capability_false: "ツール対応の表示に反する欠落",
  capability_unclaimed: "表示されないツール対応",
};

/** What happened, in one sentence, for what conversations show. */
export function probeHappenedJapanese(code: ProbeDiagnosisCode, facts: DiagnosisFacts): string {
  const seen = `${facts.of} 件中 ${facts.count} 件の会話`;
  const words = detail(facts, "words");
  const said = words === null ? "" : `（「${words}」）`;
  const value = (key: string) => detail(facts, key) ?? "";
  switch (code) {
    case "call_not_made":
      return `モデルが必要なツールを呼ばずに答えています。${seen}が該当します${said}。`;
    case "wrong_tool_chosen":
      return `モデルが適切なツールではなく別のツールを呼んでいます。${seen}が該当します${said}。`;
    case "lost_among_tools":
      return `ツールが多いと、モデルが適切なツールを呼べなくなります。${value("works")} 個では呼び、${value("fails")} 個では呼びません（${seen}）。`;
    case "called_against_word":
      return `実行しないよう指示されても、モデルがツールを呼んでいます。${seen}が該当します${said}。`;
    case "called_without_need":
      return `必要のない場面でモデルがツールを呼んでいます。${seen}が該当します${said}。`;
    case "followup_refused":
      return `サーバーが、自ら返した呼び出しとその結果を含む続きのリクエストを受け付けません。${seen}が該当します${said}。`;
    case "result_not_in_prompt":
      return `ツールの結果がモデルに届いていません。チャットテンプレートが組み立てたプロンプトに結果がありません（${seen}）${said}。`;
    case "result_ignored":
      return `モデルがツールの結果を使っていません。${seen}が結果を含まない回答で終わりました${said}。`;
    case "result_invented":
      return `ツールが返していない結果をモデルが述べています。${seen}が該当します${said}。`;
    case "step_not_carried":
      return `モデルが前の結果を次の呼び出しに使っていません。${seen}が該当します${said}。`;
    case "call_loop":
      return `モデルが呼び出しを続け、回答に至りません。${seen}が上限に達しました${said}。`;
    case "call_ids_broken":
      return `1 つの応答の呼び出しに ID がないか同じ ID が付いており、結果を区別できません。${seen}が該当します${said}。`;
    case "final_answer_missing":
      return `モデルが作業を続け、final_answer を呼びません。${seen}が該当します。`;
    case "final_answer_unfounded":
      return `モデルが必要なツールを実行せずに final_answer を呼んでいます。${seen}が該当します${said}。`;
    case "prose_under_required":
      return `tool_choice "required" でも散文が返ります。${seen}に呼び出しのない応答があります${said}。`;
    case "required_refused":
      return `サーバーが tool_choice "required" を拒否したため、"auto" で続けました（${seen}）${said}。`;
    case "history_refused":
      return `サーバーが ${value("variant")} の問題を含む履歴を拒否します。${seen}が該当します${said}。`;
    case "history_poisons":
      return `${value("variant")} の問題を含む履歴の後では、問題のない履歴の後と違い、モデルがツールを呼ばなくなります。${seen}が該当します${said}。`;
    case "system_prompt_ignored":
      return `モデルがシステムプロンプトを知らないか、従っていません。${seen}が該当します${said}。`;
    case "context_refused_early":
      return `サーバーの示すコンテキストに収まるはずのプロンプトが拒否されます。${seen}が該当します${said}。`;
    case "context_recall":
      return `長いプロンプトは全文届いていますが、モデルが冒頭の内容を見つけられません。${seen}が該当します${said}。`;
    case "relay_wrong":
      return `モデルがツールの出力を正しく伝えていません。${seen}が該当します${said}。`;
    case "warning_relayed":
      return `モデルが無害な警告を結果のように伝えています。${seen}が該当します${said}。`;
    case "language_left":
      return `モデルが会話の言語から外れています。${seen}が該当します${said}。`;
    case "language_changes_calls":
      return `モデルが呼ぶかどうかが言語で変わります。${value("language")} では${seen}に呼び出しがなく、${value("other")} より明らかに多い結果です。`;
    case "persona_lost":
      return `モデルがシステムプロンプトのペルソナを失っています。${seen}が該当します${said}。`;
    case "thinking_in_text":
      return `思考が回答から分離されていません。${seen}が該当します${said}。`;
    case "template_ignored":
      return `Modelfile の TEMPLATE が使われていません。継承されることの多い RENDERER と PARSER が併記され、そちらが優先されています（${seen}に影響）。`;
    case "capability_false":
      return `サーバーはこのモデルがツールに対応すると表示しますが、組み立てたプロンプトにツールがありません（${seen}に影響）。`;
    case "capability_unclaimed":
      return `サーバーはこのモデルがツールに対応しないと表示しますが、実際には対応しています（${seen}を受理）。事前に確認するクライアントはツールを渡しません。`;
  }
  return code satisfies never;
}
