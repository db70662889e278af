import type { ChatMessage, Tool } from "../../../src/protocol/chat.ts";

/** A fact that a history was given, and the message that it was put into. */
export interface PlantedFact {
  readonly kind: string;
  readonly text: string;
}

export interface PlantedHistory {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  readonly facts: readonly PlantedFact[];
}

export const shellTool: Tool = {
  type: "function",
  function: {
    name: "exec_command",
    parameters: {
      type: "object",
      properties: { cmd: { type: "string" }, workdir: { type: "string" } },
      required: ["cmd"],
    },
  },
};

const ticketTool: Tool = {
  type: "function",
  function: {
    name: "create_ticket",
    parameters: {
      type: "object",
      properties: { project_key: { type: "string" }, priority: { type: "string" } },
      required: ["project_key", "priority"],
    },
  },
};

/** A repeatable source of choices (Park and Miller). */
export function createChooser(seed: number) {
  let state = (seed % 2_147_483_646) + 1;
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  // Neighbouring seeds begin alike.
  for (let round = 0; round < 4; round++) next();
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: <T>(list: readonly [T, ...T[]]): T => list[below(list.length)] ?? list[0],
    word: (length: number): string =>
      Array.from({ length }, () => "abcdefghijklmnopqrstuvwxyz"[below(26)] ?? "a").join(""),
  };
}
type Chooser = ReturnType<typeof createChooser>;

const english = [
  "The weather in the northern region stayed mild through most of the season.",
  "We talked about the history of the project and how the team grew over the years.",
  "It was a long afternoon with plenty of coffee and very little progress.",
  "The design has several layers which were described in the previous discussion.",
  "Everyone agreed that the new colours look much friendlier than the old ones.",
] as const;
const japanese = [
  "今日は朝から雨が降っていて、部屋の中で本を読んでいました。",
  "この仕組みの背景には長い歴史があり、多くの人が関わってきました。",
  "会議では新しい配色についての感想がいくつか出ました。",
  "春になると公園の桜がとても美しく咲きます。",
  "全体の流れは前回お話しした内容とほぼ同じです。",
] as const;

function prose(choose: Chooser, sentences: number): string {
  return Array.from({ length: sentences }, () =>
    choose.below(2) === 0 ? `${choose.pick(english)} ` : choose.pick(japanese),
  ).join("");
}

function logLines(choose: Chooser, lines: number): string[] {
  return Array.from({ length: lines }, (_, at) =>
    choose.pick([
      `2026-05-20 10:${String(at % 60).padStart(2, "0")}:07 INFO worker ${choose.word(6)} handled batch ${choose.below(9000)}`,
      `debug: cache ${choose.word(8)} warm after ${choose.below(400)} ms`,
      `処理 ${choose.word(5)} が完了しました (${choose.below(900)} 件)`,
      "heartbeat",
    ]),
  );
}

