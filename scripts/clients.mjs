// npm run clients -- install NAME… | list: provisions real clients into the cache. Run through tsx, which reads the sources.
import { clientRecipes } from "../src/testbed/provision/clients.ts";
import { provision } from "./provision.mjs";

await provision({ command: "clients", kind: "client", recipes: clientRecipes, argv: process.argv.slice(2) });
