// Uses the installed `ai` package with its provider for compatible servers, and prints what it gave: node ai.mjs FOLDER URL SCENARIO.
import { createRequire } from "node:module";

const [, , folder = "", url = "", scenario = ""] = process.argv;
const require = createRequire(`${folder}/package.json`);
const { generateText, jsonSchema, stepCountIs, streamText, tool } = require("ai");
const { createOpenAICompatible } = require("@ai-sdk/openai-compatible");

const model = createOpenAICompatible({ name: "lab", baseURL: `${url}/v1` })("local-model");
const look = "In which folder are you working? Find out and tell me.";

const ran = [];
/** The client's own tool: all that it can run is pwd. */
const bash = tool({
  description: "Runs a shell command.",
  inputSchema: jsonSchema({
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
    additionalProperties: false,
  }),
  execute: ({ command }) => {
    const output = command === "pwd" ? process.cwd() : `${command}: not here`;
    ran.push({ command, output });
    return output;
  },
});
const looping = { model, tools: { bash }, stopWhen: stepCountIs(5), maxRetries: 0 };

const scenarios = {
  async text() {
    const { text, finishReason, usage } = await generateText({ model, prompt: "What is the capital of France?" });
    return { message: text, finish: finishReason, usage };
  },
  async generate() {
    const { text, steps } = await generateText({ ...looping, prompt: look });
    return { message: text, steps: steps.length, ran };
  },
  async stream(prompt = look) {
    const result = streamText({ ...looping, prompt });
    const parts = [];
    for await (const { type } of result.fullStream) parts.push(type);
    return { message: await result.text, steps: (await result.steps).length, ran, parts: [...new Set(parts)] };
  },
  runPwd: () => scenarios.stream("run pwd"),
};

process.stdout.write(JSON.stringify(await scenarios[scenario]()));
