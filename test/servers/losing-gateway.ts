import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A gateway in front of a server that hands on everything but the calls of streams, as gateways have done. */
export async function losingGateway<Result>(upstream: string, use: (url: string) => Promise<Result>): Promise<Result> {
  const gateway = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const { method = "GET", url = "/" } = request;
      const body = await text(request);
      const given = await fetch(`${upstream}${url}`, {
        method,
        ...(body === "" ? {} : { body, headers: { "content-type": "application/json" } }),
      });
      const type = given.headers.get("content-type") ?? "application/json";
      const whole = await given.text();
      response.writeHead(given.status, { "content-type": type });
      response.end(type.startsWith("text/event-stream") ? withoutCalls(whole) : whole);
    };
    answer().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}`);
  } finally {
    gateway.closeAllConnections();
    await new Promise((resolve) => gateway.close(resolve));
  }
}

function withoutCalls(stream: string): string {
  return stream
    .split("\n\n")
    .filter((event) => !event.includes('"tool_calls":['))
    .join("\n\n");
}
