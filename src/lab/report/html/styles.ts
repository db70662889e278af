/** Colours by meaning: reached, lost on the way, swallowed, the model's own doing, settings. */
const light = `
  --paper: #f7f7f4; --card: #ffffff; --ink: #1b2126; --muted: #5b656e; --line: #dfe1dc; --track: #e6e8e3; --code: #f1f2ee;
  --good: #0f766e; --good-fill: #1d9a86; --good-soft: #dcf0eb;
  --lost: #9a5200; --lost-fill: #eda63c; --lost-soft: #fcf0d9;
  --gone: #a8321f; --gone-fill: #cf5a44; --gone-soft: #fae3dd;
  --own: #5a3fa8; --own-fill: #8f78d6; --own-soft: #ece7f8;
  --setting: #1d5f8f; --setting-fill: #5b9fca; --setting-soft: #dfedf6;
  --focus: #1d5f8f; --shadow: 0 1px 2px rgb(20 25 30 / 6%), 0 4px 16px rgb(20 25 30 / 4%);`;
const dark = `
  --paper: #121518; --card: #1a1e22; --ink: #e3e7ea; --muted: #98a2ab; --line: #2b3137; --track: #2e343a; --code: #22272c;
  --good: #5ad0b6; --good-fill: #2ba58f; --good-soft: #17352f;
  --lost: #f2b961; --lost-fill: #d9952f; --lost-soft: #3a2c13;
  --gone: #f0907c; --gone-fill: #c9543d; --gone-soft: #40211a;
  --own: #b7a5f2; --own-fill: #7d68c4; --own-soft: #2b2545;
  --setting: #86bfe4; --setting-fill: #417fa8; --setting-soft: #192f3f;
  --focus: #86bfe4; --shadow: none;`;

