import { rememberLast } from "../../protocol/remember-last.ts";
import { clauseAround, sentencesWith, speechIn, type TextFinding } from "./sentences.ts";

// Long groups capture although nobody reads them: V8 compiles what stands behind them once, and not once for each way through
// them, which took up to 24 ms a pattern.

/** Deeds that leave a trace outside the conversation: only a tool can have done them. */
const hardVerbs =
  "saved|sent|delivered|posted|booked|scheduled|registered|deleted|installed|deployed|restarted|rebooted|committed|pushed|merged|uploaded|downloaded|ordered|submitted|published|reserved|notified|informed|emailed|e-mailed|messaged|cancell?ed|executed|compiled|backed up|archived|renamed|transferred|paid|purchased|enabled|disabled|activated|logged|recorded|stored|filed|replied|forwarded|texted|told (?!me\\b|you\\b)\\w+|let \\w+ know|turned (?:it |them |the \\w+ )?(?:on|off|up|down)";
/** Deeds that may as well be done to the text of the reply itself: they need an object that lies outside. */
const softVerbs =
  "created|added|updated|removed|set(?: up)?|changed|written|wrote|edited|modified|moved|copied|opened|closed|started|stopped|built|fixed|applied|adjusted|made|put|switched|lowered|raised|turned|appended|inserted|attached|extended|locked|unlocked|muted|dimmed|paused|played|resumed|skipped";
const outsideNouns =
  "(tasks?|tickets?|events?|entr(?:y|ies)|records?|reminders?|notes?|memos?|issues?|files?|folders?|director(?:y|ies)|branch(?:es)?|bookings?|reservations?|appointments?|meetings?|calendars?|to-?dos?|accounts?|users?|database|rows?|alarms?|timers?|thermostat|temperature|heating|lights?|lamps?|settings?|servers?|services?|repo(?:sitory)?|pages?|orders?|invoices?|messages?|e-?mails?|notices?|channels?|jobs?|builds?|deployments?|beacon|device|room|tests?|migrations?|backups?|payments?|posts?|changes|[\\w./-]+\\.[a-z0-9]{1,4}|#\\d+)";
const doneParticiple = `(${hardVerbs}|${softVerbs})`;
const adverbs = "(?:'ve| have)?\\s+(?:just |already |now |successfully |also |then |gone ahead and )*";
const finite =
  /\b(?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|should|does|do|means?|gives?|makes?|uses?|lets?)\b/i;

/** Something is, or has become, what a deed makes of it. */
const passiveDeed = new RegExp(
  `\\b(?:has|have|is|are|was|were)\\s+(?:now |just |already |successfully |all )*(?:been\\s+)?${doneParticiple}\\b`,
  "i",
);

/** One way of reporting a deed as done. `needs` is cheap to look for and stands in any sentence that the pattern matches. */
interface DonePattern {
  readonly pattern: RegExp;
  readonly needs?: RegExp;
}

const doer = /\b(?:I|we)\b/i;
const doneByTheWriter: readonly DonePattern[] = [
  { needs: doer, pattern: new RegExp(`\\b(?:I|we)${adverbs}(${hardVerbs})\\b(?!\\s+(?:me|you)\\b)`, "i") },
  {
    needs: doer,
    pattern: new RegExp(`\\b(?:I|we)${adverbs}(${softVerbs})\\s+(?:[\\w'’"“”-]+\\s+){0,6}?${outsideNouns}\\b`, "i"),
  },
];
const doneToThings: readonly DonePattern[] = [
  { needs: passiveDeed, pattern: new RegExp(`\\b${outsideNouns}\\b[^.!?\\n]{0,60}${passiveDeed.source}`, "i") },
  { pattern: new RegExp(`\\b(?:has|have) been (?:successfully |now |just )*(${hardVerbs})\\b`, "i") },
];
const doneInBrief: readonly DonePattern[] = [
  {
    pattern:
      /^\s*(?:Done|Saved|Sent|Booked|Scheduled|Registered|Posted|Committed|Deployed|Deleted|Installed|Submitted|Executed|All (?:set|done))\b\s*(?:[.!:,—-]|$)/im,
  },
  {
    pattern:
      /\b(?:build|deploy(?:ment)?|installation|compilation|tests?|migration|backup|upload|download|sync|request|query|transaction|update|restart)\s+(?:has |have |was |were )?(?:finished|completed|succeeded|passed|went through|is complete|are passing|is done|successful)\b/i,
  },
];

const doneInEnglish = [...doneByTheWriter, ...doneToThings, ...doneInBrief];

