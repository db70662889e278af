import type { Installed } from "../provision/cache.ts";
import { type RunningServer, startServer } from "./server-process.ts";

/** How a vLLM is started. */
export interface VllmOptions {
  /** Folder of the model. */
  readonly model: string;
  /** The model's name in requests. */
  readonly alias: string;
  /** Null starts it without, in which state it refuses tools. */
  readonly toolCallParser: string | null;
  readonly reasoningParser: string | null;
  /** Tokens of context; a scripted model's prompts count a token a byte. */
  readonly contextLength?: number | undefined;
  /**
   * Tokens that one step reads, vLLM's own number unless said. On a CPU, vLLM 0.32 dies where a prompt takes two steps and its
   * request has a seed.
   */
  readonly tokensAtOnce?: number | undefined;
}

/** Long, because the first start on a machine compiles Python and reads a gigabyte. */
const startTimeoutMs = 600_000;

/** The command line of `vllm serve` without the program itself. */
export function vllmArguments(options: VllmOptions, verb: "serve" | "render", port: number): readonly string[] {
  const { model, alias, toolCallParser, reasoningParser, contextLength = 8192, tokensAtOnce } = options;
  return [
    ...(verb === "serve" ? ["serve", model] : ["launch", "render", model]),
    ...["--served-model-name", alias, "--host", "127.0.0.1", "--port", String(port)],
    ...["--max-model-len", String(contextLength)],
    ...(verb === "serve" ? ["--enforce-eager", "--dtype", "float32", "--max-num-seqs", "8"] : []),
    ...(verb === "serve" && tokensAtOnce !== undefined ? ["--max-num-batched-tokens", String(tokensAtOnce)] : []),
    ...(toolCallParser === null ? [] : ["--enable-auto-tool-choice", "--tool-call-parser", toolCallParser]),
    ...(reasoningParser === null ? [] : ["--reasoning-parser", reasoningParser]),
  ];
}

/** Starts the provisioned vLLM with a scripted model, on the CPU and kept off the network. Takes about a minute. */
export function startVllm(installed: Installed, options: VllmOptions): Promise<RunningServer> {
  return start(installed, options, "serve");
}

/** Starts only what renders prompts and parses replies (`vllm launch render`): no weights, a third of the time. */
export function startVllmRender(installed: Installed, options: VllmOptions): Promise<RunningServer> {
  return start(installed, options, "render");
}

function start(installed: Installed, options: VllmOptions, verb: "serve" | "render"): Promise<RunningServer> {
  return startServer(
    {
      name: `vllm-${verb}`,
      binary: installed.paths["binary"] ?? "",
      argv: ({ port }) => vllmArguments(options, verb, port),
      env: ({ home }) => ({
        HOME: home,
        HF_HUB_OFFLINE: "1",
        VLLM_NO_USAGE_STATS: "1",
        DO_NOT_TRACK: "1",
        // Gigabytes of key-value cache; one thread, since spinning threads starve each other on a busy machine.
        VLLM_CPU_KVCACHE_SPACE: "1",
        OMP_NUM_THREADS: "1",
      }),
      readyPath: "/health",
    },
    { timeoutMs: startTimeoutMs },
  );
}
