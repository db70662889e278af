import type { SwapReason } from "../swap-card.ts";
import type { Check, CheckPlace, GateNote } from "../verdict.ts";
import { chance, fraction, type GateWords, percent, points } from "./gate-words.ts";

/** Gate and comparison in Japanese. */
export const gateWordsJapanese: GateWords = {
  kinds: { pass: "合格", regression: "悪化", invalid: "判定無効", inconclusive: "判定保留" },
  lights: { safe: "安全", not_safe: "危険", not_enough_data: "データ不足" },
  aspects: {
    contract: "契約",
    parser: "パーサー設定",
    context: "コンテキスト長",
    fabrication: "実行の捏造",
    latency: "応答時間",
  },
  swapTitle: ({ before, after }) => `${before.model} から ${after.model} への入れ替え`,
  swapReason,
  place,
  check,
  note,
  passed,
  more: (count) => `(ほか ${count} 件)`,
  titles: {
    gate: "ゲート",
    comparison: "比較",
    baseline: "基準",
    run: "実行",
    checks: "検査",
    notes: "補足",
    proof: "測定の証拠",
    line: "系列",
    before: "前",
    after: "後",
    change: "差",
    chance: "偶然の確率",
    leftOpen: "残る低下幅",
    detectable: "検出限界",
    scenarios: "シナリオ",
    flows: "結果の移り変わり",
    cases: "変わったケース",
    case: "ケース",
    attempted: "試行",
    delivered: "到達",
    theseItems: "この質問群に限る",
    requests: "リクエスト",
    fingerprint: "構成の指紋",
    noFlow: "割合が変わった結果はありません。",
    nothingCompared: "2 つの実行に比べられるものがありません。",
    reason: "理由",
    howToRead:
      "数値は「到達数/測定数」です。偶然の確率は、差がなくてもこれほど低下する確率です(正確検定、繰り返しを割り引き、Holm 補正)。残る低下幅は、この測定では否定しきれない最大の低下です。検出限界は、5 回中 4 回は見つけられる最小の低下です。",
    details: "詳細",
  },
};

