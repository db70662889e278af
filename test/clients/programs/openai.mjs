// Uses the installed `openai` package as its documentation shows, and prints what it gave: node openai.mjs FOLDER URL SCENARIO.
import { createRequire } from "node:module";

const [, , folder = "", url = "", scenario = ""] = process.argv;
const require = createRequire(`${folder}/package.json`);
const { OpenAI } = require("openai");

// One try: a retry would hide what the adapter answered.
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
const model = "local-model";
const ask = (content) => [{ role: "user", content }];
const question = ask("What is the capital of France?");
const look = ask("In which folder are you working? Find out and tell me.");

const ran = [];
const bash = {
  name: "bash",
  description: "Runs a shell command.",
  parameters: {
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
    additionalProperties: false,
  },
};
/** The client's own tool: all that it can run is pwd. */
function run({ command }) {
  const output = command === "pwd" ? process.cwd() : `${command}: not here`;
  ran.push({ command, output });
  return output;
}

const scenarios = {
  async chat() {
    const { choices, usage, object } = await client.chat.completions.create({ model, messages: question });
    return { message: choices[0].message.content, finish: choices[0].finish_reason, usage, object };
  },
  async stream() {
    const stream = client.chat.completions.stream({
      model,
      messages: question,
      stream_options: { include_usage: true },
    });
    const deltas = [];
    stream.on("content", (delta) => deltas.push(delta));
    const message = await stream.finalContent();
    return { message, joined: deltas.join(""), pieces: deltas.length, usage: await stream.totalUsage() };
  },
  async runTools(content = look, stream = false) {
    const tools = [{ type: "function", function: { ...bash, parse: JSON.parse, function: run } }];
    const runner = client.chat.completions.runTools({ model, messages: content, tools, stream });
    return { message: await runner.finalContent(), ran };
  },
  runToolsStreamed: () => scenarios.runTools(look, true),
  runPwd: () => scenarios.runTools(ask("run pwd"), true),
  async responses() {
    const response = await client.responses.create({ model, input: "What is the capital of France?" });
    return { message: response.output_text, status: response.status, usage: response.usage };
  },
  async responsesStream() {
    const tools = [{ type: "function", strict: false, ...bash }];
    const types = [];
    const answer = async (input) => {
      const stream = client.responses.stream({ model, input, tools });
      stream.on("event", ({ type }) => types.push(type));
      return stream.finalResponse();
    };
    const first = await answer(look);
    const calls = first.output.filter(({ type }) => type === "function_call");
    const results = calls.map(({ call_id, arguments: given }) => ({
      type: "function_call_output",
      call_id,
      output: run(JSON.parse(given)),
    }));
    const second = await answer([...look, ...first.output, ...results]);
    return { message: second.output_text, ran, types: [...new Set(types)] };
  },
  async refused() {
    const choice = { type: "function", function: { name: "absent" } };
    const request = { model, messages: look, tools: [{ type: "function", function: bash }], tool_choice: choice };
    return client.chat.completions.create(request).then(
      () => ({ error: null }),
      (error) => ({ error: error.constructor.name, status: error.status, words: error.message }),
    );
  },
  async models() {
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    return { ids };
  },
};

process.stdout.write(JSON.stringify(await scenarios[scenario]()));
