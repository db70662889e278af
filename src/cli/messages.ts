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
  /** `cause`: the most frequent reason, or null where it has been said already. */
  notAllMeasured(measured: number, planned: number, cause: string | null): string;
  runFolder(path: string): string;
  report(path: string): string;
  nextReport(command: string): string;
  nextAgain(command: string): string;
  nextFix(fix: string, target: string, command: string): string;
  nextOwnServer(command: string): string;
  listening(url: string, models: string): string;
  onlyModel(model: string): string;
  rejudged(samples: number, changed: number): string;
  scenariosOk(scenarios: number, suites: number): string;
  written(path: string): string;
}

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
  notAllMeasured: (measured, planned, cause) =>
    `Only ${measured} of ${planned} planned samples could be measured${cause === null ? "" : ` (mostly: ${cause})`}; the report lists the rest.`,
  runFolder: (path) => `Run:    ${path}`,
  report: (path) => `Report: ${path}`,
  nextReport: (command) => `Next: ${command}`,
  nextAgain: (command) => `Next, once that is mended: ${command}`,
  nextFix: (fix, target, command) => `Next: apply ${fix} on the server of ${target}, then measure again: ${command}`,
  nextOwnServer: (command) => `Next, on your own server: ${command}`,
  listening: (url, models) => `listening on ${url}  models: ${models}`,
  onlyModel: (model) => `No --model given; the server has one: ${model}`,
  rejudged: (samples, changed) => `${samples} samples judged again, ${changed} judgements changed.`,
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
  notAllMeasured: (measured, planned, cause) =>
    `予定 ${planned} サンプルのうち測定できたのは ${measured} です${cause === null ? "" : `(主な理由: ${cause})`}。残りはレポートに記載しています。`,
  runFolder: (path) => `実行結果: ${path}`,
  report: (path) => `レポート: ${path}`,
  nextReport: (command) => `次のコマンド: ${command}`,
  nextAgain: (command) => `次に: 原因を取り除いてから測り直してください: ${command}`,
  nextFix: (fix, target, command) => `次に: ${target} のサーバーで ${fix} を適用し、測り直してください: ${command}`,
  nextOwnServer: (command) => `次は自分のサーバーで: ${command}`,
  listening: (url, models) => `listening on ${url}  models: ${models}`,
  onlyModel: (model) => `--model の指定がないため、サーバーにある唯一のモデルを使います: ${model}`,
  rejudged: (samples, changed) => `${samples} サンプルを判定し直しました。判定が変わったもの: ${changed}`,
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
