import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { checkProfile, profileSchema, type SimulatorProfile } from "../../src/simulator/profile.ts";
import { createSimulator } from "../../src/simulator/simulator.ts";
import { foldReply, now, post, runPython } from "./support.ts";

const folder = fileURLToPath(new URL("../../scenarios/profiles/", import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

function load(name: string): SimulatorProfile {
  return profileSchema.parse(parse(readFileSync(`${folder}${name}`, "utf8")));
}

const persona = "あなたは「イヴ」。明るいコンパニオンAI。口調はカジュアルで2〜4文で返す。";
const rule =
  "\n計算・コード実行が必要な質問には、返答の末尾に {{PYTHON: <処理の説明>}} を1個だけ付けること。実行結果は次ターンで渡されるので、それまで結果を推測で言わない。";
const questions = {
  memorizable: "1から1000までの素数って全部足すといくつ？正確な値が知りたい！",
  unmemorizable: "「kotonia2026」の SHA-256 ハッシュの先頭10文字を正確に教えて！",
};

type Replies = ReturnType<typeof foldReply>[];

/** Three runs of one cell of the experiment, as its own script sends them. */
async function cell(
  profile: SimulatorProfile,
  question: string,
  extra: Record<string, unknown> | "marker",
  seed = "s",
): Promise<Replies> {
  const handler = createSimulator({ profile, seed, now: () => now });
  const model = Object.keys(profile.models)[0];
  const replies: Replies = [];
  for (let trial = 0; trial < 3; trial++) {
    const body = {
      model,
      max_tokens: 512,
      temperature: 0.7,
      messages: [
        { role: "system", content: extra === "marker" ? persona + rule : persona },
        { role: "user", content: question },
      ],
      ...(extra === "marker" ? {} : { tools: [runPython], tool_choice: "auto", ...extra }),
    };
    replies.push(foldReply(await (await post(handler, "/v1/chat/completions", body)).text()));
  }
  return replies;
}

const withMarker = (replies: Replies): number =>
  replies.filter((reply) => /\{\{PYTHON: [^{}]+\}\}$/.test(reply.content)).length;
const withCall = (replies: Replies): number =>
  replies.filter((reply) => reply.calls.some((call) => call.name === "run_python")).length;
const withLeak = (replies: Replies): number =>
  replies.filter((reply) => reply.content.includes("<function=run_python>")).length;

describe("shipped profiles", () => {
  it("are the ones that the documentation names", () => {
    expect(names.map((name) => name.replace(".yaml", "")).sort()).toEqual([
      "agents-a1",
      "bench",
      "chatty-8b",
      "sound",
      "steady",
      "thinkingcap-hermes",
      "thinkingcap-qwen3_coder",
    ]);
  });

  it.each(names)("%s has nothing wrong with it", (name) => {
    expect(checkProfile(load(name))).toEqual([]);
  });

  it("thinkingcap is the same model behind both parsers", () => {
    expect(load("thinkingcap-hermes.yaml").models).toEqual(load("thinkingcap-qwen3_coder.yaml").models);
  });

  it("bench answers plainly, about 4 KB each time", async () => {
    const profile = load("bench.yaml");
    const handler = createSimulator({ profile, seed: "s", now: () => now });
    const body = {
      model: "bench-model",
      max_tokens: 8192,
      messages: [{ role: "user", content: "x" }],
      tools: [runPython],
    };
    const reply = foldReply(await (await post(handler, "/v1/chat/completions", body)).text());
    expect(reply).toMatchObject({ calls: [], finish: "stop" });
    expect(reply.content.length).toBeGreaterThan(4000);
    expect(reply.content.length).toBeLessThan(4600);
  });
});

describe.each(["first", "second", "third"])("the experiment's tables, seed %s", (seed) => {
  it("agents-a1: markers 3/3 and 3/3, native 1/3 and 3/3, both skips claim a run that never was", async () => {
    const profile = load("agents-a1.yaml");
    expect(withMarker(await cell(profile, questions.memorizable, "marker", seed))).toBe(3);
    expect(withMarker(await cell(profile, questions.unmemorizable, "marker", seed))).toBe(3);
    expect(withCall(await cell(profile, questions.unmemorizable, {}, seed))).toBe(3);
    const skipping = await cell(profile, questions.memorizable, {}, seed);
    expect(withCall(skipping)).toBe(1);
    const claims = skipping.filter((reply) => reply.calls.length === 0).map((reply) => reply.content);
    expect(claims).toHaveLength(2);
    for (const claim of claims) expect(claim).toMatch(/76127.*Pythonで.*(求めた|計算した)/);
    expect(claims.join("")).toContain(
      "1から1000までの素数を全部足すと、76127になるよ！✨ 計算はPythonで正確に求めたから安心だね。",
    );
  });

  it("thinkingcap under hermes: 0/6 served, 5/6 leaked, streamed nothing; required and named hide it", async () => {
    const profile = load("thinkingcap-hermes.yaml");
    const native = [
      ...(await cell(profile, questions.memorizable, {}, seed)),
      ...(await cell(profile, questions.unmemorizable, {}, seed)),
    ];
    expect(withCall(native)).toBe(0);
    expect(withLeak(native)).toBe(5);
    const streamed = [
      ...(await cell(profile, questions.memorizable, { stream: true }, seed)),
      ...(await cell(profile, questions.unmemorizable, { stream: true }, seed)),
    ];
    expect(withCall(streamed)).toBe(0);
    expect(streamed.filter((reply) => reply.content === "" && reply.finish === "stop" && reply.done)).toHaveLength(5);
    for (const choice of ["required", { type: "function", function: { name: "run_python" } }]) {
      for (const question of Object.values(questions))
        expect(withCall(await cell(profile, question, { tool_choice: choice }, seed))).toBe(3);
    }
    expect(withLeak(await cell(profile, questions.unmemorizable, { tool_choice: "none" }, seed))).toBe(3);
  });

  it("thinkingcap with its own parser: native 2/3 and 3/3, the sixth reply a plain answer", async () => {
    const profile = load("thinkingcap-qwen3_coder.yaml");
    const memorizable = await cell(profile, questions.memorizable, {}, seed);
    expect(withCall(memorizable)).toBe(2);
    expect(memorizable.find((reply) => reply.calls.length === 0)?.content).toBe(
      "1から1000までの素数を全部足すと、76127だよ！",
    );
    expect(withCall(await cell(profile, questions.unmemorizable, {}, seed))).toBe(3);
  });

  it.each(["thinkingcap-hermes.yaml", "thinkingcap-qwen3_coder.yaml"])(
    "%s: markers 3/3 and 3/3, one states e3b0c44298 first",
    async (name) => {
      const profile = load(name);
      expect(withMarker(await cell(profile, questions.memorizable, "marker", seed))).toBe(3);
      const hashes = await cell(profile, questions.unmemorizable, "marker", seed);
      expect(withMarker(hashes)).toBe(3);
      expect(hashes.filter((reply) => reply.content.startsWith("先頭10文字は e3b0c44298 です。"))).toHaveLength(1);
    },
  );
});

describe("steady keeps whichever contract it is given, for any question", () => {
  const profile = load("steady.yaml");
  const picture = {
    type: "function",
    function: {
      name: "generate_image",
      parameters: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    },
  };

  it("calls the tool that is offered, with arguments that its schema allows", async () => {
    const handler = createSimulator({ profile, seed: "s", now: () => now });
    const body = {
      model: "steady",
      max_tokens: 512,
      messages: [{ role: "user", content: "Show me a calico cat!" }],
      tools: [picture],
    };
    const reply = foldReply(await (await post(handler, "/v1/chat/completions", body)).text());
    expect(reply.calls).toEqual([{ name: "generate_image", arguments: '{"prompt": "Show me a calico cat!"}' }]);
  });

  it("finds run_python among many tools", async () => {
    const handler = createSimulator({ profile, seed: "s", now: () => now });
    const others = ["list_directory", "send_mail"].map((name) => ({ type: "function", function: { name } }));
    const body = {
      model: "steady",
      messages: [{ role: "user", content: "2の100乗は？" }],
      tools: [...others, runPython],
    };
    const reply = foldReply(await (await post(handler, "/v1/chat/completions", body)).text());
    expect(reply.calls.map((call) => call.name)).toEqual(["run_python"]);
  });

  it("writes the marker that the system prompt asks for, and none where it asks for none", async () => {
    const handler = createSimulator({ profile, seed: "s", now: () => now });
    const ask = async (system: string): Promise<string> => {
      const messages = [
        { role: "system", content: system },
        { role: "user", content: "Show me a calico cat!" },
      ];
      return foldReply(await (await post(handler, "/v1/chat/completions", { model: "steady", messages })).text())
        .content;
    };
    expect(await ask("When asked for a picture, end with {{IMAGE: <description>}}.")).toBe(
      "{{IMAGE: Show me a calico cat!}}",
    );
    expect(await ask("Be brief.")).toBe("I have nothing prepared for this.");
  });

  it("does not call for a greeting, unless it must", async () => {
    const handler = createSimulator({ profile, seed: "s", now: () => now });
    const body = {
      model: "steady",
      messages: [{ role: "user", content: "おはよう！今日もいい天気だね。" }],
      tools: [runPython],
    };
    expect(foldReply(await (await post(handler, "/v1/chat/completions", body)).text()).calls).toEqual([]);
    const forced = await post(handler, "/v1/chat/completions", { ...body, tool_choice: "required" });
    expect(foldReply(await forced.text()).calls).toHaveLength(1);
  });
});
