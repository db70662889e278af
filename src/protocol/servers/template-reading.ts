/** What a chat template does with tools, as far as its text shows it. Null where the text does not decide it. */
export interface TemplateReading {
  readonly language: "go" | "jinja" | "other";
  /** The tools that a request declares are written somewhere. */
  readonly writesTools: boolean;
  /** Results of tools are written: as a branch of their own, or because every role is. */
  readonly writesResults: boolean;
  /** The system prompt is written only where there are no tools. */
  readonly exclusive: boolean;
  /** Tools are printed as Go prints a struct, not as JSON. */
  readonly goSyntax: boolean;
}

/** Reads a Go or Jinja chat template statically: a hint where the rendered prompt is not shown, never more. */
export function readTemplate(template: string): TemplateReading {
  if (/\{%-?\s/.test(template)) return readJinja(template);
  if (/\{\{/.test(template)) return readGo(template);
  return { language: "other", writesTools: false, writesResults: false, exclusive: false, goSyntax: false };
}

function readGo(template: string): TemplateReading {
  const everyRole = /\{\{-?\s*\.Role\s*-?\}\}/.test(template);
  return {
    language: "go",
    writesTools: /\.Tools\b/.test(template),
    writesResults: everyRole || /eq\s+\.Role\s+"tool"/.test(template),
    exclusive: isExclusive(template),
    goSyntax: /\{\{-?\s*\.Function\s*-?\}\}/.test(template),
  };
}

/** `{{ if .Tools }} … {{ else if .System }}` with no system text inside the first branch. */
function isExclusive(template: string): boolean {
  const depths: { tools: boolean; system: boolean }[] = [];
  for (const [, action = ""] of template.matchAll(/\{\{-?\s*([\s\S]*?)\s*-?\}\}/g)) {
    const open = depths.at(-1);
    if (/^(?:if|range|with)\b/.test(action)) {
      depths.push({ tools: /^if\s+\.Tools$/.test(action), system: false });
    } else if (/^else if\s+(?:\$)?\.System$/.test(action)) {
      if (open?.tools === true && !open.system) return true;
    } else if (action === "end") depths.pop();
    else if (/^(?:\$)?\.System$/.test(action)) for (const each of depths) each.system = true;
  }
  return false;
}

function readJinja(template: string): TemplateReading {
  const code = [...template.matchAll(/\{[{%]-?([\s\S]*?)-?[}%]\}/g)].map(([, inside = ""]) => inside).join("\n");
  const everyRole = /\{\{-?[^}]*\b\w+(?:\.role\b|\[["']role["']\])/.test(template);
  return {
    language: "jinja",
    writesTools: /\btools\b/.test(code),
    writesResults: everyRole || /["'](?:tool|ipython|observation)["']/.test(code),
    exclusive: false,
    goSyntax: false,
  };
}
