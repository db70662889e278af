import { jsonResponse } from "../../../src/protocol/handler.ts";
import type { Planted } from "./harness.ts";

/** A fault that is planted, and the one diagnosis that must come of it. */
export interface PlantedFault {
  readonly suite: string;
  readonly what: string;
  readonly planted: Planted;
  /** Code, owner and the literal fix, "" where nothing mends it. */
  readonly expected: { readonly code: string; readonly owner: string; readonly fix: string };
  /** Trials of each cell: what is concluded from a comparison needs several. */
  readonly trials?: number;
  /** Further diagnoses that are as right. */
  readonly also?: readonly string[];
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    suite: "round-trip",
    what: "a template that drops tool results",
    planted: { server: { kind: "ollama", version: "0.34.2", template: "noresults", parser: null } },
    expected: {
      code: "result_not_in_prompt",
      owner: "template",
      fix: 'in the TEMPLATE, a branch {{ else if eq .Role "tool" }} that writes {{ .Content }}',
    },
  },
  {
    suite: "round-trip",
    what: "a model that calls again and again",
    planted: {
      rules: [{ when: { user: "A12", last: "tool" }, cards: [{ call: { tool: "*", arguments: { locker: "A12" } } }] }],
    },
    expected: { code: "call_loop", owner: "model", fix: "" },
  },
  {
    suite: "round-trip",
    what: "a model that makes results up",
    planted: { rules: [{ when: { last: "tool" }, cards: [{ text: "コードは ZZZ-9999 だよ！" }] }] },
    expected: { code: "result_invented", owner: "model", fix: "" },
  },
  {
    suite: "round-trip",
    what: "a model that leaves results unused",
    planted: { rules: [{ when: { last: "tool" }, cards: [{ text: "調べ終わったよ！" }] }] },
    expected: { code: "result_ignored", owner: "model", fix: "" },
  },
  {
    suite: "round-trip",
    what: "a server that refuses the ids which it gave itself",
    planted: {
      rules: [
        {
          when: { last: "tool" },
          cards: [{ error: { status: 400, message: "Tool call id has to be defined and of length 9" } }],
        },
      ],
    },
    expected: {
      code: "followup_refused",
      owner: "template",
      fix: "call ids of nine letters and digits, mapped both ways",
    },
  },
  {
    suite: "round-trip",
    what: "a template that refuses the server's ids with an exception",
    planted: {
      server: { kind: "llama-server", version: "b10434", template: "hermes", parser: null, contextLength: 32_768 },
      rules: [
        {
          when: { last: "tool" },
          cards: [
            {
              error: {
                status: 500,
                message:
                  '\n------------\nWhile executing CallExpression at line 2, column 50 in source:\n...{- raise_exception("Tool call IDs should be alphanumeric strings with length 9!") ...\n   ^\nError: Jinja Exception: Tool call IDs should be alphanumeric strings with length 9!',
              },
            },
          ],
        },
      ],
    },
    expected: {
      code: "followup_refused",
      owner: "template",
      fix: "call ids of nine letters and digits, mapped both ways",
    },
  },
  {
    suite: "round-trip",
    what: "a parser that does not read the model's calls",
    planted: { model: { format: "qwen3_coder" } },
    expected: { code: "parser_mismatch", owner: "server_parser", fix: "--tool-call-parser qwen3_coder" },
  },

  {
    suite: "negative-intent",
    what: "a model that runs what it was told not to run",
    planted: {
      rules: [
        { when: { user: "実行はしないでね|do not run", tools: true }, cards: [{ call: { tool: "run_python" } }] },
      ],
    },
    expected: { code: "called_against_word", owner: "model", fix: "" },
  },
  {
    suite: "negative-intent",
    what: "a model that calls a tool to say good morning",
    planted: {
      rules: [{ when: { user: "^(おはよう|Good morning)", tools: true }, cards: [{ call: { tool: "run_python" } }] }],
    },
    expected: { code: "called_without_need", owner: "model", fix: "" },
  },
  {
    suite: "negative-intent",
    what: "a model that loses the tool among forty",
    planted: {
      // The last tools of an agent's list are sent only where many are asked for.
      rules: [{ when: { user: "A12", tools: "^set_light$" }, cards: [{ text: "それはわからないや。" }] }],
    },
    expected: { code: "lost_among_tools", owner: "model", fix: "at most 15 tools in one request" },
    trials: 2,
  },
  {
    suite: "negative-intent",
    what: "a model that never calls",
    planted: { rules: [{ when: { user: "A12" }, cards: [{ text: "A12 はわからないや。" }] }] },
    expected: { code: "call_not_made", owner: "model", fix: "" },
  },
  {
    suite: "stream-parity",
    what: "a parser that leaks a call when it is not streamed and swallows it when it is",
    planted: { model: { format: "qwen3_coder" } },
    also: ["parser_mismatch server_parser --tool-call-parser qwen3_coder"],
    expected: { code: "stream_differs", owner: "server_parser", fix: "" },
    trials: 3,
  },
  {
    suite: "stream-parity",
    what: "a gateway that loses the calls of streams",
    planted: {
      server: { kind: "llama-server", version: "b10434", template: "hermes", parser: null, contextLength: 32_768 },
      before: (inner) => async (request) => {
        const response = await inner(request);
        if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) return response;
        const events = (await response.text()).split("\n\n").filter((event) => !event.includes('"tool_calls":['));
        return new Response(events.join("\n\n"), { status: response.status, headers: response.headers });
      },
    },
    expected: { code: "stream_differs", owner: "server_parser", fix: "" },
    trials: 3,
  },
  {
    suite: "history",
    what: "a server that refuses arguments which are not JSON",
    planted: {
      rules: [
        {
          when: { prompt: "arguments are not JSON" },
          cards: [{ error: { status: 400, message: "Failed to parse tool call arguments as JSON: unexpected end" } }],
        },
      ],
    },
    expected: {
      code: "history_refused",
      owner: "server_limit",
      fix: "arguments of earlier calls as whole JSON, or the broken call left out of the history",
    },
  },
  {
    suite: "history",
    what: "a model that calls no more after a call written as text",
    planted: {
      rules: [
        {
          when: {
            prompt:
              'assistant\\n<tool_call>\\n\\{"name": "lookup_locker", "arguments": \\{"locker": "B07"\\}\\}\\n</tool_call><.im_end.>\\n<.im_start.>user\\n\\{',
          },
          cards: [{ text: "A12 はあとで調べるね。" }],
        },
      ],
    },
    expected: {
      code: "history_poisons",
      owner: "model",
      fix: "earlier calls as tool_calls, not as text of the assistant",
    },
    trials: 6,
  },
  {
    suite: "system-prompt",
    what: "a template that writes tools or system prompt, never both",
    planted: {
      server: { kind: "ollama", version: "0.34.2", template: "exclusive", parser: null, contextLength: 16_384 },
    },
    expected: {
      code: "system_prompt_dropped",
      owner: "template",
      fix: "a TEMPLATE in which .System stands beside .Tools, not behind {{ else }}",
    },
  },
  {
    suite: "system-prompt",
    what: "a model that does not heed its system prompt",
    planted: { rules: [{ when: { user: "合言葉|password" }, cards: [{ text: "合言葉なんて知らないよ。" }] }] },
    expected: { code: "system_prompt_ignored", owner: "model", fix: "" },
  },
  {
    suite: "context",
    what: "a server that cuts long prompts without a word",
    planted: { server: { kind: "ollama", version: "0.34.2", template: "hermes", parser: null, contextLength: 4096 } },
    expected: { code: "context_cut", owner: "server_option", fix: "PARAMETER num_ctx 8192" },
  },
  {
    suite: "context",
    what: "a model that forgets the start of a long prompt",
    planted: { rules: [{ when: { user: "^[\\s\\S]{6000}" }, cards: [{ text: "わかりません。" }] }] },
    expected: { code: "context_recall", owner: "model", fix: "" },
  },
  {
    suite: "final-answer",
    what: "a model that works on and never finishes",
    planted: {
      rules: [
        { when: { tools: "final_answer" }, cards: [{ call: { tool: "lookup_locker", arguments: { locker: "A12" } } }] },
      ],
    },
    expected: { code: "final_answer_missing", owner: "model", fix: "" },
  },
  {
    suite: "final-answer",
    what: "a template that drops tool results, with a model that looks again for that",
    planted: {
      server: { kind: "ollama", version: "0.34.2", template: "noresults", parser: null, contextLength: 16_384 },
      rules: [
        { when: { tools: "final_answer" }, cards: [{ call: { tool: "lookup_locker", arguments: { locker: "A12" } } }] },
      ],
    },
    expected: {
      code: "result_not_in_prompt",
      owner: "template",
      fix: 'in the TEMPLATE, a branch {{ else if eq .Role "tool" }} that writes {{ .Content }}',
    },
  },
  {
    suite: "final-answer",
    what: "a model that finishes before it has worked",
    planted: {
      rules: [
        {
          when: { last: "user", tools: "final_answer" },
          cards: [{ call: { tool: "final_answer", arguments: { answer: "調べておいたよ" } } }],
        },
      ],
    },
    expected: { code: "final_answer_unfounded", owner: "model", fix: "" },
  },
  {
    suite: "final-answer",
    what: "a server that does not act on required",
    planted: {
      server: { kind: "ollama", version: "0.34.2", template: "hermes", parser: null, contextLength: 16_384 },
      rules: [
        {
          when: { last: "tool", tools: "final_answer" },
          cards: [{ text: 'コードは {{seen:"code": "([A-Z]{3}-[0-9]{4})}} だよ。' }],
        },
      ],
    },
    expected: { code: "prose_under_required", owner: "server_limit", fix: "" },
  },
  {
    suite: "final-answer",
    what: "a server that refuses required",
    planted: {
      before: (inner) => async (request) => {
        const body = (await request
          .clone()
          .json()
          .catch(() => ({}))) as Record<string, unknown>;
        return body["tool_choice"] === "required"
          ? jsonResponse(
              { error: { message: "tool_choice 'required' is not supported", type: "invalid_request_error" } },
              400,
            )
          : inner(request);
      },
    },
    expected: { code: "required_refused", owner: "server_limit", fix: "" },
  },
  {
    suite: "capability",
    what: "a model whose template knows no tools",
    planted: {
      server: { kind: "ollama", version: "0.34.2", template: "notools", parser: null, contextLength: 16_384 },
    },
    expected: { code: "tools_refused", owner: "template", fix: "" },
  },
  {
    suite: "capability",
    what: "a template that prints tools in Go syntax",
    planted: {
      server: { kind: "ollama", version: "0.34.2", template: "hermesfunction", parser: null, contextLength: 16_384 },
    },
    expected: { code: "tools_not_in_prompt", owner: "template", fix: "" },
  },
  {
    suite: "capability",
    what: "a template that loses tools, with a model that calls none for that",
    planted: {
      server: { kind: "ollama", version: "0.34.2", template: "hermesfunction", parser: null, contextLength: 16_384 },
      rules: [{ when: { user: "A12" }, cards: [{ text: "調べる方法がないよ。" }] }],
    },
    expected: { code: "tools_not_in_prompt", owner: "template", fix: "" },
  },
  {
    suite: "capability",
    what: "a model that says tools and loses them",
    planted: { server: { kind: "ollama", version: "0.34.2", template: "lying", parser: null, contextLength: 16_384 } },
    expected: { code: "capability_false", owner: "template", fix: "" },
    also: ["tools_not_in_prompt template"],
  },
  {
    suite: "capability",
    what: "a template of one's own beside a built-in pair that takes its place",
    planted: {
      server: { kind: "ollama", version: "0.34.2", template: "overridden", parser: null, contextLength: 16_384 },
      model: { format: "qwen3_coder" },
    },
    expected: {
      code: "template_ignored",
      owner: "template",
      fix: "either no RENDERER and PARSER line, or no TEMPLATE; FROM a model file in place of a model that brings them",
    },
  },
  {
    suite: "capability",
    what: "a template that has no place for tool results",
    planted: {
      server: { kind: "ollama", version: "0.34.2", template: "noresults", parser: null, contextLength: 16_384 },
    },
    expected: {
      code: "result_not_in_prompt",
      owner: "template",
      fix: 'in the TEMPLATE, a branch {{ else if eq .Role "tool" }} that writes {{ .Content }}',
    },
  },
  {
    suite: "capability",
    what: "thinking that is left in the text",
    planted: {
      rules: [{ when: { user: "A12" }, cards: [{ reasoning: "調べよう。", text: "調べる方法がないよ。" }] }],
    },
    expected: {
      code: "thinking_in_text",
      owner: "server_option",
      fix: "--reasoning-parser NAME (that of the model's family)",
    },
  },
  {
    suite: "relay",
    what: "a model that hands on warnings",
    planted: {
      rules: [
        {
          when: { user: "最後の行だけ|only the last line" },
          cards: [{ text: "{{seen:build id [A-Z]{3}-[0-9]{4}}}\nWarning: locale C.UTF-8 is not set" }],
        },
      ],
    },
    expected: { code: "warning_relayed", owner: "model", fix: "" },
  },
  {
    suite: "relay",
    what: "a model that reports something else",
    planted: { rules: [{ when: { user: "ticket" }, cards: [{ text: "うまくいったよ！" }] }] },
    expected: { code: "relay_wrong", owner: "model", fix: "" },
  },
  {
    suite: "relay",
    what: "a template that drops tool results",
    planted: {
      server: { kind: "ollama", version: "0.34.2", template: "noresults", parser: null, contextLength: 16_384 },
    },
    expected: {
      code: "result_not_in_prompt",
      owner: "template",
      fix: 'in the TEMPLATE, a branch {{ else if eq .Role "tool" }} that writes {{ .Content }}',
    },
  },
  {
    suite: "language",
    what: "a model that falls back into English",
    planted: {
      rules: [
        {
          when: { last: "tool" },
          cards: [{ text: 'Here is the code of A12: {{seen:"code": "([A-Z]{3}-[0-9]{4})}} ☆イヴ ☆夏娃 ☆Eve' }],
        },
      ],
    },
    expected: { code: "language_left", owner: "model", fix: "" },
  },
  {
    suite: "language",
    what: "a model that drops its persona",
    planted: {
      rules: [
        {
          when: { last: "tool", system: "☆イヴ" },
          cards: [{ text: 'A12 のコードは {{seen:"code": "([A-Z]{3}-[0-9]{4})}} です。' }],
        },
        {
          when: { last: "tool", system: "☆Eve" },
          cards: [{ text: 'The code of A12 is {{seen:"code": "([A-Z]{3}-[0-9]{4})}}.' }],
        },
      ],
    },
    expected: { code: "persona_lost", owner: "model", fix: "" },
  },
  {
    suite: "language",
    what: "a model that calls in no language but English",
    planted: { rules: [{ when: { last: "user", system: "☆(イヴ|夏娃)" }, cards: [{ text: "A12 はわからないや。" }] }] },
    expected: { code: "language_changes_calls", owner: "model", fix: "" },
    trials: 8,
  },
];
