// A model server that answers at once: the same small completion, whole or streamed. Prints its port.
import { createServer } from "node:http";

const message = "Tokyo has 14 million people in its metropolitan area.";
const base = { id: "chatcmpl-1", created: 0, model: "m" };
const usage = { prompt_tokens: 20, completion_tokens: 12, total_tokens: 32 };
const whole = JSON.stringify({
  ...base,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: message }, finish_reason: "stop" }],
  usage,
});
const chunk = (delta, finish = null) =>
  `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const streamed = `${message
  .split(/(?<= )/)
  .map((content) => chunk({ content }))
  .join("")}${chunk({}, "stop")}data: [DONE]\n\n`;

createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8").on("data", (piece) => (text += piece));
  request.on("end", () => {
    if (request.method !== "POST") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: [{ id: "m", object: "model" }] }));
      return;
    }
    const streams = JSON.parse(text).stream === true;
    response.writeHead(200, { "content-type": streams ? "text/event-stream" : "application/json" });
    response.end(streams ? streamed : whole);
  });
}).listen(0, "127.0.0.1", function () {
  console.log(`http://127.0.0.1:${this.address().port}`);
});
