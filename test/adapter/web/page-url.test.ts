import { describe, expect, it } from "vitest";
import { urlsIn } from "../../../src/adapter/web/page-url.ts";

describe("URLs that stand in a text", () => {
  it.each([
    ["see https://example.com/a?b=c#frag.", ["https://example.com/a?b=c"]],
    ["(https://example.com/wiki/X_(y))", ["https://example.com/wiki/X_(y))", "https://example.com/wiki/X_(y"]],
    [
      "https://example.com/aを読んで",
      ["https://example.com/a%E3%82%92%E8%AA%AD%E3%82%93%E3%81%A7", "https://example.com/a"],
    ],
    ["「https://ja.example.org/日本」を", ["https://ja.example.org/%E6%97%A5%E6%9C%AC", "https://ja.example.org/"]],
    [
      "<https://example.com> and [x](http://example.org/y)",
      ["https://example.com/", "http://example.org/y)", "http://example.org/y"],
    ],
    ["HTTPS://EXAMPLE.COM/Path", ["https://example.com/Path"]],
    ["http://localhost:3000 ftp://example.com example.com https://u:p@example.com/", []],
    ["nothing", []],
  ])("%j", (text, urls) => {
    expect(urlsIn(text)).toEqual(urls);
  });

  it("are never more than what stands there", () => {
    const text = "https://example.com/a,b https://example.com/c";
    for (const url of urlsIn(text)) expect(text).toContain(url);
  });
});