/** A fact of each kind, in words of its own, with the text that carries it and who says it. */
function plant(choose: Chooser): readonly { fact: PlantedFact; by: "user" | "assistant" | "tool"; carrier: string }[] {
  const name = choose.word(9);
  const path = choose.pick([
    `/srv/${name}/releases/${choose.word(4)}.conf`,
    `src/${name}/${choose.word(5)}.ts`,
    `~/${name}/${choose.word(6)}`,
    `../${name}/Makefile`,
    `C:\\Users\\${name}\\app.ini`,
    `/home/利用者/${name}/資料.txt`,
  ]);
  const url = choose.pick([
    `https://${name}.example.org/a/b?x=${choose.below(99)}&y=${choose.word(3)}`,
    `http://10.0.0.${choose.below(255)}:8080/${name}`,
    `postgres://db.${name}.example/main`,
  ]);
  const flag = choose.pick([`--${name}-mode`, `--${name}=${choose.below(500)}`, `-X${name}`]);
  const service = choose.pick([`${name}.service`, `${name}@1.timer`, `${name}.socket`]);
  const error = choose.pick([
    `ERROR [${name}] could not open the ledger: permission denied`,
    `${name}: fatal: not a repository`,
    `TypeError: Cannot read properties of undefined (reading '${name}')`,
    `エラー: ${name} の読み込みに失敗しました`,
    `E: Unable to locate package ${name}`,
  ]);
  const code = choose.below(200) + 1;
  const exit = choose.pick([`Process exited with code ${code}`, `Exit Code: ${code}`, `終了コード: ${code}`]);
  const wish = choose.pick([
    `Do not restart the ${name} machine before Monday.`,
    `Never touch anything below ${name}.`,
    `Please leave ${name} exactly as it is.`,
    `${name}は実行しないでください。`,
    `${name}には絶対に触らないで。`,
    `${name}の削除は禁止です。`,
  ]);
  const argument = choose.pick([
    `project_key: ${name.toUpperCase()}`,
    `priority=${name}`,
    `project_key は「${name}」`,
    `"${name} of the north"`,
  ]);
  const spoken = choose.pick(["user", "assistant", "tool"] as const);
  const around = (fact: string): string =>
    choose.pick([`We looked at ${fact} yesterday. `, `昨日は ${fact} を見ました。`, `(${fact})`, `${fact}\n`]);
  return [
    { fact: { kind: "path", text: path }, by: spoken, carrier: around(path) },
    { fact: { kind: "url", text: url }, by: choose.pick(["user", "assistant", "tool"]), carrier: around(url) },
    { fact: { kind: "flag", text: flag }, by: choose.pick(["user", "assistant", "tool"]), carrier: around(flag) },
    {
      fact: { kind: "service", text: service },
      by: choose.pick(["user", "assistant", "tool"]),
      carrier: around(service),
    },
    { fact: { kind: "error line", text: error }, by: "tool", carrier: `${error}\n` },
    { fact: { kind: "exit code", text: exit }, by: "tool", carrier: `${exit}\n` },
    { fact: { kind: "negative intent", text: wish }, by: "user", carrier: wish },
    { fact: { kind: "required argument", text: argument }, by: "user", carrier: around(argument) },
  ];
}

/** A conversation in English and Japanese with calls and results, in which one fact of each kind stands somewhere. */
export function plantedHistory(seed: number): PlantedHistory {
  const choose = createChooser(seed);
  const planted = plant(choose);
  const rounds = 2 + choose.below(3);
  const messages: ChatMessage[] = [
    { role: "system", content: `You are a helpful assistant. ${prose(choose, choose.below(12))}` },
  ];
  const carriersOf = (round: number, by: string): string[] =>
    planted.filter((one, at) => one.by === by && (at + seed) % rounds === round).map((one) => one.carrier);
  const mix = (text: string, carriers: readonly string[], separator: string): string => {
    const pieces = text.split(separator);
    for (const carrier of carriers) pieces.splice(choose.below(pieces.length + 1), 0, carrier.replace(/\n$/, ""));
    return pieces.join(separator);
  };
  for (let round = 0; round < rounds; round++) {
    messages.push({ role: "user", content: mix(prose(choose, 2 + choose.below(14)), carriersOf(round, "user"), "\n") });
    const calls = 1 + choose.below(2);
    const ids = Array.from({ length: calls }, (_, at) => `call_${round}_${at}`);
    messages.push({
      role: "assistant",
      content: mix(prose(choose, choose.below(6)), carriersOf(round, "assistant"), "\n"),
      tool_calls: ids.map((id) => ({
        id,
        type: "function",
        function: { name: "exec_command", arguments: JSON.stringify({ cmd: `cat ${choose.word(5)}` }) },
      })),
    });
    for (const [at, id] of ids.entries()) {
      const output = logLines(choose, 5 + choose.below(120)).join("\n");
      const content = at === 0 ? mix(output, carriersOf(round, "tool"), "\n") : output;
      messages.push({
        role: "tool",
        tool_call_id: id,
        content: choose.below(4) === 0 ? [{ type: "text", text: content }] : content,
      });
    }
    if (choose.below(2) === 0) messages.push({ role: "assistant", content: prose(choose, 3) });
  }
  if (choose.below(3) > 0)
    messages.push({
      role: "user",
      content: choose.pick(["次は何をしますか？", "Which worker handled the last batch?"]),
    });
  return { messages, tools: [shellTool, ticketTool], facts: planted.map((one) => one.fact) };
}
