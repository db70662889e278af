import { holdsAny } from "../../protocol/holds-any.ts";
import { speechIn, type TextFinding } from "./sentences.ts";

const announcement =
  /(?:実行|計算|検索|呼び出|確認|調べ|読み|読ん|開い|開き|参照|取得|送信|送り|送って|登録|追加|保存|作成|設定|削除|更新|予約|再起動|探し|見て|問い合わせ|チェック|試し|使い|使っ|算出|求め|読み込)(?:し(?:て(?:みて?|き)?)?|み|ん|り|き|い|め|て|で)?(?:て|で)?(?:み)?(?:ます(?:ね|よ|。|！|!|♪|…|$)|てみ(?:ます|る)|みるね|みよう|でみ|するね|るね|るよ|きます|しよう)|\b(?:I'll|I will|let me|I am going to|I'm going to|I'm about to|time to)\s+(?:(?:now|first|just|quickly|go ahead and)\s+)*(?:run|use|call|execute|compute|calculate|search|look|check|query|fetch|open|read|list|find|get|pull|verify|create|send|set|add|write|save|book|delete|remove|update|schedule|start|stop|turn|post|register|install|deploy|test|build|edit|change|apply|move|copy|rename|restart|notify|message|e-?mail|order|generate|remind|do (?:it|that|this))\b|\bnext step: \w+|(?:我(?:来|去|先|现在|这就|马上|会|将)|让我|正在|我(?:先|再)?(?=(?:看|查|搜|算|试|读|跑|找|翻)(?:一下|看看))|我(?:用|使用|通过)[^。！？\n]{0,12}来)[^。！？\n了过]{0,30}(?:查|搜|检索|计算|算|运行|执行|看|读取|调用|打开|设置|发送|添加|保存)(?:一下|询|索)?(?![了过出])/i;
/** The deed as if it were going on: "Setting the bedroom to 20 degrees now." */
const underWay =
  /^\s*(?:Setting|Running|Sending|Searching|Checking|Looking|Creating|Adding|Saving|Opening|Reading|Fetching|Calculating|Computing|Executing|Booking|Deleting|Updating|Starting|Calling|Querying|Writing|Turning|Scheduling)\b/;
const finite =
  /\b(?:is|are|was|were|has|have|can|could|will|would|may|must|should|means?|gives?|takes?|uses?|requires?|helps?)\b/i;
const stageDirection = /\*(?:runs|executes|opens|searches|calls|checks|types|looks|sends|writes)\b[^*\n]{0,80}\*/i;
/** A whole reply that is one line of code. */
const onlyCode = /^`[^`\n]{2,200}`[.。]?$/;
/** Courtesies behind an announcement. */
const courtesy =
  /お待ち|待って(?:て)?ね|\b(?:one moment|just a (?:moment|second)|please wait|hold on|bear with me)\b|请?稍(?:等|候)/i;
/** The announcement waits for somebody else. */
const waits =
  /\b(?:if|once|when|after|as soon as|unless|let me know|do you|would you|shall I|should I|can you|could you|please)\b|\?\s*$|(?:教えて|いただけ|くだされば|れば|たら|もし|ますか|ましょうか|でしょうか|してほしい)|(?:请|如果|之后|以后|然后再|再(?:调用|查|帮)|吗|是否)/i;
/** The reply asks the user for something first; what it announces then waits for the answer. */
const asksUser =
  /\b(?:tell me|let me know|please (?:tell|provide|specify|share|give|send|confirm)|could you (?:tell|provide|share|specify))\b|[?？]\s*(?:$|\n)|教えて(?:ください|くれ|ね|いただ)|お知らせください|指定してください|请(?:告诉|提供|说明|确认|问)/im;
const commandFence =
  /```[ \t]*(?:bash|sh|shell|zsh|console|powershell|python|py|javascript|js|typescript|ts|ruby|sql|diff|patch|cmd|bat)\b|<(?:execute_\w+|bash|shell|python|run_command|command|terminal|write_to_file|read_file|apply_diff)>|^\*\*\* Begin Patch/im;
const fenceMarks = ["```", "<", "***"];

/**
 * A command or an announcement in place of a call; null where there is none. To be asked only of replies that made no call, to a
 * user who wants something done. `toolNames`: the announcement may name one of them anywhere in the reply.
 */
export function findProseCommand(text: string, toolNames: readonly string[]): TextFinding | null {
  const fence = holdsAny(text, fenceMarks) ? commandFence.exec(text) : null;
  if (fence !== null) return { start: fence.index, end: text.length, text: text.slice(fence.index).trim() };
  if (onlyCode.test(text.trim())) return { start: 0, end: text.length, text: text.trim() };
  const direction = text.includes("*") ? stageDirection.exec(text) : null;
  if (direction !== null)
    return { start: direction.index, end: direction.index + direction[0].length, text: direction[0] };
  const { sentences } = speechIn(text);
  const counts = (sentence: TextFinding): boolean => !courtesy.test(sentence.text) || announcement.test(sentence.text);
  const last = sentences.findLast(counts);
  const happensNow =
    last !== undefined &&
    (last === sentences.find(counts) || /\b(?:now|right away|for you)\b|…|\.\.\./i.test(last.text));
  if (happensNow && underWay.test(last.text) && !finite.test(last.text) && !waits.test(last.text))
    return { start: last.start, end: last.end, text: text.slice(last.start, last.end).trim() };
  const announced = sentences.find(
    (sentence) =>
      (sentence === last || holdsAny(text.slice(sentence.start, sentence.end), toolNames)) &&
      announcement.test(sentence.text) &&
      !waits.test(sentence.text),
  );
  // The words that announce it may stand around a quotation, which is no announcement.
  if (announced === undefined || !announcement.test(text) || asksUser.test(text)) return null;
  const { start, end } = announced;
  return { start, end, text: text.slice(start, end).trim() };
}
