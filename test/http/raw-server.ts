import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";

/** A server that writes whatever a test wants onto its sockets. */
export interface RawServer {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  readonly url: string;
  close(): Promise<void>;
}

const tlsFolder = fileURLToPath(new URL("../fixtures/tls/", import.meta.url));
/** Certificate of {@link rawTlsServer}, which is its own CA. */
export const testCertificate = readFileSync(`${tlsFolder}certificate.pem`, "utf8");

/**
 * Calls `answer` for each request head that has come in whole, on whatever connection; the head is given as text. A TLS
 * handshake is refused at once, as by servers in general, unless `silentToTls`.
 */
export function rawServer(
  answer: (socket: Socket, head: string) => void,
  options: { silentToTls?: boolean } = {},
): Promise<RawServer> {
  const server = createServer();
  if (options.silentToTls !== true) {
    server.on("connection", (socket) => {
      socket.once("data", (bytes) => {
        if (bytes[0] === 0x16) socket.destroy();
      });
    });
  }
  return open(server, "http", answer);
}

/** The same behind TLS. */
export function rawTlsServer(answer: (socket: Socket, head: string) => void): Promise<RawServer> {
  const server = createTlsServer({ cert: testCertificate, key: readFileSync(`${tlsFolder}key.pem`) });
  // A client that does not speak TLS is what a test wants to see from the other side.
  server.on("tlsClientError", () => {});
  return open(server, "https", answer);
}

async function open(
  server: Server,
  scheme: string,
  answer: (socket: Socket, head: string) => void,
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  server.on(scheme === "https" ? "secureConnection" : "connection", (socket: Socket) => {
    let received = "";
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      for (let end = received.indexOf("\r\n\r\n"); end >= 0; end = received.indexOf("\r\n\r\n")) {
        const head = received.slice(0, end);
        received = received.slice(end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0));
        answer(socket, head);
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    url: `${scheme}://${address}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = await rawServer(() => {});
  await server.close();
  return Number(server.address.split(":")[1]);
}
