import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ProvisionError } from "./provision-error.ts";
import type { InstallWorld, Recipe } from "./recipe.ts";
import { runCommand } from "./run-command.ts";

/** A client as npm has it. */
export interface NpmClient {
  readonly name: string;
  /** Its package and the packages that it is used with, with exact versions; the first is the client itself. */
  readonly packages: Readonly<Record<string, string>>;
  /**
   * Files that may be its program, below `node_modules`; the first that says the right version is taken. Scripts run in this Node.
   * Absent where the client is a library.
   */
  readonly programs?: readonly string[];
}

/**
 * A client that is installed by npm into a folder of its own. No script of any package is run, so what a package would fetch or build
 * afterwards is not there; a program must answer `--version` without it.
 */
export function npmClientRecipe({ name, packages, programs }: NpmClient): Recipe {
  const [version = ""] = Object.values(packages);
  return {
    name,
    version,
    shelf: "clients",
    source: `the npm packages ${Object.entries(packages)
      .map(([key, value]) => `${key}@${value}`)
      .join(", ")}`,
    unfit: async () =>
      programs !== undefined && process.platform === "win32"
        ? "its runs here are confined by /bin/sh and process groups, which Windows lacks"
        : null,
    fill: async (folder, world) => {
      const manifest = { private: true, dependencies: packages };
      await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
      await runCommand("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"], {
        env: withoutNpmSettings(world.env),
        cwd: folder,
      });
      const modules = join(folder, "node_modules");
      await checkVersions(modules, packages);
      if (programs === undefined) return { paths: { folder }, bytes: {} };
      const program = await findProgram(
        programs.map((file) => join(modules, file)),
        { name, version, home: join(folder, "home"), env: world.env },
      );
      return { paths: { folder, program }, bytes: {} };
    },
  };
}

/** What `npm run` tells its children would make the inner npm work on this project. */
function withoutNpmSettings(env: InstallWorld["env"]): InstallWorld["env"] {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([key]) => !/^npm_(?:config_(?:local_prefix|prefix|global)|package_|lifecycle_)/i.test(key),
    ),
  );
}

async function checkVersions(modules: string, packages: NpmClient["packages"]): Promise<void> {
  for (const [key, wanted] of Object.entries(packages)) {
    const { version } = JSON.parse(await readFile(join(modules, key, "package.json"), "utf8")) as { version: string };
    if (version !== wanted) throw new ProvisionError("failed", `npm installed ${key} ${version} in place of ${wanted}`);
  }
}

interface ProgramSearch {
  readonly name: string;
  readonly version: string;
  /** Removed afterwards. */
  readonly home: string;
  readonly env: InstallWorld["env"];
}

/** A program whose part for this platform npm left out cannot say its version: that is the machine, not the installation. */
async function findProgram(candidates: readonly string[], search: ProgramSearch): Promise<string> {
  const { name, version, home, env } = search;
  await mkdir(home, { recursive: true });
  let problem = "none of its programs is in its packages";
  try {
    for (const candidate of candidates) {
      if (!(await exists(candidate))) continue;
      const [command = "", ...argv] = programCommand(candidate);
      const said = await runCommand(command, [...argv, "--version"], {
        env: { PATH: env["PATH"], HOME: home, CODEX_HOME: home },
        cwd: home,
      }).catch((error: unknown) => {
        if (!(error instanceof ProvisionError)) throw error;
        problem = error.message.split("\n")[0] ?? "";
        return null;
      });
      if (said?.includes(version)) return candidate;
      if (said !== null) problem = `it calls itself ${said}`;
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  throw new ProvisionError(
    "unfit",
    `${name} ${version} does not run on ${process.platform} ${process.arch}: ${problem}`,
  );
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** How a client's program is run: a script by this Node, a binary by itself. */
export function programCommand(program: string): readonly string[] {
  return /\.[cm]?js$/.test(program) ? [process.execPath, program] : [program];
}
