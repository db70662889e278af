import { llamaServerRecipe } from "./llama-server.ts";
import { ollamaRecipe } from "./ollama.ts";
import type { Recipe } from "./recipe.ts";
import { vllmRecipe } from "./vllm.ts";

/** Every server that can be provisioned. */
export const recipes: readonly Recipe[] = [llamaServerRecipe, ollamaRecipe, vllmRecipe];
