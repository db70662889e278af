import type { Installed, Shelf } from "./cache.ts";

/** Everything an installation may know of the machine. */
export interface InstallWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Root of the cache. */
  readonly cache: string;
  /** Seconds, monotonic. */
  readonly seconds: () => number;
  /** One line for people. */
  readonly say: (line: string) => void;
}

/** How one server or client is provisioned: exact versions, so that every machine measures the same thing. */
export interface Recipe {
  /** Where in the cache it lies; with the servers unless said. */
  readonly shelf?: Shelf;
  readonly name: string;
  readonly version: string;
  /** What is fetched, for people. */
  readonly source: string;
  /** True where `install all` leaves it out: too large to come unasked. */
  readonly byName?: boolean;
  /** Why it cannot be had on this machine, in one line; null where it can. */
  unfit(world: InstallWorld): Promise<string | null>;
  /** Fills `folder` (empty) and says what lies where. Throws ProvisionError. */
  fill(folder: string, world: InstallWorld): Promise<Pick<Installed, "paths" | "bytes">>;
}
