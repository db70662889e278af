import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type AddressRule, publicAddressesOnly } from "../../../src/adapter/web/address.ts";
import { pinnedFetch } from "../../../src/http/pinned-fetch.ts";

export interface LoopbackServer {
  readonly port: number;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** Host headers, beside them. */
  readonly hosts: string[];
  /** Connections that were opened, used or not. */
  connections(): number;
  close(): Promise<void>;
}

/** A real server on 127.0.0.1 that keeps count. */
export async function loopbackServer(answer: RequestListener): Promise<LoopbackServer> {
  const asked: string[] = [];
  const hosts: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    hosts.push(request.headers.host ?? "");
    answer(request, response);
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    hosts,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Lets a test ask this machine; everything else stays as refused as it is. */
export const thisMachineToo: AddressRule = (address) => (address === "127.0.0.1" ? null : publicAddressesOnly(address));

/** The real client, with names that only this test knows. A list of answers is given one after the other, the last one again. */
export function clientWith(names: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const looked: string[] = [];
  const client = pinnedFetch({
    connectMs: 2000,
    idleMs: 2000,
    resolve: async (host) => {
      const answers = names[host] ?? [["127.0.0.1"]];
      const answer = answers[Math.min(looked.filter((name) => name === host).length, answers.length - 1)] ?? [];
      looked.push(host);
      return answer;
    },
  });
  return { client, looked };
}
