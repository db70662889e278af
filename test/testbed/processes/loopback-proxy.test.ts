import { createServer } from "node:http";
import { ProxyAgent, request } from "undici";
import { expect, it } from "vitest";
import { startLoopbackProxy } from "../../../src/testbed/processes/loopback-proxy.ts";

it.each([true, false])("lets through to this machine alone and notes the rest (tunnel: %s)", async (proxyTunnel) => {
  const server = createServer((_, answer) => answer.end("here"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const proxy = await startLoopbackProxy();
  const dispatcher = new ProxyAgent({ uri: proxy.url, proxyTunnel });
  try {
    const near = await request(`http://127.0.0.1:${port}/`, { dispatcher });
    expect(await near.body.text()).toBe("here");
    expect(proxy.refused).toEqual([]);
    const far = await request("http://models.invalid:81/", { dispatcher }).then(
      ({ statusCode }) => statusCode,
      () => 403,
    );
    expect(far).toBe(403);
    expect(proxy.refused).toEqual(["models.invalid:81"]);
  } finally {
    await dispatcher.destroy();
    await proxy.close();
    server.closeAllConnections();
    server.close();
  }
});