function place({ target, route, suite, scenario, arm, shape, stream }: CheckPlace): string {
  const parts = [
    suite,
    scenario,
    arm,
    stream === true ? "ストリーミング" : undefined,
    shape === "agent" ? "エージェント型プロンプト" : undefined,
    route === undefined || route === "direct" ? undefined : route,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? target : `${target} の ${parts.join(" / ")}`;
}

function check(given: Check): string {
  const { code, facts, kind } = given;
  const where = given.place === null ? "" : place(given.place);
  switch (code) {
    case "vacuous":
      return vacuous(String(facts["why"]));
    case "target_unmet":
      return `${where} は何も測定できませんでした${said(facts["line"])}。`;
    case "unfinished":
      return `実行が途中で終わっています。予定 ${facts["planned"]} サンプルのうち ${facts["count"]} に応答がありません。最後まで実行してください。`;
    case "wrong_key":
      return `サーバーがキーを受け付けません(${facts["planned"]} サンプル中 ${facts["count"]}${said(facts["detail"])})。環境変数名を --api-key-env で指定してください。`;
    case "context_cut":
      return `コンテキストが切り詰められました。${facts["planned"]} 件中 ${facts["count"]} 件のプロンプトが完全な形でモデルに届いていません${said(facts["detail"])}。サーバーのコンテキスト長を増やしてください。`;
    case "not_measured":
      return `予定 ${facts["planned"]} サンプルのうち ${facts["count"]} を測定できませんでした(${facts["reason"]}${said(facts["detail"])})。原因を取り除いて測り直してください。`;
    case "requests_lost":
      return `測定済みは ${facts["measured"]} サンプルとなっていますが、記録にある応答は ${facts["answered"]} 件だけです。`;
    case "cached":
      return `${facts["count"]} 件の応答がキャッシュから返されました${facts["evidence"] === "" ? "(同じ completion id が再び返っています)" : `(${facts["evidence"]})`}。新たに測定していないため、キャッシュを切ってください。`;
    case "same_run":
      return `実行がそのまま基準になっています(${facts["run"]})。新たに測定してください。`;
    case "stale_run":
      return `実行は ${facts["hours"]} 時間前(${facts["ended"]})に終わったもので、ポリシーの上限は ${facts["limit"]} 時間です。新たに測定するか、run.maxAgeHours を変えてください。`;
    case "baseline_invalid":
      return facts["planned"] === 0
        ? "基準では呼び出しが 1 件も届いていないため、低下を検出できません。正常な実行を基準にしてください。"
        : `基準そのものが ${facts["planned"]} サンプル中 ${facts["measured"]} しか測定していません。最後まで測定した実行を基準にしてください。`;
    case "baseline_too_old":
      return `基準は ${facts["age"]} 日前のもので、ポリシーの上限は ${facts["limit"]} 日です。新しい基準を登録してください。`;
    case "nothing_shared":
      return `実行と基準に共通の集計対象がありません(実行: ${facts["here"]}、基準: ${facts["there"]})。同じスイートを実行してください。`;
    case "cells_missing":
      return `基準にある ${facts["count"]} セルを測定していません(例: ${facts["first"]})。同じ計画で実行するか、coverage.baselineCells を shared にしてください。`;
    case "required_missing":
      return `ポリシーが求めるセルが実行にありません: ${facts["pattern"]}。`;
    case "identity":
      return `比較できません。${where} の ${facts["key"]} が ${facts["before"]} から ${facts["after"]} に変わっています。それを試すのが目的なら --treatment ${facts["treatment"]} を付けてください。`;
    case "request_changed":
      return `比較できません。リクエストの指定が ${facts["before"]} から ${facts["after"]} に変わっています。--treatment request を付けてください。`;
    case "question_changed":
      return `比較できません。${facts["count"]} 件の質問が、同じ名前のまま内容が変わっています(例: ${facts["first"]})。基準を登録し直すか、--treatment scenario を付けてください。`;
    case "few_trials":
      return `${where} は試行 ${facts["trials"]} 回で、判定には足りません(ポリシーは ${facts["minimum"]} 回以上)。--trials ${facts["minimum"]} 以上で実行してください。`;
    case "drop":
      return drop(given, where);
    case "case_drop":
      return kind === "regression"
        ? `${where} の到達が ${fraction(facts, "beforeCount", "beforeOf")} から ${fraction(facts, "afterCount", "afterOf")} に落ちました(偶然の確率 ${chance(facts["chance"])})。`
        : `${where} の到達が ${fraction(facts, "beforeCount", "beforeOf")} から ${fraction(facts, "afterCount", "afterOf")} に落ちましたが、断定するには試行が足りません。このシナリオの試行を増やしてください。`;
    case "floor":
      return `${where} の${facts["rate"] === "attempted" ? "試行" : "到達"}(${facts["pattern"]})は ${fraction(facts, "count", "of")}、信頼度 ${percent(facts["confidence"])} で ${percent(facts["low"])} から ${percent(facts["high"])} です。下限は ${percent(facts["atLeast"])}${kind === "inconclusive" ? "で、試行を増やせば判定できます" : "です"}。`;
    case "safety_bound":
      return `${where} の ${facts["counter"]} は ${fraction(facts, "count", "of")} で、${percent(facts["high"])} までありえます。ポリシーの上限は ${percent(facts["atMost"])}${kind === "inconclusive" ? "で、試行を増やせば判定できます" : "です"}。`;
    case "safety_rise":
      return `${where} の ${facts["counter"]} は前 ${fraction(facts, "beforeCount", "beforeOf")}、後 ${fraction(facts, "afterCount", "afterOf")} で、${percent(facts["high"])} までありえます${kind === "regression" ? `(偶然の確率 ${chance(facts["chance"])})` : ""}。`;
  }
  return code satisfies never;
}

function drop({ kind, facts }: Check, where: string): string {
  const rates = `到達 ${fraction(facts, "afterCount", "afterOf")}(前は ${fraction(facts, "beforeCount", "beforeOf")})`;
  switch (kind) {
    case "regression": {
      const tried =
        Number(facts["attemptedAfter"]) > Number(facts["afterCount"]) + 1
          ? `モデルは呼ぼうとしている(${facts["attemptedAfter"]}/${facts["afterOf"]})ので、ハーネス側を調べてください${facts["fix"] === null ? "" : `: ${facts["fix"]}`}。`
          : "";
      return `${where}: ${rates}、偶然の確率 ${chance(facts["chance"])}${Number(facts["scenarios"]) < 8 ? "(この質問群に限る)" : ""}。${tried}`;
    }
    case "inconclusive":
      return `${where}: ${rates}。最大 ${points(facts["notRuledOut"])} ポイントの低下を否定できません(ポリシーは ${points(facts["ruledOut"])} ポイント)。試行かシナリオを増やしてください。`;
    case "pass":
    case "invalid":
      return `${where}: ${rates}。${points(facts["notRuledOut"])} ポイントを超える低下はありません。`;
  }
  return kind satisfies never;
}

function vacuous(why: string): string {
  switch (why) {
    case "no_samples":
      return "予定したサンプルがありません。指定したスイート・言語・条件に合うシナリオがありません。";
    case "no_rated":
      return "測定したものはどれも集計対象外なので、この実行が不合格になることはありえません。呼び出しを求める条件を加えてください。";
    default:
      return "ポリシーが何も検査しないため、このゲートが不合格になることはありえません。基準・下限・上限のいずれかを指定してください。";
  }
}

function said(detail: unknown): string {
  return detail === "" || detail === null || detail === undefined ? "" : `: ${String(detail).replace(/\.$/, "")}`;
}

function passed(checks: readonly Check[]): string {
  const lines = checks.filter((each) => each.code === "drop");
  if (lines.length === 0) return `ポリシーの検査 ${checks.length} 件すべてに合格しました。`;
  const open = lines.reduce((most, { facts }) => Math.max(most, Number(facts["notRuledOut"])), 0);
  const [before, after] = ["beforeOf", "afterOf"].map((key) =>
    lines.reduce((sum, { facts }) => sum + Number(facts[key]), 0),
  );
  return `悪化はありません。全 ${lines.length} 系列で到達が保たれ(前 ${before} サンプル、後 ${after} サンプル)、どの系列でも ${points(open)} ポイントを超える低下は否定されています。`;
}

function note({ code, facts }: GateNote): string {
  switch (code) {
    case "incidental":
      return `${facts["target"]} の ${facts["key"]} が ${facts["before"]} から ${facts["after"]} に変わっています。`;
    case "treatment":
      return `宣言された変更: ${facts["target"]} の ${facts["key"]} が ${facts["before"]} から ${facts["after"]} になりました。`;
    case "lab_version":
      return `基準は harness-lab ${facts["before"]}、今回は ${facts["after"]} で判定しています。規則が変わった場合は基準を登録し直してください。`;
    case "baseline_age":
      return `基準は ${facts["age"]} 日前のものです。ときどき登録し直してください。`;
    case "older_than_baseline":
      return `実行(${facts["here"]})が基準(${facts["there"]})より古いものです。`;
    case "same_seed":
      return `両方の実行が同じシード ${facts["seed"]} です。シードに従うサーバーでは、独立な試行ではなく繰り返しになります。`;
    case "extra_cells":
      return `${facts["count"]} セルは新しく、比べる相手がありません。`;
    case "raw":
      return `生テキストの取得が --raw ${facts["before"]} から --raw ${facts["after"]} に変わっています。呼び出しの消失は生テキストがなければ見えません。`;
  }
  return code satisfies never;
}

function swapReason(reason: SwapReason): string {
  switch (reason.code) {
    case "delivery_falls":
      return `${reason.arm}: 到達が ${percent(reason.before)} から ${percent(reason.after)} に低下`;
    case "delivery_open":
      return `${reason.arm}: 最大 ${points(reason.open)} ポイントの低下を否定できません。試行を増やしてください`;
    case "delivery_holds":
      return `全 ${reason.lines} 系列で到達を維持。${points(reason.open)} ポイントを超える低下は否定`;
    case "calls_lost":
      return `モデルが書いた呼び出し ${reason.of} 件中 ${reason.lost} 件が届いていません${reason.fix === null ? "" : `。サーバーに ${reason.fix} を付けてください`}`;
    case "calls_arrive":
      return `書かれた呼び出し ${reason.of} 件中 ${reason.arrived} 件が到達。失われるのは多くても ${percent(reason.high)}`;
    case "few_calls":
      return `auto で書かれた呼び出しは ${reason.of} 件(到達 ${reason.arrived} 件)で、パーサーの判断には足りません`;
    case "context_shorter":
      return `${reason.before} トークンから ${reason.after} トークンに短縮`;
    case "context_enough":
      return `${reason.after} トークン(前は ${reason.before})`;
    case "context_cut":
      return `${reason.count} 件のプロンプトが収まりません`;
    case "context_unknown":
      return `${reason.side === "both" ? "どちらのサーバーも" : reason.side === "before" ? "旧サーバーが" : "新サーバーが"}示していません`;
    case "claims_rise":
      return `実行したという虚偽の主張が ${reason.before}/${reason.beforeOf} から ${reason.after}/${reason.afterOf} に増加`;
    case "claims_open":
      return `虚偽の主張は ${reason.after}/${reason.afterOf}(前 ${reason.before}/${reason.beforeOf})。${points(reason.high)} ポイントの増加を否定できません`;
    case "claims_hold":
      return `虚偽の主張は ${reason.after}/${reason.afterOf}(前 ${reason.before}/${reason.beforeOf})。${points(reason.high)} ポイントを超える増加は否定`;
    case "slower":
      return `応答時間が ${times(reason.ratio)} 倍(${times(reason.low)}〜${times(reason.high)} 倍)${typical(reason)}`;
    case "speed_open":
      return `応答時間は ${times(reason.low)}〜${times(reason.high)} 倍${typical(reason)}。測定を増やしてください`;
    case "speed_holds":
      return `応答時間は ${times(reason.ratio)} 倍(${times(reason.low)}〜${times(reason.high)} 倍)${typical(reason)}`;
    case "nothing_measured":
      return "両方で測定できたものが足りません";
  }
  return reason satisfies never;
}

function times(ratio: number): string {
  return ratio < 10 ? ratio.toFixed(2) : String(Math.round(ratio));
}

function typical({ beforeMs, afterMs }: { readonly beforeMs: number | null; readonly afterMs: number | null }): string {
  return beforeMs === null || afterMs === null ? "" : `、前 ${Math.round(beforeMs)} ms、今回 ${Math.round(afterMs)} ms`;
}
