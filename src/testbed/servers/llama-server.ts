import type { Installed } from "../provision/cache.ts";
import { type RunningServer, startServer } from "./server-process.ts";

/** How a llama-server is started. */
export interface LlamaServerOptions {
  /** A GGUF file. */
  readonly model: string;
  /** The model's name in answers. */
  readonly alias: string;
  /** A file with a Jinja template in place of the model's own. */
  readonly chatTemplateFile?: string | undefined;
  /** Tokens of context for each of `slots`; the model's own length unless said. */
  readonly contextLength?: number | undefined;
  readonly slots?: number | undefined;
  /** False starts it without Jinja, in which state it refuses tools. */
  readonly jinja?: boolean | undefined;
  readonly threads?: number | undefined;
}

/** The portable build has no binary of its own: Python starts its server and waits. The file is the first argument, the port the second. */
const portableServer = `
import signal, sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.port = int(sys.argv[2])
params.n_ctx = int(sys.argv[3])
params.n_parallel = 1
params.cpuparams.n_threads = 2
server = xllamacpp.Server(params)
signal.sigwait([signal.SIGTERM, signal.SIGINT])
`;

/** Starts the portable build of llama-server, which runs quantised models on any x86_64. The model's name is its path. */
export function startPortableLlamaServer(
  installed: Installed,
  { model, contextLength = 2048 }: Pick<LlamaServerOptions, "model" | "contextLength">,
): Promise<RunningServer> {
  return startServer({
    name: "llama-server-portable",
    binary: installed.paths["python"] ?? "",
    argv: ({ port }) => ["-c", portableServer, model, String(port), String(contextLength)],
    env: ({ home }) => ({ HOME: home }),
    readyPath: "/health",
  });
}

/** The command line of a llama-server without the program itself. */
export function llamaServerArguments(options: LlamaServerOptions, port: number): readonly string[] {
  const { slots = 1, threads = 1, jinja = true } = options;
  return [
    ...["-m", options.model, "-a", options.alias, "--host", "127.0.0.1", "--port", String(port)],
    ...[jinja ? "--jinja" : "--no-jinja", "-np", String(slots), "-t", String(threads), "--offline", "--no-ui"],
    ...(options.contextLength === undefined ? [] : ["-c", String(options.contextLength * slots)]),
    ...(options.chatTemplateFile === undefined ? [] : ["--chat-template-file", options.chatTemplateFile]),
  ];
}

/** Starts a llama-server with one model. One thread by default: spinning threads starve each other on a busy machine. */
export function startLlamaServer(installed: Installed, options: LlamaServerOptions): Promise<RunningServer> {
  const { binary = "", libraries } = installed.paths;
  return startServer({
    name: "llama-server",
    binary,
    argv: ({ port }) => llamaServerArguments(options, port),
    env: ({ home }) => ({ HOME: home, ...(libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries }) }),
    readyPath: "/health",
  });
}
