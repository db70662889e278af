import { describe, expect, it } from "vitest";
import { foldReply, post, runPython, simulate } from "./support.ts";

const cards = ["一", "二", "三", "四", "五", "六"].map((text) => ({ text }));
const deck = {
  server: { kind: "vllm", parser: "hermes" },
  models: { m: { format: "hermes", rules: [{ draw: "deck", cards }] } },
};

async function ask(handler: ReturnType<typeof simulate>, extra: Record<string, unknown> = {}): Promise<string> {
  const body = { model: "m", messages: [{ role: "user", content: "q" }], ...extra };
  return foldReply(await (await post(handler, "/v1/chat/completions", body)).text()).content;
}

async function asks(
  handler: ReturnType<typeof simulate>,
  count: number,
  extra: Record<string, unknown> = {},
): Promise<string[]> {
  const texts: string[] = [];
  for (let index = 0; index < count; index++) texts.push(await ask(handler, extra));
  return texts;
}

const sorted = (texts: readonly string[]): string[] => [...texts].sort();
const all = sorted(cards.map((card) => card.text));

describe("decks", () => {
  it("are drawn without replacement and reshuffled when empty", async () => {
    const texts = await asks(simulate(deck), 18);
    for (const start of [0, 6, 12]) expect(sorted(texts.slice(start, start + 6))).toEqual(all);
    expect(texts.slice(0, 6)).not.toEqual(texts.slice(6, 12));
  });

  it("hold as many copies of a card as n says", async () => {
    const weighted = {
      ...deck,
      models: { m: { format: "hermes", rules: [{ draw: "deck", cards: [{ n: 2, text: "a" }, { text: "b" }] }] } },
    };
    expect(sorted(await asks(simulate(weighted), 6))).toEqual(["a", "a", "a", "a", "b", "b"]);
  });

  it("are kept apart by tool_choice and by streaming", async () => {
    const handler = simulate(deck);
    const arms = [
      {},
      { stream: true },
      { tools: [runPython], tool_choice: "auto" },
      { tools: [runPython], tool_choice: "none" },
      { tools: [runPython], tool_choice: "none", stream: true },
    ];
    const texts: string[][] = arms.map(() => []);
    for (let round = 0; round < 6; round++) {
      for (const [index, arm] of arms.entries()) texts[index]?.push(await ask(handler, arm));
    }
    for (const arm of texts) expect(sorted(arm)).toEqual(all);
  });

  it("give the same order to the same seed and another order to another seed", async () => {
    const order = async (seed: string): Promise<string> => (await asks(simulate(deck, seed), 24)).join("");
    expect(await order("a")).toBe(await order("a"));
    expect(await order("a")).not.toBe(await order("b"));
  });
});

describe("seeds", () => {
  it("the same messages, tools and seed give the same card again, also under another tool_choice or streamed, and draw nothing", async () => {
    const handler = simulate(deck);
    const tools = [runPython];
    const first = await ask(handler, { seed: 1, tools });
    expect(await ask(handler, { seed: 1, tools })).toBe(first);
    expect(await ask(handler, { seed: 1, tools, stream: true })).toBe(first);
    expect(await ask(handler, { seed: 1, tools, tool_choice: "none" })).toBe(first);
    const rest = [];
    for (let seed = 2; seed <= 6; seed++) rest.push(await ask(handler, { seed, tools }));
    expect(sorted([first, ...rest])).toEqual(all);
  });

  it("another message, tool list or model of the same seed is another draw", async () => {
    const handler = simulate(deck);
    const texts = [
      await ask(handler, { seed: 1 }),
      await ask(handler, { seed: 1, messages: [{ role: "user", content: "other" }] }),
      await ask(handler, { seed: 2 }),
    ];
    expect(new Set(texts).size).toBe(3);
  });

  it("without a seed every request draws afresh", async () => {
    expect(sorted(await asks(simulate(deck), 6))).toEqual(all);
  });

  it("the oldest of very many draws are forgotten, so that memory stays bounded", async () => {
    const handler = simulate({
      ...deck,
      models: {
        m: {
          format: "hermes",
          rules: [{ draw: "deck", cards: Array.from({ length: 7000 }, (_, index) => ({ text: String(index) })) }],
        },
      },
    });
    const first = await ask(handler, { seed: 0 });
    for (let seed = 1; seed <= 3000; seed++) await ask(handler, { seed });
    expect(await ask(handler, { seed: 0 })).not.toBe(first);
  });
});

describe("independent draws", () => {
  it("come in proportion to their weights, and with replacement", async () => {
    const profile = {
      ...deck,
      models: { m: { format: "hermes", rules: [{ cards: [{ n: 3, text: "a" }, { text: "b" }] }] } },
    };
    const texts = await asks(simulate(profile), 2000);
    const share = texts.filter((text) => text === "a").length / texts.length;
    // Four standard deviations around 3/4.
    expect(share).toBeGreaterThan(0.711);
    expect(share).toBeLessThan(0.789);
    expect(texts.slice(0, 40)).not.toEqual([...texts.slice(0, 40)].sort());
  });
});

describe("rules", () => {
  const model = {
    format: "hermes",
    rules: [
      { when: { user: "素数", system: "イヴ" }, cards: [{ text: "user and system" }] },
      { when: { tools: "^run_" }, cards: [{ text: "tool name" }] },
      { when: { choice: "none", tools: true }, cards: [{ text: "choice" }] },
      { when: { last: "tool" }, cards: [{ text: "result" }] },
      { when: { stream: true }, cards: [{ text: "stream" }] },
      { when: { user: "(?i)HELLO" }, cards: [{ text: "case" }] },
    ],
    default: { text: "default" },
  };
  const handler = simulate({ server: { kind: "openai" }, models: { m: model, silent: { format: "hermes" } } });
  const user = (content: unknown): object => ({ role: "user", content });

  it.each([
    [
      "all given patterns must match",
      { messages: [{ role: "system", content: "イヴ" }, user("素数は？")] },
      "user and system",
    ],
    [
      "text parts count as text",
      { messages: [{ role: "system", content: "イヴ" }, user([{ type: "text", text: "素数" }])] },
      "user and system",
    ],
    ["one that fails rules it out", { messages: [user("素数は？")] }, "default"],
    [
      "the last user message counts",
      { messages: [{ role: "system", content: "イヴ" }, user("素数"), { role: "assistant", content: "a" }, user("x")] },
      "default",
    ],
    ["a tool's name", { messages: [user("x")], tools: [runPython] }, "tool name"],
    [
      "the last message is a result",
      { messages: [user("x"), { role: "tool", tool_call_id: "1", content: "42" }] },
      "result",
    ],
    ["streamed", { messages: [user("x")], stream: true }, "stream"],
    ["ignoring case", { messages: [user("hello")] }, "case"],
    [
      "no rule and no default: a short plain text",
      { model: "silent", messages: [user("x")] },
      "I have nothing prepared for this.",
    ],
    [
      "in the user's language",
      { model: "silent", messages: [user("これは？")] },
      "それについては何も用意がありません。",
    ],
  ])("%s", async (_name, body, text) => {
    expect(await ask(handler, body)).toBe(text);
  });
});
