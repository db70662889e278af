import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publicAddressesOnly } from "../../../src/adapter/web/address.ts";
import { fetchPage } from "../../../src/adapter/web/fetch-page.ts";
import { seeded } from "../support.ts";
import { zeroRateUpperBound } from "../zero-rate.ts";
import { clientWith, type LoopbackServer, loopbackServer, thisMachineToo } from "./loopback.ts";

const limits = { maxBytes: 100_000, timeoutMs: 4000, maxRedirects: 3 };
let server: LoopbackServer;
beforeAll(async () => {
  server = await loopbackServer((_request, response) => {
    response.setHeader("content-type", "text/plain");
    response.end("the secret of this machine");
  });
});
afterAll(() => server.close());

/** Hosts that are this machine, its network or a cloud's metadata, in every form that some program reads as an address. */
const hosts: readonly string[] = [
  // Plain.
  "127.0.0.1",
  "127.0.0.2",
  "0.0.0.0",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  // Decimal, octal, hexadecimal, short and mixed.
  "2130706433",
  "2852039166",
  "3232235777",
  "0",
  "017700000001",
  "0177.0.0.1",
  "0177.0.0.01",
  "00000177.0.0.1",
  "0x7f000001",
  "0x7F000001",
  "0x7f.0.0.1",
  "0x7f.0x0.0x0.0x1",
  "0xa9fea9fe",
  "0xa9.0xfe.0xa9.0xfe",
  "0251.0376.0251.0376",
  "127.1",
  "127.0.1",
  "127.0x1",
  "10.1",
  "192.168.257",
  "169.254.43518",
  "127.0.0.1.",
  "0x7f.1",
  "0177.1",
  // Public addresses written as nobody writes them.
  "134744072",
  "0x08080808",
  "010.010.010.010",
  "8.526344",
  "0x8.8.8.8",
  "8.8.8.8.",
  // Letters that are read as ASCII, and escapes.
  "①②⑦.⓪.⓪.①",
  "１２７.０.０.１",
  "127。0。0。1",
  "127．0．0．1",
  "%31%32%37.0.0.1",
  "127%2e0%2e0%2e1",
  "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
  "loc%61lhost",
  // IPv6.
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[fe80::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "[fec0::1]",
  "[2001:db8::1]",
  // IPv4 in IPv6.
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::FFFF:127.0.0.1]",
  "[0:0:0:0:0:ffff:127.0.0.1]",
  "[::ffff:169.254.169.254]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::a9fe:a9fe]",
  "[2002:7f00:1::]",
  "[2002:a9fe:a9fe::]",
  "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
  "[2a00:1450::5efe:7f00:1]",
  "[::ffff:8.8.8.8]",
  "[64:ff9b::8.8.8.8]",
  "[2606:4700::0.0.17.17]",
  "[fe80::1%25lo]",
  // Names of local networks.
  "localhost",
  "LOCALHOST",
  "localhost.",
  "foo.localhost",
  "printer",
  "printer.local",
  "router.lan",
  "nas.home",
  "db.internal",
  "metadata.google.internal",
  "metadata",
  "x.home.arpa",
  "intranet",
  "wiki.corp",
  "1.0.0.127.in-addr.arpa",
  "localhost.localdomain",
  // Names that the resolver finds here, behind a public address, and on one list with one.
  "loopback.example",
  "private.example",
  "metadata.example",
  "mapped.example",
  "nat64.example",
  "mixed.example",
  "decimal.example",
  "six.example",
  "zone.example",
  "unspecified.example",
];

const names = {
  "loopback.example": [["127.0.0.1"]],
  "private.example": [["10.1.2.3"]],
  "metadata.example": [["169.254.169.254"]],
  "mapped.example": [["::ffff:127.0.0.1"]],
  "nat64.example": [["64:ff9b::7f00:1"]],
  "mixed.example": [["93.184.216.34", "127.0.0.1"]],
  "decimal.example": [["2130706433"]],
  "six.example": [["::1"]],
  "zone.example": [["fe80::1%lo"]],
  "unspecified.example": [["0.0.0.0"]],
};

/** Networks that nobody outside is in, by the bytes that are fixed. */
const closedNetworks: readonly (readonly number[])[] = [
  [0],
  [10],
  [127],
  [169, 254],
  [172, 20],
  [192, 168],
  [100, 64],
  [198, 18],
];
const hex = (value: number, digits = 2) => value.toString(16).padStart(digits, "0");
const inTwo = (bytes: readonly number[]) =>
  bytes
    .map((byte) => hex(byte))
    .join("")
    .replace(/(.{4})/, "$1:");