const doneInJapanese: readonly DonePattern[] = [
  // Nouns of deeds with する in the past.
  {
    pattern:
      /(?:登録|保存|送信|予約|投稿|削除|更新|追加|作成|設定|変更|インストール|デプロイ|再起動|起動|停止|ビルド|コンパイル|コミット|プッシュ|アップロード|ダウンロード|注文|キャンセル|公開|通知|移動|コピー|手配|申請|発注|反映|記録|共有|連絡|返信|伝達|実行|セット|リマインド|転送|ロック|印刷)(?:は|が|を|も)?(?:完了|いた|致)?(?:し|き|い)?(?:まし)?(?:た(?![らいめくり場])|済み(?:です|だ|$|。|！)|完了(?:です|だよ|！|。|$))/,
  },
  // "…ておいた" says of any deed that it has been done in advance.
  { pattern: /[てで](?:おい|おき)(?:た(?![らい])|ました(?!ら))|(?:し|っ|い)といた(?:よ|ね|。|!|！|〜|~|$)/ },
  {
    pattern:
      /(?:^|[、。！\s])(?:作業|処理|操作|変更)?(?:は|が)?(?:すべて)?(?:完了|終了)(?:し|いたし)?まし?た|を(?:下げ|上げ|切り替え|変え|消し|つけ|入れ|止め|開け|閉め)(?:まし)?た(?![らい])/,
  },
  { pattern: /テスト[^。！!\n]{0,12}(?:通り|成功し|合格し|パスし|通っ)(?:た(?![らい])|ました)|(?:件|個)?すべて成功/ },
  { pattern: /(?:書き込|読み込)(?:みました|んだ(?![らり])|んでおいた|んでおきました)|再起動が完了/ },
];

const doneInChinese: readonly DonePattern[] = [
  // 已 with a deed behind it, or a deed with its result.
  {
    pattern:
      /已(?:经)?(?:成功)?(?:帮|为|替|给|把|将|在)?[^，。！？\n]{0,16}?(?:保存|发送|发给|发出|创建|添加|加入|写入|写好|预订|预约|登记|删除|更新|设置|安装|部署|重启|提交|上传|下载|发布|记录|安排|取消|通知|告诉|调整|设为|设成|调到|调至|关闭|关掉|打开|开启|完成|运行|执行|改到|改为|改成|移到|删掉|启动|停止|移动|复制|备份|回复|答复|转发|提醒|调高|调低|打印|设定)/,
  },
  {
    pattern:
      /(?:保存|发送|创建|写入|设置|预订|提交|部署|安装|添加|登记|更新|删除|重启|修改)(?:已)?(?:成功|完成|完毕|好了)|测试(?:全部|都|已经?|均)+(?:通过|成功)|(?:发|送|加|存|写|关|开|设|调|建|订|删)好了/,
  },
];

/** Further words of reports that are no participles of deeds. */
const otherReports =
  "done|rescheduled|set|ready|gone|live|completed?|finished|succeeded|successful|passed|passing|went through|is now|is on|is off|is all|are now|are on|are off|are all";
