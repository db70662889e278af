// The adapter's rows of `npm run bench`; alone with `npm run bench -- --adapter`. Every figure stands beside a floor of the same run.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { departure } from "./departure.mjs";
import { inTurns, peakMegabytes, start } from "./load.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const main = join(root, "dist/cli/main.js");
const here = (name) => join(root, "bench/adapter", name);

const tool = {
  type: "function",
  function: {
    name: "look_up",
    description: "Looks something up.",
    parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  },
};
/** The small request: one tool, one question. */
export const smallBody = JSON.stringify({
  model: "m",
  messages: [
    { role: "system", content: "You are a helpful assistant." },
    { role: "user", content: "How many people live in Tokyo?" },
  ],
  tools: [tool],
});

const startAdapter = (url) => start([main, "adapter", "--upstream", `${url}/v1`, "--port", "0", "--lang", "en"]);

/** The adapter, the bare proxy and the stub server behind both, each in a process of its own. */
export async function startAll() {
  const server = await start([here("stub-server.mjs")]);
  const bare = await start([here("bare-proxy.mjs"), server.url]);
  const adapter = await startAdapter(server.url);
  return {
    server,
    subjects: { bare: { ...bare, body: smallBody }, adapter: { ...adapter, body: smallBody } },
    stop: () => {
      for (const each of [adapter, bare, server]) each.stop();
    },
  };
}

export async function adapterBench(line) {
  const all = await startAll();
  try {
    const { bare, adapter } = all.subjects;
    // A server runs for days: what is measured is not its first second.
    await inTurns({ bare, adapter }, 1, 8000, 8);
    const one = await inTurns({ bare, adapter }, 5, 400, 1);
    line(
      "adapter, small request, one in flight, p50",
      `${one.adapter.p50.toFixed(2)} ms`,
      "<= 2 x",
      `${(one.adapter.p50 / one.bare.p50).toFixed(2)} x a bare proxy`,
    );
    const many = await inTurns({ bare, adapter }, 5, 2000, 16);
    line(
      "adapter, small request, 16 in flight",
      `${many.adapter.rate.toFixed(0)} /s`,
      ">= 50 %",
      `${((100 * many.adapter.rate) / many.bare.rate).toFixed(0)} % of a bare proxy's rate`,
    );
    line(
      "  its processor time a request",
      `${many.adapter.processor.toFixed(0)} µs`,
      "",
      `${(many.adapter.processor / many.bare.processor).toFixed(2)} x a bare proxy`,
    );
    line(
      "  its peak memory",
      `${peakMegabytes(adapter.pid).toFixed(0)} MB`,
      "<= 120 MB",
      `${(peakMegabytes(adapter.pid) / peakMegabytes(bare.pid)).toFixed(1)} x a bare proxy`,
    );
  } finally {
    all.stop();
  }
  const left = await departure(startAdapter, smallBody);
  line(
    "adapter, client leaves, server stopped after",
    `${left.adapter.toFixed(2)} ms`,
    "",
    `${(left.adapter / left.straight).toFixed(1)} x no proxy`,
  );
  await inProcess(line);
}

