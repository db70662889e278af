// npm run test:pack: what people install. The packed tarball is linted, installed globally into an empty folder without running
// any install script (so nothing can have been compiled), and there it runs the demo and draws a picture.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "lab-pack-"));
const prefix = join(scratch, "prefix");

function run(command, argv, options = {}) {
  return execFileSync(command, argv, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], ...options });
}
function step(what, work) {
  const start = performance.now();
  const said = work();
  console.log(
    `ok   ${what}${said === undefined ? "" : `: ${said}`} (${((performance.now() - start) / 1000).toFixed(1)} s)`,
  );
}

try {
  if (!existsSync(join(root, "dist/cli/main.js"))) run("npm", ["run", "build", "--silent"]);
  let tarball = "";
  step("npm pack", () => {
    const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", scratch]));
    tarball = join(scratch, packed.filename);
    const names = packed.files.map(({ path }) => path);
    const stray = names.find((name) => /^(?:src|test|results|reports|bench|scripts)\//.test(name));
    if (stray !== undefined) throw new Error(`the tarball holds ${stray}`);
    return `${(packed.size / 1e6).toFixed(1)} MB, ${names.length} files`;
  });
  step("publint", () => {
    run(process.execPath, [join(root, "node_modules/publint/src/cli.js"), tarball, "--strict"]);
  });
  step("attw", () => {
    run(process.execPath, [
      join(root, "node_modules/@arethetypeswrong/cli/dist/index.js"),
      tarball,
      ...["--profile", "esm-only"],
    ]);
  });
  step("npm install --global into an empty folder, no scripts", () => {
    const flags = ["--prefix", prefix, "--ignore-scripts", "--no-audit", "--no-fund"];
    run("npm", ["install", "--global", ...flags, tarball], { cwd: scratch });
    const modules = join(prefix, "lib/node_modules/harness-lab");
    if (!existsSync(join(modules, "dist/cli/main.js"))) throw new Error("the program is not there");
    if (existsSync(join(modules, "node_modules/canvas/build"))) throw new Error("a canvas was compiled");
  });
  const lab = join(prefix, "bin/lab");
  const results = join(scratch, "results");
  step("lab demo", () => {
    run(lab, ["demo", "--quiet", "--out", results], { cwd: scratch });
    return readdirSync(results).join(", ");
  });
  step("lab classify --cases checks the pattern of a schema", () => {
    const cases = join(scratch, "cases");
    mkdirSync(cases);
    const right = (pattern) => {
      const labelled = JSON.parse(readFileSync(join(root, "test/fixtures/cases/leak-tools-tag-array.json"), "utf8"));
      labelled.tools[0].function.parameters.properties.path.pattern = pattern;
      writeFileSync(join(cases, "pattern.json"), JSON.stringify(labelled));
      const { stdout } = spawnSync(lab, ["classify", "--cases", cases, "--lang", "en"], { encoding: "utf8" });
      return /Calls right[^\n]*: (\d\/1)/.exec(stdout)?.[1];
    };
    const said = [right("^[A-Z]+[.]md$"), right("^zzz$")].join(", ");
    if (said !== "1/1, 0/1") throw new Error(`calls that are right: ${said}`);
  });
  step("lab report --format png", () => {
    run(lab, ["report", "latest", "--results", results, "--format", "png", "--lang", "ja", "--out", "pictures"], {
      cwd: scratch,
    });
    return ["matrix.png", "outcomes.png"]
      .map((name) => {
        const file = join(scratch, "pictures", name);
        if (readFileSync(file).toString("latin1", 1, 4) !== "PNG") throw new Error(`${name} is no PNG`);
        return `${name} ${Math.round(statSync(file).size / 1024)} KB`;
      })
      .join(", ");
  });
  step("what was compiled is taken back at the next start, unless it is damaged", () => {
    const cache = join(scratch, "cache");
    const start = (env = {}) => {
      const { stdout, stderr } = spawnSync(lab, ["scenarios", "list"], {
        encoding: "utf8",
        env: { ...process.env, HARNESS_LAB_CACHE: cache, ...env },
      });
      if (stderr !== "" || !stdout.includes("factorial-known-en")) throw new Error(`it said: ${stderr}${stdout}`);
    };
    start({ NODE_DISABLE_COMPILE_CACHE: "1" });
    if (existsSync(cache)) throw new Error("it kept code although it was told not to");
    start();
    const [name, ...others] = readdirSync(join(cache, "program"));
    if (others.length > 0) throw new Error(`more than one file: ${others}`);
    const file = join(cache, "program", name);
    const kept = statSync(file);
    start();
    if (statSync(file).ino !== kept.ino) throw new Error("the code was not taken back");
    const damaged = readFileSync(file).fill(0, kept.size >> 1, (kept.size >> 1) + 1000);
    writeFileSync(file, damaged);
    start();
    if (readFileSync(file).equals(damaged)) throw new Error("damaged code was taken back");
    return `${(kept.size / 1e6).toFixed(1)} MB`;
  });
  step("the library", () => {
    const code = `import { decide, wilson } from "harness-lab"; console.log(wilson(3, 3).low.toFixed(2), typeof decide)`;
    return run(process.execPath, ["--input-type=module", "-e", code], {
      cwd: join(prefix, "lib/node_modules/harness-lab"),
    }).trim();
  });
} catch (error) {
  console.error(`FAIL ${error.message}\n${error.stdout ?? ""}${error.stderr ?? ""}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