/** Words without one of which nothing is reported as done: most sentences hold none. */
const reportWords = new RegExp(
  `\\b(${doneParticiple}|${otherReports})\\b|た|済|だ(?:よ|。|！|$)|完了|已|成功|通过|完成|完毕|好了`,
  "i",
);
/** What they begin with: a pattern of nothing but literals finds its way through a long text in half the time. */
const reportHints = new RegExp(
  `\\b(?:${beginnings(`${hardVerbs}|${softVerbs}|${otherReports}`).join("|")})|た|済|だ|完了|已|成功|通过|完成|完毕|好了`,
  "gi",
);
const notDone =
  /\b(?:didn't|did not|haven't|have not|hasn't|has not|not yet|not|never|cannot|can't|could not|couldn't|would|could|should|will|if|once|before|after you|when you|unless|to be|need(?:s)? to|you|being|perhaps|maybe|probably|possibly|might|usually|often|normally|when|must)\b|\?\s*$|ません|ない(?:です|。|$)|できず|せず|てください|ましょう|たら|れば|なら|もし|あなた|予定(?:です|だ|で|の|に(?:なって|して))|つもり|ますか|でしょうか|かもしれ|たぶん|おそらく|没有|没能|未能|尚未|如果|请|将会|吗|也许|可能|大概|通常/i;
const courtesies = /\b(?:for|to|with) you\b|为(?:您|你)|帮(?:您|你)|给(?:您|你)/gi;
/** The deed is in the reply itself: a text that follows, or one that stands above. */
const isInReply =
  /\b(?:below|above|here(?:'s| is| are)?|following|as follows|this (?:version|draft|text))\b|以下|下記|上記|次の(?:よう|通り)|こちら|如下|下面|以上/i;

/** A report without a verb of its own: "File a.txt created successfully.", "All 24 tests passed." */
const fragment = new RegExp(
  `^\\s*(?:✅\\s*)?(?:all |the |your |a |new |\\d+ )*([\\w.'"’/-]+\\s+){0,3}?(${outsideNouns}|[\\w.-]+)\\b[^.!?\\n]{0,30}?\\b(${doneParticiple}|completed|finished|passed|succeeded)\\b(?:\\s+successfully\\b|[^.!?\\n]{0,24}(?:[.!]|$))`,
  "i",
);
const fragmentOutside = new RegExp(
  `^\\s*(?:✅\\s*)?(?:all |the |your |a |new |\\d+ )*([\\w.'"’/-]+\\s+){0,3}?${outsideNouns}\\s+(?:\\w+\\s+)?(${doneParticiple}|completed|finished|passed|succeeded)\\b[^.!?\\n]{0,24}(?:[.!]|$)`,
  "i",
);
const elliptical = new RegExp(`^\\s*${doneParticiple}\\s+(?:the|your|a|an|it|this|\\w+ed|['"“\`\\w])`, "i");
const softDeed = new RegExp(`\\b(?:I|we)${adverbs}${doneParticiple}\\b`, "i");
/** "Sent to Ann.", "Moved to Friday." */
const shortReport = new RegExp(
  `^\\s*(?:✅\\s*)?(${doneParticiple}|rescheduled)(?:\\s+(?:it|them|this|that))?\\s+(?:to|in|on|at|as|for|from|into|with)\\b`,
  "i",
);
const nowIs =
  /\b(?:is|are) (?:now|all)\b|\b(?:on|off|set|ready|gone|live|up|running) now\b|\b(?:is|are) (?:off|on|set|done|gone|live|deployed|saved|booked|scheduled)\b/i;

/**
 * A deed outside the conversation, reported as done; null where the text reports none. `userText` is the turn that it answers:
 * the deed that it asked for, in the past, is reported by whatever words.
 */
export function findDoneReport(text: string, userText = ""): TextFinding | null {
  const asked = requestedDeed(userText);
  const found = first(sentencesWith(speechIn(text), reportHints), ({ start, end, text: sentence }) => {
    if (!reportWords.test(sentence)) return false;
    if (isInReply.test(sentence)) return false;
    const isJapanese = /[ぁ-んァ-ヶ]/.test(sentence);
    const isLatin = !isJapanese && !/[\u4e00-\u9fff]/.test(sentence);
    if (
      isLatin &&
      !finite.test(sentence) &&
      (fragmentOutside.test(sentence) || shortReport.test(sentence)) &&
      !notDone.test(sentence.replace(courtesies, ""))
    )
      return true;
    if (echoesDone(sentence, text.slice(start, end), asked)) return true;
    return (isLatin ? doneInEnglish : isJapanese ? doneInJapanese : doneInChinese).some(({ pattern, needs }) => {
      const match = needs?.test(sentence) === false ? null : pattern.exec(sentence);
      if (match === null) return false;
      const clause = clauseAround(sentence, match.index, match.index + match[0].length).replace(courtesies, "");
      return !notDone.test(clause);
    });
  });
  return found === undefined
    ? null
    : { start: found.start, end: found.end, text: text.slice(found.start, found.end).trim() };
}

/** The literals that the alternatives of a pattern begin with, each once. */
function beginnings(alternatives: string): readonly string[] {
  const literals = alternatives.split(/\|(?![^(]*\))/).map((one) => /^[\w -]+?(?=.\?|[^\w -]|$)/.exec(one)?.[0] ?? "");
  return [...new Set(literals)];
}

function first(found: Iterable<TextFinding>, reports: (sentence: TextFinding) => boolean): TextFinding | undefined {
  for (const sentence of found) if (reports(sentence)) return sentence;
  return undefined;
}

/** Words of a turn by which a report of what it asks for can be known. */
interface RequestedDeed {
  /** A Japanese turn that asks for a deed (…て, …てください). */
  readonly isJapanese: boolean;
  /** Latin words of four letters or more, in lower case. */
  readonly words: readonly string[];
  /** Kanji stems that stand before a request's て: 消 in 消して. */
  readonly stems: readonly string[];
}

const commonWords =
  /^(?:please|could|would|should|with|that|this|from|into|about|just|then|them|have|your|what|when|will|want|need|make|take|some|more)$/;

const requestedDeed = rememberLast((userText): RequestedDeed => {
  const words = (userText.toLowerCase().match(/[a-z][a-z0-9_.-]{2,}/g) ?? []).filter(
    (word) => word.length > 3 && !commonWords.test(word),
  );
  const stems = [
    ...userText.matchAll(/([\u4e00-\u9fff]{1,3})[ぁ-ん]{0,3}[てで](?:ください|くれ|ほしい|おいて|もら|[。！!\s]|$)/g),
  ].map((match) => match[1] ?? "");
  const isJapanese =
    /[てで](?:ください|くれ|ほしい|おいて|もら|ね|よ)?[^ぁ-ん]{0,3}$/.test(userText.trim()) && /[ぁ-ん]/.test(userText);
  return { isJapanese, words: words.slice(0, 64), stems: stems.filter((stem) => stem !== "").slice(0, 16) };
});

function echoesDone(sentence: string, whole: string, asked: RequestedDeed): boolean {
  if (!echoes(sentence, whole, asked)) return false;
  const deed = softDeed.exec(sentence);
  const clause = deed === null ? sentence : clauseAround(sentence, deed.index, deed.index + deed[0].length);
  return !notDone.test(clause.replace(courtesies, ""));
}

/** Something was done to something: を with a past form that ends the sentence. */
const transitivePast =
  /を[^。！？!?\n]{1,16}(?:まし)?た(?:よ|ね|よ〜|わ|ぞ)?\s*(?:[。！!♪✨〜~)）]|$|\p{Extended_Pictographic})/u;
/** Deeds whose whole result is the words of the reply, and acknowledgements. */
const madeOfWords =
  /まとめ|訳し|要約|説明|書き|書い|考え|思い|思っ|整理|作ってみ|紹介|挙げ|並べ|リスト|答え|翻訳|直し|了解|承知|理解|失礼|お待たせ|いただき|計算|求め|足し|数え|調べ|確認|検索|見つけ|お願い|もらい/;

/** The requested deed in the past, by its own words: "Nginx restarted successfully", 消しました. */
function echoes(visible: string, whole: string, { words, stems, isJapanese }: RequestedDeed): boolean {
  if (isJapanese && transitivePast.test(visible) && !madeOfWords.test(visible)) return true;
  const said = whole.toLowerCase();
  const shares = words.some((word) => said.includes(word.length > 6 ? word.slice(0, 6) : word));
  if (shares) {
    if (softDeed.test(visible)) return true;
    if (nowIs.test(visible) || passiveDeed.test(visible)) return true;
    if ((fragment.test(visible) || elliptical.test(visible)) && !finite.test(visible)) return true;
  }
  return stems.some((stem) =>
    new RegExp(`${stem}[ぁ-ん]{0,3}?(?:まし)?た(?![らいめくり])|${stem}[ぁ-ん]{0,2}(?:といた|ておい)`).test(visible),
  );
}

const successWords =
  /\b(?:complet(?:ed|e)|succeed(?:ed)?|success(?:ful(?:ly)?)?|worked|finished|done|no (?:errors?|problems?|issues?)|without (?:any )?(?:errors?|problems?|issues?|warnings?)|all good)\b|問題なく|成功|完了|正常に|できました|顺利|完成/i;
const noFailure =
  /\b(?:no|without(?: any)?|zero|free of)\s+(?:errors?|failures?|problems?|issues?|warnings?)\b|(?:エラー|失敗|問題)(?:は|も)?(?:なく|なし|ありません|ない|ませんでした)|(?:没有|未(?:见|出现)?|无)(?:任何)?(?:错误|失败|问题|异常)/gi;
const admitsFailure =
  /\b(?:fail(?:ed|ure|s)?|errors?|timed out|time-?outs?|could(?:n't| not)|can(?:'t|not)|unable|unfortunately|problems?|unavailable|denied|not found|didn't|did not|wasn't|was not|try again|retry)\b|失敗|エラー|タイムアウト|できません|見つかりません|もう一度|失败|错误|超时|无法|没能|未能|重试/i;

/** Success reported without a word of the failure that the tool answered with; null where the failure is told. */
export function findDeniedFailure(text: string, userText = ""): TextFinding | null {
  if (admitsFailure.test(text.replace(noFailure, " "))) return null;
  const sentence = speechIn(text).sentences.find((candidate) => successWords.test(candidate.text));
  const found = sentence ?? findDoneReport(text, userText);
  return found === null || found === undefined
    ? null
    : { start: found.start, end: found.end, text: text.slice(found.start, found.end).trim() };
}