const asNumber = (bytes: readonly number[]) => bytes.reduce((sum, byte) => sum * 256 + byte, 0);
/** One address in every form that some program reads as it: dotted, decimal, octal, hexadecimal, mixed, and inside IPv6. */
const addressForms: readonly ((bytes: readonly number[]) => string)[] = [
  (bytes) => bytes.join("."),
  (bytes) => String(asNumber(bytes)),
  (bytes) => `0x${hex(asNumber(bytes), 8)}`,
  (bytes) => bytes.map((byte) => `0${byte.toString(8)}`).join("."),
  (bytes) => bytes.map((byte) => `0x${byte.toString(16)}`).join("."),
  ([first = 0, ...rest]) => `0x${hex(first)}.${asNumber(rest)}`,
  (bytes) => `${bytes.join(".")}.`,
  (bytes) => `[::ffff:${bytes.join(".")}]`,
  (bytes) => `[::ffff:${inTwo(bytes)}]`,
  (bytes) => `[64:ff9b::${inTwo(bytes)}]`,
  (bytes) => `[2002:${inTwo(bytes)}::]`,
  (bytes) => `[::${inTwo(bytes)}]`,
];

describe("pages of this machine and its network", () => {
  it(`are never asked for, in ${hosts.length} forms of host`, async () => {
    const { client } = clientWith(names);
    const world = { web: client, rule: publicAddressesOnly, signal: new AbortController().signal };
    const results = await Promise.all(
      hosts.flatMap((host) =>
        [`http://${host}:${server.port}/`, `https://${host}:${server.port}/x?y=z`].map(async (url) => ({
          url,
          result: (await fetchPage(url, limits, world)).kind,
        })),
      ),
    );
    expect(results.filter(({ result }) => result !== "refused")).toEqual([]);
    expect(server.asked).toEqual([]);
    expect(server.connections()).toBe(0);
  });

  it("are never asked for, whatever the address and however it is written", async () => {
    const { client } = clientWith(names);
    const world = { web: client, rule: publicAddressesOnly, signal: new AbortController().signal };
    const random = seeded(7);
    const below = (limit: number) => Math.floor(random() * limit);
    const urls = closedNetworks.flatMap((network) =>
      Array.from({ length: 40 }, () => [0, 1, 2, 3].map((at) => network[at] ?? below(256))).flatMap((bytes) =>
        addressForms.map((write) => `http://${write(bytes)}:${server.port}/`),
      ),
    );
    const results = await Promise.all(urls.map(async (url) => (await fetchPage(url, limits, world)).kind));
    expect(urls.filter((_, at) => results[at] !== "refused")).toEqual([]);
    expect(server.connections()).toBe(0);
    expect(zeroRateUpperBound(urls.length)).toBeLessThan(0.001);
  });

  it.each([
    "ftp://93.184.216.34/",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "data:text/plain,x",
    "javascript:alert(1)",
    "ws://example.com/",
    "//example.com/",
    "example.com",
    "http:example.com",
    "http:/example.com",
    "http:///example.com",
    "http:\\\\example.com",
    "http://",
    "http://exa\tmple.com/",
    "http://exam\nple.com/",
    " http://example.com/",
    "http://example.com/ x",
    "http://example.com\\@127.0.0.1/",
    "http://user@example.com/",
    "http://user:pass@example.com/",
    "http://@example.com/",
    "http://127.0.0.1:80@example.com/",
    "http://example.com:22/",
    "http://example.com:25/",
    "http://example.com:6379/",
    "http://example.com:6000/",
    "http://example.com:0/",
    "http://example.com:99999/",
    "http://1.2.3.4.5/",
    "http://256.1.1.1/",
    "http://[::1",
    "http://[::g]/",
    "",
    "http://exa mple.com/",
    "http://\u0000.com/",
    "view-source:http://example.com/",
  ])("are never asked for by %j", async (url) => {
    const { client, looked } = clientWith(names);
    const world = { web: client, rule: thisMachineToo, signal: new AbortController().signal };
    expect(await fetchPage(url, limits, world)).toMatchObject({ kind: "refused" });
    expect(looked).toEqual([]);
  });

  it("would have been answered by this server", async () => {
    const { client } = clientWith(names);
    const world = { web: client, rule: thisMachineToo, signal: new AbortController().signal };
    const before = server.asked.length;
    expect(await fetchPage(`http://loopback.example:${server.port}/`, limits, world)).toMatchObject({
      kind: "page",
      page: { text: "the secret of this machine" },
    });
    expect(server.asked.length).toBe(before + 1);
  });

  it("are not reached by a name that changes after it was checked", async () => {
    // The first answer is another machine's, each later one this machine's.
    const { client, looked } = clientWith({ "rebind.example": [["192.0.2.1"], ["127.0.0.1"]] });
    const before = server.connections();
    const rule = (address: string) => (address === "192.0.2.1" ? null : publicAddressesOnly(address));
    const result = await fetchPage(
      `http://rebind.example:${server.port}/`,
      { ...limits, timeoutMs: 400 },
      {
        web: client,
        rule,
        signal: new AbortController().signal,
      },
    );
    expect(result.kind).toBe("failed");
    expect(looked).toEqual(["rebind.example"]);
    expect(server.connections()).toBe(before);
  });
});

