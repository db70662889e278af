import { describe, expect, it } from "vitest";
import { shellCommand, withoutSecrets } from "../../src/cli/shell-command.ts";

describe("a command line to copy", () => {
  it("quotes what a shell would take apart", () => {
    expect(shellCommand(["lab", "run", "--body", 'a={"b":1}', "--model", "org/m:7b", "it's"])).toBe(
      `lab run --body 'a={"b":1}' --model org/m:7b 'it'\\''s'`,
    );
  });

  it.each([
    [
      ["--header", "Authorization: Bearer x", "X-Key: y", "--model", "a:b"],
      ["--header", "Authorization: …", "X-Key: …", "--model", "a:b"],
    ],
    [["--header=Authorization: Bearer x"], ["--header=Authorization: …"]],
    [
      ["--base-url", "http://me:pw@host/v1"],
      ["--base-url", "http://…@host/v1"],
    ],
    [
      ["--target", "n=m@http://me:pw@host/v1"],
      ["--target", "n=m@http://…@host/v1"],
    ],
  ])("leaves secrets out of %j", (words, clean) => {
    expect(withoutSecrets(words)).toEqual(clean);
  });
});
