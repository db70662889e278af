import { rememberLast } from "./remember-last.ts";

/**
 * What a user's turn asks for, as far as words show it. Whether call-shaped text acts or is shown depends on it, and so does
 * whether a code block is the answer or a command that should have been a call.
 */
export interface UserRequest {
  /** The form of calls, tags or prompts is itself the subject: whatever looks like a call is then an example. */
  readonly aboutCalls: boolean;
  /** A piece of data or text in a given form (JSON, XML, a definition, a fixture) is the deliverable. */
  readonly forDocument: boolean;
  /** Code or a command is the deliverable, or an explanation of how to do something. */
  readonly forCode: boolean;
  /** A text that the user gives is to be translated, rewritten or summed up: its claims are not the writer's own. */
  readonly rewording: boolean;
  /** Words in somebody else's voice: a letter, a story, a dialogue. */
  readonly composing: boolean;
}

const formNouns =
  /\b(?:(?:tool|function)[- ]?call(?:s|ing)?|(?:xml|tool|call|function|special|opening|closing) tags?|special (?:tokens?|markers?)|(?:prompt|call|chat|raw|wire|react|hermes|tool) (?:format|syntax|text|template)|fixture|unit test|test case|bug report)\b|ツール呼び出し|関数呼び出し|呼び出し(?:形式|の形|の書)|特殊トークン|(?:ツール|呼び出し)の?(?:書式|タグ)|不具合報告|バグ報告|テストデータ|工具调用|函数调用|特殊(?:标记|符号)|调用格式/i;
/** The tool is to be used, not spoken of. */
const usesTool =
  /\b(?:use|using|via|with|make|through)\s+(?:the |a |an |your |one |\w+ )?(?:tool|function)s?\b|ツールを使|使用工具|用工具/i;
const asksToShow =
  /\b(?:how|what|which|why|explain|describe|teach|show|tell|give|write|rewrite|document|review|list|quote|cite|summari[sz]e|translate|example|sample)\b|(?:説明|解説|教え|例|示|見せ|書い|書き|どう|どの|何|要約|レビュー|翻訳|訳し)|(?:解释|说明|举例|示例|怎么|如何|哪些|什么|写|展示|总结|翻译|介绍)/i;
/** Pieces of call markup, in a user's turn. */
const callMarkup =
  /<\/?(?:tool_call|function_calls?|tool|tools|invoke|function)[\s>=_]|<\|[a-z_]+\|>|\[\/?TOOL_CALLS?\]|"arguments"\s*:|"tool_calls"/i;

const documentNouns =
  "(?:json|xml|yaml|toml|html|csv|config(?:uration)?|definitions?|schemas?|payload|snippets?|samples?|examples?|templates?|fixtures?|(?:unit )?tests?|test cases?|mock ?ups?|docs?|documentation|readme|markup|elements?|objects?)";
const asksForDocument = new RegExp(
  `\\b(?:write|give|show|generate|create|make|print|output|produce|return|need|want|format|convert)\\b[^.?!\\n]{0,60}\\b${documentNouns}\\b|(?:JSON|XML|YAML|HTML|設定|定義|スキーマ|サンプル|例|テスト|雛形|テンプレート)[^。\\n]{0,16}(?:書|作|示|見せ|出力し|をくだ|ちょうだい)|(?:写|给我|生成|输出|展示)[^。\\n]{0,16}(?:JSON|XML|YAML|HTML|配置|定义|模式|示例|样例|例子|测试)`,
  "i",
);

const codeNouns =
  "(?:(?<!\\b(?:postal|zip|post|area|country|promo|discount|qr|bar|access|security|dress|colou?r|error|status|exit|pin|tax|airport) )codes?|scripts?|commands?|functions?|snippets?|programs?|regex(?:es|p)?|one-liners?|quer(?:y|ies)|class(?:es)?|methods?|SDK|APIs?|dockerfile|makefile|syntax|sql|loop|algorithm)";
