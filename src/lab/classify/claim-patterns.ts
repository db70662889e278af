import type { Instrument } from "./ledger.ts";

/** One way of claiming, in one language. */
export interface ClaimPattern {
  readonly instrument: Instrument;
  readonly pattern: RegExp;
  /** What any sentence that the pattern matches holds. */
  readonly needs?: readonly RegExp[];
  /**
   * Evidence in the present tense ("the code gives 4") is also how code is explained: it is a claim only where no code was
   * spoken of.
   */
  readonly present?: boolean;
}

// English: something that runs programs or looks things up, and a verb of having done so, in either order. Long groups capture
// although nobody reads them: V8 compiles what stands behind them once, and not once for each way through them, which took up to
// 17 ms a pattern.
const program =
  "(python|code|scripts?|program|interpreter|sandbox|shell|terminal|command|notebook|calculator|(?:sub-?)?agent|tools?|test suite|tests?)";
const place =
  "(web|internet|online|docs|documentation|database|(?:web)?sites?|weather|calendar|inbox|mail(?:box)?|repo(?:sitory)?|logs?|files?|pages?|api|server|schedule|timetable|folder|director(?:y|ies)|notes?|documents?|articles?|source(?: code| files?)?|code ?base|modules?|attachments?|records?|catalogue?|wiki(?:pedia)?|news|store|inventory|prices?|disk|forecast|balance|status|listings?|records?|statistics|data|[\\w/-]+\\.[a-z]{1,4})";
const adverbs =
  "(?:'ve| have)?\\s+(?:just |already |also |quickly |then |now |actually |since |first |briefly |carefully )*";
const ranVerb =
  "(ran|run|executed|used|called|invoked|computed|calculated|verified|(?:double-|cross-)?checked|tested|evaluated|confirmed|asked|worked|determined|wrote and ran|solved|counted|measured|simulated)";
const gotVerb = "(ran|computed|calculated|got|found|determined|verified|confirmed|obtained|see|saw|worked out|checked)";
const saidVerb =
  "(printed|returned|output|outputted|gave|showed|confirmed|reported|said|answered|yielded|produced|exited|executed|ran|finished|completed|found|evaluated|came back)";
const saysVerb = "(prints|returns|gives|shows|confirms|reports|says|yields|produces|outputs)";
const lookedVerb =
  "(?:looked (?:it|this|that|them|everything|up)\\b[^.\\n]{0,16}?(?:\\bup\\b)?|searched|googled|browsed|queried|fetched|pulled up|consulted|visited|went (?:online|to the))";

/** Words without which a pattern cannot match, cheap to look for: most sentences of a long answer need no more. */
const speaker = /\b(?:I|we)\b/i;
const programNoun = new RegExp(`\\b${program}\\b`, "i");

