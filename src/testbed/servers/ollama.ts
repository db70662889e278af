import { createHash } from "node:crypto";
import type { Installed } from "../provision/cache.ts";
import { type RunningServer, startServer } from "./server-process.ts";

/** How a model is made on an Ollama server: a file and what a Modelfile would say of it. */
export interface OllamaModel {
  readonly name: string;
  readonly file: Uint8Array;
  /** A Go template; absent with `renderer` and `parser`, or to leave the file's own Jinja in force. */
  readonly template?: string | undefined;
  readonly renderer?: string | undefined;
  readonly parser?: string | undefined;
  readonly contextLength: number;
}

/** A running Ollama that models can be added to. */
export interface RunningOllama extends RunningServer {
  /** Makes a model; one of the same name is replaced. Throws Error with the server's words. */
  create(model: OllamaModel): Promise<void>;
}

/** Starts the provisioned Ollama with a home and a model store of its own, kept off the network. */
export async function startOllama(installed: Installed): Promise<RunningOllama> {
  const server = await startServer({
    name: "ollama",
    binary: installed.paths["binary"] ?? "",
    argv: () => ["serve"],
    env: ({ port, home }) => ({
      HOME: home,
      OLLAMA_HOST: `127.0.0.1:${port}`,
      OLLAMA_MODELS: `${home}/models`,
      OLLAMA_NO_CLOUD: "1",
      OLLAMA_NOHISTORY: "1",
      OLLAMA_KEEP_ALIVE: "10m",
    }),
    readyPath: "/api/version",
  });
  return { ...server, create: (model) => createModel(server.url, model) };
}

/** Removes a model; one that is not there is no error. */
export async function deleteModel(url: string, name: string): Promise<void> {
  await fetch(`${url}/api/delete`, { method: "DELETE", body: JSON.stringify({ model: name }) }).then(
    (answer) => answer.arrayBuffer(),
    () => undefined,
  );
}

/** Makes a model on a running Ollama; one of the same name is replaced. Throws Error with the server's words. */
export async function createModel(url: string, model: OllamaModel): Promise<void> {
  const digest = `sha256:${createHash("sha256").update(model.file).digest("hex")}`;
  const blob = await fetch(`${url}/api/blobs/${digest}`, { method: "POST", body: new Uint8Array(model.file) });
  if (!blob.ok) throw new Error(`Ollama did not take the file of ${model.name}: ${await blob.text()}`);
  const { name, template, renderer, parser, contextLength } = model;
  const answer = await fetch(`${url}/api/create`, {
    method: "POST",
    body: JSON.stringify({
      model: name,
      stream: false,
      files: { [`${name}.gguf`]: digest },
      ...(template === undefined ? {} : { template }),
      ...(renderer === undefined ? {} : { renderer }),
      ...(parser === undefined ? {} : { parser }),
      // One thread: a scripted model is small, and threads that spin for each other starve on a busy machine.
      parameters: { num_ctx: contextLength, num_thread: 1 },
    }),
  });
  const text = await answer.text();
  if (!answer.ok || !text.includes('"success"')) throw new Error(`Ollama did not make ${name}: ${text}`);
}
