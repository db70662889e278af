// The floor for `lab adapter`: a node:http proxy that parses and writes both bodies and does nothing else. Prints its URL.
import { Agent, createServer, request as send } from "node:http";

const upstream = new URL(process.argv[2]);
const agent = new Agent({ keepAlive: true });

createServer((incoming, outgoing) => {
  read(incoming, (text) => {
    const body = text === "" ? "" : JSON.stringify(JSON.parse(text));
    const asked = send(
      {
        agent,
        hostname: upstream.hostname,
        port: upstream.port,
        path: incoming.url,
        method: incoming.method,
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      },
      (answer) =>
        read(answer, (reply) => {
          const type = answer.headers["content-type"] ?? "";
          const passed = type.includes("json") ? JSON.stringify(JSON.parse(reply)) : reply;
          outgoing.writeHead(answer.statusCode, { "content-type": type, "content-length": Buffer.byteLength(passed) });
          outgoing.end(passed);
        }),
    );
    asked.end(body);
  });
}).listen(0, "127.0.0.1", function () {
  console.log(`http://127.0.0.1:${this.address().port}`);
});

function read(stream, done) {
  let text = "";
  stream
    .setEncoding("utf8")
    .on("data", (piece) => (text += piece))
    .on("end", () => done(text));
}
