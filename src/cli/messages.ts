/** Languages of everything the lab says to people. */
export const displayLanguages = ["en", "ja"] as const;
export type DisplayLanguage = (typeof displayLanguages)[number];

/** One text in every language the lab speaks. */
export type Text = Readonly<Record<DisplayLanguage, string>>;

/** The language of `--lang`, else Japanese where the locale says so, else English. */
export function displayLanguage(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): DisplayLanguage {
  const known = displayLanguages.find((language) => language === given);
  if (known !== undefined) return known;
  const locale = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  return /^ja(\b|_)/i.test(locale) ? "ja" : "en";
}

/** What helps against what kept samples from being measured. */
export type Remedy =
  | "wrong_key"
  | "model_missing"
  | "server_unavailable"
  | "unreadable"
  | "context_invalid"
  | "bad_request"
  | "too_slow"
  | "see_server";

/** What kept samples from being measured; `where` is the server's address. */
export interface Obstacle {
  readonly reason: string;
  readonly where: string | null;
  readonly detail: string;
  readonly remedy: Remedy;
}

/** What the program says while it works and when it has finished. */
export interface Messages {
  target(index: number, of: number, name: string): string;
  targetFailed(name: string, reason: string): string;
  planned(samples: number): string;
  suite(target: string, suite: string, samples: number): string;
  progress(done: number, of: number, timeLeft: string): string;
  timeLeft(seconds: number): string;
  interrupting(): string;
  interrupted(measured: number, planned: number): string;
  /** `obstacle`: the most frequent one, or null where it has been said already. */
  notAllMeasured(measured: number, planned: number, obstacle: Obstacle | null): string;
  runFolder(path: string): string;
  report(path: string): string;
  nextReport(command: string): string;
  nextAgain(command: string): string;
  nextResume(command: string): string;
  /** What a resumed run has, and what was lost. */
  resuming(captured: number, planned: number, lost: number): string;
  /** `option`: what to start the server with; null where the remedy is a longer text that has been said already. */
  nextFix(option: string | null, target: string, command: string): string;
  nextOwnServer(command: string): string;
  listening(url: string, models: string): string;
  onlyModel(model: string): string;
  /** The models are written; the server has to be started with one, then the command given again. */
  startFirst(commands: readonly string[], again: string): string;
  nextVerify(command: string): string;
  discovered(model: string, server: string): string;
  keyWithheld(): string;
  rejudged(samples: number, changed: number): string;
  casesJudged(judged: number, unreadable: number): string;
  readonly caseScore: {
    readonly verdict: string;
    readonly calls: string;
    readonly handsOnNothing: string;
    readonly leakFormat: string;
    readonly validity: string;
    readonly residualContent: string;
    readonly byFault: string;
  };
  readonly repro: { readonly words: ReproWords };
  scenariosOk(scenarios: number, suites: number): string;
  written(path: string): string;
}

/** What `lab repro` says beside its commands. */
export interface ReproWords {
  readonly server: string;
  readonly fingerprint: string;
  readonly expected: string;
  readonly judged: string;
  readonly request: string;
  readonly seen: string;
  readonly adapter: string;
  readonly noCall: string;
  readonly call: (tool: string | null) => string;
  readonly marker: (name: string) => string;
  readonly answer: (texts: string) => string;
  readonly never: (texts: string) => string;
}

const remediesEnglish: Readonly<Record<Remedy, string>> = {
  wrong_key: "Name the key's variable with --api-key-env",
  model_missing: "Name a model that the server has with --model",
  server_unavailable: "Try again when the server is ready, with --concurrency 1 where it limits the rate",
  unreadable: "Check --base-url and what answers there",
  context_invalid: "Give the server a longer context, or ask with --shape small",
  bad_request: "Change what is sent with --body, --max-tokens, --temperature or --thinking",
  too_slow: "Check the server, or give it more time with --timeout-first-byte, --timeout-idle and --timeout-total",
  see_server: "Check the server and its log",
};

const remediesJapanese: Readonly<Record<Remedy, string>> = {
  wrong_key: "キーの環境変数名を --api-key-env で指定してください",
  model_missing: "サーバーにあるモデルを --model で指定してください",
  server_unavailable:
    "サーバーの準備ができてから測り直してください。レート制限がある場合は --concurrency 1 を使ってください",
  unreadable: "--base-url とその応答を確かめてください",
  context_invalid: "サーバーのコンテキスト長を増やすか、--shape small を使ってください",
  bad_request: "--body、--max-tokens、--temperature、--thinking で送信内容を変えてください",
  too_slow: "サーバーを確かめるか、--timeout-first-byte、--timeout-idle、--timeout-total で待ち時間を延ばしてください",
  see_server: "サーバーとそのログを確かめてください",
};

