// Starts @musistudio/llms from a folder of packages, in front of one upstream: FOLDER UPSTREAM PORT.
const [, , folder, upstream, port] = process.argv;
const { createRequire } = require("node:module");

const loaded = createRequire(`${folder}/`)("@musistudio/llms");
const Server = loaded.default ?? loaded;
const provider = { name: "stub", api_base_url: `${upstream}/v1/chat/completions`, api_key: "none", models: ["m"] };
new Server({ initialConfig: { providers: [provider], HOST: "127.0.0.1", PORT: port }, logger: false })
  .start()
  .then(() => console.log(`http://127.0.0.1:${port}`));