const english: readonly ClaimPattern[] = [
  {
    needs: [speaker, programNoun],
    instrument: "program",
    pattern: new RegExp(
      `\\b(?:I|we)${adverbs}(?:put|ran|fed|passed|plugged|threw|sent|did)\\b[^.\\n]{0,30}\\b(?:through|into|to|in|with)\\s+(?:the |a |my )?(\\w+ ){0,2}?${program}\\b`,
      "i",
    ),
  },
  {
    needs: [programNoun],
    instrument: "program",
    present: true,
    pattern: new RegExp(
      `^\\s*(?:using|with|via)\\s+(?:the |a |an |my )?(\\w+ ){0,2}?${program}\\b[^,.\\n]{0,24},\\s+\\w`,
      "i",
    ),
  },
  { instrument: "program", pattern: /^\s*(?:just |quickly )?ran\s+[^.:\n]{1,40}[:.,]/i },
  {
    needs: [speaker],
    instrument: "search",
    pattern: new RegExp(
      `\\bI${adverbs}(?:checked|verified|searched|consulted)\\s+(?:the|your|our)\\s+\\w+(?: \\w+)?\\s*(?:[:;—]|,? and\\b)`,
      "i",
    ),
  },
  {
    instrument: "search",
    pattern:
      /\b(?:per|according to)\s+(?:the\s+|my\s+|current\s+|live\s+|latest\s+)*(?:web|internet|online (?:sources|data|results)|live data|search)\b/i,
  },
  {
    needs: [speaker, programNoun],
    instrument: "program",
    pattern: new RegExp(`\\b(?:I|we)${adverbs}${ranVerb}\\b[^.\\n]{0,60}\\b${program}\\b`, "i"),
  },
  {
    needs: [programNoun],
    instrument: "program",
    pattern: new RegExp(
      `\\b(?:using|with|via|in|through|by means of)\\s+(?:the |a |an |my |some )?(\\w+ ){0,2}?${program}(?: tool| script| program)?,?\\s+(?:I|we)${adverbs}${gotVerb}\\b`,
      "i",
    ),
  },
  {
    needs: [programNoun],
    instrument: "program",
    pattern: new RegExp(
      `\\b${ranVerb}\\b\\s*(?:it|this|that|them|the \\w+)?\\s*(?:out )?(?:exactly |precisely |carefully |directly )*(?:with|in|using|via|through|by)\\s+(?:the |a |an |some |running |executing )?(?:\\w+ )?${program}\\b`,
      "i",
    ),
  },
  {
    instrument: "program",
    pattern:
      /\b(?:verified|confirmed|computed|calculated|checked|tested)\b[^.\n]{0,20}\b(?:programmatically|via (?:code )?execution|by (?:running|executing))/i,
  },
  {
    needs: [speaker, programNoun],
    instrument: "program",
    pattern: new RegExp(
      `\\bI\\s+had\\s+[^.\\n]{0,24}\\b${program}\\b[^.\\n]{0,24}\\b(?:work|compute|calculate|run|check|do|find)\\b`,
      "i",
    ),
  },
  {
    needs: [programNoun],
    instrument: "program",
    pattern: new RegExp(
      `\\b(?:the|my)\\s+(\\w+ ){0,2}?${program}\\s+(?:was |has |have |just |then |successfully )*${saidVerb}\\b`,
      "i",
    ),
  },
  {
    needs: [programNoun],
    instrument: "program",
    present: true,
    pattern: new RegExp(`\\b(?:(?:the|my)\\s+(\\w+ ){0,2}?${program}|python)\\s+${saysVerb}\\b`, "i"),
  },
  {
    needs: [programNoun],
    instrument: "program",
    pattern: new RegExp(
      `\\b(?:according to|based on|from|per|as shown by|going by)\\s+(?:the|my|its|this|that|running|executing)\\s+(\\w+ ){0,2}?${program}(?:'s)?\\b(?:\\s+(?:run|output|results?|execution|response))?`,
      "i",
    ),
  },
  {
    needs: [programNoun],
    instrument: "program",
    pattern: new RegExp(
      `\\b(?:output|result)s?\\s+(?:of|from)\\s+(?:running|executing|the|my)\\s+(\\w+ ){0,2}?${program}\\s+(?:is|was|are|were)\\b`,
      "i",
    ),
  },
  {
    needs: [programNoun],
    instrument: "program",
    pattern: new RegExp(
      `\\b(?:running|executing|evaluating|computing|calculating|checking)\\s+(?:it|this|that|the \\w+)\\s+(?:through|in|with|on|using|via)\\s+(?:the |a |my )?(?:\\w+ )?${program}\\s+(?:${saidVerb}|${saysVerb})\\b`,
      "i",
    ),
  },
  {
    needs: [programNoun],
    instrument: "program",
    pattern: new RegExp(
      `\\b(?:after|upon)\\s+(?:running|executing|calling)\\s+(?:it|this|that|(?:the|a|my)\\s+(?:\\w+ )?${program})\\b`,
      "i",
    ),
  },
  {
    instrument: "program",
    pattern:
      /(?:^|\bI(?:'ve| have)?\s+|[.!]\s+|\()(?:just |already |quickly )*ran (?:it|this|that|them|the (?:code|script|command|tests?|numbers|query)|[a-z]+_\w+)\b/i,
  },
  {
    instrument: "program",
    pattern: /^\s*(?:executed|computed|calculated|evaluated|ran)(?: (?:successfully|with python|in python))?\s*[:：]/i,
  },
  {
    instrument: "program",
    present: true,
    pattern:
      /\b(?:running|executing)\s+(?:\w+\s+){1,4}(?:gives|gave|returns|returned|yields|yielded|shows|showed|prints|printed|produces|produced)\b/i,
  },
  {
    instrument: "program",
    pattern:
      /^\s*(?:the\s+)?(?:tool|script|code|program|python|command|execution|sandbox|interpreter)\s+(?:output|result|response)s?\s*(?:[:：]|is\b|was\b)/i,
  },
  {
    needs: [programNoun],
    instrument: "program",
    pattern: new RegExp(
      `\\b(?:after|by|from)\\s+(?:computing|calculating|checking|verifying|running|executing|testing|evaluating)\\s+(?:it |this |that |the \\w+ )?(?:with|in|via|using|through)\\s+(?:the |a |some )?(?:\\w+ )?${program}\\b`,
      "i",
    ),
  },
  { needs: [speaker], instrument: "search", pattern: new RegExp(`\\bI${adverbs}${lookedVerb}`, "i") },
  {
    needs: [speaker],
    instrument: "search",
    pattern: new RegExp(
      `\\bI${adverbs}(?:did|performed|ran|made|conducted)(?: (?:a|an|some|the))?(?: \\w+){0,2} (?:search(?:es)?|lookup|look-up|query|check)\\b`,
      "i",
    ),
  },
  {
    needs: [speaker],
    instrument: "search",
    pattern: new RegExp(
      `\\bI${adverbs}(?:checked|read(?: through)?|reviewed|went through|gone through|opened|inspected|scanned|examined|listed|looked (?:at|in|into|inside|through|over)|visited|analy[sz]ed|parsed|skimmed|studied)\\s+(\\w+ ){0,3}?${place}\\b`,
      "i",
    ),
  },
  {
    needs: [speaker],
    instrument: "search",
    pattern: new RegExp(`\\bI${adverbs}(?:checked|looked|searched),?\\s+and\\b`, "i"),
  },
  {
    needs: [speaker],
    instrument: "search",
    pattern: new RegExp(
      `\\bI${adverbs}found\\s+(?:\\w+ ){0,4}?(?:online|on the (?:web|internet)|sources?|articles?|search results?|web ?pages?|listings?)\\b`,
      "i",
    ),
  },
  {
    instrument: "search",
    pattern:
      /\b(?:my|the|a)\s+(\w+\s+){0,2}?(?:search(?:es)?|lookup|web query|search results?)\s+(?:just )?(?:shows?|showed|returned|found|turned up|brought up|gave|says|said|confirms?|confirmed|reveals?|revealed|indicates?)\b|\b(?:according to|based on|from)\s+(?:my|the)\s+(\w+\s+){0,2}?(?:search(?: results?)?|lookup|web results?)\b|\((?:just )?(?:searched|looked up|checked|retrieved)(?: just)?(?: now)?\b[^)]*\)/i,
  },
  {
    instrument: "search",
    pattern: new RegExp(
      `\\b(?:after|upon|having)\\s+(?:reading|read|checking|checked|searching|searched|reviewing|reviewed|browsing|opening|opened)\\s+(?:through )?(\\w+ ){0,3}?${place}\\b`,
      "i",
    ),
  },
];

// Japanese: the subject is unspoken; a past form, 結果, ところ or によると makes it an account.
const jaProgram =
  "(?:Python|パイソン|コード|スクリプト|プログラム|ツール|インタプリタ|サンドボックス|シェル|ターミナル|関数|コマンド|電卓|計算機|(?:サブ)?エージェント|run_\\w+)";
const jaDeed =
  "(?:計算|実行|求め|確認|確かめ|検証|検算|算出|割り出|調べ|処理|数え|足し|検索|取得|出し|出|生成|作成|チェック|試|回|走らせ|動かし|動か|使|テスト|叩|問い合わせ|解)";
const jaPast =
  "(?:さ)?(?:せ|し|え|っ|い|ん)?(?:て)?(?:みた|みました|もらった|もらいました|ある|きた|おいた|おきました|た(?!ら|め|い|く|り)|だ(?!け|ろ|っ)|ました(?!ら)|済み|ところ)";
const jaFound =
  "(?:さ)?(?:せ|し)?(?:て(?:みた|もらった))?たら[^。！？\\n]{0,24}(?:だった|でした|なった|なりました|出た|出ました|分かった|わかった|出たよ)";
const jaPlace =
  "(?:ネット|ウェブ|Web|インターネット|Google|グーグル|検索|データベース|カレンダー|サイト|ログ|ファイル|公式|予報|最新情報|在庫|残高|価格|株価|時刻表|データ|記録|一覧|資料|文書|ドキュメント|メール|[\\w./-]+\\.[a-z]{1,5})";
const jaLooked = "(?:調べ|検索し|確認し|見て|見|参照し|取得し|読み|読ん|開い|閲覧し|問い合わせ|精査し)";

const japanese: readonly ClaimPattern[] = [
  {
    instrument: "program",
    pattern: new RegExp(
      `${jaProgram}\\s*(?:で|を使って|を使い|を用いて|を(?:実行|走らせ|動か|呼)\\S{0,3}て|経由で|に頼んで|に任せて|に)[^。！？\\n]{0,40}?${jaDeed}(?:${jaPast}|${jaFound})`,
      "i",
    ),
  },
  {
    instrument: "program",
    pattern: new RegExp(
      `${jaProgram}を(?:実行し|走らせ|動かし|呼び出し|使っ|使い|使用し|用い|叩い)(?:た(?!ら|い)|だ|ました|てみた(?!ら)|てみました)`,
      "i",
    ),
  },
  {
    instrument: "program",
    pattern: new RegExp(`${jaProgram}の(?:実行|計算|出力)?(?:結果|出力|答え|回答)(?:は|では|によると|から|だと)`, "i"),
  },
  {
    instrument: "program",
    pattern: new RegExp(
      `${jaProgram}を(?:実行し|走らせ|動かし|使っ|使用し|呼び出し)て[^。！？\\n]{0,16}(?:得た|得られ|出た|出した|出し|求めた|求めまし|得まし|分かった|わかった|わかりまし|なりまし|なった|でした|だった)`,
      "i",
    ),
  },
  {
    instrument: "program",
    pattern: new RegExp(`[（(][^（）()\\n]{0,12}${jaProgram}で(?:検証|確認|計算|検算|実行)(?:済み?)?[）)]`, "i"),
  },
  { instrument: "program", pattern: new RegExp(`${jaProgram}[^。！？\\n]{0,12}(?:計算|検証|確認|実行)済み`, "i") },
  {
    instrument: "program",
    pattern: /(?:実行|呼び出)(?:し)?(?:た|ました|てみた)(?:結果|ところ)|(?:実行|出力)結果(?:は|では|によると|として)/,
  },
  {
    instrument: "program",
    pattern:
      /(?:テスト|処理|ビルド|検索|計算|チェック|コマンド|プログラム)を(?:実行|実施)し(?:た(?![らい])|ました(?!ら))/,
  },
  {
    instrument: "search",
    pattern: new RegExp(
      `${jaPlace}(?:上)?\\s*(?:で|を|から|の(?:情報|中身|内容|記事|全文)(?:を|で))[^。！？\\n]{0,24}?${jaLooked}(?:て(?:みた|きた|みました|きました)|た(?!ら|い|め)|だ|ました(?!ら)|たら[^。\\n]{0,24}(?:でした|だった|ました)|(?:みる|る)?と[、,][^。\\n]{0,40}(?:です|でした|とのこと|だそう))`,
      "i",
    ),
  },
  {
    instrument: "search",
    pattern:
      /(?:調べ|検索し|確認し|調査し|問い合わせ)(?:て(?:みた|みました))?(?:た|ました)?(?:結果|ところ)|(?:調べ|検索し|確認し)て(?:みたら|みましたら)[^。\n]{0,24}(?:でした|だった|ました)|検索結果(?:は|では|によると|\s*[:：])|(?:検索し|調べ)て(?:みた(?![いら])|みました(?!ら)|きた(?![らい])|きました)|(?:先ほど|さっき|今)(?:調べ|検索し|確認し)(?:て|た|まし)/,
  },
  { instrument: "search", pattern: /ネット(?:上)?の情報を?[^。\n]{0,12}(?:確認|見|調べ)[^。\n]{0,6}と/ },
];

const zhProgram = "(?:Python|代码|程序|脚本|工具|命令|计算器|沙箱|解释器|终端|子?代理)";
const chinese: readonly ClaimPattern[] = [
  {
    instrument: "program",
    pattern: new RegExp(`已(?:经)?(?:成功)?(?:调用|使用|用|运行|执行)(?:了)?\\s*${zhProgram}`, "i"),
  },
  {
    instrument: "program",
    pattern: new RegExp(
      `(?:用|通过|使用|借助|经过?)\\s*(?:了)?\\s*${zhProgram}(?:的)?[^。，,\\n]{0,20}?(?:计算|算|运行|查|验证|跑|执行|测试|检查|求)(?:了|出|得|过|后|[，,])`,
      "i",
    ),
  },
  {
    instrument: "program",
    pattern: new RegExp(
      `(?:运行|执行|跑|写)(?:了|过)(?:一下|这段|该|一个|一段|这个|那个|几行|段)?(?:简单的|小)?\\s*${zhProgram}|(?:运行|执行)${zhProgram}(?:后|之后|，|得到)|(?:运行|执行|输出|计算)结果(?:是|为|显示|如下|：)|${zhProgram}(?:的)?(?:运行|执行|输出|计算)?(?:结果)?(?:输出|返回|打印|显示|表明)(?:了|的是|为|是|：)`,
      "i",
    ),
  },
  { instrument: "program", pattern: new RegExp(`根据${zhProgram}?(?:的)?(?:运行|输出|执行|计算)(?:的)?结果`, "i") },
  {
    instrument: "search",
    pattern:
      /(?:已(?:经)?)?(?:在)?(?:网上|网络|数据库|日志|文件|日历|官网)(?:上|中|里)?[^。\n]{0,12}(?:查|搜|检索|读|看)(?:询|索|取|阅)?(?:了|到|过)|(?:我)?(?:刚(?:刚|才)?)?(?:搜索|检索|查询|查阅|读取|查看|检查|浏览)了(?:一下)?|我刚?(?:刚|才)?(?:查|搜|看|翻)了(?:一下|下|看)?|(?:搜索|查询|检索)结果(?:显示|是|为|：)|(?:查询|搜索|检索)后(?:发现|得知|得到)|根据(?:我的)?(?:搜索|查询|检索|网络|网上)(?:的)?(?:结果|资料|信息)|已(?:经)?(?:阅读|查看|读取|浏览|打开|看过|读过|审阅)/i,
  },
];

/** The patterns that can match a sentence, by the scripts it holds. */
export function patternsFor(sentence: string): readonly ClaimPattern[] {
  if (/[ぁ-んァ-ヶ]/.test(sentence)) return japanese;
  return /[\u4e00-\u9fff]/.test(sentence) ? chinese : english;
}
