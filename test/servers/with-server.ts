import type { RunningServer } from "../../src/testbed/servers/server-process.ts";

/** Starts a server for as long as `use` takes. Where that fails, the server's log is kept and the failure says where. */
export async function withServer<Server extends RunningServer, Result>(
  starting: Promise<Server>,
  use: (server: Server) => Promise<Result>,
): Promise<Result> {
  const server = await starting;
  try {
    const result = await use(server);
    await server.stop();
    return result;
  } catch (error) {
    await server.stop({ keepLog: true });
    if (error instanceof Error) error.message += `\n(server log: ${server.logPath})`;
    throw error;
  }
}