const en: Messages = {
  target: (index, of, name) => `Target ${index + 1} of ${of}: ${name}`,
  targetFailed: (name, reason) => `Target ${name} could not be measured: ${reason}`,
  planned: (samples) => `${samples} samples planned`,
  suite: (target, suite, samples) => `${target}: ${suite}, ${samples} samples`,
  progress: (done, of, timeLeft) => `${done} of ${of} samples, ${timeLeft}`,
  timeLeft: (seconds) => `about ${duration(seconds, "s", "min", "h")} left`,
  interrupting: () => "Finishing what is in flight; press Ctrl-C again to stop at once.",
  interrupted: (measured, planned) =>
    `Interrupted: ${measured} of ${planned} samples were measured; the summary is partial.`,
  notAllMeasured: (measured, planned, obstacle) => {
    const count = `Only ${measured} of ${planned} planned samples could be measured`;
    if (obstacle === null) return `${count}; the report lists the rest.`;
    const { reason, where, detail } = obstacle;
    const said = detail === "" ? "" : `: ${detail.replace(/\.$/, "")}`;
    return `${count}. Mostly ${reason}${where === null ? "" : ` at ${where}`}${said}. ${remediesEnglish[obstacle.remedy]}.`;
  },
  runFolder: (path) => `Run:    ${path}`,
  report: (path) => `Report: ${path}`,
  nextReport: (command) => `Next: ${command}`,
  nextAgain: (command) => `Next, once that is mended: ${command}`,
  nextResume: (command) => `Next, to complete this run: ${command}`,
  resuming: (captured, planned, lost) =>
    `Resuming: ${captured} of ${planned} samples are there${lost === 0 ? "" : `; ${lost} ${lost === 1 ? "request was" : "requests were"} sent without an answer being kept, and ${lost === 1 ? "is" : "are"} listed in the summary`}.`,
  nextFix: (option, target, command) =>
    option === null
      ? `Next: make that change for ${target}, then measure again: ${command}`
      : `Next: start the server of ${target} with ${option}, then measure again: ${command}`,
  nextOwnServer: (command) => `Next, on your own server: ${command}`,
  listening: (url, models) => `listening on ${url}  models: ${models}`,
  discovered: (model, server) => `No server is named; ${model} is on ${server}`,
  keyWithheld: () =>
    "Keys and headers are not sent to a server that was only found; name it with --base-url to send them.",
  nextVerify: (command) => `Next, once that is changed: ${command}`,
  startFirst: (commands, again) =>
    `The scripted models are written. Start the server with ${commands.length === 1 ? "it" : "one of them"}:\n${commands.map((line) => `  ${line}`).join("\n")}\nthen: ${again}`,
  onlyModel: (model) => `No --model given; the server has one: ${model}`,
  rejudged: (samples, changed) => `${samples} samples judged again, ${changed} judgements changed.`,
  casesJudged: (judged, unreadable) =>
    `${judged} ${judged === 1 ? "case" : "cases"} judged${unreadable === 0 ? "" : `, ${unreadable} ${unreadable === 1 ? "file" : "files"} could not be read`}.`,
  caseScore: {
    verdict: "Verdict right",
    calls: "Calls right, where there are some to hand on",
    handsOnNothing: "Nothing handed on, where nothing may be",
    leakFormat: "Format of the written call right",
    validity: "Validity right",
    residualContent: "Remaining text right",
    byFault: "Verdict right by fault class (wanted → given):",
  },
  repro: {
    words: {
      server: "server",
      fingerprint: "fingerprint",
      expected: "expected",
      judged: "judged",
      request: "request",
      seen: "seen",
      adapter: "This sample went through the adapter; captures.jsonl has its trace.",
      noCall: "no call",
      call: (tool) => (tool === null ? "a call of a declared tool" : `a call of ${tool}`),
      marker: (name) => `the marker {{${name}: …}} at the end`,
      answer: (texts) => `an answer with ${texts}`,
      never: (texts) => `without ${texts}`,
    },
  },
  scenariosOk: (scenarios, suites) => `${scenarios} scenarios and ${suites} suites are in order.`,
  written: (path) => `Written: ${path}`,
};

