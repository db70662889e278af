import { describe, expect, it } from "vitest";
import { replayCapture } from "../../../src/lab/capture/replay.ts";
import { send } from "../../../src/lab/transport/send.ts";
import { wireText } from "../../protocol/servers/fixture-server.ts";
import { storedExchange } from "./exchange-fixture.ts";

const clock = { now: () => 0, date: () => new Date(0) };
const ask = { method: "POST", path: "/v1/chat/completions", headers: {}, body: "{}" };

describe("replayCapture", () => {
  it("serves the stored bytes in the stored pieces", async () => {
    const text = wireText("vllm-hermes-texthermes-auto-stream.sse");
    const length = Buffer.byteLength(text);
    const stored = storedExchange(text, {
      headers: { "content-type": "text/event-stream", "content-length": "5" },
      chunks: [
        [1, 10],
        [2, 3],
        [4, length - 13],
      ],
    });
    const again = await send(replayCapture({ exchanges: [stored] }), ask, clock);
    expect(Buffer.from(again.body).toString()).toBe(text);
    expect(again.chunks.map(([, size]) => size)).toEqual([10, 3, length - 13]);
    expect([again.status, again.headers["content-type"], again.end.kind]).toEqual([
      200,
      "text/event-stream",
      "complete",
    ]);
  });

  it("serves one reply after the other and stays with the last, side exchanges left out", async () => {
    const handler = replayCapture({
      exchanges: [
        storedExchange("one"),
        storedExchange("side", { hop: "side", purpose: "detokenize" }),
        storedExchange("two", { status: 400 }),
      ],
    });
    const bodies: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) bodies.push(Buffer.from((await send(handler, ask, clock)).body).toString());
    expect(bodies).toEqual(["one", "two", "two"]);
  });

  it("fails where the stored exchange failed, after what had come", async () => {
    const cut = storedExchange("data: half", { end: { kind: "failed", phase: "idle", cause: "silence" } });
    const again = await send(replayCapture({ exchanges: [cut] }), ask, clock);
    expect([Buffer.from(again.body).toString(), again.end]).toEqual([
      "data: half",
      { kind: "failed", phase: "idle", cause: "silence" },
    ]);
    const refused = storedExchange("", { status: null, end: { kind: "failed", phase: "connect", cause: "refused" } });
    expect((await send(replayCapture({ exchanges: [refused] }), ask, clock)).end).toMatchObject({ phase: "connect" });
  });

  it.each([
    [999, "x"],
    [204, "x"],
    [101, ""],
  ])("rejects what a Response cannot hold: status %i with %j", async (status, body) => {
    const again = await send(replayCapture({ exchanges: [storedExchange(body, { status })] }), ask, clock);
    expect(again.end).toMatchObject({ kind: "failed", phase: "protocol" });
  });

  it("serves an empty 204", async () => {
    expect(
      (await send(replayCapture({ exchanges: [storedExchange("", { status: 204, chunks: [] })] }), ask, clock)).status,
    ).toBe(204);
  });

  it("rejects with aborted when the request is, and with protocol when there is nothing to serve", async () => {
    const aborted = await send(
      replayCapture({ exchanges: [storedExchange("x")] }),
      { ...ask, signal: AbortSignal.abort() },
      clock,
    );
    expect(aborted.end).toMatchObject({ phase: "aborted" });
    expect((await send(replayCapture({ exchanges: [] }), ask, clock)).end).toMatchObject({ phase: "protocol" });
  });
});
