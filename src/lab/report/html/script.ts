import { unseenCharacters } from "../terminal-text.ts";

/**
 * The page's script: filters, list and detail of samples. Everything from the run is set as text, never as markup. Samples
 * lie packed in blocks and are unpacked when one of them is read, or all of them when a text is searched for.
 */
export const script = String.raw`
"use strict";
(function () {
  const byId = (id) => document.getElementById(id);
  const data = (id) => JSON.parse(byId(id).textContent);
  const labels = data("labels");
  const words = labels.words;
  const index = data("index");
  const column = Object.fromEntries(index.columns.map((name, place) => [name, place]));
  const value = (row, name) => row[column[name]];
  const placeOf = new Map(index.rows.map((row, place) => [value(row, "id"), place]));

  // Elements: children are elements or text, so that nothing from the run can become markup.
  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, content] of Object.entries(attributes || {})) element.setAttribute(name, content);
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  }

  // Characters that act instead of being seen are written out, as in the terminal.
  const unseen = /(${unseenCharacters.source})/u;
  function appendVisible(parent, text) {
    if (!unseen.test(text.replace(/[\n\t]/g, ""))) return parent.append(text);
    for (const part of text.split(unseen)) {
      if (part === "\n" || part === "\t" || !unseen.test(part)) parent.append(part);
      else parent.append(make("span", { class: "unseen" }, written(part)));
    }
  }
  function written(character) {
    const code = character.codePointAt(0).toString(16);
    return code.length <= 2 ? "\\x" + code.padStart(2, "0") : code.length <= 4 ? "\\u" + code.padStart(4, "0") : "\\u{" + code + "}";
  }
  function shown(text) {
    const span = make("span");
    appendVisible(span, text);
    return span;
  }

  // Packed data.
  async function unpack(element) {
    const bytes = Uint8Array.from(atob(element.textContent), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }
  const blocks = [...document.querySelectorAll("script.packed")].map((element) => ({ element, content: null }));
  const blockOf = (number) => (blocks[number].content ||= unpack(blocks[number].element));
  let sharedTexts = null;
  const shared = () => (sharedTexts ||= unpack(byId("shared")));
  async function sampleAt(place) {
    return (await blockOf(Math.floor(place / index.perBlock)))[place % index.perBlock];
  }

  // Filters.
  const selects = [...document.querySelectorAll("#filters select")];
  const named = { headline: labels.headlines, owner: labels.owners };
  for (const select of selects) {
    const name = select.dataset.column;
    const counts = new Map();
    for (const row of index.rows) counts.set(value(row, name), (counts.get(value(row, name)) || 0) + 1);
    for (const [key, count] of counts) {
      const label = key === null ? words.notJudged : named[name] ? named[name][key] || key : key;
      select.append(make("option", { value: JSON.stringify(key) }, label + " (" + count + ")"));
    }
    select.addEventListener("change", refresh);
  }
  const search = byId("search");
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(refresh, 160);
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("clear").addEventListener("click", clearFilters);
  function clearFilters() {
    for (const select of selects) select.value = "";
    search.value = "";
    return refresh();
  }

  const haystacks = new Map();
  async function haystack(place) {
    if (!haystacks.has(place)) {
      const sample = await sampleAt(place);
      const texts = sample.replies.flatMap((reply) => [
        ...reply.texts.map((text) => text.text),
        ...reply.calls.map((call) => call.name + " " + call.arguments),
        reply.detail || "",
      ]);
      haystacks.set(place, [sample.id, ...texts].join("\n").toLowerCase());
    }
    return haystacks.get(place);
  }

  // List: drawn in stretches as the reader scrolls.
  const list = byId("list");
  const stretch = 120;
  let places = [];
  let drawn = 0;
  let round = 0;
  async function refresh() {
    const mine = ++round;
    const wanted = selects.filter((select) => select.value !== "").map((select) => [select.dataset.column, JSON.parse(select.value)]);
    const needle = search.value.trim().toLowerCase();
    const found = [];
    for (const [place, row] of index.rows.entries()) {
      if (!wanted.every(([name, content]) => value(row, name) === content)) continue;
      if (needle !== "" && !(await haystack(place)).includes(needle)) continue;
      if (mine !== round) return;
      found.push(place);
    }
    if (mine !== round) return;
    places = found;
    drawn = 0;
    list.replaceChildren();
    list.scrollTop = 0;
    if (places.length === 0) list.append(make("p", { class: "placeholder row-sub" }, words.nothingFound));
    drawMore();
    byId("shown").textContent = words.shownOf.replace("{shown}", places.length).replace("{total}", index.rows.length);
  }
  function drawMore() {
    const fragment = document.createDocumentFragment();
    for (const place of places.slice(drawn, drawn + stretch)) fragment.append(rowOf(place));
    drawn += stretch;
    list.append(fragment);
  }
  list.addEventListener("scroll", () => {
    if (drawn < places.length && list.scrollTop + list.clientHeight > list.scrollHeight - 600) drawMore();
  });
  function rowOf(place) {
    const row = index.rows[place];
    const mode = value(row, "stream") ? words.streamed : words.whole;
    const sub = [value(row, "target"), value(row, "arm"), mode, value(row, "scenario") + " #" + value(row, "trial")].join(" · ");
    const button = make(
      "button",
      { type: "button", class: "row", "data-place": place, title: value(row, "id") },
      make("span", { class: "dot dot-" + value(row, "group") }),
      make("span", { class: "row-head" }, labels.headlines[value(row, "headline")] || words.notJudged),
      make("span", { class: "row-time" }, duration(value(row, "totalMs"))),
      make("span", { class: "row-sub" }, shown(sub)),
    );
    if (place === current) button.setAttribute("aria-current", "true");
    return button;
  }
  list.addEventListener("click", (event) => {
    const button = event.target.closest(".row");
    if (button) open(Number(button.dataset.place), true);
  });
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? "nextElementSibling" : event.key === "ArrowUp" ? "previousElementSibling" : null;
    const next = step && document.activeElement[step];
    if (!next) return;
    event.preventDefault();
    next.focus();
    open(Number(next.dataset.place), false);
  });
  function duration(milliseconds) {
    if (milliseconds === null) return "";
    return milliseconds < 1000 ? Math.round(milliseconds) + " ms" : (milliseconds / 1000).toFixed(1) + " s";
  }

  // Detail.
  const detail = byId("detail");
  let current = -1;
  async function open(place, remember) {
    current = place;
    for (const row of list.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
    const button = list.querySelector('[data-place="' + place + '"]');
    if (button) button.setAttribute("aria-current", "true");
    const [sample, texts] = await Promise.all([sampleAt(place), shared()]);
    if (place !== current) return;
    detail.replaceChildren(...sampleView(index.rows[place], sample, texts));
    detail.scrollTop = 0;
    if (remember) {
      history.replaceState(null, "", "#sample=" + encodeURIComponent(sample.id));
      if (matchMedia("(max-width: 900px)").matches) detail.scrollIntoView();
    }
  }

  function sampleView(row, sample, texts) {
    const owner = value(row, "owner");
    const back = make("button", { type: "button", id: "back" }, words.back);
    back.addEventListener("click", () => list.scrollIntoView());
    const facts = [
      [words.target, value(row, "target")],
      [words.suite, value(row, "suite")],
      [words.scenario, value(row, "scenario")],
      [words.class, labels.classes[value(row, "class")]],
      [words.contract, labels.contracts[value(row, "contract")]],
      [words.arm, value(row, "arm")],
      [words.mode, value(row, "stream") ? words.streamed : words.whole],
      [words.shape, labels.shapes[value(row, "shape")]],
      ...(value(row, "route") === "direct" ? [] : [[words.route, value(row, "route")]]),
      [words.delivered, labels.yesNo[value(row, "delivered")] || words.notMeasured],
      [words.attempted, labels.yesNo[value(row, "attempted")] || words.notMeasured],
      [words.firstByte + " / " + words.total, [duration(value(row, "firstByteMs")), duration(value(row, "totalMs"))].filter(Boolean).join(" / ")],
    ];
    return [
      back,
      make("div", { class: "detail-head" }, make("h3", {}, labels.headlines[value(row, "headline")] || words.notJudged), owner && owner !== "none" ? make("span", { class: "owner " + toneOf(owner) }, labels.owners[owner]) : null),
      make("div", { class: "detail-id" }, make("span", { class: "id" }, shown(sample.id)), copyButton(sample.id)),
      make("dl", { class: "facts" }, ...facts.filter(([, text]) => text !== "").map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, shown(String(text)))))),
      ...sample.replies.flatMap(replyView),
      requestView(sample, texts),
      exchangesView(sample),
      sample.trace === null ? null : section(words.adapterTrace, [], pre(JSON.stringify(sample.trace, null, 2), [])),
    ].filter((part) => part !== null);
  }
  function toneOf(owner) {
    if (owner === "model") return "tone-model";
    if (owner === "network" || owner === "budget" || owner === "scorer") return "tone-setting";
    return owner === "none" ? "tone-good" : "tone-harness";
  }

  function replyView(reply) {
    const notes = [
      reply.axis ? labels.axes[reply.axis] : null,
      reply.format,
      reply.finish.length ? "finish_reason: " + reply.finish.join(", ") : null,
      reply.completionTokens === null ? null : reply.completionTokens + " tokens",
    ].filter(Boolean);
    const parts = [];
    if (reply.reason) parts.push(section(labels.notMeasured[reply.reason] || reply.reason, [], make("p", { class: "warn" }, shown(reply.detail || ""))));
    else if (reply.detail && !reply.texts.some((text) => text.field === "error")) parts.push(section(labels.fields.error, [], pre(reply.detail, [])));
    reply.texts.forEach((text, place) => parts.push(textView(text, reply, place === 0 ? notes : [])));
    if (reply.calls.length) parts.push(section(words.servedCalls, [], ...reply.calls.map((call, place) => callView(call, reply.axis === "structured" ? reply.judged[place] : null))));
    else if (reply.judged.length) parts.push(section(words.lostCalls, [], judgedLine(reply.judged)));
    if (reply.findings && reply.findings.length) parts.push(section(words.findingsTitle, [], ...reply.findings.map(findingView)));
    if (reply.problems.length) parts.push(section(words.findingsTitle, [], ...reply.problems.map((problem) => make("p", { class: "warn" }, shown(problem)))));
    return parts;
  }
  function textView(text, reply, notes) {
    const title = labels.fields[text.field] + (text.choice > 0 ? " [" + text.choice + "]" : "");
    const said = [...notes, ...(text.source ? [labels.grades[text.source] || text.source] : [])];
    const kinds = [...new Set(text.marks.map((mark) => mark[2]))];
    const legend = kinds.map((kind) => make("span", { class: "block-legend" }, make("mark", { class: "mark-" + kind }, labels.marks[kind] || kind)));
    if (text.same) {
      const original = reply.texts.find((other) => other.field === text.same);
      return section(title, said.concat(labels.fields[text.same] + " =", ...legend), pre(original ? original.text : "", text.marks));
    }
    if (text.text === "") return section(title, said, make("p", { class: "empty" }, words.emptyText));
    const note = text.leftOut > 0 ? make("p", { class: "empty" }, words.leftOut.replace("{count}", text.leftOut.toLocaleString())) : null;
    return section(title, said.concat(legend), pre(text.text, text.marks), note);
  }
  const firstView = 20000;
  function pre(text, marks) {
    const element = make("pre", { dir: "ltr" });
    const least = marks.length ? marks[0][1] + 500 : 0;
    const limit = text.length <= firstView * 1.2 ? text.length : Math.min(text.length, Math.max(firstView, least));
    fill(element, text, marks, limit);
    if (limit === text.length) return element;
    const all = make("button", { type: "button" }, words.showAll.replace("{count}", text.length.toLocaleString()));
    all.addEventListener("click", () => {
      fill(element, text, marks, text.length);
      all.remove();
    });
    return make("div", {}, element, all);
  }
  function fill(element, text, marks, limit) {
    element.replaceChildren();
    let at = 0;
    for (const [start, end, kind] of marks) {
      if (start >= limit) break;
      appendVisible(element, text.slice(at, start));
      const mark = make("mark", { class: "mark-" + kind, title: labels.marks[kind] || kind });
      appendVisible(mark, text.slice(start, Math.min(end, limit)));
      element.append(mark);
      at = Math.min(end, limit);
    }
    appendVisible(element, text.slice(at, limit));
  }
  function callView(call, judged) {
    let body = call.arguments;
    try {
      body = JSON.stringify(JSON.parse(call.arguments), null, 2);
    } catch {
      // Arguments that are not JSON are shown as they came.
    }
    return make("div", {}, make("p", { class: "finding" }, make("code", {}, shown(call.name)), judged ? judgedWords(judged) : null), pre(body, []));
  }
  function judgedWords(judged) {
    return make("span", { class: judged.validity === "valid" ? "empty" : "warn" }, [labels.validity[judged.validity], ...judged.problems.map((problem) => labels.problems[problem] || problem)].join(", "));
  }
  function judgedLine(judged) {
    return make("div", {}, ...judged.map((call) => make("p", { class: "finding" }, make("code", {}, shown(call.name)), judgedWords(call))));
  }
  function findingView(finding) {
    return make(
      "p",
      { class: "finding" },
      make("span", {}, labels.findings[finding.kind] || finding.kind),
      finding.owner && finding.owner !== "none" ? make("span", { class: "owner " + toneOf(finding.owner) }, labels.owners[finding.owner]) : null,
      finding.text ? make("q", {}, shown(finding.text)) : null,
    );
  }
  function requestView(sample, texts) {
    const said = ["tool_choice: " + sample.choice + (sample.namedTool ? " " + sample.namedTool : ""), "tools: " + sample.tools.join(", ")];
    if (sample.maxTokens !== null) said.push("max_tokens: " + sample.maxTokens);
    return section(words.request, said, ...sample.sources.map(([role, text]) => make("div", { class: "block" }, make("h4", {}, shown(role)), pre(texts[text] || "", []))));
  }
  function exchangesView(sample) {
    const rows = sample.exchanges.map((exchange) =>
      make("tr", {}, ...[exchange.hop, exchange.purpose, exchange.method + " " + exchange.path, exchange.status === null ? "-" : String(exchange.status), duration(exchange.endMs), exchange.attempt > 1 ? "attempt " + exchange.attempt : "", exchange.failure || ""].map((text) => make("td", {}, shown(text)))),
    );
    return section(words.exchanges, [], make("div", { class: "scroll" }, make("table", { class: "plain-table" }, make("tbody", {}, ...rows))));
  }
  function section(title, notes, ...content) {
    return make("div", { class: "block" }, make("div", { class: "block-head" }, make("h4", {}, title), ...notes.map((note) => (typeof note === "string" ? make("span", {}, shown(note)) : note))), ...content);
  }

  // Copying, theme, links to samples.
  function copyButton(text) {
    return make("button", { type: "button", class: "copy", "data-copy": text }, words.copy);
  }
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await copy(button.dataset.copy);
    button.textContent = words.copied;
    setTimeout(() => (button.textContent = words.copy), 1500);
  });
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Pages opened from disk may have no clipboard: the older way still works there.
      const field = make("textarea", {}, text);
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
  }
  const root = document.documentElement;
  try {
    const kept = localStorage.getItem("harness-lab-theme");
    if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  } catch {
    // Storage may be closed to pages opened from disk; the theme then lasts as long as the page.
  }
  byId("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("harness-lab-theme", root.dataset.theme);
    } catch {
      // As above.
    }
  });
  async function follow() {
    const wanted = /^#sample=(.*)$/.exec(location.hash);
    const place = wanted ? placeOf.get(decodeURIComponent(wanted[1])) : undefined;
    if (place === undefined) return false;
    if (!places.includes(place)) await clearFilters();
    while (drawn <= places.indexOf(place)) drawMore();
    await open(place, false);
    (matchMedia("(max-width: 900px)").matches ? detail : byId("samples")).scrollIntoView();
    const button = list.querySelector('[data-place="' + place + '"]');
    list.scrollTop += button.getBoundingClientRect().top - list.getBoundingClientRect().top - 80;
    return true;
  }
  addEventListener("hashchange", follow);

  refresh().then(async () => {
    if (await follow()) return;
    const telling = index.rows.findIndex((row) => value(row, "group") === "lost");
    if (index.rows.length > 0) await open(Math.max(0, telling), false);
  });
})();
`;
