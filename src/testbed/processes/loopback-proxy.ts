import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";

/** A running {@link startLoopbackProxy}. */
export interface LoopbackProxy {
  readonly url: string;
  /** `host:port` of everything that was asked for and refused, in order. */
  readonly refused: readonly string[];
  close(): Promise<void>;
}

/**
 * A forward proxy that lets through to 127.0.0.1 alone, and refuses and notes everything else: what a program with the usual proxy
 * variables wanted from the world. A program that ignores them is not held back.
 */
export async function startLoopbackProxy(): Promise<LoopbackProxy> {
  const refused: string[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer((incoming, outgoing) => forward(incoming, outgoing, refused));
  server.on("connection", (socket) => keep(socket, sockets));
  server.on("connect", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const target = targetOf(`http://${incoming.url ?? ""}`);
    socket.on("error", () => {});
    if (!isLoopback(target)) {
      refused.push(incoming.url ?? "");
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const upstream = connect(Number(target?.port || 80), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    keep(upstream, sockets);
    upstream.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    refused,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function keep(socket: Duplex, sockets: Set<Duplex>): void {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
}

function targetOf(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}

function isLoopback(target: URL | null): boolean {
  return target?.hostname === "127.0.0.1" || target?.hostname === "localhost";
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, refused: string[]): void {
  const target = targetOf(incoming.url ?? "");
  if (!isLoopback(target) || target === null) {
    refused.push(target?.host ?? incoming.url ?? "");
    outgoing.writeHead(403).end();
    return;
  }
  const { method, headers } = incoming;
  const onward = request(target, { method, headers, host: "127.0.0.1" }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
}