/** The page's style sheet. Light or dark as the reader's system says, unless the button says otherwise. */
export const styles = `
:root { color-scheme: light; ${light} }
@media (prefers-color-scheme: dark) { :root { color-scheme: dark; ${dark} } }
:root[data-theme="light"] { color-scheme: light; ${light} }
:root[data-theme="dark"] { color-scheme: dark; ${dark} }
:root {
  --sans: system-ui, -apple-system, "Segoe UI", "Hiragino Sans", "Hiragino Kaku Gothic ProN", "Yu Gothic UI", "Noto Sans JP", "Noto Sans CJK JP", Meiryo, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono", "BIZ UDGothic", "Noto Sans Mono CJK JP", monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 16px; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 var(--sans); font-variant-numeric: tabular-nums; }
html[lang="ja"] body { line-height: 1.7; }
main, .top { max-width: 1440px; margin: 0 auto; padding: 0 24px; }
h1, h2, h3, h4, p, dl, dd, ul, figure, blockquote { margin: 0; padding: 0; }
a { color: var(--setting); text-underline-offset: 2px; }
code, pre, .id { font-family: var(--mono); font-size: 0.87em; }
button, select, input { font: inherit; color: inherit; }
button { border: 1px solid var(--line); background: var(--card); border-radius: 6px; padding: 3px 10px; cursor: pointer; }
button:hover { border-color: var(--muted); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
section { margin: 0 0 44px; }
h2 { font-size: 19px; line-height: 1.3; font-weight: 650; letter-spacing: -0.005em; margin-bottom: 4px; }
h3 { font-size: 16px; line-height: 1.35; font-weight: 650; overflow-wrap: anywhere; }
#calibration h3:not(:first-of-type) { margin-top: 26px; }
h4 { font-size: 13px; font-weight: 600; color: var(--muted); margin: 0 0 6px; }
.lead { color: var(--muted); max-width: 86ch; }
.scroll { overflow-x: auto; }

.top { display: flex; flex-wrap: wrap; align-items: baseline; gap: 6px 24px; padding-top: 22px; padding-bottom: 26px; }
.brand { display: flex; align-items: baseline; gap: 12px; }
.brand h1 { font-size: 20px; font-weight: 700; letter-spacing: -0.02em; }
.brand p, .run { color: var(--muted); }
.run { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 13.5px; }
.run span:first-child { font-family: var(--mono); font-size: 12.5px; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; margin-left: auto; font-size: 13.5px; }
nav a { color: var(--muted); text-decoration: none; }
nav a:hover { color: var(--ink); text-decoration: underline; }
#theme { font-size: 12.5px; color: var(--muted); }

.legend { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 20px; font-size: 13px; color: var(--muted); margin: 8px 0 14px; }
.key { width: 14px; height: 8px; border-radius: 2px; }
.entry { display: inline-flex; align-items: center; gap: 7px; white-space: nowrap; }
.key-whisker { height: 0; border-top: 2px solid var(--ink); border-radius: 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 18px; align-items: stretch; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px 16px; box-shadow: var(--shadow); min-width: 0; display: flex; flex-direction: column; }
#arms .cards { align-items: start; }
.card header { margin-bottom: 12px; }
.verdict-card { display: grid; grid-template-rows: subgrid; grid-row: span 4; gap: 0; }
.card-tables { margin: 2px 0 4px; }
.card-text { border-top: 1px solid var(--line); padding-top: 12px; }
.warn { color: var(--gone); }
.identity { color: var(--muted); font-size: 13px; overflow-wrap: anywhere; }
.title { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 8px; margin-bottom: 4px; }
.title strong { font-weight: 650; }
.card .title { flex-direction: column; gap: 6px; margin-bottom: 4px; }
.card .title strong { font-size: 17px; line-height: 1.4; }
.sentence { max-width: 86ch; overflow-wrap: anywhere; }
.card .sentence { font-size: 14px; }
.caveat { color: var(--muted); font-size: 13px; margin-top: 6px; max-width: 86ch; }
.more { font-size: 13px; margin-top: 8px; }
.owner { display: inline-block; border-radius: 4px; padding: 1px 8px; font-size: 12.5px; font-weight: 600; white-space: nowrap; background: var(--track); }
.owner.tone-harness { color: var(--lost); background: var(--lost-soft); }
.owner.tone-model { color: var(--own); background: var(--own-soft); }
.owner.tone-setting { color: var(--setting); background: var(--setting-soft); }
.owner.tone-good { color: var(--good); background: var(--good-soft); }
.fix { margin-top: 8px; line-height: 1.9; }
.fix-label { margin-right: 8px; }
.fix .copy { margin-left: 8px; }
.card .fix { font-size: 14px; }
.fix-label { font-size: 12.5px; font-weight: 600; color: var(--good); }
.fix code { background: var(--code); border-radius: 4px; padding: 2px 6px; overflow-wrap: anywhere; }
.copy { font-size: 12px; padding: 0 8px; color: var(--muted); }

.matrix, .arms { width: 100%; border-collapse: collapse; table-layout: fixed; }
.matrix thead th, .arms thead th { font-size: 12.5px; font-weight: 500; color: var(--muted); text-align: left; padding: 10px 0 4px 16px; vertical-align: bottom; }
.matrix thead th:first-child, .arms thead th:first-child { padding-left: 0; width: 27%; }
.arms thead th:first-child { width: 22%; }
.arms thead th { padding-top: 0; }
.matrix tbody th, .arms tbody th { font-weight: 500; font-size: 13.5px; text-align: left; vertical-align: top; padding: 12px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.matrix td, .arms td { vertical-align: top; padding: 9px 0 10px 16px; border-top: 1px solid var(--line); }
.rate { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 8px; margin-bottom: 5px; }
.matrix .rate b { font-size: 25px; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; }
.rate i { font-style: normal; font-weight: 500; color: var(--muted); }
.matrix .rate i { font-size: 17px; }
.full .rate b { color: var(--good); }
.lost .rate b { color: var(--lost); }
.note { font-size: 12.5px; color: var(--muted); }
.lost .note { color: var(--lost); font-weight: 600; }
.range { font-size: 12px; color: var(--muted); }
.arms .rate b { font-size: 16px; font-weight: 650; }
.outcomes { display: flex; flex-wrap: wrap; gap: 0 10px; font-size: 12.5px; color: var(--muted); margin-top: 4px; }
.count-leaked { color: var(--lost); font-weight: 600; }
.count-swallowed, .count-failed, .count-refused { color: var(--gone); font-weight: 600; }
.plain { color: var(--muted); font-size: 13px; }
.why { color: var(--muted); font-size: 12px; }

.bar { display: block; width: 100%; overflow: visible; }
.track { fill: var(--track); }
.whisker { stroke: var(--ink); stroke-width: 1.25; fill: none; vector-effect: non-scaling-stroke; opacity: 0.75; }
.part-delivered { fill: var(--good-fill); background: var(--good-fill); }
.part-served { fill: var(--setting-fill); background: var(--setting-fill); }
.part-undelivered { fill: var(--own-fill); background: var(--own-fill); }
.part-attempted, .part-leaked { fill: var(--lost-fill); background: var(--lost-fill); }
.part-reasoning_only { fill: var(--lost); background: var(--lost); }
.part-swallowed { fill: var(--gone-fill); background: var(--gone-fill); }
.part-truncated { fill: var(--setting); background: var(--setting); }
.part-failed, .part-refused { fill: var(--gone); background: var(--gone); }
.part-no_call { fill: var(--track); background: var(--track); }
.key.part-no_call { outline: 1px solid var(--line); }

.told { display: grid; grid-template-columns: minmax(0, 220px) minmax(0, 1fr); gap: 6px 24px; padding: 16px 0; border-top: 1px solid var(--line); }
#diagnoses > h2 { margin-bottom: 12px; }
.told-body { display: grid; gap: 20px; min-width: 0; }
.diagnosis { padding-left: 14px; border-left: 3px solid var(--line); min-width: 0; }
.diagnosis.tone-harness { border-left-color: var(--lost-fill); }
.diagnosis.tone-model { border-left-color: var(--own-fill); }
.diagnosis.tone-setting { border-left-color: var(--setting-fill); }
.diagnosis.tone-good { border-left-color: var(--good-fill); }
.count, .inferred { color: var(--muted); font-size: 13px; }
.inferred { border: 1px dashed var(--muted); border-radius: 4px; padding: 0 6px; font-size: 12px; }
.ids { display: flex; flex-wrap: wrap; gap: 2px 10px; margin-top: 8px; font-size: 13px; color: var(--muted); }
.ids summary { font-size: 13px; }
.quote.raw blockquote { font-family: var(--mono); font-size: 12.5px; }
.ids .id, .ids details { overflow-wrap: anywhere; }
.id { font-size: 12px; overflow-wrap: anywhere; }
details > summary { cursor: pointer; }
.quotes { min-width: 0; }
.quote { margin-top: 8px; min-width: 0; }
.quote figcaption { font-size: 12.5px; color: var(--muted); }
.quote blockquote { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 8px 12px; margin-top: 2px; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; font-size: 14px; max-height: 180px; overflow: auto; }
mark { color: inherit; background: var(--setting-soft); box-shadow: inset 0 -2px 0 var(--setting-fill); border-radius: 2px; padding: 1px 0; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.mark-call, .mark-leaked_beside, .mark-swallowed_beside, .mark-truncated_beside { background: var(--lost-soft); box-shadow: inset 0 -2px 0 var(--lost-fill); }
.mark-provenance_claim, .mark-prose_command, .mark-choice_violated { background: var(--own-soft); box-shadow: inset 0 -2px 0 var(--own-fill); }
.mark-value_ahead, .mark-quoted_call { background: var(--gone-soft); box-shadow: inset 0 -2px 0 var(--gone-fill); }

.plain-table { border-collapse: collapse; font-size: 13px; margin-top: 10px; min-width: 100%; }
.plain-table th { text-align: left; font-weight: 500; color: var(--muted); white-space: nowrap; }
.plain-table th, .plain-table td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.plain-table .number { white-space: nowrap; }
#cells summary h2 { display: inline; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 136px), 1fr)); gap: 8px 20px; margin: 10px 0 16px; }
.facts div { min-width: 0; }
.facts dt { font-size: 12px; color: var(--muted); }
.facts dd { overflow-wrap: anywhere; font-size: 13.5px; }
.seen { list-style: none; font-size: 13px; color: var(--muted); display: grid; gap: 4px; }

#filters { display: flex; flex-wrap: wrap; align-items: end; gap: 8px 12px; margin: 10px 0 12px; }
#filters label { display: grid; font-size: 12px; color: var(--muted); min-width: 0; flex: 1 1 130px; }
#filters .grow { flex: 3 1 240px; }
#filters select, #filters input { width: 100%; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 5px 8px; font-size: 14px; }
#filters button { font-size: 13px; padding: 5px 10px; }
#shown { font-size: 13px; color: var(--muted); white-space: nowrap; padding-bottom: 6px; }
.browser { display: grid; grid-template-columns: minmax(0, 390px) minmax(0, 1fr); background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; height: min(920px, 88vh); box-shadow: var(--shadow); }
#list { overflow-y: auto; border-right: 1px solid var(--line); overscroll-behavior: contain; }
#detail { overflow-y: auto; padding: 18px 22px 28px; min-width: 0; }
#detail:focus { outline: none; }
.placeholder { color: var(--muted); padding: 14px 0; }
.row { display: grid; grid-template-columns: 10px minmax(0, 1fr) auto; gap: 0 10px; width: 100%; text-align: left; border: 0; border-bottom: 1px solid var(--line); border-radius: 0; background: none; padding: 8px 14px; align-items: baseline; }
.row:hover { background: var(--paper); }
.row[aria-current="true"] { background: var(--setting-soft); }
.row:focus-visible { outline-offset: -2px; }
.dot { width: 9px; height: 9px; border-radius: 50%; background: var(--muted); align-self: center; }
.dot-delivered { background: var(--good-fill); } .dot-lost { background: var(--lost-fill); } .dot-model { background: var(--own-fill); } .dot-open { background: transparent; border: 1.5px solid var(--muted); }
.row-head { font-size: 14px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row-time { font-size: 12px; color: var(--muted); }
.row-sub { grid-column: 2 / -1; font-size: 12px; color: var(--muted); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.detail-head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 10px; }
.detail-head h3 { font-size: 17px; }
.detail-id { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 8px; margin: 4px 0 12px; }
.tags { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 13px; color: var(--muted); }
.tags b { color: var(--ink); font-weight: 600; }
.block { margin-top: 18px; min-width: 0; }
.block-head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 12px; margin-bottom: 5px; }
.block-head h4 { margin: 0; color: var(--ink); }
.block-head span { font-size: 12px; color: var(--muted); }
.block-legend { display: inline-flex; gap: 4px; }
#detail pre { margin: 0; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 460px; overflow: auto; line-height: 1.6; unicode-bidi: isolate; tab-size: 4; }
#detail pre + button { margin-top: 6px; font-size: 13px; }
.unseen { color: var(--gone); background: var(--gone-soft); border-radius: 3px; padding: 0 2px; font-size: 0.9em; }
.empty { color: var(--muted); font-size: 13px; }
.finding { display: flex; flex-wrap: wrap; gap: 2px 8px; align-items: baseline; padding: 3px 0; font-size: 14px; }
.finding q { color: var(--muted); overflow-wrap: anywhere; }
#back { display: none; }

@media (max-width: 900px) {
  main, .top { padding-left: 16px; padding-right: 16px; }
  nav { margin-left: 0; width: 100%; }
  .told { grid-template-columns: minmax(0, 1fr); }
  .browser { grid-template-columns: minmax(0, 1fr); height: auto; overflow: visible; }
  #list { max-height: 46vh; border-right: 0; border-bottom: 1px solid var(--line); }
  #detail { overflow: visible; padding: 16px; scroll-margin-top: 12px; }
  #back { display: inline-block; margin-bottom: 10px; font-size: 13px; }
}
@media (max-width: 520px) {
  .card { padding: 16px 14px 12px; }
  .matrix thead th, .arms thead th, .matrix td, .arms td { padding-left: 10px; }
  .matrix .rate b { font-size: 22px; }
  .matrix thead th:first-child { width: 29%; }
}
@media print {
  #samples, #theme, nav, .copy { display: none; }
  body { background: #fff; }
  .card { break-inside: avoid; box-shadow: none; }
}
`;
