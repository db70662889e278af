import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findRun } from "../../../src/lab/capture/find-run.ts";
import type { OpenAppendFile } from "../../../src/lab/capture/line-writer.ts";
import { openRun } from "../../../src/lab/capture/open-run.ts";
import { createRunStore, runFiles } from "../../../src/lab/capture/store.ts";
import { StoreError } from "../../../src/lab/capture/store-error.ts";
import { runRecord, storedCapture, storedExchange } from "./exchange-fixture.ts";

let results: string;
beforeEach(async () => {
  results = await mkdtemp(join(tmpdir(), "lab-store-"));
});
afterEach(async () => {
  await rm(results, { recursive: true, force: true });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function storeWith(name: string, samples: number, openFile?: OpenAppendFile) {
  const store = await createRunStore(join(results, name), runRecord(name), openFile);
  for (let index = 0; index < samples; index += 1) {
    await store.capture(storedCapture(`s${index}`, [storedExchange(`{"n":${index}}`)]));
  }
  return store;
}

const fullDisk = (broken: string): OpenAppendFile => {
  let written = 0;
  const write = (path: string): void => {
    if (path.endsWith(broken) && written > 0) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    written += 1;
  };
  return async (path) => ({
    write: async () => write(path),
    writeNow: () => write(path),
    close: async () => {},
  });
};

describe("a run folder", () => {
  it("gives back everything that was put into it, in order", async () => {
    const store = await storeWith("r1", 0);
    store.intent({ id: "s0", exchange: 0, turn: 0, attempt: 1, at: "now" });
    const hash = store.request('{"a":"素数"}');
    expect(store.request('{"a":"素数"}')).toBe(hash);
    const other = store.request("{}");
    expect([
      store.probe(storedExchange("p0", { hop: "side", purpose: "probe" })),
      store.probe(storedExchange("p1")),
    ]).toEqual([0, 1]);
    await store.capture(storedCapture("s0", [storedExchange("a\nb"), storedExchange("c")]));
    store.classification({ schemaVersion: 1, id: "s0", measured: true });
    await store.summary({ schemaVersion: 1, ...{ planned: 3 } });
    await store.record({ finishedAt: "later" });
    await store.close();

    const run = await openRun(join(results, "r1"));
    expect(run.record).toEqual({ ...runRecord("r1"), finishedAt: "later" });
    expect((await collect(run.captures())).map(({ id, exchanges }) => [id, exchanges.length])).toEqual([["s0", 2]]);
    expect((await collect(run.probes())).map(({ body }) => body)).toEqual([{ utf8: "p0" }, { utf8: "p1" }]);
    expect(await collect(run.intents())).toHaveLength(1);
    expect((await collect(run.classifications())).map(({ id }) => id)).toEqual(["s0"]);
    expect(await run.summary()).toMatchObject({ planned: 3 });
    expect(await run.verdict()).toBeNull();
    expect([await run.requestBody(hash), await run.requestBody(other), await run.requestBody("no")]).toEqual([
      '{"a":"素数"}',
      "{}",
      null,
    ]);
    expect(run.notes).toEqual([]);
    expect(
      await readFile(join(results, "r1", runFiles.requests), "utf8").then((text) => text.trim().split("\n").length),
    ).toBe(2);
  });

  it("is readable by its owner only", async () => {
    const store = await storeWith("r1", 1);
    await store.close();
    for (const name of [runFiles.record, runFiles.captures, runFiles.journal]) {
      expect((await stat(join(results, "r1", name))).mode & 0o777).toBe(0o600);
    }
  });

  it("keeps the order of many lines written without waiting", async () => {
    const store = await storeWith("r1", 0);
    const pending = Array.from({ length: 500 }, (_, index) =>
      store.capture(storedCapture(`s${index}`, [storedExchange("x".repeat(3000))])),
    );
    await Promise.all(pending);
    await store.close();
    const run = await openRun(join(results, "r1"));
    expect((await collect(run.captures())).map(({ id }) => id)).toEqual(
      Array.from({ length: 500 }, (_, index) => `s${index}`),
    );
  });

  it("has noted an intent on disk before it says so", async () => {
    const store = await storeWith("r1", 0);
    store.intent({ id: "s0", exchange: 0, turn: 0, attempt: 1, at: "now" });
    expect(await readFile(join(results, "r1", runFiles.journal), "utf8")).toContain('"s0"');
    await store.close();
  });

  it("is never shared by two runs", async () => {
    await (await storeWith("r1", 1)).close();
    await expect(createRunStore(join(results, "r1"), runRecord("r1"))).rejects.toThrow(
      /^.*r1: the folder is not empty/,
    );
    await mkdir(join(results, "empty"));
    await (await createRunStore(join(results, "empty"), runRecord("empty"))).close();
  });

  it("turns a full disk into one clear error, at the next call and at the end", async () => {
    const store = await storeWith("r1", 1, fullDisk(runFiles.captures));
    await expect(store.flush()).resolves.toBeUndefined();
    await store.capture(storedCapture("s1", []));
    await expect(store.flush()).rejects.toThrow(/captures\.jsonl: the disk is full; free some space/);
    await expect(store.capture(storedCapture("s2", []))).rejects.toThrow(StoreError);
    await expect(store.close()).rejects.toThrow(/^[^\n]*the disk is full[^\n]*$/);
  });

  it.skipIf(process.getuid?.() === 0)("says at once when the folder may not be written to", async () => {
    await chmod(results, 0o500);
    await expect(createRunStore(join(results, "r1"), runRecord("r1"))).rejects.toThrow(/not allowed to write here/);
    await chmod(results, 0o700);
  });

  it("says at once when a file cannot be opened, and where a file stands in the folder's place", async () => {
    const denied: OpenAppendFile = async () => {
      throw Object.assign(new Error("denied"), { code: "EACCES" });
    };
    await expect(createRunStore(join(results, "r1"), runRecord("r1"), denied)).rejects.toThrow(
      /journal\.jsonl: not allowed to write here; choose another folder/,
    );
    await writeFile(join(results, "file"), "");
    await expect(createRunStore(join(results, "file", "r2"), runRecord("r2"))).rejects.toThrow(StoreError);
  });
});

describe("reading a run that was cut or comes from elsewhere", () => {
  it("sets a torn last line aside with a note", async () => {
    await (await storeWith("r1", 3)).close();
    const path = join(results, "r1", runFiles.captures);
    const text = await readFile(path, "utf8");
    await writeFile(path, text.slice(0, -200));
    const run = await openRun(join(results, "r1"));
    expect((await collect(run.captures())).map(({ id }) => id)).toEqual(["s0", "s1"]);
    expect(run.notes).toEqual([`${path}: line 3 was cut while being written and is set aside`]);
  });

  it("reads a whole last line that only lacks its line end", async () => {
    await (await storeWith("r1", 2)).close();
    const path = join(results, "r1", runFiles.captures);
    await writeFile(path, (await readFile(path, "utf8")).slice(0, -1));
    const run = await openRun(join(results, "r1"));
    expect(await collect(run.captures())).toHaveLength(2);
    expect(run.notes).toEqual([]);
  });

  it("sets aside a request body that was cut", async () => {
    const store = await storeWith("r1", 0);
    const hash = store.request("{}");
    await store.close();
    await appendFile(join(results, "r1", runFiles.requests), '{"hash":"x","bo');
    const run = await openRun(join(results, "r1"));
    expect(await run.requestBody(hash)).toBe("{}");
    expect(run.notes).toHaveLength(1);
  });

  it("names file and line of damage in the middle", async () => {
    await (await storeWith("r1", 2)).close();
    const path = join(results, "r1", runFiles.captures);
    await writeFile(path, `{"broken\n${await readFile(path, "utf8")}`);
    const run = await openRun(join(results, "r1"));
    await expect(collect(run.captures())).rejects.toThrow(`${path}: line 1 is not JSON; the file is damaged`);
  });

  it("names the key that does not fit", async () => {
    await (await storeWith("r1", 0)).close();
    const path = join(results, "r1", runFiles.captures);
    await writeFile(path, `${JSON.stringify({ ...storedCapture("s", []), kind: "teapot" })}\n`);
    const run = await openRun(join(results, "r1"));
    await expect(collect(run.captures())).rejects.toThrow(/line 1: kind: /);
  });

  it("refuses what a newer lab wrote, with one line", async () => {
    await (await storeWith("r1", 0)).close();
    const path = join(results, "r1", runFiles.record);
    await writeFile(path, JSON.stringify({ ...runRecord("r1"), schemaVersion: 2 }));
    await expect(openRun(join(results, "r1"))).rejects.toThrow(
      /^[^\n]*run\.json was written by a newer harness-lab \(schema 2, this one reads 1\); update harness-lab$/,
    );
  });

  it("keeps keys that it does not know", async () => {
    await (await storeWith("r1", 0)).close();
    const path = join(results, "r1", runFiles.captures);
    await writeFile(path, `${JSON.stringify({ ...storedCapture("s", []), mood: "good" })}\n`);
    const [capture] = await collect((await openRun(join(results, "r1"))).captures());
    expect(capture).toMatchObject({ id: "s", mood: "good" });
  });

  it("says when a folder is no run", async () => {
    await expect(openRun(results)).rejects.toThrow(/no run\.json here, so this is not a run/);
  });
});

describe("findRun", () => {
  beforeEach(async () => {
    for (const [name, created] of [
      ["2026-a1", "2026-11-30T12:00:00Z"],
      ["2026-a2", "2026-11-30T10:00:00Z"],
      ["2026-b1", "2026-11-30T11:00:00Z"],
    ] as const) {
      await (await createRunStore(join(results, name), runRecord(name, created))).close();
    }
    await mkdir(join(results, "baselines"));
  });

  it.each([
    ["latest", "2026-a1"],
    ["2026-b", "2026-b1"],
    ["2026-a2", "2026-a2"],
  ])("%s is %s", async (wanted, name) => {
    expect(await findRun(results, wanted)).toBe(join(results, name));
  });

  it("takes a path", async () => {
    expect(await findRun("/nowhere", join(results, "2026-a2"))).toBe(join(results, "2026-a2"));
  });

  it.each([
    ["2026-a", /"2026-a" is the beginning of 2 runs \(2026-a1, 2026-a2\); write more of the name/],
    ["2026-c1", /there is no run "2026-c1" in .* \(did you mean "2026-/],
    ["./nothing", /\.\/nothing: no run\.json there/],
  ])("says why %s names no single run", async (wanted, message) => {
    await expect(findRun(results, wanted)).rejects.toThrow(message);
  });

  it("says when there are no runs", async () => {
    await expect(findRun(join(results, "baselines"), "latest")).rejects.toThrow(/there are no runs yet/);
    await expect(findRun(join(results, "absent"), "latest")).rejects.toThrow(/there is no such file or folder/);
  });
});