const asksForCode = new RegExp(
  [
    `\\b(?:write|show|give|print|explain|example|need|want|what(?:'s| is| are| was| would)?|which|tell|provide|suggest|share|teach|draft|refactor|fix|improve|review|translate)\\b[^.?!\\n]{0,80}\\b${codeNouns}\\b`,
    "\\b(?:explain|describe|understand|what does|what do)\\b[^\\n]{0,40}`",
    "\\bhow (?:do|does|did|would|can|could|should|might|to)\\b",
    "\\bwhat (?:does|do|would|will)\\b[^.?!\\n]{0,80}\\b(?:print|output|evaluate to)\\b|\\bwhat (?:does|do|would|will)\\b[^.?!\\n]{0,60}[`(\\[][^.?!\\n]{0,60}\\b(?:do|show|return|mean|give)\\b",
    "\\b(?:I'll|I will|I can|I'd|let me) (?:run|execute|try|paste|do) (?:it|this|that|them) (?:myself|later|on my)",
    "\\b(?:don't|do not|no need to|without) (?:run|running|execute|executing|actually)\\b",
    "(?:コード|スクリプト|コマンド|関数|プログラム|クラス|正規表現|クエリ|書き方|方法|やり方|手順|使い方)(?:を|は|の例|って|が知|で)?[^。\\n]{0,14}(?:書|教|見せ|示|説明|くだ|ちょうだい|作|何|なに|どう|知りたい)",
    "どう(?:すれば|やって|やったら|書けば|書く|したら|やる)|(?:実行|走らせ)(?:は|し)?(?:不要|しないで|せず|なくて)|実行しなく|自分で(?:実行|やる|走らせ)",
    "(?:コード|スクリプト|コマンド|書き方|方法|やり方|手順)(?:は|って(?:何|なに)?)?\\s*[?？]",
    "(?:命令|代码|函数|脚本|语法|程序)(?:是|叫)?(?:什么|哪个|怎么)|我自己(?:来)?(?:运行|执行|跑)",
    "(?:写|给我|给出|提供|展示|看看|需要|讲讲)[^。\\n]{0,30}(?:代码|脚本|函数|命令|程序|正则|查询语句|类)|(?:怎么|怎样|如何)|(?:什么|哪个)(?:命令|代码|函数)|(?:不要|不用|无需|别)(?:执行|运行)",
  ].join("|"),
  "i",
);

const rewordingWords =
  /\b(?:translate|rewrite|rephrase|paraphrase|proofread|polish|correct|summari[sz]e|sum up|shorten|quote)\b|(?:翻訳|訳して|和訳|英訳|言い換え|書き直|書き換え|要約|まとめて|校正|添削|推敲)|(?:翻译|译成|改写|润色|总结|概括|校对|缩写)/i;
/** Signs that the text to work on is in the turn itself. */
const givesText = /["“”「『‘`]|'[^']{12,}'|[:：]\s*\S[^\n]{12,}|\n/;

const composingWords =
  /\b(?:write|draft|compose|imagine|pretend|role-?play)\b[^.?!\n]{0,60}\b(?:story|e-?mails?|letters?|message|tweet|(?:blog )?posts?|dialog(?:ue)?|essay|sentence|paragraph|poem|song|speech|announcement|reply|answer|you are|you're|as if)\b|(?:物語|小説|手紙|メール(?:の文面|を書)|文面|台詞|セリフ|例文|スピーチ|詩)[^。\n]{0,12}(?:書|作|考え)|(?:写|编)[^。\n]{0,10}(?:故事|邮件|信|对话|文章|句子|诗)/i;
/** Where something is to be put: then it is to be done, not only shown. */
const destination =
  /\b(?:save|store|upload|commit|put it|append|send|post|publish)\b|\b(?:to|into|in|as) [\w./-]+\.[a-z0-9]{1,5}\b|(?:に|へ)(?:保存|書き込|書き出|送信|投稿)|[\w./-]+\.[a-z0-9]{1,5}\s*(?:に|へ)|(?:保存|写|存)(?:到|入|进)|发(?:送)?(?:到|给)/i;

const nothing: UserRequest = {
  aboutCalls: false,
  forDocument: false,
  forCode: false,
  rewording: false,
  composing: false,
};
/** Longest turn that is looked at whole; of a longer one the ends, where people say what they want. */
const longestTurn = 4000;

/** Reads what a user's turn asks for. Silent where no word says anything: then something is to be done. */
export const readUserRequest = rememberLast((text): UserRequest => {
  if (text.trim() === "") return nothing;
  const turn = text.length <= longestTurn ? text : `${text.slice(0, longestTurn / 2)}\n${text.slice(-longestTurn / 2)}`;
  const rewording = rewordingWords.test(turn) && givesText.test(turn);
  const quotesMarkup = callMarkup.test(turn);
  const toBeStored = destination.test(turn);
  return {
    aboutCalls:
      asksToShow.test(turn) && (quotesMarkup || (formNouns.test(turn) && !usesTool.test(turn) && !toBeStored)),
    forDocument: asksForDocument.test(turn) && !toBeStored,
    forCode: asksForCode.test(turn),
    rewording,
    composing: composingWords.test(turn) && !toBeStored,
  };
});