/** What the stages cost without sockets: a Codex request of 40 KB, streamed chunks, each stage. */
async function inProcess(line) {
  const { createAdapter } = await import(join(root, "dist/adapter/adapter.js"));
  const { adapterConfigSchema } = await import(join(root, "dist/adapter/adapter-config.js"));
  const { plainRequest } = await import(join(root, "dist/protocol/plain-request.js"));
  const reply = JSON.stringify({
    id: "c",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "Done." }, finish_reason: "stop" }],
  });
  let events = reply;
  let contentType = "application/json";
  const upstream = async (request) => {
    await request.text();
    return new Response(events, { headers: { "content-type": contentType } });
  };
  const costs = new Map();
  const made = (config) =>
    createAdapter({
      upstream,
      config: adapterConfigSchema.parse(config),
      now: () => performance.now(),
      random: Math.random,
      onTrace: (trace) => {
        for (const { stage, ms } of trace.costs) costs.set(stage, [...(costs.get(stage) ?? []), ms]);
      },
    });
  const ask = async (adapter, path, body) => {
    const headers = new Headers({ "content-type": "application/json" });
    const request = plainRequest({ url: `http://adapter.invalid${path}`, method: "POST", headers, body, signal: null });
    const response = await adapter(request);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`the adapter answered ${response.status}: ${text.slice(0, 300)}`);
  };
  const timed = async (times, work) => {
    for (let index = 0; index < 20; index++) await work();
    costs.clear();
    const figures = [];
    for (let index = 0; index < times; index++) {
      const since = performance.now();
      await work();
      figures.push(performance.now() - since);
    }
    return median(figures);
  };
  const capture = join(root, "test/fixtures/captures/codex-0171-exec-pwd-turn2.json");
  if (!existsSync(capture)) return;
  const body = { ...JSON.parse(readFileSync(capture, "utf8")).body, stream: false };
  const text = JSON.stringify(body);
  const kilobytes = Math.round(Buffer.byteLength(text) / 1024);
  const parse = await timed(200, async () => JSON.stringify(JSON.parse(text)));
  const below = made({ compress: { budgetBytes: 10_000_000 } });
  const warm = await timed(200, () => ask(below, "/v1/responses", text));
  line(
    `adapter, Codex request of ${kilobytes} KB, warm`,
    `${warm.toFixed(2)} ms`,
    "<= 3 ms",
    `${(warm / parse).toFixed(0)} x parsing and writing it`,
  );
  const stages = [...costs].map(([stage, all]) => [stage, median(all)]).sort((left, right) => right[1] - left[1]);

  const long = JSON.stringify(longRequest(body));
  const compress = made({ compress: { budgetBytes: 8 * 1024 } });
  const pressed = await timed(40, () => ask(compress, "/v1/responses", long));
  line(
    `  of ${Math.round(Buffer.byteLength(long) / 1024)} KB, compressed to its budget`,
    `${pressed.toFixed(1)} ms`,
    "<= 60 ms",
    `${(pressed / parse).toFixed(0)} x parsing and writing it`,
  );

  contentType = "text/event-stream";
  const chunkOf = (content) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content } }] })}\n\n`;
  const streamOf = (count) =>
    `${chunkOf("word ").repeat(count)}data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
  const small = JSON.stringify({ ...JSON.parse(smallBody), stream: true });
  const streaming = made({});
  const perChunk = async (path, given) => {
    events = streamOf(10);
    const few = await timed(60, () => ask(streaming, path, given));
    events = streamOf(2010);
    const many = await timed(30, () => ask(streaming, path, given));
    return ((many - few) / 2000) * 1000;
  };
  const floor = await timed(30, async () => {
    for (let index = 0; index < 2000; index++)
      JSON.parse(JSON.stringify({ choices: [{ delta: { content: "word " } }] }));
  });
  for (const [name, path, given] of [
    ["chat", "/v1/chat/completions", small],
    ["responses", "/v1/responses", JSON.stringify({ ...body, stream: true })],
  ]) {
    const cost = await perChunk(path, given);
    line(
      `adapter, streaming (${name}), a chunk`,
      `${cost.toFixed(1)} µs`,
      "<= 50 µs",
      `${(cost / ((floor / 2000) * 1000)).toFixed(0)} x parsing and writing it`,
    );
  }
  console.log(`\nadapter, cost of each stage in that Codex request (median)`);
  for (const [stage, ms] of stages)
    line(`  ${stage}`, `${(ms * 1000).toFixed(0)} µs`, "", `${((100 * ms) / warm).toFixed(1)} % of the whole`);
}

/** The request with a long tool output before its last question, so that its messages are about 40 KB. */
function longRequest(body) {
  const words =
    "error warning: unit nginx.service entered /etc/nginx/nginx.conf line exit status 0 active since Monday";
  const output = Array.from({ length: 400 }, (_, index) => `${index} ${words}`)
    .join("\n")
    .slice(0, 32_000);
  const call = {
    type: "function_call",
    call_id: "call_long",
    name: "exec_command",
    arguments: '{"cmd":"journalctl -n 400"}',
  };
  const result = { type: "function_call_output", call_id: "call_long", output };
  const more = [
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "I have read the log." }] },
    { type: "message", role: "user", content: [{ type: "input_text", text: "Which unit failed, and why?" }] },
  ];
  return { ...body, input: [...body.input, call, result, ...more] };
}

function median(values) {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];
}