describe("redirects", () => {
  /** A server that sends each path to the target it names. */
  async function redirecting<T>(work: (port: number, server: LoopbackServer) => Promise<T>): Promise<T> {
    const other = await loopbackServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://x");
      const target = url.searchParams.get("to");
      if (url.pathname === "/loop") return void response.writeHead(302, { location: "/loop" }).end();
      if (target === null) return void response.end("arrived");
      response.writeHead(Number(url.searchParams.get("status") ?? 302), { location: target }).end();
    });
    try {
      return await work(other.port, other);
    } finally {
      await other.close();
    }
  }
  const worldWith = (more: Readonly<Record<string, readonly (readonly string[])[]>>) => {
    const { client, looked } = clientWith({ "start.example": [["127.0.0.1"]], ...more });
    // Only the first server may be asked: what it sends on to is held to the real rule.
    const rule = (address: string) => (address === "127.0.0.1" ? null : publicAddressesOnly(address));
    return { looked, world: { web: client, rule, signal: new AbortController().signal } };
  };

  it.each([301, 302, 303, 307, 308])("with status %i are followed to a page that may be asked", async (status) => {
    await redirecting(async (port) => {
      const { world } = worldWith({});
      const url = `http://start.example:${port}/?status=${status}&to=${encodeURIComponent("/there")}`;
      expect(await fetchPage(url, limits, world)).toMatchObject({
        kind: "page",
        url: `http://start.example:${port}/there`,
        page: { text: "arrived" },
      });
    });
  });

  it.each([
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://[::1]/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://localhost/",
    "//169.254.169.254/",
    "\\\\169.254.169.254\\",
    "/\\169.254.169.254/",
    "http:\\\\169.254.169.254/",
    "http:/169.254.169.254/",
    "http:169.254.169.254",
    "file:///etc/passwd",
    "ftp://start.example/",
    "gopher://start.example/",
    "http://user:pass@start.example/",
    "http://inner.example/",
    "http://start.example:22/",
    "javascript:alert(1)",
  ])("to %s are refused", async (target) => {
    await redirecting(async (port, other) => {
      const { world } = worldWith({ "inner.example": [["192.168.0.7"]] });
      const before = server.connections();
      const result = await fetchPage(`http://start.example:${port}/?to=${encodeURIComponent(target)}`, limits, world);
      expect(result).toMatchObject({ kind: "refused" });
      expect(other.asked).toHaveLength(1);
      expect(server.connections()).toBe(before);
    });
  });

  it("look the name up again, and are refused where it has moved", async () => {
    await redirecting(async (port, other) => {
      const { world, looked } = worldWith({ "start.example": [["127.0.0.1"], ["10.9.8.7"]] });
      const result = await fetchPage(`http://start.example:${port}/?to=/again`, limits, world);
      expect(result).toMatchObject({ kind: "refused", reason: expect.stringContaining("private") });
      expect(looked).toEqual(["start.example", "start.example"]);
      expect(other.asked).toHaveLength(1);
    });
  });

  it("end after the number allowed", async () => {
    await redirecting(async (port, other) => {
      const { world } = worldWith({});
      expect(await fetchPage(`http://start.example:${port}/loop`, limits, world)).toMatchObject({
        kind: "failed",
        reason: "it redirects more than 3 times",
      });
      expect(other.asked).toHaveLength(4);
    });
  });
});
