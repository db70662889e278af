import type { Shape } from "../../src/lab/scenario/scenario.ts";
import { hermesTemplate } from "../../src/testbed/templates/jinja.ts";
import type { Decision } from "./deciding-model.ts";
import { asked, calls, given, planned, soundIn } from "./suite-models.ts";

export const broken = "arguments of earlier calls as whole JSON, or the broken call left out of the history";
/** A context in tokens of a byte, which is what this model's prompts mostly are. */
export const small = { contextLength: 4096 } as const;
export const tail = "messages[-1]";

export const unseenResults = hermesTemplate.replace(
  'message.content + "\\n</tool_response>',
  '"(done)\\n</tool_response>',
);
export const unseenSystem = hermesTemplate.replace(
  /(\{%- if tools %\}[\s\S]*?)\n {4}\{%- if messages\[0\]\.role == "system" %\}[\s\S]*?\{%- endif %\}/,
  "$1",
);
export const unseenTools = hermesTemplate.replace("{{- tool | tojson }}", '{{- "(a tool)" }}');
/** Mistral's condition, before another family's messages. */
export const shortIds = `{%- for message in messages %}{%- if message.tool_calls %}{%- for tool_call in message.tool_calls %}
    {%- if tool_call.id | length != 9 %}{{- raise_exception("Tool call IDs should be alphanumeric strings with length 9!") }}{%- endif %}
{%- endfor %}{%- endif %}{%- endfor %}
`;
export const notSeparated: Decision = { when: asked("A12"), text: "<think>\nlookup\n</think>\n\nLet me see." };
/** Of a call that stands as text in the history this model learns to answer in words. */
export const talksBehindTextCall: Decision = {
  when: `${asked("A12")} and messages | length > 4 and "<tool_call>" in (messages[2].content | string)`,
  text: "うーん、たぶん 1234 かな！",
};
export const doneAll: Decision = { when: `${tail}.role == "tool"`, text: "調べ終わったよ！" };
/** Malformed calls the server refuses; what follows is the template's doing: an exception is an error of the request. */
export const refusedHistories = {
  [`history_refused server_limit ${broken}`]: 2,
  "history_refused server_limit a tool message for every call of the history": 2,
  "history_refused server_limit one tool message for each call of the history": 2,
  "history_refused server_limit the roles system, user, assistant and tool only": 2,
} as const;
export const otherTemplate = (what: string): string => `--chat-template-file FILE (one that ${what})`;

/** The one question that is asked with ever more tools; an agent's dress has many for all of them. */
const ladder = planned("negative-intent")
  .filter(({ arm }) => arm === "tools-40")
  .map(({ messages }) => `said.question == ${JSON.stringify(messages.at(-1)?.content ?? "")}`)
  .join(" or ");

/** Faults of a model, one for each kind of question, and sound beside. */
export function faultyModel(shape: Shape): readonly Decision[] {
  return [
    // round-trip: the same call again, results made up, left unused, not carried on
    { when: `${given("A12")} and "ロッカー A12 の番号コードを調べて、そのまま" in said.question`, text: lookUp() },
    { when: `${given("A12")} and "tell it to me as it is" in said.question`, text: lookUp() },
    { when: given("B07"), text: "BBB-1234, BBB-9876" },
    { when: given("out of order"), text: "調べ終わったよ！" },
    { when: given("Sato"), text: calls("hermes", "find_booking", { member: "A12" }) },
    // final-answer: works on for ever, or finishes without work
    { when: `${given("A12")} and "渡して" in said.question`, text: lookUp() },
    { when: asked("deliver it"), text: calls("hermes", "final_answer", { answer: "All done!" }) },
    // language: English without the persona, whatever is asked
    ...soundIn(shape, "language").flatMap(({ when, text }): readonly Decision[] => {
      const code = /[A-Z]{3}-\d{4}/.exec(text)?.[0];
      return code === undefined ? [] : [{ when, text: `Here you go, it is ${code}, my friend!` }];
    }),
    // negative-intent
    {
      when: asked("実行はしないでね", "do not run anything", "おはよう", "Good morning"),
      text: calls("hermes", "run_python", { task: "sum" }),
    },
    {
      when: `tools and tools | length > 30 and "☆" not in messages[0].content and (${ladder})`,
      text: "それはわからないや。",
    },
    // relay
    ...soundIn(shape, "relay").flatMap(({ when, text }): readonly Decision[] =>
      /^[A-Z]{3}-\d{4}$/.test(text)
        ? [{ when: `${when} and (${asked("行だけ", "last line")})`, text: `${text}\nWarning: locale` }]
        : [],
    ),
    { when: asked("ticket"), text: "うまくいったよ！" },
    { when: asked("合言葉は何", "What is the password"), text: "I know of none." },
    ...soundIn(shape, "round-trip", "relay", "final-answer"),
  ];
}

function lookUp(): string {
  return calls("hermes", "lookup_locker", { locker: "A12" });
}
