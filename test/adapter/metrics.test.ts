import { expect, it } from "vitest";
import type { Handler } from "../../src/protocol/handler.ts";
import { chatBody, post, scripted, shellTool, testAdapter } from "./support.ts";

async function scrape(handler: Handler): Promise<readonly string[]> {
  const response = await handler(new Request("http://127.0.0.1:8484/metrics"));
  expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
  return (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

it("metrics count requests, decisions, repairs and withheld calls, the same at every scrape", async () => {
  const call = (text: string) => chatBody({ text });
  const { handler } = testAdapter(
    scripted(
      chatBody({ text: "Hello." }),
      call('<tool_call>\n{"name": "exec_command", "arguments": {"cmd": "ls",}}\n</tool_call>'),
      chatBody({ calls: [{ name: "exec_command", arguments: '{"cmd":"rm -r build"}' }] }),
    ),
  );
  expect(await scrape(handler)).toContain("adapter_upstream_requests_total 0");

  const ask = (content: string) =>
    post(handler, "/v1/chat/completions", { model: "m", messages: [{ role: "user", content }], tools: [shellTool] });
  await (await ask("Say hello.")).text();
  await (await ask("What is in this folder?")).text();
  await (await ask("Explain the build. Don't run anything.")).text();

  const first = await scrape(handler);
  expect(first).toContain('adapter_requests_total{front="chat",client="unknown",outcome="completed"} 3');
  expect(first).toContain("adapter_upstream_requests_total 3");
  expect(first).toContain("adapter_added_seconds_count 3");
  expect(first.filter((line) => line.startsWith("adapter_stage_decisions_total{")).length).toBeGreaterThan(2);
  expect(first.filter((line) => line.startsWith("adapter_repairs_total{"))).toEqual([
    'adapter_repairs_total{repair="trailing_comma"} 1',
  ]);
  expect(first.filter((line) => /^adapter_suppressed_calls_total\{stage="\w+"\} 1$/.test(line))).toHaveLength(1);
  expect(await scrape(handler)).toEqual(first);
});