const ja: Messages = {
  target: (index, of, name) => `対象 ${index + 1}/${of}: ${name}`,
  targetFailed: (name, reason) => `対象 ${name} は測定できませんでした: ${reason}`,
  planned: (samples) => `予定サンプル数: ${samples}`,
  suite: (target, suite, samples) => `${target}: ${suite}、${samples} サンプル`,
  progress: (done, of, timeLeft) => `${of} サンプル中 ${done} 完了、${timeLeft}`,
  timeLeft: (seconds) => `残り約 ${duration(seconds, "秒", "分", "時間")}`,
  interrupting: () => "送信済みのリクエストの完了を待っています。もう一度 Ctrl-C を押すと即座に終了します。",
  interrupted: (measured, planned) =>
    `中断しました: ${planned} サンプル中 ${measured} を測定済み。集計は途中までのものです。`,
  notAllMeasured: (measured, planned, obstacle) => {
    const count = `予定 ${planned} サンプルのうち測定できたのは ${measured} です。`;
    if (obstacle === null) return `${count}残りはレポートに記載しています。`;
    const { reason, where, detail } = obstacle;
    const said = detail === "" ? "" : `: ${detail.replace(/\.$/, "")}`;
    return `${count}主な理由は ${where === null ? "" : `${where} での`}「${reason}」${said}。${remediesJapanese[obstacle.remedy]}。`;
  },
  runFolder: (path) => `実行結果: ${path}`,
  report: (path) => `レポート: ${path}`,
  nextReport: (command) => `次のコマンド: ${command}`,
  nextResume: (command) => `次に、この実行を最後まで行うには: ${command}`,
  resuming: (captured, planned, lost) =>
    `再開します: ${planned} サンプル中 ${captured} は記録済みです${lost === 0 ? "" : `。送信後に応答を記録できなかったリクエストが ${lost} 件あり、集計に記載します`}。`,
  nextAgain: (command) => `次に: 原因を取り除いてから測り直してください: ${command}`,
  nextFix: (option, target, command) =>
    option === null
      ? `次に: ${target} について上記の変更を行い、測り直してください: ${command}`
      : `次に: ${target} のサーバーに ${option} を付けて起動し、測り直してください: ${command}`,
  nextOwnServer: (command) => `次は自分のサーバーで: ${command}`,
  listening: (url, models) => `listening on ${url}  models: ${models}`,
  discovered: (model, server) => `サーバーの指定がないため、見つかったものを使います: ${server} の ${model}`,
  keyWithheld: () =>
    "見つかっただけのサーバーにはキーとヘッダーを送りません。送るには --base-url でサーバーを指定してください。",
  nextVerify: (command) => `変更後に確認するには: ${command}`,
  startFirst: (commands, again) =>
    `台本モデルを書き出しました。次の${commands.length === 1 ? "コマンド" : "いずれかのコマンド"}でサーバーを起動してください:\n${commands.map((line) => `  ${line}`).join("\n")}\nその後: ${again}`,
  onlyModel: (model) => `--model の指定がないため、サーバーにある唯一のモデルを使います: ${model}`,
  rejudged: (samples, changed) => `${samples} サンプルを判定し直しました。判定が変わったもの: ${changed}`,
  casesJudged: (judged, unreadable) =>
    `${judged} 件のケースを判定しました。${unreadable === 0 ? "" : `読み取れなかったファイル: ${unreadable}`}`,
  caseScore: {
    verdict: "判定の正解",
    calls: "呼び出しの正解(渡すべきものがあるケース)",
    handsOnNothing: "何も渡さなかった(渡してはならないケース)",
    leakFormat: "書かれた形式の正解",
    validity: "妥当性の正解",
    residualContent: "残るテキストの正解",
    byFault: "障害の種類ごとの判定の正解(正解 → 判定):",
  },
  repro: {
    words: {
      server: "サーバー",
      fingerprint: "フィンガープリント",
      expected: "期待",
      judged: "判定",
      request: "リクエスト",
      seen: "結果",
      adapter: "このサンプルはアダプターを経由しています。経過は captures.jsonl にあります。",
      noCall: "呼び出しなし",
      call: (tool) => (tool === null ? "宣言されたツールの呼び出し" : `${tool} の呼び出し`),
      marker: (name) => `末尾のマーカー {{${name}: …}}`,
      answer: (texts) => `${texts} を含む回答`,
      never: (texts) => `${texts} を含まない`,
    },
  },
  scenariosOk: (scenarios, suites) => `シナリオ ${scenarios} 件、スイート ${suites} 件に問題はありません。`,
  written: (path) => `書き出しました: ${path}`,
};

const catalogue: Readonly<Record<DisplayLanguage, Messages>> = { en, ja };

/** The texts of one language. */
export function messagesIn(language: DisplayLanguage): Messages {
  return catalogue[language];
}

function duration(seconds: number, second: string, minute: string, hour: string): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} ${second}`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} ${minute}`;
  return `${(seconds / 3600).toFixed(1)} ${hour}`;
}
