// How long a model server goes on writing for a client that has left in the middle of its answer.
import { createServer, request } from "node:http";

const rounds = 40;
const piece = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices: [{ index: 0, delta: { content: "word " }, finish_reason: null }] })}\n\n`;

/** Median milliseconds from a client's leaving to the end of the server's answer: straight, and through the adapter that `startAdapter` gives. */
export async function departure(startAdapter, body) {
  let gone = () => {};
  // A model server that writes a word every few milliseconds for as long as somebody listens.
  const server = createServer((asked, answer) => {
    asked.resume();
    if (asked.method !== "POST") {
      answer.writeHead(200, { "content-type": "application/json" });
      answer.end(JSON.stringify({ object: "list", data: [{ id: "m", object: "model" }] }));
      return;
    }
    answer.writeHead(200, { "content-type": "text/event-stream" });
    const writing = setInterval(() => answer.write(piece), 5);
    answer.write(piece);
    answer.on("close", () => {
      clearInterval(writing);
      gone();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const straight = `http://127.0.0.1:${server.address().port}`;
  const adapter = await startAdapter(straight);
  const leave = (url) =>
    new Promise((resolve, reject) => {
      const client = request(`${url}/v1/chat/completions`, { method: "POST", agent: false }, (answer) => {
        answer.on("error", () => {});
        answer.once("data", () => {
          const since = performance.now();
          gone = () => resolve(performance.now() - since);
          client.destroy();
        });
      });
      client.on("error", (error) => (error.code === "ECONNRESET" ? undefined : reject(error)));
      client.setHeader("content-type", "application/json");
      client.end(JSON.stringify({ ...JSON.parse(body), stream: true }));
    });
  try {
    const times = { straight: [], adapter: [] };
    for (let round = 0; round < rounds; round++) {
      times.straight.push(await leave(straight));
      times.adapter.push(await leave(adapter.url));
    }
    const median = (values) => values.sort((left, right) => left - right)[Math.floor(values.length / 2)];
    return { straight: median(times.straight), adapter: median(times.adapter) };
  } finally {
    adapter.stop();
    server.closeAllConnections();
    server.close();
  }
}
