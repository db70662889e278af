// npm run servers -- install NAME… | list: provisions real servers into the cache. Run through tsx, which reads the sources.
import { recipes } from "../src/testbed/provision/index.ts";
import { provision } from "./provision.mjs";

await provision({ command: "servers", kind: "server", recipes, argv: process.argv.slice(2) });
