import { npmClientRecipe } from "./npm-client.ts";
import type { Recipe } from "./recipe.ts";

export const codexRecipe = npmClientRecipe({
  name: "codex",
  packages: { "@openai/codex": "0.171.0" },
  programs: ["@openai/codex/bin/codex.js"],
});

const opencodePlatform = `opencode-${process.platform}-${process.arch}`;

export const opencodeRecipe = npmClientRecipe({
  name: "opencode",
  packages: { "opencode-ai": "1.18.33" },
  // Its launcher is put in place by a script that is not run; which of the binaries a machine can run is seen by trying.
  programs: ["", "-baseline", "-musl", "-baseline-musl"].map((kind) => `${opencodePlatform}${kind}/bin/opencode`),
});

export const qwenCodeRecipe = npmClientRecipe({
  name: "qwen-code",
  packages: { "@qwen-code/qwen-code": "0.15.10" },
  programs: ["@qwen-code/qwen-code/cli.js"],
});

export const openaiRecipe = npmClientRecipe({ name: "openai", packages: { openai: "6.49.0" } });

export const aiSdkRecipe = npmClientRecipe({
  name: "ai",
  packages: { ai: "6.0.326", "@ai-sdk/openai-compatible": "2.0.92" },
});

export const ollamaClientRecipe = npmClientRecipe({ name: "ollama", packages: { ollama: "0.6.4" } });

/** Every client that the adapter is tried with. */
export const clientRecipes: readonly Recipe[] = [
  codexRecipe,
  opencodeRecipe,
  qwenCodeRecipe,
  openaiRecipe,
  aiSdkRecipe,
  ollamaClientRecipe,
];
