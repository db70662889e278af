// Uses the installed `ollama` package, and prints what it gave: node ollama.mjs FOLDER URL SCENARIO.
import { createRequire } from "node:module";

const [, , folder = "", url = "", scenario = ""] = process.argv;
const require = createRequire(`${folder}/package.json`);
const { Ollama } = require("ollama");

const client = new Ollama({ host: url });
const model = "local-model";

const scenarios = {
  version: () => client.version(),
  async list() {
    const { models } = await client.list();
    return { names: models.map(({ name }) => name) };
  },
  async pull() {
    const states = [];
    for await (const { status } of await client.pull({ model, stream: true })) states.push(status);
    return { states, whole: await client.pull({ model }) };
  },
  chat: () =>
    client.chat({ model, messages: [{ role: "user", content: "Hello." }] }).then(
      ({ message }) => ({ message }),
      (error) => ({ error: error.constructor.name, status: error.status_code, words: error.message }),
    ),
};

process.stdout.write(JSON.stringify(await scenarios[scenario]()));
