import { describe, expect, it } from "vitest";
import * as go from "../../src/testbed/templates/go.ts";
import * as jinja from "../../src/testbed/templates/jinja.ts";

describe("templates", () => {
  it("are all different: a variant that was made by replacing a line has it replaced", () => {
    const all = [...Object.values(go), ...Object.values(jinja)];
    expect(new Set(all).size).toBe(all.length);
    expect(jinja.hermesThinkTemplate).toContain("reasoning_content");
    expect(go.hermesThinkGoTemplate).toContain(".Thinking");
    expect(go.damagedToolsGoTemplate).toContain("{{ .Function }}");
    expect(go.exclusiveGoTemplate).toContain("else if .System");
  });

  it("end every prompt where scripted models begin", () => {
    for (const text of Object.values(go))
      expect(text).toMatch(/<\|im_start\|>assistant\n(?:\{\{ end \}\}\n\{\{- end \}\})?$/);
    for (const text of Object.values(jinja).filter((each) => each !== jinja.mistralTemplate))
      expect(text).toMatch(/assistant(?:<\|end_header_id\|>\\n)?\\n(?:<think>\\n)?" \}\}\n\{%- endif %\}\n$/);
    // Mistral's prompts end with the question.
    expect(jinja.mistralTemplate).toContain('message.content + "[/INST]"');
  });
});
