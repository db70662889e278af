import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LineWriter, type OpenAppendFile, openNewFile } from "../../../src/lab/capture/line-writer.ts";

describe("LineWriter", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "line-writer-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function written(name: string, lines: readonly string[]): Promise<string> {
    const path = join(folder, name);
    const writer = new LineWriter(path, openNewFile);
    await writer.start();
    for (const line of lines) writer.append(line);
    await writer.close();
    return readFile(path, "utf8");
  }

  it.each([
    ["a", 1],
    ["é", 2],
    ["素", 3],
    ["🗼", 4],
  ])(
    "writes lines of %j whole, also where they just fit into 64 KiB and where they do not",
    async (character, bytes) => {
      const around = Math.floor(65_536 / bytes);
      const lines = [-2, -1, 0, 1, 2].map((more) => character.repeat(around + more));
      expect(await written(`around-${bytes}`, lines)).toBe(lines.map((line) => `${line}\n`).join(""));
    },
  );

  it("keeps short and long lines in order, and writes half a character as a replacement", async () => {
    const long = "素".repeat(100_000);
    const wide = "y".repeat(65_535);
    expect(await written("mixed", ["", "x", long, "\ud83d", `${wide}\udc00`, "end"])).toBe(
      `\nx\n${long}\n\ufffd\n${wide}\ufffd\nend\n`,
    );
  });

  it("leaves a batch alone until it is written, however slowly, while the next ones gather", async () => {
    let file = "";
    let writes = 0;
    const slow: OpenAppendFile = async () => ({
      write: async (bytes) => {
        writes += 1;
        await sleep(2);
        file += Buffer.from(bytes).toString("utf8");
      },
      writeNow: () => {},
      close: async () => {},
    });
    const writer = new LineWriter(join(folder, "slow"), slow);
    await writer.start();
    const lines = Array.from({ length: 400 }, (_, index) => `${index} ${"塔".repeat((index * 997) % 5000)}`);
    for (const [index, line] of lines.entries()) {
      writer.append(line);
      if (index % 7 === 0) await sleep(0);
      if (index % 50 === 0) await writer.flush();
    }
    await writer.close();
    expect(file).toBe(lines.map((line) => `${line}\n`).join(""));
    expect(writes).toBeGreaterThan(8);
    expect(writes).toBeLessThan(lines.length);
  });

  it("flushes what it has been given so far, while more keeps coming", async () => {
    const file: string[] = [];
    const busy: OpenAppendFile = async () => ({
      write: async (bytes) => {
        if (file.length < 50) writer.append(`more ${file.length}`);
        await sleep(1);
        file.push(Buffer.from(bytes).toString("utf8"));
      },
      writeNow: () => {},
      close: async () => {},
    });
    const writer = new LineWriter(join(folder, "busy"), busy);
    await writer.start();
    writer.append("first");
    await sleep(60);
    writer.append("second");
    await writer.flush();
    expect(file.join("")).toMatch(/^first\nmore 0\n(.*\n)*second\n/);
    expect(file.length).toBeLessThan(10);
    await writer.close();
    expect(file).toHaveLength(51);
  });
});
