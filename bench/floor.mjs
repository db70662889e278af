// The floor for `lab run`: the same number of requests, as many in flight, bodies read and thrown away, nothing else.
import { Agent, request } from "undici";

const [url, count, width, model] = process.argv.slice(2);
const dispatcher = new Agent({ connections: Number(width) });
let left = Number(count);
const body = JSON.stringify({
  model,
  messages: [{ role: "user", content: "1から1000までの素数って全部足すといくつ？" }],
  max_tokens: 8192,
});
const worker = async () => {
  while (left-- > 0) {
    const answer = await request(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      dispatcher,
    });
    JSON.parse(await answer.body.text());
  }
};
await Promise.all(Array.from({ length: Number(width) }, worker));
await dispatcher.close();
