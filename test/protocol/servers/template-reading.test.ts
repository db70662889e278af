import { describe, expect, it } from "vitest";
import { readTemplate } from "../../../src/protocol/servers/template-reading.ts";

const go = {
  both: '{{ if or .System .Tools }}{{ if .System }}{{ .System }}{{ end }}{{ if .Tools }}{{ range .Tools }}{{ . }}{{ end }}{{ end }}{{ end }}{{ range .Messages }}{{ if eq .Role "tool" }}{{ .Content }}{{ end }}{{ end }}',
  exclusive: "{{- if .Tools }}Tools: {{ .Tools }}{{ else if .System }}{{ .System }}{{ end }}",
  // hermes3 as Ollama ships it: the system prompt stands behind else, inside an outer if.
  hermes3:
    "{{- if or .System .Tools }}<|im_start|>system\n{{- if .Tools }}\nYou are a function calling AI model.\n{{- range .Tools }}{{ .Function }}{{- end }}\n{{- else if .System }}\n{{ .System }}\n{{- end }}<|im_end|>\n{{- end }}",
  systemInFirst: "{{ if .Tools }}{{ .System }}{{ .Tools }}{{ else if .System }}{{ .System }}{{ end }}",
  plain: "{{- range .Messages }}{{ .Role }}\n{{ .Content }}{{ end }}",
  prompt: "{{ .Prompt }}",
};

describe("Go templates", () => {
  it.each([
    ["both", { writesTools: true, writesResults: true, exclusive: false, goSyntax: false }],
    ["exclusive", { writesTools: true, writesResults: false, exclusive: true }],
    ["hermes3", { writesTools: true, exclusive: true, goSyntax: true }],
    ["systemInFirst", { exclusive: false }],
    ["plain", { writesTools: false, writesResults: true }],
    ["prompt", { writesTools: false, exclusive: false }],
  ] as const)("%s", (name, reading) => {
    expect(readTemplate(go[name])).toMatchObject({ language: "go", ...reading });
  });
});

describe("Jinja templates", () => {
  it("with tools and their results", () => {
    const text =
      "{%- if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}{% if m.role == 'tool' %}{{ m.content }}{% endif %}{% endfor %}";
    expect(readTemplate(text)).toMatchObject({ language: "jinja", writesTools: true, writesResults: true });
  });
  it("that only speaks of tools in its text", () => {
    const text =
      "You have no tools.{% for message in messages %}{{ message['role'] }}: {{ message.content }}{% endfor %}";
    expect(readTemplate(text)).toMatchObject({ language: "jinja", writesTools: false, writesResults: true });
  });
  it("never fails on what is no template", () => {
    for (const text of ["", "{{", "{%", "{{ if .Tools", "}}{{ end }}{{ end }}", "plain"])
      expect(() => readTemplate(text)).not.toThrow();
  });
});
